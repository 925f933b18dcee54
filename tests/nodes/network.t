#!/bin/sh
# A folder that nodes reach over a network file system in user space (sshfs: each node has attributes of its
# own for 3 s, as with NFS, and locks exclude nobody on another node): the same store as on one, read
# elsewhere, resumed, never written by two, taken over from a node that is gone.
#   ROWCAST_NODES_LONG=1   two numbers of ranks
# shellcheck source=tests/nodes/nodes.sh
. "${top_srcdir:?}/tests/nodes/nodes.sh"
# A node that dies while its sweep waits for the folder may leave that sweep to the kernel for minutes: only
# check-nodes has time for it.
[ -n "${ROWCAST_NODES_LONG:-}" ] || skip_all "in check-nodes only"
sftp=/usr/lib/openssh/sftp-server
for tool in sshfs python3 "$sftp" fusermount3; do
    command -v "$tool" >/dev/null || skip_all "no $tool"
done
[ -w /dev/fuse ] || skip_all "/dev/fuse may not be used"

for i in 1 2 3 4; do
    matrix "m$i" uniform:n=$((60 + 37 * i)),mean=4
done
list="-C $tmp/col $quick -k 2,5 -p csr,lpt,rcm --kernels rowsplit,null"
slow="-C $tmp/col $quick -k 2 -p csr --kernels fault:mode=0:delay_us=20000 --max-reps 1000 --case-time 3 --target 0"
layouts=2
[ -z "${ROWCAST_NODES_LONG:-}" ] || layouts='1 2'
nodes 3
net=$tmp/net

# The first node serves a folder to all, itself among them; what is in it is asked of the folder itself, as a node's
# view of it is old by up to 3 s.
mkdir "$tmp/served" "$net"
cat >"$tmp/serve.py" <<'END_OF_SERVER'
import signal, socket, subprocess, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
server = socket.create_server(("", 2222))
while True:
    one, _ = server.accept()
    subprocess.Popen([sys.argv[1]], stdin=one, stdout=one)
    one.close()
END_OF_SERVER
node_command exec 1 python3 "$tmp/serve.py" "$sftp" >"$tmp/serve.log" 2>&1 </dev/null &

# mounted NODE: that node has the folder
mounted()
{
    node_command exec "$1" sshfs -o directport=2222,dcache_timeout=3 "node1:$tmp/served" "$net" >>"$tmp/serve.log" 2>&1 </dev/null
}
waits=0
until mounted 1; do
    waits=$((waits + 1))
    [ "$waits" -lt 20 ] || skip_all "the folder cannot be mounted: $(tail -n 1 "$tmp/serve.log")"
    sleep 0.5
done
for node in 2 3; do mounted "$node" || skip_all "the folder cannot be mounted: $(tail -n 1 "$tmp/serve.log")"; done
plan $((10 + 4 * $(echo "$layouts" | wc -w)))

# all_but_times NODE STORE: the newest row of each case without what is another each time, sorted
all_but_times()
{
    on "$1" "$ROWCAST" query "$2" -f csv --columns fullname,rows,cols,nnz,digest,policy,kernel,k,precision,status,case | sort
}

is "a file of one node is seen on another" "$(on 1 sh -c "echo there >$net/file" && on 2 cat "$net/file")" there
# shellcheck disable=SC2086
code "a sweep on this machine alone" 0 alone sweep -s "$tmp/one.h5" $list
alone query "$tmp/one.h5" -f csv --columns fullname,rows,cols,nnz,digest,policy,kernel,k,precision,status,case | sort >"$tmp/one"
for ranks in $layouts; do
    PER_NODE=$ranks
    store=$net/s$ranks.h5
    # shellcheck disable=SC2086
    code "a part, $ranks ranks on each of 3 nodes" 0 launch $((3 * ranks)) sweep -s "$store" $list --limit 2
    # shellcheck disable=SC2086
    code "and the rest" 0 launch $((3 * ranks)) sweep -s "$store" $list
    all_but_times 3 "$store" >"$tmp/several"
    ok "make the store of one" cmp "$tmp/one" "$tmp/several"
    is "with nothing twice, and no journal left" "$(on 2 "$ROWCAST" query "$store" -f csv --columns case | tail -n +2 | sort | uniq -d)$(find "$tmp/served" -name '*.journal')" ""
done

# one node writes: the others read it, and do not write
PER_NODE=1
# shellcheck disable=SC2086
node_command exec 2 "$ROWCAST" sweep -s "$net/slow.h5" $slow >"$tmp/slow.out" 2>"$tmp/slow.err" &
job=$!
rounds=0
until [ "$(on 3 "$ROWCAST" status "$net/slow.h5" -f csv 2>/dev/null | awk -F'",' '/^journal/ && $2 + 0 > 0' | wc -l)" -ge 1 ]; do
    rounds=$((rounds + 1))
    [ "$rounds" -lt 120 ] || break
    sleep 0.5
done
ok "status on another node shows what is finished" test "$rounds" -lt 120
# shellcheck disable=SC2086
code "a second sweep there is refused" 3 on 3 "$ROWCAST" sweep -s "$net/slow.h5" $slow --take-over 10
ok "as another has the store" grep -q 'another sweep has this store' "$tmp/err"
code "a fold takes what is finished" 0 on 1 "$ROWCAST" fold -q "$net/slow.h5"
is "and leaves the journal" "$(on 2 find "$net/slow.h5.journal" -name '*.rcj' | wc -l)" 1

# the node dies with its sweep: another one goes on with what it had finished
node_command kill 2 2>/dev/null
wait "$job" 2>/dev/null
# shellcheck disable=SC2086
code "a node dies: another takes over" 0 on 3 "$ROWCAST" sweep -s "$net/slow.h5" $slow --take-over 5
is "and has every case once" "$(on 1 "$ROWCAST" query "$net/slow.h5" -f csv --columns case -w 'status == ok' | tail -n +2 | sort | uniq | wc -l) \
$(on 1 "$ROWCAST" query "$net/slow.h5" -f csv --columns case -w 'status == ok' | tail -n +2 | wc -l)" "4 4"
code "the store verifies" 0 on 1 "$ROWCAST" verify "$net/slow.h5"
for node in 1 3; do node_command exec "$node" fusermount3 -u "$net" 2>/dev/null; done
