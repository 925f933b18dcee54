#!/bin/sh
# A matrix that takes too long for one rank is divided over several: nothing doubled, nothing lost, and a sweep
# that was stopped or killed goes on.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
plan 35

matrix large uniform:n=400
matrix small uniform:n=60
# estimated at a quarter of a second a case, and measured seven times
list="--case-time 0.5 -k 2,3,5,n -p csr,lpt,cta --kernels rowsplit,null,fault:mode=0"
total=$((2 * 4 * 3 * 3))

features() # features STORE: rows of features, older ones too
{
    rm -rf "$tmp/tables"
    alone export "$1" -a --csv "$tmp/tables" -q && cat "$tmp/tables"/features_*.csv | wc -l
}

parts() # parts RANKS: items of a dry run, and the cases of all
{
    # shellcheck disable=SC2086
    sweep "$1" "$tmp/none.h5" $list --dry-run -f csv 2>"$tmp/err" | tail -n +2 | awk -F, '
        {n++; cases += $5; whole += $11 == 1; first += $10 == 0} END {print n, cases, whole, first}'
}

# shellcheck disable=SC2086
code "one rank" 0 sweep 1 "$tmp/r1.h5" $list
is "divides nothing" "$(parts 1)" "2 $total 2 2"
# shellcheck disable=SC2046 # words
set -- $(parts 3)
ok "three ranks divide both" test "$1" -gt 6 -a "$3" -eq 0 -a "$4" -eq 2
is "and have the same cases to do" "$2" "$total"
ok "of two matrices" grep -q '^2 of 2 matrices have work left' "$tmp/err"

for ranks in 2 3 5; do
    store=$tmp/r$ranks.h5
    # shellcheck disable=SC2086
    code "a divided sweep on $ranks ranks" 0 sweep "$ranks" "$store" $list
    is "$ranks ranks measure every case once" "$(count matrices); $(count cases)" "2 0 0 0 0; $total 0 0 0 0"
    is "$ranks ranks give the cases of one" "$(cases "$store")" "$(cases "$tmp/r1.h5")"
    is "nothing is there twice on $ranks" "$(twice "$store")" ""
    is "features neither" "$(features "$store")" "$(features "$tmp/r1.h5")"
    # shellcheck disable=SC2086
    code "a second run on $ranks ranks" 0 sweep "$ranks" "$store" $list
    ok "has nothing to do" grep -q "nothing to do: all $total cases of 2 matrices" "$tmp/err"
done
ok "more than one rank measured a matrix" test "$(alone query "$tmp/r3.h5" -f csv --columns rank -w 'name == large' \
    | tail -n +2 | sort -u | wc -l)" -gt 1

# equal matrices are measured once, whichever name comes first
cp "$tmp/col/G/large.mtx" "$tmp/col/G/again.mtx"
# shellcheck disable=SC2086
code "with a copy of a matrix" 0 sweep 3 "$tmp/copy-of.h5" $list
is "its cases are measured once" "$(count matrices); $(count cases); $(twice "$tmp/copy-of.h5")" "3 0 0 0 0; $total 0 0 0 0; "
rm "$tmp/col/G/again.mtx"

# the last parts are the longest and begun first; the sweep is asked to end before the first part is begun
sleepy="--case-time 0.5 -k 2,3,5,n -p csr,lpt --kernels fault:mode=0:delay_us=200000,fault:mode=0:delay_us=200001"
# shellcheck disable=SC2086
start 2 sweep -C "$tmp/col" -s "$tmp/late.h5" $quick $sleepy --where 'name == large'
begun "$tmp/late.h5"
kill -USR1 "$job"
finish
is "a sweep ends without the first part" "$job_code" 75
cp "$tmp/job.out" "$tmp/out"
is "says that it loaded the matrix" "$(count matrices)" "1 0 0 0 0"

# killed in the middle, some of the parts done
slow="--case-time 0.5 -k 2,3,5,n -p csr,lpt,cta --kernels rowsplit,null,fault:mode=0:delay_us=20000"
store=$tmp/killed.h5
rounds=0
while [ "$rounds" -lt 3 ]; do
    rounds=$((rounds + 1))
    # shellcheck disable=SC2086
    start 3 sweep -C "$tmp/col" -s "$store" $quick $slow --max-reps 1000 --target 0
    # after the first one something is left
    begun "$store"
    xargs -r kill -9 "$job" <"$PIDS" 2>/dev/null
    finish
    gone
    alone fold -q --take-over 1 "$store" >/dev/null 2>&1
    kept=$(rows "$store" 2>/dev/null)
    echo "# $kept of $total cases after kill $rounds"
    [ "$rounds" -gt 1 ] || ok "what was done when it was killed is kept" test "$kept" -ge 1 -a "$kept" -lt "$total"
done
# shellcheck disable=SC2086
code "what was killed goes on" 0 sweep 3 "$store" $slow --take-over 1
is "every case is there" "$(rows "$store" -w 'status == ok')" "$total"
is "none twice" "$(twice "$store")" ""
