#!/bin/bash
# The scripts under jobs/ refuse unknown options, empty values and arguments that they do not take before they do anything: what
# they work with is replaced by programs that only note that they were called.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"

mkdir -p "$tmp/bin" "$tmp/tree/src/cmd" "$tmp/temporary" "$tmp/there"
cp -r "$top_srcdir/jobs" "$tmp/tree/jobs"
cp "$top_srcdir/src/cmd/cmd_sweep.c" "$tmp/tree/src/cmd"
for name in make apt-get dpkg-query dpkg-deb sudo autoreconf mpirun rowcast cc nvcc nvidia-smi sbatch srun scontrol sinfo scancel \
    slurmctld slurmd munged unshare nsenter mount umount tar debootstrap patchelf ldd ompi_info cmake timeout; do
    # shellcheck disable=SC2016  # for that script
    printf '#!/bin/sh\necho "$0 $*" >>"%s/worked"\n' "$tmp" >"$tmp/bin/$name"
done
chmod +x "$tmp"/bin/*
: >"$tmp/there/file"
for name in $(compgen -e | grep -E '^(SLURM|ROWCAST|RS)_'); do unset "$name"; done

# call SCRIPT WORD...: the script of the copied tree, alone in it
call()
{
    local script=jobs/$1 with=bash
    shift
    [[ $script != *.py ]] || with=python3
    : >"$tmp/worked"
    find "$tmp/tree" "$tmp/temporary" "$tmp/there" | sort >"$tmp/before"
    (cd "$tmp/tree" && PATH=$tmp/bin:$PATH TMPDIR=$tmp/temporary PYTHONDONTWRITEBYTECODE=1 "$with" "$script" "$@" </dev/null)
}

# untouched: nothing was started, made or removed
untouched()
{
    cat "$tmp/worked"
    find "$tmp/tree" "$tmp/temporary" "$tmp/there" | sort | diff "$tmp/before" - && [[ ! -s $tmp/worked ]]
}

# refused SCRIPT WORD...
refused()
{
    code "$* is refused" 2 call "$@"
    ok "with a word, and nothing is done" said_alone
}
said_alone() { [[ -s $tmp/err ]] && untouched; }

cases=$(grep -v '^#' <<'END'
quickstart.sh -Z
quickstart.sh mesh
quickstart.sh ''
quickstart.sh --k
quickstart.sh --quiet=1
quickstart.sh --k 8 --bogus
quickstart.sh --store other.h5
quickstart.sh -sother.h5
check.sh ''
walk.sh
walk.sh ''
walk.sh ../nowhere
walk.sh ../there ../there/file more
bundle.sh more
bundle.sh --prefix ''
bundle.sh --build ''
bundle.sh --extra ''
bundle.sh --output
campaign.sh
campaign.sh more
campaign.sh --store '' smoke
campaign.sh --collection '' smoke
campaign.sh --work '' smoke
campaign.sh --out '' smoke
campaign.sh --time 1h smoke
campaign.sh --device gpu smoke
campaign.sh --device cpu smoke rs
campaign.sh smoke twins
campaign.sh smoke csrk-study
models.sh
models.sh fit more
models.sh -s '' fit
models.sh -o '' tables
models.sh -t two fit
package-deb.sh more
package-deb.sh -b ''
package-deb.sh -o
package-deb.sh -o ../there/file
package-wheel.sh more
package-wheel.sh -b ''
package-wheel.sh -b ../nowhere
package-wheel.sh -o
package-wheel.sh -o ../there/file
package/wheel.py
package/wheel.py ../there 1.0 any ''
package/try-deb.sh
package/try-deb.sh '' 1 ../there/file ../there/file ../there/file
package/try-deb.sh ../there/base 1 ../there/file ../there/file ../there/none.deb
local-nodes.sh
local-nodes.sh more
local-nodes.sh up
local-nodes.sh up 0
local-nodes.sh up 2 more
local-nodes.sh up --bogus 2
local-nodes.sh up -d '' 2
local-nodes.sh up -s ../nowhere 2
local-nodes.sh up -d ../there 2
local-nodes.sh down more
local-nodes.sh down -d ''
local-nodes.sh down -d ../there
local-nodes.sh freeze
local-nodes.sh freeze one
local-nodes.sh thaw one
local-slurm.sh
local-slurm.sh more
local-slurm.sh up --bogus
local-slurm.sh up more
local-slurm.sh up -d ''
local-slurm.sh up -n 0
local-slurm.sh up -c two
local-slurm.sh down more
local-slurm.sh down -d ''
local-slurm.sh down -d ../there
merge-slices.sh s.h5 folder
merge-slices.sh '' folder 2
merge-slices.sh s.h5 '' 2
merge-slices.sh s.h5 folder 0
submit.sh
submit.sh more
submit.sh sweep --bogus s.h5
submit.sh sweep ''
submit.sh sweep --drain '' s.h5
sweep.sbatch ''
sweep-array.sbatch ''
train.sbatch s.h5 ''
clients.py more
clients.py --graphs more
clients.py --sizes ''
clients.py --epochs 0
clients.py --rounds 0
clients.py --library ''
solvers.py --cases more
solvers.py --budget 0
solvers.py --rounds 0
solvers.py --library ''
solvers.py ../nowhere.mtx
END
)
# those that are not sourced and not the recipe of another program
scripts=$(cd "$top_srcdir/jobs" && find . -name '*.sh' -o -name '*.py' | sed 's|^\./||' | grep -v -e '^site/' -e package/package.py | sort \
    | while IFS= read -r name; do if head -n 2 "$top_srcdir/jobs/$name" | grep -q '^#!'; then echo "$name"; fi; done)
plan $((2 * $(wc -l <<<"$cases") + 4 * $(wc -w <<<"$scripts") + 9))

for name in $scripts; do
    refused "$name" --bogus
    code "$name --help" 0 call "$name" --help
    ok "says something, and nothing is done" sh -c "test -s '$tmp/out'"
done
while IFS= read -r words; do
    eval "refused $words"
done <<<"$cases"

# every option that the program has, with a value where it takes one, is known before it is built
mapfile -t words < <("$ROWCAST" sweep --help | sed -n 's/^  \(-\([A-Za-z]\),\|   \) --\([a-z-]*\)\( [^ ]\+\)\{0,1\}\(  .*\)\{0,1\}$/\3,\2,\4/p' \
    | awk -F, '$1 !~ /^(store|dry-run|help)$/ { print "--" $1; if ($3) print "-value"; if ($2) { print "-" $2; if ($3) print "-value" } }')
ok "the options of a sweep are found" test "${#words[@]}" -gt 90
call quickstart.sh "${words[@]}" --bogus >"$tmp/out" 2>"$tmp/err"
is "quickstart.sh knows them" "$(cat "$tmp/err")" "quickstart.sh: rowcast sweep has no option --bogus; see --help"

# quickstart.sh after a sweep that other programs disturbed: programs of a build that only say so, each in its words
quick=$tmp/quick
mkdir -p "$quick/bin" "$quick/src/cmd" "$quick/build"
cp -r "$top_srcdir/jobs" "$quick/jobs"
cp "$top_srcdir/src/cmd/cmd_sweep.c" "$quick/src/cmd"
printf '#!/bin/sh\n' | tee "$quick/bin/make" >"$quick/bin/apt-get"
printf '#!/bin/sh\necho installed\n' >"$quick/bin/dpkg-query"
printf '#!/bin/sh\n: >Makefile\n' >"$quick/configure"
: >"$quick/Makefile.in"
printf '#!/bin/sh\nshift 2\nexec "$@"\n' >"$quick/bin/mpirun"
cat >"$quick/build/rowcast" <<'END'
#!/bin/sh
case "$1 $*" in
sweep*) echo "/x/out/quickstart.h5: 276 of 895 cases missed 1 %, median 2.2 %; 7 of 902 are noisy: in no table; load 1.8 on 1 CPU" >&2
    echo "12:00:00 rank 0 info sweep: drift: 4 cases measured before took 0.9 times as long now" >&2
    echo "12:00:00 rank 0 info sweep:  50 %" >&2; exit "${SWEEP:-0}" ;;
query*noisy*) echo "/x/out/quickstart.h5: 7 of 7 are noisy: in no table; load 1 on 1 CPU" >&2; printf 'status\nok\n%s' "$NOISY" ;;
query*) echo "/x/out/quickstart.h5: load 1.8 on 1 CPU" >&2
    echo "rowcast query: 10 of 895 results have no time of the original order (csr) from their own run: 10 have no speedup" >&2
    echo "table" ;;
report*) echo "page" ;;
esac
END
chmod +x "$quick"/bin/* "$quick/configure" "$quick/build/rowcast"
quick_start() { (cd "$quick" && PATH=$quick/bin:$PATH ROWCAST_CONFIGURE=--x bash jobs/quickstart.sh </dev/null >"$tmp/said" 2>&1); }
export NOISY
NOISY=$(printf 'noisy\nok\nnoisy\nnoisy') code "a disturbed sweep" 0 quick_start
is "is told by one line" "$(grep -cE 'noisy|missed|disturbed|load|no time|drift' "$tmp/said")" 1
ok "that says what to do" grep -q 'times left out, for other programs disturbed them: 3; run this again' "$tmp/said"
is "beside progress, table and report" "$(grep -cE '50 %|^table|^page' "$tmp/said")" 3
NOISY='' code "an undisturbed one" 0 quick_start
is "is told by none" "$(grep -cE 'noisy|missed|disturbed|load|no time|drift' "$tmp/said")" 0
export SWEEP=1
NOISY='' code "one with a failure" 1 quick_start
