# shellcheck shell=sh
# Sourced by the tests of faults: preloaded shims, and what holds after a fault.  ROWCAST_FAULT_POINTS
# is how many points of each kind are tried, evenly spread from a random one on, or "all" [2].
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
shims=${top_builddir:?}/tests/fault
for shim in io clock; do
    LD_PRELOAD=$shims/shim_$shim.so sh -c : >"$tmp/out" 2>&1
    [ ! -s "$tmp/out" ] || skip_all "shared objects cannot be preloaded here: $(cat "$tmp/out")"
done
points=${ROWCAST_FAULT_POINTS:-2}
seed=${ROWCAST_SEED:-$$}
at=       # where a test is, for fault()
workers=4 # most of a run is waiting for MPI
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS
: >"$tmp/faults"
: >"$tmp/injected"

# fault TEXT: something does not hold; $at says where
fault()
{
    echo "# $at: $1" >&2
    echo "$at: $1" >>"$tmp/faults"
}

# faulty STORE AT HOW ARGUMENT...: rowcast with a disk that fails at its call number AT for the store, its
# copy and its journals; what failed is in STORE.log
faulty()
{
    faulty_store=$1
    faulty_at=$2
    faulty_how=$3
    shift 3
    sh "$top_srcdir/tests/bound.sh" "$limit" env LD_PRELOAD="$shims/shim_io.so" FAULT_MATCH="$faulty_store" \
        FAULT_AT="$faulty_at" FAULT_HOW="$faulty_how" FAULT_LOG="$faulty_store-log" "$ROWCAST" "$@"
}

# calls STORE: how many there were
calls()
{
    sed -n 's/ total.*//p' "$1-log" | sort -n | tail -n 1
}

# ids STORE: results with the run that measured them
ids()
{
    alone query "$1" -a -f csv -o case,utc_ns,median_ns | tail -n +2 | sort
}

# spread TOTAL: numbers from 1 to TOTAL, $points of them
spread()
{
    if [ "$points" = all ] || [ "$points" -ge "$1" ]; then
        seq "$1"
    else
        seed=$(((seed * 1103515245 + 12345) % 2147483648))
        awk -v n="$1" -v p="$points" -v s="$((seed / 65536))" 'BEGIN {
            for (i = 0; i < p; i++) print (s + int(i * n / p)) % n + 1 }'
    fi
}

# in_turns COMMAND: run it with each number of stdin, some at once
in_turns()
{
    turns=0
    while read -r turn; do
        "$@" "$turn" &
        turns=$((turns + 1))
        [ $((turns % workers)) -ne 0 ] || wait
    done
    wait
}
