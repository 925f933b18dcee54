#!/bin/sh
# The fault suite, of a build or of installed programs; `make check-fault` is this.
# Usage: attack.sh --rowcast FILE [OPTION]... [TEST]...
#   --mpirun FILE      launcher                                                  [mpirun]
#   --kills N          sweeps that are killed, over all copies                   [200]
#   --removals N       journals and stores removed, replaced or cut off, likewise [200]
#   --points N|all     calls that fail, of each kind                             [all]
#   --copies N         of the tests of kills and removals, at once               [1]
#   --shims FOLDER     shared objects that are preloaded; made with cc when not given
#   --seed N           of the random numbers                                     [time]
#   --logs FOLDER      where the output of the tests goes; made                  [a temporary one]
#   TEST               tests/mpi/kill.t and so on                                [all of the suite]
# It needs this source tree, and no build of it.  A rowcast that dies of a signal of its own leaves its stack
# in the log, from its core too where there are cores and a debugger.
# The counts are added up at the end.  Exit code: 0, or 1 when a test failed.
set -u
top_srcdir=$(cd "$(dirname "$0")/../.." && pwd)
rowcast='' mpirun=$(command -v mpirun) kills=200 removals=200 points=all copies=1 shims='' seed=$(date +%s) logs=''
usage()
{
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'
}
while [ $# -gt 0 ]; do
    case $1 in
    --rowcast | --mpirun | --kills | --removals | --points | --copies | --shims | --seed | --logs)
        [ $# -gt 1 ] || { echo "attack.sh: $1 needs a value" >&2; exit 2; }
        case $1 in
        --rowcast) rowcast=$2 ;;
        --mpirun) mpirun=$2 ;;
        --kills) kills=$2 ;;
        --removals) removals=$2 ;;
        --points) points=$2 ;;
        --copies) copies=$2 ;;
        --shims) shims=$2 ;;
        --seed) seed=$2 ;;
        --logs) logs=$2 ;;
        esac
        shift 2
        ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "attack.sh: unknown option $1" >&2; exit 2 ;;
    *) break ;;
    esac
done
for number in "$kills" "$removals" "$copies" "$seed"; do
    case $number in '' | *[!0-9]*) echo "attack.sh: '$number' is not a number" >&2; exit 2 ;; esac
done
[ -x "$rowcast" ] || { echo "attack.sh: --rowcast: '$rowcast' is not a program" >&2; exit 2; }
[ "$copies" -gt 0 ] || { echo "attack.sh: --copies: expected at least 1" >&2; exit 2; }
rowcast=$(cd "$(dirname "$rowcast")" && pwd)/$(basename "$rowcast")
if [ $# -eq 0 ]; then
    set -- tests/mpi/kill.t tests/mpi/crash.t tests/mpi/hang.t tests/cli/links.t
    for test in "$top_srcdir"/tests/fault/*.t; do set -- "$@" "tests/fault/$(basename "$test")"; done
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
[ -n "$logs" ] || logs=$work/logs
mkdir -p "$logs" "$work/tests/fault" || exit 1
printf "MPIRUN='%s'\nAWK=awk\nCC='%s'\nHAVE_PARALLEL_HDF5=\nHAVE_CUDA=\nHAVE_CURL=\n" "$mpirun" "${CC:-cc}" >"$work/tests/env.sh"
for shim in io clock lock stack; do
    if [ -n "$shims" ]; then
        cp "$shims/shim_$shim.so" "$work/tests/fault/"
    else
        "${CC:-cc}" -O1 -fPIC -shared -o "$work/tests/fault/shim_$shim.so" "$top_srcdir/tests/fault/shim_$shim.c" -ldl
    fi || { echo "attack.sh: no shim_$shim.so: say --shims FOLDER" >&2; exit 2; }
done

# one TEST COPY: its log is LOGS/TEST.COPY.log; 0 when all of it passed
one()
{
    one_log=$logs/$(basename "$1" .t).$2.log
    env top_srcdir="$top_srcdir" top_builddir="$work" ROWCAST="$rowcast" CUDA_VISIBLE_DEVICES= OMPI_MCA_pml="${OMPI_MCA_pml-ob1}" \
        OMPI_MCA_mpi_yield_when_idle="${OMPI_MCA_mpi_yield_when_idle-1}" \
        ROWCAST_STACKS="$work/tests/fault/shim_stack.so" ROWCAST_FAULT_POINTS="$points" ROWCAST_SEED=$((seed + 1000 * $2)) \
        ROWCAST_KILLS=$(((kills + copies - 1) / copies)) ROWCAST_REMOVALS=$(((removals + copies - 1) / copies)) \
        sh "$top_srcdir/tests/bound.sh" --test "${ROWCAST_TEST_LIMIT:-7200}" sh "$top_srcdir/$1" >"$one_log" 2>&1
    one_code=$?
    awk -v code="$one_code" '/^1\.\./ { plan = substr($0, 4) + 0 } /^ok / { done++ } /^not ok / { done++; bad = 1 }
        /^Bail out!/ || /^# process [0-9]* died of signal/ { bad = 1 } END { exit bad || code != 0 || done != plan }' "$one_log"
}

code=0
for test; do
    case $test in */kill.t | */removed.t) times=$copies ;; *) times=1 ;; esac
    running=''
    for copy in $(seq "$times"); do
        one "$test" "$copy" &
        running="$running $!"
    done
    copy=0
    for id in $running; do
        copy=$((copy + 1))
        wait "$id" && continue
        code=1
        echo "FAILED: $test, see $logs/$(basename "$test" .t).$copy.log"
        grep -e '^not ok' -e '^Bail' -e '^# .*: ' -e 'died of signal' "$logs/$(basename "$test" .t).$copy.log" | head -n 20
    done
    echo "# $test: $times times, $(date -u +%H:%M:%S)"
done
[ "$code" -eq 0 ] && end=passed || end=FAILED
cat "$logs"/*.log | awk -v end="$end" '/^# counted: / {
    n = $3; sub(/^# counted: [0-9]* /, ""); if (!($0 in sum)) name[++names] = $0; sum[$0] += n }
    END { printf "check-fault: %s", end
    for (i = 1; i <= names; i++) printf "%s %d %s", i == 1 ? ":" : ",", sum[name[i]], name[i]; print "" }'
case $logs in "$work"/*) [ "$code" -eq 0 ] || cp -r "$logs" ./attack-logs ;; esac
exit "$code"
