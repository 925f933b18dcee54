#!/bin/sh
# Usage: simulate.sh SOURCE BUILD: what this machine's server, journals and commits take, then the sweep
# of many ranks with that.  The store that the costs are of: data/results/h200.h5.
set -eu
top_srcdir=$(cd "$1" && pwd)
top_builddir=$(cd "$2" && pwd)
ROWCAST=$top_builddir/rowcast
export top_srcdir top_builddir ROWCAST
store=$top_srcdir/data/results/h200.h5
run=$top_builddir/tests/sim/simulate
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== messages and the server of real sweeps"
SIM_RANKS=${SIM_RANKS:-2 4 16 64} SIM_MATRICES=${SIM_MATRICES:-200} ROWCAST_COMMAND_LIMIT=${ROWCAST_COMMAND_LIMIT:-900} \
    sh "$top_srcdir/tests/sim/messages.t" | tee "$work/messages"
if grep -q '^not ok' "$work/messages"; then exit 1; fi
serve=$(sed -n 's/^# the real server.* CPU \([0-9.]*\) us.*/\1/p' "$work/messages" | tail -n 1)

echo "== journals and commits"
"$top_builddir/tests/sim/probe" "$work" 200 2000 | tee "$work/probe"
# shellcheck disable=SC2046  # a list of options
set -- $(tail -n 1 "$work/probe") --serve "${serve:-5}"

echo "== one server, a word after each block, in hand up to 24 matrices however long"
"$run" "$@" "$store"
echo "== a rank has no more in hand than half of its share of the time that is left"
"$run" "$@" --by-cost "$store"
echo "== and a word at most each second"
"$run" "$@" --by-cost --tell 1000 "$store"
echo "== and a server on each node of 8 ranks, chunks from the root"
"$run" "$@" --by-cost --tell 1000 --node 8 "$store"
echo "== the same in no order, as if the estimates of cost said nothing"
"$run" "$@" --by-cost --tell 1000 --unsorted "$store"
echo "== the round at the end, and that of a later sweep with a hundredth of the results"
"$run" "$@" --round "$store"
