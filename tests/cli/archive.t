#!/bin/sh
# rowcast archive --where and --newest: what is kept, by other means, and that it is a store.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
python=/usr/bin/python3 # of the distribution: the one that has h5py
$python -c 'import h5py, numpy' 2>/dev/null || skip_all "no python3 with h5py"
plan 60

mkdir -p "$tmp/col/G"
for n in 60 70 80; do
    "$ROWCAST" generate "uniform:n=$n,mean=4,seed=$n" -o "$tmp/col/G/m$n.mtx" >/dev/null
done

# sweep STORE OPTION...: over the same cases each time
sweep()
{
    sweep_store=$1
    shift
    "$ROWCAST" sweep --device cpu --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q \
        --store "$sweep_store" --collection "$tmp/col" --k 8,16 --orders csr,lpt,warp \
        --kernels cstat:strip=1,rowsplit "$@"
}

# cases STORE OPTION...: identities of the cases that a query prints
cases()
{
    "$ROWCAST" query "$@" -f csv --columns case | sed 1d | sort
}

store=$tmp/x.h5
{
    sweep "$store" && sweep "$store" --redo 'k == 8 && policy != warp' && sweep "$store" --redo 'policy == lpt'
} >"$tmp/sweep" 2>&1 || { cat "$tmp/sweep"; exit 99; }

# a superseded row that failed; newer versions of a kernel and of a policy that few cases were run with
cat >"$tmp/edit.py" <<'PY'
import sys
import h5py
import numpy as np

def add(f, path, rows):
    d = f[path]
    d.resize(len(d) + len(rows), axis=0)
    d[-len(rows):] = np.array(rows, dtype=d.dtype)

with h5py.File(sys.argv[1], "r+") as f:
    r = f["results"][:]
    status = h5py.check_enum_dtype(r.dtype["status"])
    last = {row["case_id"]: i for i, row in enumerate(r)}
    old = [i for i, row in enumerate(r) if last[row["case_id"]] != i]
    assert len(old) > 10
    lpt = [p["id"] for p in f["dict/policy"][:] if p["name"] == b"lpt"]
    r["status"][[i for i in old if r["policy"][i] in lpt]] = status["failed"]
    f["results"][:] = r
    new = []
    for path, field, name in (("dict/kernel", "kernel", b"rowsplit"), ("dict/policy", "policy", b"warp")):
        d = f[path][:]
        row = d[d["name"] == name][0].copy()
        before = row["id"]
        row["id"] = len(d)
        row["version"] += 1
        add(f, path, [row])
        for i in np.flatnonzero(r[field] == before)[:2]:
            copy = r[i].copy()
            copy[field] = row["id"]
            copy["case_id"] = b"%032d" % (len(new) + 1)
            new.append(copy)
    add(f, "results", new)
PY

# OLD NEW [newest]: what a copy has to be; with `newest` also which rows it has to have
cat >"$tmp/check.py" <<'PY'
import sys
import h5py
import numpy as np

def tables(f):
    out = {}
    f.visititems(lambda name, d: out.update({name: d}) if isinstance(d, h5py.Dataset) else None)
    return out

def newest(f):
    last = {r["case_id"]: i for i, r in enumerate(f["results"][:])}
    top = {}
    for path in ("dict/kernel", "dict/policy"):
        for row in f[path][:]:
            key = path, row["name"]
            top[key] = max(top.get(key, 0), row["version"])
    def current(path, id):
        row = f[path][id]
        return row["version"] == top[path, row["name"]]
    return [i for i, r in enumerate(f["results"][:]) if last[r["case_id"]] == i
            and current("dict/kernel", r["kernel"]) and current("dict/policy", r["policy"])]

with h5py.File(sys.argv[1]) as old, h5py.File(sys.argv[2]) as new:
    a, b = old["results"][:], new["results"][:]
    names = [n for n in a.dtype.names if n != "sample_offset"]
    at = 0
    rows = []
    next_offset = 0
    bare = len(new["samples"]) == 0
    for row in b: # a subsequence, with the raw times of each
        while any(a[at][n].tobytes() != row[n].tobytes() for n in names):
            at += 1
        rows.append(at)
        if bare or a[at]["sample_offset"] < 0:
            assert row["sample_offset"] == -1
        else:
            was, reps = a[at]["sample_offset"], row["reps"]
            assert row["sample_offset"] == next_offset and reps > 0
            assert (new["samples"][next_offset:next_offset + reps] == old["samples"][was:was + reps]).all()
            next_offset += reps
        at += 1
    assert bare or next_offset == len(new["samples"])
    x, y = tables(old), tables(new)
    assert set(x) == set(y)
    for name in x:
        assert {k: str(v) for k, v in x[name].attrs.items()} == {k: str(v) for k, v in y[name].attrs.items()}, name
        assert name in ("results", "samples") or x[name][:].tobytes() == y[name][:].tobytes(), name
    if len(sys.argv) > 3:
        assert rows == newest(old), (rows, newest(old))
PY
cp "$store" "$tmp/plain.h5"
ok "the store is given older rows that failed, and newer versions" $python "$tmp/edit.py" "$store"
seal "$store"
before=$(cksum <"$store")
copy=$tmp/copy.h5

n=0
for where in 'k == 8' 'status == failed' 'status == ok && policy == csr' 'kernel_version == 2' \
    'policy_version != 1 || k > 8' 'speedup > 1' 'median_ns < 0' 'fullname ~ *m70 && !(policy == lpt)'; do
    n=$((n + 1))
    code "--where '$where'" 0 "$ROWCAST" archive --where "$where" "$store" "$copy"
    is "keeps the cases that a query prints" "$(cases "$copy")" "$(cases "$store" --where "$where")"
    ok "with their raw times, and the rest whole" $python "$tmp/check.py" "$store" "$copy"
    is "and says how many rows that is" "$(sed -n 's/.*: \([0-9]*\) result rows kept, \([0-9]*\) left out/\1 \2/p' "$tmp/out")" \
        "$(cases "$copy" -a | wc -l | tr -d ' ') $(($(cases "$store" -a | wc -l) - $(cases "$copy" -a | wc -l)))"
done
code "older rows of a case stay with it" 0 "$ROWCAST" archive -q --where 'k == 8' "$store" "$copy"
is "if they match" "$(cases "$copy" -a)" "$(cases "$store" -a --where 'k == 8')"

code "--newest" 0 "$ROWCAST" archive --newest "$store" "$copy"
ok "leaves out what is superseded, and nothing else" $python "$tmp/check.py" "$store" "$copy" newest
is "which is some" "$(grep -c ' [1-9][0-9]* left out' "$tmp/out")" 1
ok "and says that speedups change" grep -q ': [1-9][0-9]* of them were compared with csr rows that are left out' "$tmp/out"
code "a copy of the copy" 0 "$ROWCAST" archive --newest "$copy" "$tmp/again.h5"
is "leaves out nothing" "$(sed -n 's/.*kept, //p' "$tmp/out")" "0 left out"
# not to a byte: HDF5 notes the second in which an object is made
if command -v h5diff >/dev/null; then
    ok "and changes no value" h5diff "$copy" "$tmp/again.h5"
else
    skip "and changes no value" "no h5diff"
fi
code "both, without raw times" 0 "$ROWCAST" archive --newest --where 'k == 8' --no-samples "$store" "$tmp/bare.h5"
is "is the newest that match" "$(cases "$tmp/bare.h5" -a)" "$(cases "$copy" --where 'k == 8')"
ok "which point to none" $python "$tmp/check.py" "$store" "$tmp/bare.h5"
is "the store is never touched" "$(cksum <"$store")" "$before"

"$ROWCAST" archive -q --where 'k == 8' "$tmp/plain.h5" "$tmp/k8.h5"
"$ROWCAST" archive -q --where 'k == 7' "$tmp/plain.h5" "$tmp/none.h5"
for name in k8 none; do
    code "$name: fold" 0 "$ROWCAST" fold "$tmp/$name.h5"
    code "$name: status" 0 "$ROWCAST" status "$tmp/$name.h5"
    code "$name: a sweep takes what is left out as pending" 0 sweep "$tmp/$name.h5"
done
is "so that it has all cases again" "$(cases "$tmp/k8.h5"; cases "$tmp/none.h5")" "$(cases "$tmp/plain.h5"; cases "$tmp/plain.h5")"

echo precious >"$tmp/notes"
code "a file that is no store is not replaced" 2 "$ROWCAST" archive "$store" "$tmp/notes"
is "and stays what it was" "$(cat "$tmp/notes")" precious

code "an expression with a flaw is a usage error" 2 "$ROWCAST" archive --where 'kk == 8' "$store" "$tmp/bad.h5"
ok "that is named" grep -q -- "--where: position 1: .*'kk'; did you mean 'k'" "$tmp/err"
$python -c 'import h5py, sys
with h5py.File(sys.argv[1], "r+") as f:
    r = f["results"][:]
    r["sample_offset"][-1] = len(f["samples"])
    f["results"][:] = r' "$tmp/plain.h5"
code "raw times that are not there are an error" 3 "$ROWCAST" archive --unsealed --newest "$tmp/plain.h5" "$tmp/bad.h5"
ok "that is named" grep -q 'row [0-9]* of /results points outside of /samples' "$tmp/err"
is "no attempt leaves anything behind" "$(find "$tmp" -name '*tmp' -o -name bad.h5)" ""
