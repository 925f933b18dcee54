#!/bin/sh
# The clock of the day is set back and forward while sweeps run, in between, and over a kill: nothing is
# lost or doubled, the row that was measured last is the newest, and times of products stay what they are.
# shellcheck source=tests/fault/fault.sh
. "${top_srcdir:?}/tests/fault/fault.sh"
plan 16

for i in 1 2 3; do
    matrix "m$i" uniform:n=$((40 + 30 * i))
done
list="-C $tmp/col $quick -k 2 --kernels null -p csr,lpt,warp"
year=31536000

# jumping JUMPS EVERY ARGUMENT...: rowcast with a clock that jumps
jumping()
{
    jumps=$1
    every=$2
    shift 2
    sh "$top_srcdir/tests/bound.sh" "$limit" env LD_PRELOAD="$shims/shim_clock.so${LD_PRELOAD:+:$LD_PRELOAD}" CLOCK_JUMPS="$jumps" \
        CLOCK_EVERY="$every" "$ROWCAST" "$@"
}

# shellcheck disable=SC2086
code "an uninterrupted run" 0 alone sweep -s "$tmp/whole.h5" $list
# the last one: back and forth from one reading to the next, so that a difference of two is a day
for jumps in "0 -$year" "0 $year" "0 -86400 86400 -$year $year 0" "$(yes '0 -86400' | head -n 2000 | tr '\n' ' ')"; do
    store=$tmp/jump.h5
    rm -f "$store"
    every=7
    [ "${#jumps}" -lt 100 ] || every=1
    # shellcheck disable=SC2086
    code "the clock jumps by $(echo "$jumps" | cut -c 1-40)" 0 jumping "$jumps" "$every" sweep -s "$store" $list
    is "and all is there, once" "$(cases "$store")$(twice "$store")" "$(cases "$tmp/whole.h5")"
done
ok "the store verifies" alone verify -q "$tmp/jump.h5"
is "no time of a product is of the clock of the day" \
    "$(alone query "$tmp/jump.h5" -f csv --columns case -w 'min_ns < 0 || median_ns > 1G || mean_ns < 0 || mean_ns > 1G' \
        | tail -n +2)" ""

# measured again a year before: the row of the second run counts
# shellcheck disable=SC2086
code "measured again, a year before" 0 jumping "-$year" 1000000 sweep -s "$tmp/whole.h5" $list --redo 'policy == lpt'
is "the newest rows are those" "$(alone query "$tmp/whole.h5" -f csv --columns run -w 'policy == lpt' | tail -n +2 | sort -u)" \
    "$(alone query "$tmp/whole.h5" -a -f csv --columns run,utc_ns -w 'policy == lpt' | tail -n +2 | sort -t, -k2,2n \
        | head -n 1 | cut -d, -f1)"

# killed where a journal is written, and taken up a year before
store=$tmp/killed.h5
# shellcheck disable=SC2086
faulty "$store" 0 count sweep -s "$store" $list >/dev/null 2>&1
at=$(($(calls "$store") / 3))
rm -f "$store"
# shellcheck disable=SC2086
faulty "$store" "$at" kill sweep -s "$store" $list >/dev/null 2>&1
ok "a run is killed" test "$?" -eq 137
# shellcheck disable=SC2086
code "the next one begins a year before" 0 jumping "-$year" 1000000 sweep -s "$store" $list
is "and has all, once" "$(cases "$store")$(twice "$store")" "$(cases "$tmp/whole.h5")"
counted 6 "runs with clocks that jump"
