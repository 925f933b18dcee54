#!/bin/sh
# Faults of a node in the middle of a sweep over three: it is killed, stands still, loses its link for a
# while or for good, or its packets; its folder turns read-only or goes away.  The sweep goes on or ends by
# itself, with a line where a rank can still speak; nothing finished is lost or doubled, and the same
# command completes it.
#   ROWCAST_NODE_FAULTS=all   every fault, with the long waits  [the shortest that show each end]
#   ROWCAST_NODE_KILLS=N      kills at random moments           [1; 50 of all]
# shellcheck source=tests/nodes/nodes.sh
. "${top_srcdir:?}/tests/nodes/nodes.sh"
all=${ROWCAST_NODE_FAULTS:-}
kills=${ROWCAST_NODE_KILLS:-$([ -n "$all" ] && echo 50 || echo 1)}
silence=10 # seconds, see --silence-limit
limit=$((limit + (${#all} > 0 ? 400 : 0)))
nodes 3
# a launcher that hears nothing of a node asks it, and gives it up
export OMPI_MCA_oob_tcp_keepalive_time=5 OMPI_MCA_oob_tcp_keepalive_intvl=2 OMPI_MCA_oob_tcp_keepalive_probes=3
patience=40

i=0
while [ "$i" -lt 6 ]; do
    i=$((i + 1))
    matrix "m$i" uniform:n=$((40 + 30 * i))
done
list="-C $tmp/col $quick -k 2 -p csr,lpt --kernels fault:mode=0:delay_us=20000,null --max-reps 1000 --case-time 0.4 --target 0
    --silence-limit $silence"
store=$tmp/s.h5

# hurt FAULT NODE: it begins; heal FAULT NODE: it ends, whatever is left of it
hurt()
{
    case $1 in
    killed) node_command kill "$2" ;;
    still) node_command freeze "$2" ;;
    cut) node_command link "$2" down ;;
    lossy) node_command link "$2" loss 5 ;;
    slow) node_command link "$2" delay 200 ;;
    read-only) node_command exec "$2" sh -c "mount --bind '$tmp' '$tmp' && mount -o remount,bind,ro '$tmp'" ;;
    gone) node_command exec "$2" mount -t tmpfs none "$tmp" ;;
    esac
}
heal()
{
    case $1 in
    still) node_command thaw "$2" ;;
    cut) node_command link "$2" up ;;
    lossy) node_command link "$2" loss 0 ;;
    slow) node_command link "$2" delay 0 ;;
    read-only | gone) node_command exec "$2" umount -l "$tmp" ;;
    esac >/dev/null 2>&1
}

# middle: wait until something is finished, and up to 1.5 s more
middle()
{
    middle_rounds=0
    while running "$job" && [ "$(cat "$store.journal"/*.rcj 2>/dev/null | wc -c)" -lt 2000 ] && [ "$middle_rounds" -lt 600 ]; do
        middle_rounds=$((middle_rounds + 1))
        sleep 0.05
    done
    random 1500
    sleep "$(seconds "$random")"
}

# completes: the same command until all is done, and where it says that matrices could not be read, with
# --redo; what was finished before is there once, as it was
completes()
{
    snapshot "$store"
    finished >"$tmp/before"
    for again in 1 2 3; do
        if [ "$again" -lt 3 ]; then set --; else set -- --redo "status != ok"; fi
        # shellcheck disable=SC2086
        launch 3 sweep -s "$store" $list "$@" >"$tmp/out" 2>"$tmp/err"
        completes_code=$?
        [ "$completes_code" -ne 0 ] || break
    done
    [ "$completes_code" -eq 0 ] || fault "attempt $again ends with $completes_code: $(tail -n 1 "$tmp/err")"
    [ "$(cases "$store")" = "$(cases "$tmp/whole.h5")" ] || fault "other cases than those of an uninterrupted run"
    alone query "$store" -f csv --columns case -w 'status == ok' | tail -n +2 | sort >"$tmp/after"
    [ -z "$(comm -23 "$tmp/before" "$tmp/after")" ] || fault "finished cases are lost"
    [ -z "$(twice "$store")" ] || fault "cases are doubled"
    [ ! -e "$store.journal" ] || fault "a journal is left"
}

# during FAULT NODE SECONDS: a sweep that meets it for so long, or (0) until the sweep has ended; whether it
# ended by itself is in $job_code
during()
{
    at="$1, node $2, $3 s"
    rm -rf "$store" "$store.journal"
    # shellcheck disable=SC2086
    start 3 sweep -s "$store" $list
    middle
    hurt "$1" "$2" >/dev/null 2>&1 || running "$job" || at="$at (too late)"
    if [ "$3" -gt 0 ]; then
        sleep "$3"
        heal "$1" "$2"
    fi
    finish
    cat "$tmp/job.err" >>"$tmp/job.all"
    gone || fault "a rank lives on"
    heal "$1" "$2"
    completes
}

# survived NAME FAULT NODE SECONDS: one test
survived()
{
    survived_name=$1
    shift
    : >"$tmp/faults"
    during "$@"
    is "$survived_name (ended with $job_code)" "$(cat "$tmp/faults")" ""
    [ -s "$tmp/faults" ] || survivals=$((survivals + 1))
}
survivals=0

plan $((6 + kills + (${#all} > 0 ? 8 : 0)))
# shellcheck disable=SC2086
code "an uninterrupted sweep" 0 launch 3 sweep -s "$tmp/whole.h5" $list
i=0
while [ "$i" -lt "$kills" ]; do
    i=$((i + 1))
    survived "node 2 is killed, number $i" killed 2 0
done
survived "the node of rank 0 and of the launcher is killed" killed 1 0
survived "the link of a node is cut for good" cut 3 0
ok "the others say of whom they hear nothing" grep -q 'has heard nothing of rank [0-2] on node[1-3].*--silence-limit' "$tmp/job.err"
survived "a node stands still for a moment" still 2 3
survived "the shared folder is read-only on a node" read-only 2 0
if [ -n "$all" ]; then
    survived "a node stands still for 60 s" still 3 60
    survived "a link is cut for 5 s" cut 2 5
    survived "a link is cut for 60 s" cut 2 60
    survived "the link of rank 0 is cut for good" cut 1 0
    survived "one packet of 20 is lost" lossy 2 0
    survived "packets take 200 ms" slow 2 0
    survived "and on that of rank 0" read-only 1 0
    survived "the shared folder is gone on a node" gone 2 0
fi
[ "$survivals" -eq 0 ] || counted "$survivals" "faults of nodes survived"
