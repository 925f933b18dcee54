# shellcheck shell=sh
# Sourced: find, show and end what a command has started, also what has lost its parent since.  It is
# known by a word in the variable ROWCAST_BOUND of the environment that it was started with, which
# Linux shows in /proc; elsewhere nothing is found.

# started_by MARK: the ids of those that live; what is dead and waited for by nobody does not count.  The list is made
# before anything is started that looks: another variable may have the mark, and grep would find itself.
started_by()
{
    (
        unset ROWCAST_BOUND
        set -- "$1" /proc/[0-9]*/environ
        grep -lsF -e "$@" | sed 's|^/proc/\([0-9]*\)/.*|\1|'
    )
}

# stack_of ID: what a process waits for, where a debugger is there and allowed to look
stack_of()
{
    echo "stack of $1: $(tr '\0\n' '  ' <"/proc/$1/cmdline" | cut -c 1-100)"
    if command -v gdb >/dev/null; then
        timeout -k 5 30 gdb -nx -batch -p "$1" -ex 'thread apply all backtrace 20' </dev/null \
            | grep -E '^(Thread|#)' | cut -c 1-150
    fi
}

# show_started MARK: the stacks of those that wait for none of the others, and a list of all, as comments
show_started()
{
    (
        ids=$(started_by "$1" | tr '\n' ',')
        [ -n "$ids" ] || exit 0
        unset ROWCAST_BOUND
        {
            ps -o pid=,ppid=,comm= -p "${ids%,}" | awk '
                { name[$1] = $3; parent[$2] = 1 }
                END { for (id in name) if (!(id in parent) && name[id] !~ /^(sh|dash|bash|sleep|cat|tee|.?awk)$/) print id }' \
                | head -n 6 | while read -r id; do stack_of "$id"; done
            ps -o pid,ppid,stat,etime,wchan:20,args -p "${ids%,}" | cut -c 1-180
        } 2>/dev/null | sed 's/^/# /'
    )
}

# end_started MARK: ask them to end, kill them when they do not; 1 when some stay
end_started()
{
    end_round=0
    while end_ids=$(started_by "$1") && [ -n "$end_ids" ]; do
        case $end_round in
        0)
            # make would delete the logs and start the next, so it goes first
            for end_id in $end_ids; do
                { read -r end_name <"/proc/$end_id/comm"; } 2>/dev/null || continue
                case $end_name in make | gmake) kill -s KILL "$end_id" 2>/dev/null ;; esac
            done
            end_signal=TERM
            ;;
        ?? | ???) end_signal=KILL ;; # after a second
        *) end_signal=0 ;;
        esac
        end_round=$((end_round + 1))
        [ "$end_round" -lt 100 ] || return 1
        # shellcheck disable=SC2086  # a list of ids
        kill -s "$end_signal" $end_ids 2>/dev/null
        sleep 0.1
    done
}
