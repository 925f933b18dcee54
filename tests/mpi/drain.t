#!/bin/sh
# Requests to stop: exit code 75, the store opens, a rerun completes; and what others may do while a
# sweep runs.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
plan 43

for i in 1 2 3 4; do
    matrix "m$i" uniform:n=$((50 + 40 * i))
done
list="-C $tmp/col $quick -k 2,3,5,7,11,13 -p csr,lpt --kernels fault:mode=0:delay_us=2000"

run() # run STORE ARGUMENT...: a long sweep on 2 ranks in the background
{
    store=$1
    shift
    # shellcheck disable=SC2086
    start 2 sweep -s "$store" $list $long "$@"
}

# shellcheck disable=SC2086
code "an uninterrupted sweep" 0 launch 2 sweep -s "$tmp/whole.h5" $list

# -------------------------------------------------- signals and the time budget
for how in TERM-0 TERM-1 USR1-1 USR1-launcher INT-0; do
    run "$tmp/$how.h5"
    ok "$how: it is under way" begun "$store" 2
    signal=${how%-*}
    case $how in
    *-launcher) kill "-$signal" "$job" ;;
    *) kill "-$signal" "$(sed -n "$((${how#*-} + 1))p" "$PIDS")" ;;
    esac
    finish
    is "$how: exit code 75" "$job_code" 75
    ok "$how: something is done and something left" sh -c \
        "n=\$('$ROWCAST' query '$store' -f csv --columns case | wc -l); test \$n -gt 1 && test \$n -lt 49"
    # shellcheck disable=SC2086
    code "$how: a rerun completes" 0 launch 2 sweep -s "$store" $list
    is "$how: the cases are those of an uninterrupted sweep" "$(cases "$store")$(twice "$store")" \
        "$(cases "$tmp/whole.h5")"
done
run "$tmp/budget.h5" --time-budget 0.2
finish
is "a time budget ends it with 75" "$job_code" 75
# shellcheck disable=SC2086
code "and a rerun completes" 0 launch 3 sweep -s "$store" $list
is "with the same cases" "$(cases "$store")$(twice "$store")" "$(cases "$tmp/whole.h5")"

# In the middle of a matrix: each of its 6 cases would be repeated for half an hour, so the run would outlast the limit
# of the harness if a case, or a matrix, were always finished.
one="-C $tmp/col -w name==m4 -k 2,3 -p csr,lpt,warp --kernels fault:mode=0:delay_us=2000 --device cpu -t 1"
# shellcheck disable=SC2086
start 2 sweep -s "$tmp/middle.h5" $one --case-time 1800 --max-reps 1000000 --target 0 --time-budget 1
finish
is "a time budget ends a run in the middle of a matrix" "$job_code" 75
is "of which no case is half done" "$("$ROWCAST" query "$tmp/middle.h5" -f csv --columns status 2>/dev/null | sed 1d \
    | tr -d '\r' | grep -vc '^ok$')" 0
# shellcheck disable=SC2086
code "and a rerun completes it" 0 launch 2 sweep -s "$tmp/middle.h5" $one --case-time 0.001
is "with all cases" "$("$ROWCAST" query "$tmp/middle.h5" -f csv --columns status | tr -d '\r' | grep -c '^ok$')" 6

# mpirun that is asked to end gives its ranks a moment, then kills: nothing is lost
run "$tmp/launcher.h5"
begun "$store" 2
kill -TERM "$job"
finish
ok "a launcher that is ended leaves a store that opens" alone status "$store"
# shellcheck disable=SC2086
code "and a rerun completes" 0 launch 2 sweep -s "$store" $list
is "with the same cases" "$(cases "$store")$(twice "$store")" "$(cases "$tmp/whole.h5")"

# ------------------------------------------------------- while a sweep runs
run "$tmp/busy.h5" --case-time 0.2
begun "$store" 2
is "status shows its ranks" "$(alone status "$store" -f csv 2>/dev/null | grep -c '^journal: rank [01] of 2,.running')" 2
# shellcheck disable=SC2086
code "a second sweep is refused" 3 alone sweep -s "$store" $list
ok "and told by whom" grep -q 'another sweep has this store.*held by process [0-9]* on' "$tmp/err"
ok "a fold in the middle" alone fold "$store"
ok "brings rows" sh -c "'$ROWCAST' query '$store' -f csv | grep -q ,ok,"
finish
is "and does the sweep no harm" "$job_code" 0
is "the cases are those of a sweep alone" "$(cases "$store")$(twice "$store")" \
    "$(cases "$tmp/whole.h5")"
