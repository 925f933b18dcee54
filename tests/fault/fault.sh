# shellcheck shell=sh
# Sourced by the tests of faults: preloaded shims, and what holds after a fault.  ROWCAST_FAULT_POINTS
# is how many points of each kind are tried, evenly spread from a random one on, or "all" [2].
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
shims=${top_builddir:?}/tests/fault
for shim in io clock lock; do
    LD_PRELOAD=$shims/shim_$shim.so sh -c : >"$tmp/out" 2>&1
    [ ! -s "$tmp/out" ] || skip_all "shared objects cannot be preloaded here: $(cat "$tmp/out")"
done
points=${ROWCAST_FAULT_POINTS:-2}
workers=4 # most of a run is waiting for MPI
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS
: >"$tmp/injected"

# faulty STORE AT HOW ARGUMENT...: rowcast with a disk that fails at its call number AT for the store, its
# copy and its journals; what failed is in STORE.log
faulty()
{
    faulty_store=$1
    faulty_at=$2
    faulty_how=$3
    shift 3
    sh "$top_srcdir/tests/bound.sh" "$limit" env LD_PRELOAD="$shims/shim_io.so${LD_PRELOAD:+:$LD_PRELOAD}" FAULT_MATCH="$faulty_store" \
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
    alone query "$1" -a -f csv --columns case,utc_ns,median_ns | tail -n +2 | sort
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

# half: every second one, when all are asked for
half()
{
    if [ "$points" = all ]; then sed -n "$((seed % 2 + 1))~2p"; else cat; fi
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

# What holds after a fault.  $tmp/cases: the cases of an uninterrupted run.

# had STORE: what a fold of a copy of it has
had()
{
    mkdir -p "$1-copy"
    [ ! -e "$1" ] || cp "$1" "$1-copy/s.h5"
    [ ! -d "$1.journal" ] || cp -r "$1.journal" "$1-copy/s.h5.journal"
    if [ -e "$1-copy/s.h5" ] || [ -e "$1-copy/s.h5.journal" ]; then
        alone fold -q --take-over "${take_over:-60}" "$1-copy/s.h5" >"$1-copy/out" 2>&1 || fault "fold of a copy: $(cat "$1-copy/out")"
    fi
    [ ! -e "$1-copy/s.h5" ] || ids "$1-copy/s.h5"
    rm -rf "$1-copy"
}

# held DIR CODE HOW BEFORE: what holds after a fault
held()
{
    held_store=$1/s.h5
    case $3 in
    kill | torn) [ "$2" -eq 137 ] || [ "$2" -le 3 ] || fault "exit code $2" ;;
    *)
        [ "$2" -le 1 ] || [ "$2" -eq 3 ] || fault "exit code $2: $(cat "$1/err")"
        [ "$2" -le 1 ] || [ "$(grep -c -e '^rowcast ' -e ' error [a-z]*: ' "$1/err")" -eq 1 ] \
            || fault "not one clear line: $(cat "$1/err")"
        ;;
    esac
    if [ -s "$4" ] || [ -e "$held_store" ]; then
        alone verify -q "$held_store" >"$1/verify" 2>&1 || fault "verify: $(cat "$1/verify")"
        ids "$held_store" >"$1/ids"
        comm -23 "$4" "$1/ids" >"$1/lost"
        [ ! -s "$1/lost" ] || fault "lost from the store: $(wc -l <"$1/lost")"
    fi
    had "$held_store" >"$1/had"
}

# healed DIR: what holds after the same command on a sound disk
healed()
{
    healed_store=$1/s.h5
    ids "$healed_store" >"$1/ids"
    comm -23 "$1/had" "$1/ids" >"$1/lost"
    [ ! -s "$1/lost" ] || fault "lost: $(cat "$1/lost")"
    cases "$healed_store" >"$1/cases"
    cmp -s "$1/cases" "$tmp/cases" || fault "other cases: $(comm -3 "$1/cases" "$tmp/cases" | head -n 3)"
    twice "$healed_store" >"$1/twice"
    [ ! -s "$1/twice" ] || fault "doubled: $(cat "$1/twice")"
    alone verify -q "$healed_store" >"$1/verify" 2>&1 || fault "verify: $(cat "$1/verify")"
    # a killed sweep leaves its lock file, which the next sweep takes; Open MPI 4.1 an empty file of its own
    find "$1" -mindepth 1 ! -name s.h5 ! -path '*.h5-log' ! -name sweep.lock ! -name '*.locktest.*' ! -name s.h5.journal -path '*s.h5*' >"$1/left"
    [ ! -s "$1/left" ] || fault "left behind: $(cat "$1/left")"
}
