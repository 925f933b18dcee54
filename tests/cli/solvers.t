#!/bin/sh
# jobs/solvers.py: runs in turns, lines that are kept, time that runs out, and the page, with programs that stand in for those of
# a GPU; and what it runs in Python, by SciPy in the place of CuPy and on the CPU.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"

python=
for p in /usr/bin/python3 python3; do
    "$p" -c 'import scipy.sparse.linalg' 2>/dev/null && python=$p && break
done
[ "$python" ] || skip_all "no Python with SciPy"
torch=
"$python" -c 'import torch' 2>/dev/null && [ -e "${top_builddir:?}/.libs/librowcast_plan.so.1" ] && torch=yes
plan 58
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
solvers=$top_srcdir/jobs/solvers.py
cd "$tmp" || exit 1

# A solver that says what it was asked for, and how long it took by whether something of that name is preloaded.
cat >program <<'SH'
#!/bin/sh
case $LD_PRELOAD in *stand-in*) way=with seconds=0.5 ;; *) way=alone seconds=2.0 ;; esac
echo "$way $1 bits=$ROWCAST_BITS" >>"$LOG"
[ "$1" != "$FAILS" ] || { echo "it went wrong" >&2; exit 3; }
[ "$1" != "$HANGS" ] || exec sleep 1000
[ "$way" = alone ] || echo "rowcast: ${SAYS:-7 calls}" >&2
steps=100
[ "$way" != with ] || steps=${STEPS:-100}
echo "a line before"
printf '{"iterations": %s, "residual": 1e-9, "seconds": %s, "device": "stand-in", "cuda": 13000, "cusparse": 12603}\n' $steps $seconds
SH
chmod +x program

# drive OUTPUT WORD...: with that program
drive()
{
    output=$1
    shift
    : >log
    LOG=$tmp/log SAYS=${SAYS:-} FAILS=${FAILS:-} HANGS=${HANGS:-} STEPS=${STEPS:-} "$python" "$solvers" --program ./program --rowcast "$ROWCAST" \
        --library "$tmp/stand-in.so" --work work -o "$output" --cases "${CASES:-cg,pdhg,pdhg-alg2}" "$@" mesh2d:n=6,shuffle=both \
        uniform:n=30
}

# value EXPRESSION OUTPUT: of its lines
value()
{
    "$python" -c "
import json, sys
lines = [json.loads(text) for text in open('$2')]
print($1)"
}

code "it ends with 0" 0 drive lines.jsonl --rounds 3
is "cg has the definite system, pdhg both" "$(value "' '.join(l['case'] for l in lines)" lines.jsonl)" "cg pdhg pdhg pdhg-alg2 pdhg-alg2"
is "ways take turns" "$(sed -n 1,6p log | cut -d ' ' -f 1 | tr '\n' ' ')" "alone with alone with alone with "
is "each has as many runs" "$(wc -l <log)" 30
is "only rowcast's may have other bits" "$(grep -c bits=free log) $(grep -c '^alone.*free' log)" "6 0"
is "gains are of medians" "$(value "[(l['gain'], l['alone']['runs']) for l in lines][0]" lines.jsonl)" "(4.0, [2.0, 2.0, 2.0])"
is "what the drop-in said is kept" "$(value "lines[0]['with']['said']" lines.jsonl)" "['rowcast: 7 calls']"
is "runs are the same" "$(value "all(l['same'] for l in lines)" lines.jsonl)" True
cp lines.jsonl before
code "again, it ends with 0" 0 drive lines.jsonl
is "nothing runs" "$(wc -l <log)" 0
ok "and lines stay" cmp lines.jsonl before
head -c -30 before >lines.jsonl
code "after a line that is cut off" 0 drive lines.jsonl
is "that case alone is run" "$(cut -d ' ' -f 1,2 log | sort | uniq -c | tr -s ' \n' ' ')" " 2 alone pdhg 2 with pdhg "
is "and has a line of its own" "$(tail -n 1 lines.jsonl | grep -c '^{"case": "pdhg-alg2".*}$')" 1
is "five lines are whole" "$(grep -c '^{.*}$' lines.jsonl)" 5

HANGS=pdhg code "time runs out" 75 drive cut.jsonl --budget 8
code "and it goes on" 0 drive cut.jsonl
is "each case is there once" "$(value "sorted(l['case'] + l['system'] for l in lines) == sorted({l['case'] + l['system'] for l in lines})" \
    cut.jsonl) $(wc -l <cut.jsonl)" "True 5"
code "no time at all" 75 drive none.jsonl --budget 1e-9
HANGS=cg CASES=cg code "a process that takes too long" 1 drive long.jsonl --limit 1
is "is one that fails" "$(value "[l.get('error') for l in lines]" long.jsonl)" "['RuntimeError: more than 1 s']"
FAILS=cg code "a program that fails" 1 drive failed.jsonl
is "its last line is kept" "$(value "[l.get('error') for l in lines][:2]" failed.jsonl)" "['RuntimeError: exit 3: it went wrong', None]"
code "and the case is not run again" 1 drive failed.jsonl
is "nor another" "$(wc -l <log)" 0
SAYS="no plans: nothing is there" CASES=cg code "a drop-in that does nothing" 1 drive idle.jsonl
is "is no case with one" "$(value "[l.get('error') for l in lines]" idle.jsonl)" \
    "['RuntimeError: no drop-in: rowcast: no plans: nothing is there']"
STEPS=102 code "more steps" 0 drive steps.jsonl
is "are not the same" "$(value "{l['same'] for l in lines}" steps.jsonl)" "{False}"
CASES=cg code "another program" 0 drive other.jsonl --program ./nowhere
is "that is not there leaves its cases out" "$(grep -c 'cg is left out: there is no ./nowhere' err)" 1
code "a case that is none" 2 env CASES=none "$python" "$solvers" --cases none
code "a system that is none" 2 "$python" "$solvers" nowhere.mtx

# ---------------------------------------------------------------- systems
cat >a.mtx <<'MTX'
%%MatrixMarket matrix coordinate real symmetric
3 3 5
1 1 4
2 2 4
3 3 4
2 1 -1
3 2 1.5
MTX
mkdir -p "set/Group" && mv a.mtx set/Group
"$python" -c "
import lzma
text = open('set/Group/a.mtx').read()
lzma.open('set/Group/b.mtx.xz', 'wt').write(text.replace('3 3 5', '%c\\n3 3 4').replace('3 2 1.5\\n', ''))
lzma.open('set/Group/p.mtx.xz', 'wt').write('%%MatrixMarket matrix coordinate pattern symmetric\n3 3 4\n1 1\n2 1\n3 1\n3 3\n')
lzma.open('set/Group/c.mtx.xz', 'wt').write(text.replace('3 3 5', '3 3 2'))"
CASES=cg code "a folder of files" 0 env LOG="$tmp/log" "$python" "$solvers" --program ./program --rowcast "$ROWCAST" --work work \
    --library "$tmp/stand-in.so" -o real.jsonl --cases cg --least 4 set
is "is its files that are large enough" "$(value "[(l['system'], l['rows'], l['entries']) for l in lines]" real.jsonl)" \
    "[('Group/a', 3, 7), ('Group/b', 3, 5), ('Group/p', 3, 7)]"
cat >look.py <<'PY'
import glob, sys
sys.path.insert(0, sys.argv[1])
import numpy as np, scipy.sparse as sp
import solver_cases
for part in ("mesh2d", "Group_a", "Group_p"):
    shape, ptr, col, val = solver_cases.load(glob.glob(f"work/{part}*.csr")[0])
    a = sp.csr_matrix((val, col, ptr), shape=shape)
    assert abs(a - a.T).max() == 0
    if part == "mesh2d":  # the eigenvalues of two lines of six points with free ends, plus the shift
        of_line = 2 - 2 * np.cos(np.pi * np.arange(6) / 6)
        known = np.sort(np.add.outer(of_line, of_line).ravel() + 1e-4)
        assert np.allclose(np.linalg.eigvalsh(a.toarray()), known, atol=1e-12)
    elif part == "Group_a":
        assert (a.toarray() == [[4, -1, 0], [-1, 4, 1.5], [0, 1.5, 4]]).all()
    else:
        assert np.allclose(a.toarray(), [[2.0001, -1, -1], [-1, 1.0001, 0], [-1, 0, 1.0001]], rtol=1e-15)
PY
ok "without values there are Laplacians, others are what they were" "$python" look.py "$top_srcdir/jobs"

# --------------------------------------------------------------- the page
cat >invent.py <<'PY'
import json
side = lambda s, **more: {"iterations": 600, "residual": 9e-9, "seconds": s, "runs": [s, 1.25 * s], "device": "NVIDIA H200",
                          "cuda": 13000, "said": [], "process_s": s + 2, **more}
line = lambda case, system, a, b, same=True, **more: {
    "case": case, "system": system, "rows": 1000, "cols": 1000, "entries": 5000, "kinds": [], "date": "2026-01-02",
    "alone": side(a, **more.get("alone", {})), "with": side(b, **more.get("ours", {})), "gain": a / b, "same": same}
made = dict(alone={"made_s": .1, "step_s": .004, "product_s": .002, "torch": "2.11"},
            ours={"made_s": .5, "step_s": .001, "product_s": .0004, "rowcast": "0.1.0"})
for l in (line("cg", "x", 8, 2, ours={"cusparse": 12603}), line("pdhg", "x", 1, 1, same=False, ours={"runs": [2, 3]}),
          line("order-cg", "m:n=9,shuffle=both", 6, 2, **made), line("order-cg", "m:n=9", 1, 2, **made),
          line("cupy-eigsh", "x", 2, 1, alone={"iterations": None, "cupy": "14.2.0"}, ours={"iterations": None})):
    print(json.dumps(l))
print(json.dumps({"case": "plan-cg", "system": "y", "rows": 1, "cols": 1, "entries": 1, "date": "2026-01-02", "error": "E: no | memory"}))
PY
"$python" invent.py >invented.jsonl
mkdir -p tree/data/results
code "the page is printed" 0 "$python" "$solvers" --page -o invented.jsonl
cp out tree/data/results/solvers.md
is "it begins with the answer" "$(sed -n 4p out)" "Under the drop-in 3 whole solves are 2.00 times as fast in geometric mean: 1.00 to 4.00. \
Processes of one way differ by 25 % in the median and 50 % at most. Renumbered first, shuffled systems with a plan gain 3.00 on 1 system, order included; a step 4.00, its product 5.00."
is "it says with what" "$(sed -n 6p out)" "NVIDIA H200, CUDA 13.0, cuSPARSE 12.6.3, CuPy 14.2.0, PyTorch 2.11, rowcast 0.1.0. 2026-01-02. \
Medians of 2 processes each, in turns."
is "what a step and a product take, and when the order is won back" "$(grep '^| m:n=9,shuffle' out | tr -d ' ' | cut -d '|' -f 5-)" "600|6|2|3.00|9.0e-09|9.0e-09|4,000|1,000|2,000|400|134|"
is "what is not the same, and what failed" "$(sed -n '/^- /p' out)" "- \`pdhg\`, x: iterations or residuals differ by more than 1 %.
- \`plan-cg\`, y: \`E: no | memory\`"
for rule in sentences cells words; do
    ok "$rule of the page" sh "$top_srcdir/tests/lint/check-pages.sh" "$rule" tree
done
is "what was not written by hand is not counted" "$(sh "$top_srcdir/tests/lint/check-pages.sh" count tree | awk '{ print ($1 < 60) }')" 1
sed 's/, "product_s": [.0-9]*//g' invented.jsonl >older.jsonl
code "lines that say nothing of products make a page, too" 0 "$python" "$solvers" --page -o older.jsonl
is "which tells what they say" "$(sed -n 4p out | grep -o 'Renumbered.*') $(grep '^| m:n=9,shuffle' out | tr -d ' ' | cut -d '|' -f 11-)" \
    "Renumbered first, shuffled systems with a plan gain 3.00 on 1 system, order included. 4,000|1,000|||134|"
: >empty
code "no lines, a page that says so" 0 "$python" "$solvers" --page -o empty

# ------------------------------------------------------------- what is Python
mkdir -p stand/cupyx/scipy/sparse
cat >stand/cupy.py <<'PY'
import os, sys
from types import SimpleNamespace as Names
from numpy import *
if "stand-in" in os.environ.get("LD_PRELOAD", ""):
    print("rowcast: 7 calls", file=sys.stderr)
from numpy import linalg, random
__version__ = "none"
cuda = Names(Device=lambda: Names(synchronize=lambda: None),
             runtime=Names(getDeviceProperties=lambda i: {"name": b"host"}, runtimeGetVersion=lambda: 13000))
PY
touch stand/cupyx/__init__.py stand/cupyx/scipy/__init__.py
printf 'from scipy.sparse import *\nfrom scipy.sparse import linalg\n' >stand/cupyx/scipy/sparse/__init__.py
cupy()
{
    PYTHONPATH=stand CASES=cupy-cg,cupy-gmres,cupy-lsmr,cupy-svds,cupy-eigsh drive cupy.jsonl --rounds 1
}
code "CuPy's solvers run, by SciPy" 0 cupy
is "those that a system suits" "$(value "' '.join(sorted(l['case'] for l in lines))" cupy.jsonl)" \
    "cupy-cg cupy-eigsh cupy-gmres cupy-gmres cupy-lsmr cupy-lsmr cupy-svds cupy-svds"
is "and solve it, twice alike" "$(value "[l['same'] and (l['alone']['residual'] < 1e-5 or l['case'] == 'cupy-lsmr') for l in lines \
    if 'mesh' in l['system']]" cupy.jsonl)" "[True, True, True, True, True]"
planned()
{
    PYTHONPATH=$top_srcdir/src/python ROWCAST_LIBRARY_DIR=$top_builddir/.libs LD_LIBRARY_PATH=$top_builddir/.libs:$LD_LIBRARY_PATH \
        CASES=order-cg,both-cg,plan-cg,plan-pdhg,graph-cg drive plans.jsonl --rounds 1
}
if [ "$torch" ]; then
    code "programs with plans run" 0 planned
    is "both ways solve the system" "$(value "([l['same'] for l in lines], max(l['with']['residual'] for l in lines if 'cg' in l['case']) < 1e-7)" \
        plans.jsonl)" "([True, True, True, True, True, True], True)"
    is "what is made is part of the time" "$(value "all(0 < l['with']['made_s'] < l['with']['seconds'] for l in lines if 'plan' in l['case'])" \
        plans.jsonl)" True
    cat >parts.py <<'PY'
import sys
import numpy as np, scipy.sparse as sp, torch
sys.path.insert(0, sys.argv[1] + "/jobs")
import solver_cases
graphs = solver_cases.graphs()


def solved(a, b):
    solver = graphs.Cg(graphs.plain(sp.csr_matrix(a)), b)
    solver.solve(lambda: [solver.step() for _ in range(graphs.STEPS)], 1e-8, 100)
    return float((torch.from_numpy(a @ solver.x.numpy()) - b).abs().max()) < 1e-7


def wide():
    a = sp.csr_matrix(sp.random(30, 50, density=.1, random_state=1) + sp.eye(30, 50))
    with open("wide.csr", "wb") as f:
        for part, kind in (((30, 50, a.nnz), np.int64), (a.indptr, np.int32), (a.indices, np.int32), (a.data, np.float64)):
            np.asarray(part, kind).tofile(f)
    case = next(c for c in solver_cases.CASES if c.name == "plan-pdhg")
    return all(solver_cases.plan_pdhg("wide.csr", case, ours)["product_s"] > 0 for ours in (False, True))


def refuses(*_, **__):
    raise RuntimeError("not on this version of Python")


def fused():
    graphs.DEVICE, graphs.importlib.util.find_spec, torch.compile = "cuda", lambda *name: name, refuses
    return graphs.fused(solved) is solved


one = torch.ones(5, dtype=torch.float64)
print({"over": lambda: all(solved(scale * np.eye(5), one) for scale in (1, 2, 3.3)), "zero": lambda: solved(np.eye(5), 0 * one),
       "wide": wide, "fused": fused}[sys.argv[2]]())
PY
    parts()
    {
        PYTHONPATH=$top_srcdir/src/python ROWCAST_LIBRARY_DIR=$top_builddir/.libs LD_LIBRARY_PATH=$top_builddir/.libs:$LD_LIBRARY_PATH \
            "$python" parts.py "$top_srcdir" "$1" 2>&1 | tail -n 1
    }
    is "steps of a graph after the residual is 0 change nothing" "$(parts over)" True
    is "nothing on the right is solved by nothing" "$(parts zero)" True
    is "linear programs may have more columns than rows" "$(parts wide)" True
    is "what PyTorch does not compile runs as it stands" "$(parts fused)" True
else
    for name in "programs with plans run" "both ways solve the system" "what is made is part of the time" \
        "steps of a graph after the residual is 0 change nothing" "nothing on the right is solved by nothing" \
        "linear programs may have more columns than rows" "what PyTorch does not compile runs as it stands"; do
        skip "$name" "no PyTorch, or no shared library"
    done
fi
