#!/bin/sh
# A store that a sweep is at: what reads it answers, or says what to do; a copy of it is whole.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 14
cd "$tmp" || exit 99
job=
trap '[ -z "$job" ] || kill "$job" 2>/dev/null; wait; rm -rf "$tmp"' EXIT
mkdir -p col/G
for n in 60 70 80; do "$ROWCAST" generate "uniform:n=$n" -o "col/G/m$n.mtx" >/dev/null; done
quick="--threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q -C col -k 2,3,4,5"

begin() # begin STORE: a sweep that takes four minutes, until a case is finished
{
    # shellcheck disable=SC2086
    "$ROWCAST" sweep -s "$1" $quick -p csr,lpt,warp,cta --kernels fault:mode=0:delay_us=300000 >job.out 2>&1 &
    job=$!
    begun "$1"
}

ok "a first sweep is under way" begin s.h5
ok "there is no store yet" test ! -e s.h5
for command in "query s.h5" "export s.h5 --csv e" "archive s.h5 copy.h5" "verify s.h5"; do
    # shellcheck disable=SC2086
    code "$command is refused" 3 "$ROWCAST" $command
    [ "$command" = "verify s.h5" ] || ok "in a line that says what to do" sh -c \
        "grep -q \"s.h5: no store yet, but journals: 'rowcast status s.h5'.*'rowcast fold s.h5'\" '$tmp/err'"
done
"$ROWCAST" fold -q s.h5
code "after that fold it answers" 0 "$ROWCAST" query s.h5 -f csv --columns status
ok "with what was finished" grep -q ok "$tmp/out"
# copies while the sweep goes on and folds come in between
bad=
for copy in 1 2 3 4 5 6; do
    "$ROWCAST" fold -q s.h5 &
    "$ROWCAST" archive -q s.h5 copy.h5 2>archive.err || bad="$bad archive $copy:$(cat archive.err)"
    wait "$!" || bad="$bad fold"
    "$ROWCAST" verify copy.h5 >verify.out 2>&1 || bad="$bad $(cat verify.out)"
done
is "every copy of a store in use is whole" "$bad" ""
ok "and a line says what is not in it" grep -q "s.h5: 1 journals beside it.*is not in copy.h5; 'rowcast fold s.h5' first" archive.err
kill "$job"
wait "$job"
is "the sweep drains as ever" "$?" 75
job=
