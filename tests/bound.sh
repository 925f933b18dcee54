#!/bin/sh
# Usage: bound.sh [--test | --stage] SECONDS COMMAND [ARGUMENT]...
# Runs a command for a limited time; 0 seconds are no limit.  When it takes longer, what it has started
# is shown and killed, wherever it is.  That goes to stderr, or to the end of the file $ROWCAST_REPORT.
#   --test   the command is a test program that speaks TAP: it is made to end with "Bail out!"; and
#            what it leaves running is killed too, which is an error when a rowcast is among it; its log
#            ends with the time that it took, and with that of the CPU
#   --stage  what it leaves running is killed too
# Exit code: that of the command, 124 over the limit, 125 with a rowcast left running.
case $1 in
--inside) # under a clock, see below
    kind=$2
    limit=$3
    shift 3
    ;;
*)
    kind=
    case $1 in
    --test | --stage)
        kind=$1
        shift
        ;;
    esac
    exec timeout --foreground -s USR2 -k 300 "$1" sh "$0" --inside "$kind" "$@"
    ;;
esac
# shellcheck source=tests/process.sh
. "$(dirname "$0")/process.sh"
mark="bound.$$.$(date +%s)."

report()
{
    if [ -n "${ROWCAST_REPORT:-}" ]; then cat >>"$ROWCAST_REPORT"; else cat >&2; fi
}

# shellcheck disable=SC2317  # called by a trap
over()
{
    trap '' USR2
    {
        echo "# over the limit of $limit s: $*"
        show_started "$mark"
    } | report
    end_started "$mark" || echo "# some of it cannot be killed" | report
    [ "$kind" != --test ] || echo "Bail out! over the limit of $limit s"
    exit 124
}

# stopped NUMBER: bound.sh itself was asked to end
# shellcheck disable=SC2317
stopped()
{
    trap '' HUP INT TERM
    end_started "$mark"
    exit $((128 + $1))
}
trap 'over "$@"' USR2
trap 'stopped 1' HUP
trap 'stopped 2' INT
trap 'stopped 15' TERM

# spent: the time since $began, and that of the CPU of what was waited for (Linux tells), for the log of a test
spent()
{
    [ -r "/proc/$$/stat" ] || return 0
    sed 's/.*) //' "/proc/$$/stat" | awk -v wall="$(($(date +%s) - began))" -v ticks="$(getconf CLK_TCK)" \
        '{ printf "# took %d s, %.1f s of the CPU\n", wall, ($14 + $15) / ticks }'
}

began=$(date +%s)
exec 3<&0 # a command in the background would read nothing
ROWCAST_BOUND="${ROWCAST_BOUND:-} $mark" "$@" <&3 3<&- &
exec 3<&-
wait "$!"
code=$?
trap '' USR2
[ -n "$kind" ] || exit "$code"
[ "$kind" != --test ] || spent

# what has lost its parent may need a moment to see it
rounds=0
while left=$(started_by "$mark") && [ -n "$left" ] && [ "$rounds" -lt 20 ]; do
    rounds=$((rounds + 1))
    sleep 0.1
done
if [ -n "$left" ]; then
    {
        echo "# left running by: $*"
        show_started "$mark"
    } | report
    if [ "$kind" = --test ] && [ "$code" -eq 0 ] && echo "$left" | tr '\n' ' ' \
        | xargs ps -o comm= -p | grep -q '^rowcast'; then
        code=125
    fi
    end_started "$mark"
fi
exit "$code"
