#!/bin/sh
# A rank that stands still, as on a node that has lost its power or its link: the others do not wait for it
# for ever, they end with a clear line, and the next run completes what is left.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
plan 6

for i in 1 2; do
    matrix "m$i" uniform:n=$((40 + 30 * i))
done
store=$tmp/s.h5
list="-C $tmp/col $quick -k 2,3,5,7,11,13 -p csr,lpt,warp --kernels fault:mode=0:delay_us=2000"

# shellcheck disable=SC2086
code "an uninterrupted run" 0 launch 2 sweep -s "$tmp/whole.h5" $list
# shellcheck disable=SC2086
start 2 sweep -s "$store" $list $long --silence-limit 5
begun "$store"
still=$(tail -n 1 "$PIDS")
kill -STOP "$still"
began=$(date +%s)
while grep -q . "$PIDS" && ! grep -q 'silence-limit' "$tmp/job.err" && [ $(($(date +%s) - began)) -lt 90 ]; do
    sleep 0.2
done
ok "a rank stands still: another says so, within its limit" grep -q 'error sweep: rank [01] on .* has heard nothing of rank [01] on .*run the same command again' "$tmp/job.err"
kill -CONT "$still" 2>/dev/null
finish
ok "the job does not end with success" test "$job_code" -ne 0
gone
# shellcheck disable=SC2086
code "the next run goes on" 0 launch 2 sweep -s "$store" $list
is "it completes, and nothing is lost or doubled" "$(cases "$store")$(twice "$store")" "$(cases "$tmp/whole.h5")"
ok "no journal is left" test ! -e "$store.journal"
