#!/bin/sh
# jobs/local-nodes.sh: nodes that are apart where nodes are, a network between them that does as it is told,
# and nothing left of them.
# shellcheck source=tests/nodes/nodes.sh
. "${top_srcdir:?}/tests/nodes/nodes.sh"
command -v python3 >/dev/null || skip_all "no python3"

# traces: what the nodes could leave on this machine: interfaces, mounts, processes
traces()
{
    sed 's/:.*//' /proc/net/dev | sort
    cut -d' ' -f5 /proc/self/mountinfo | sort
    grep -lsF -e "ROWCAST_NODE_OF=$nodes_dir" /proc/[0-9]*/environ
    [ ! -e "$nodes_dir" ] || find "$nodes_dir"
}

# Packets to port 9000 of a node come back.
cat >"$tmp/echo.py" <<'END_OF_ECHO'
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 9000))
while True:
    data, sender = s.recvfrom(64)
    s.sendto(data, sender)
END_OF_ECHO
# ping.py HOST COUNT SECONDS: how many of so many packets came back, and the shortest time in ms; it
# ends when for so long none comes
cat >"$tmp/ping.py" <<'END_OF_PING'
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
came, shortest = set(), 1e9
def take(until):
    global shortest
    while (left := until - time.monotonic()) > 0:
        s.settimeout(left)
        try:
            number, sent = s.recv(64).split()
        except OSError:
            return
        came.add(int(number))
        shortest = min(shortest, time.monotonic() - float(sent))
count = int(sys.argv[2])
for i in range(count):
    try:
        s.sendto(b"%d %.9f" % (i, time.monotonic()), (sys.argv[1], 9000))
    except OSError:
        pass
    take(time.monotonic() + 0.002)
last, known = time.monotonic(), len(came)
while len(came) < count and time.monotonic() < last + float(sys.argv[3]):
    take(time.monotonic() + 0.02)
    if len(came) > known:
        last, known = time.monotonic(), len(came)
print(len(came), int(shortest * 1e3) if came else -1)
END_OF_PING

# between LEAST FOUND MOST
between()
{
    echo "expected $1 .. $3, found $2"
    [ "$1" -le "$2" ] && [ "$2" -le "$3" ]
}

# ping COUNT [SECONDS]: from node 1 to node 2; $back and $shortest
ping()
{
    on 1 python3 "$tmp/ping.py" node2 "$1" "${2:-5}" >"$tmp/pinged" 2>&1
    back=$(cut -d' ' -f1 "$tmp/pinged")
    shortest=$(cut -d' ' -f2 "$tmp/pinged")
}

# echoing: start a program on node 2 that answers, and wait until it does
echoing()
{
    node_command exec 2 python3 "$tmp/echo.py" >"$tmp/echo.out" 2>&1 &
    echo_id=$!
    for echo_round in 1 2 3 4 5 6 7 8 9; do
        ping 1 1
        [ "$back" != 1 ] || break
    done
    echo "# answers after $echo_round pings"
}

# with_argument PATTERN: the processes that have it as an argument; and the state of one such
with_argument()
{
    grep -lszx -e "$1" /proc/[0-9]*/cmdline | cut -d/ -f3
}
state_of()
{
    sed 's/.*) //; s/ .*//' "/proc/$(with_argument "$1")/stat" 2>/dev/null
}

before=$(rmdir "$nodes_dir" && traces)
nodes 2
plan 50

code "a word that is none" 2 node_command there
code "no nodes to be had" 3 node_command env -d "$tmp/none"
ok "it is said where" grep -q "$tmp/none" "$tmp/err"
code "nor run on" 3 node_command exec -d "$tmp/none" 1 true
code "nor taken down, which is no error" 0 node_command down -d "$tmp/none"
is "a node has its name" "$(on 2 uname -n)" node2
is "and the other one its own" "$(on 1 hostname)" node1
is "and the machine its own" "$(uname -n)" "$(hostname)"
is "a node has two interfaces" "$(on 1 sed -n 's/ *\([a-z0-9]*\):.*/\1/p' /proc/net/dev | sort | tr '\n' ' ')" "eth0 lo "
# shellcheck disable=SC2016  # for that program
is "with no route but to the nodes" "$(on 1 awk 'NR > 1 { print $1, $2, $3 }' /proc/net/route)" "eth0 00004D0A 00000000"
on 1 sh -c 'echo one >/tmp/mine; echo one >/dev/shm/mine'
is "a node's /tmp is its own" "$(on 2 ls /tmp/mine /dev/shm/mine 2>/dev/null)$(ls /tmp/mine /dev/shm/mine 2>/dev/null)" ""
is "and stays" "$(on 1 cat /tmp/mine /dev/shm/mine | tr '\n' ' ')" "one one "
# shellcheck disable=SC2016  # for that shell
on 1 sh -c 'echo shared >"$0"' "$tmp/there"
is "what was named is shared" "$(on 2 cat "$tmp/there")" shared
is "a command is run in the same folder" "$(cd "$tmp" && on 2 pwd)" "$tmp"
code "its exit code passes" 7 on 2 sh -c 'exit 7'
code "there is no third node" 3 node_command exec 3 true
# shellcheck disable=SC2016  # for that shell
is "its input and each of its arguments too" "$(echo in | on 2 sh -c 'cat; printf "%s." "$@"' sh 'a b' '' "c'd")" "in
a b..c'd."

is "the launcher starts ranks on each" "$(launch_hosts() { "$MPIRUN" "$@" 2>"$tmp/err" | sort | tr '\n' ' '; }
    PER_NODE=2 launch_hosts -n 4 uname -n)" "node1 node1 node2 node2 "

echoing
ping 20
is "packets come back" "$back" 20
node_command link 2 delay 60 >/dev/null
ping 5
is "also late ones" "$back" 5
ok "the delay counts for both ways" between 120 "$shortest" 1000000
node_command link 1 delay 30 >/dev/null
ping 5
ok "and for both links" between 180 "$shortest" 1000000
node_command link 1 delay 0 >/dev/null
node_command link 2 delay 0 >/dev/null
node_command link 1 loss 20 >/dev/null
ping 400 1
ok "packets are lost, of both ways" between 180 "$back" 330
echo "# $back of 400 came back over a link that loses 20 % (expected 256)"
node_command link 1 loss 100 >/dev/null
ping 5 0.3
is "or all" "$back" 0
node_command link 1 loss 0 >/dev/null
ping 5
is "or none" "$back" 5
node_command link 2 down >"$tmp/state"
ok "the state is told" grep -q '^link 2 down delay 0 ms loss 0 % sent [0-9]* received [0-9]* lost [0-9]*$' "$tmp/state"
ping 5 0.3
is "a link that is cut" "$back" 0
node_command link 2 up >/dev/null
ping 5
is "and joined" "$back" 5
code "a delay that is none" 2 node_command link 2 delay -1
ok "the line names it" grep -q 'found delay -1' "$tmp/err"
code "a loss that is none" 2 node_command link 2 loss 101
code "a link that is none" 2 node_command link 3 up

node_command freeze 2
is "a frozen node's program is stopped" "$(state_of ".*/echo[.]py")" T
ping 2 0.3
is "and does not answer" "$back" 0
node_command thaw 2
ping 5
is "thawed it does" "$back" 5

on 2 sh -c 'echo two >/dev/shm/mine'
node_command exec 1 sleep 1000.0625 &
other_id=$!
# one that starts others as fast as it can
# shellcheck disable=SC2016
node_command exec 2 sh -c 'while :; do (sleep 2000.0625 & sleep 2000.0625 &) & sleep 0.01; done' >"$tmp/many.out" 2>&1 &
many_id=$!
rounds=0
while { [ "$(with_argument '2000[.]0625' | wc -l)" -le 1 ] || [ -z "$(with_argument '1000[.]0625')" ]; } && [ "$rounds" -lt 300 ]; do
    rounds=$((rounds + 1))
    sleep 0.1
done
ok "some run there" test "$(with_argument '2000[.]0625' | wc -l)" -gt 1
ok "all processes of a node are killed" node_command kill 2
is "those that it started too" "$(with_argument '2000[.]0625')" ""
wait "$echo_id" "$many_id" 2>/dev/null
is "those of other nodes are not" "$(state_of "1000[.]0625")" S
is "its shared memory is empty" "$(on 2 ls /dev/shm)" ""
is "that of others is not" "$(on 1 cat /dev/shm/mine)" one
echoing
is "it can be used again" "$back" 1

ok "they are taken down" node_command down
wait "$other_id" "$echo_id" 2>/dev/null
is "and leave nothing" "$(traces)" "$before"

# killed while it makes them
for after in 0.05 0.2 0.4 0.6; do
    timeout -s KILL "$after" bash "$top_srcdir/jobs/local-nodes.sh" up -d "$nodes_dir" 4 >"$tmp/up.out" 2>&1
    # what it had just started may show itself late
    for _ in $(seq 100); do
        node_command down
        [ "$(traces)" != "$before" ] || break
        sleep 0.1
    done
    is "up, killed after $after s, leaves nothing that down does not find" "$(traces)" "$before"
done

# as somebody else
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/ bash "$top_srcdir/jobs/local-nodes.sh" up -d "$nodes_dir" 2 \
        >"$tmp/up.out" 2>"$tmp/up.err"
    user_code=$?
    case $user_code in
    0) is "a user without rights gets them" "$(setpriv --reuid 65534 --regid 65534 --clear-groups bash \
        "$top_srcdir/jobs/local-nodes.sh" exec -d "$nodes_dir" 2 uname -n)" node2 ;;
    3) ok "a user without rights is told why not" grep -q 'local-nodes.sh: ..*' "$tmp/up.err" ;;
    *) is "a user without rights" "$user_code" "0 or 3" ;;
    esac
    sed 's/^/# /' "$tmp/up.err"
    setpriv --reuid 65534 --regid 65534 --clear-groups bash "$top_srcdir/jobs/local-nodes.sh" down -d "$nodes_dir"
    node_command down
    is "and leaves nothing" "$(traces)" "$before"
else
    skip "a user without rights" "this is one"
    skip "and leaves nothing" "this is one"
fi
