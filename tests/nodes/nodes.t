#!/bin/sh
# Sweeps between nodes that have their own host name, network, /tmp, CPU model and clock: the same store as
# on one, and what a node lacks is said before anything is measured.
#   ROWCAST_NODES_LONG=1   more matrices, orders and numbers of ranks
# shellcheck source=tests/nodes/nodes.sh
. "${top_srcdir:?}/tests/nodes/nodes.sh"
# shellcheck disable=SC2153
shims=${top_builddir:?}/tests/fault

matrices=5 policies=csr,lpt,rcm layouts='2x3 4x1' clocks=3600
[ -z "${ROWCAST_NODES_LONG:-}" ] || { matrices=25 policies=all layouts='1x3 2x1 2x3 4x1 4x3' clocks='-3600 3600'; }
list="-k 2,5 -p $policies --kernels rowsplit,null --precision fp32,fp64"
i=0
while [ "$i" -lt "$matrices" ]; do
    i=$((i + 1))
    matrix "m$i" uniform:n=$((60 + 37 * i)),mean=4
done
matrix r rmat:scale=8

# A rank that is set up as its node wants it: $tmp/nodeN.sh, when it is there.
cat >"$tmp/on-its-node" <<END_OF_RANK
#!/bin/sh
[ ! -e "$tmp/\$(uname -n).sh" ] || . "$tmp/\$(uname -n).sh"
exec "$ROWCAST" "\$@"
END_OF_RANK
chmod +x "$tmp/on-its-node"
launched=$tmp/on-its-node

# all_but_times STORE: the newest row of each case without what is another each time, sorted
all_but_times()
{
    alone query "$1" -f csv --columns fullname,rows,cols,nnz,digest,policy,policy_version,kernel,kernel_version,device,op,k \
        -o precision,layout,c_order,cache,nw,nt,line,status,phase,message,k_tile,bytes_min,device_bytes,fill \
        -o error_max,error_rel,seed,case | sort
    alone query "$1" --matrices -f csv --columns name,rows,cols,nnz,digest | sort
}

# layout NODESxRANKS ARGUMENT...: a sweep on so many nodes with so many ranks each
layout()
{
    PER_NODE=${1#*x}
    layout_ranks=$((${1%x*} * PER_NODE))
    shift
    sweep "$layout_ranks" "$@"
}

# said: what rowcast said on stderr, without the launcher's words
said()
{
    grep -e ' error ' -e '^rowcast' "$tmp/err"
}

# each FIELD STORE: its values, each once
each()
{
    alone query "$2" -f csv --columns "$1" | tail -n +2 | sort -u
}

nodes 4
plan $((33 + 6 * $(echo "$layouts" | wc -w) + 4 * $(echo "$clocks" | wc -w)))

# ------------------------------------------------------------------ the same store
# shellcheck disable=SC2086
code "a sweep on this machine alone" 0 alone sweep -C "$tmp/col" -s "$tmp/one.h5" $quick $list
all_but_times "$tmp/one.h5" >"$tmp/one"
total=$(rows "$tmp/one.h5")
for layout in $layouts; do
    store=$tmp/$layout.h5
    # shellcheck disable=SC2086
    code "a part on $layout ranks" 0 layout "$layout" "$store" $list --limit 3
    # shellcheck disable=SC2086
    code "and the rest" 0 layout "$layout" "$store" $list
    all_but_times "$store" >"$tmp/several"
    ok "$layout ranks make the store of one" cmp "$tmp/one" "$tmp/several"
    is "with nothing twice, and no journal left" "$(twice "$store")$(ls -d "$store".journal 2>/dev/null)" ""
    # shellcheck disable=SC2086
    layout 2x1 "$store" $list >"$tmp/out" 2>"$tmp/err"
    ok "nothing is left to do for others" grep -q "nothing to do: all $total cases" "$tmp/err"
    ok "the store verifies on another node" on 4 "$ROWCAST" verify -q "$store"
done
is "frames went between the nodes" "$(for i in 1 2 3 4; do node_command link $i; done | grep -c 'sent [0-9]\{3,\} received [0-9]\{3,\} ')" 4

# ----------------------------------------------------- looked at from another node
store=$tmp/looked.h5
PER_NODE=1
# shellcheck disable=SC2086
start 2 sweep -C "$tmp/col" -s "$store" --threads 1 --share-device --timing shared -p csr,lpt --kernels fault:mode=0:delay_us=2000 \
    -k 2,3,5,7,11,13 --target 0 --case-time 0.2 --max-reps 1000 -q
seen=0
while running "$job"; do
    seen=$(on 3 "$ROWCAST" status "$store" -f csv 2>/dev/null | grep -c '^journal: rank [01] of 2,"*running')
    [ "$seen" != 2 ] || break
    sleep 0.1
done
is "both ranks of a sweep are seen from a third node" "$seen" 2
on 3 env LD_PRELOAD="$shims/shim_clock.so" CLOCK_JUMPS=-3600 CLOCK_EVERY=1000000000 "$ROWCAST" status "$store" >"$tmp/status" 2>&1
sed 's/^/# /' "$tmp/status"
not_ok "and no time is negative where the clock is an hour behind" grep -q -e '[ (]-[0-9]' "$tmp/status"
# shellcheck disable=SC2086
code "nobody else may sweep into it, from there" 3 on 3 "$ROWCAST" sweep -C "$tmp/col" -s "$store" $quick
ok "and is told which node has it" grep -q 'process [0-9]* on node1 since' "$tmp/err"
finish
is "the sweep does not mind" "$job_code" 0
is "its rows are the same from everywhere" "$(on 4 "$ROWCAST" query "$store" -f csv)" "$(alone query "$store" -f csv)"

# ------------------------------------------------------------- unlike CPUs, clocks, folders
sed 's/^model name.*/model name\t: Another CPU/' /proc/cpuinfo >"$tmp/cpuinfo"
store=$tmp/models.h5
on 2 mount --bind "$tmp/cpuinfo" /proc/cpuinfo
# shellcheck disable=SC2086
code "two CPU models" 0 layout 2x1 "$store" $list
is "measure every case each" "$(rows "$store")" $((2 * total))
is "and are kept apart" "$(each device,rank "$store" | wc -l) $(each device "$store" | grep -c 'Another CPU')" "2 1"
is "a speedup compares with its own class" "$(alone query "$store" -f csv -w "status == ok" --columns paired | tail -n +2 | sort -u)" 1
# shellcheck disable=SC2086
layout 2x1 "$store" $list >"$tmp/out" 2>"$tmp/err"
ok "and nothing is left" grep -q "nothing to do: all $((2 * total)) cases" "$tmp/err"
on 2 umount /proc/cpuinfo

for off in $clocks; do
    store=$tmp/clock$off.h5
    echo "export LD_PRELOAD=$shims/shim_clock.so CLOCK_JUMPS=$off CLOCK_EVERY=1000000000" >"$tmp/node2.sh"
    # shellcheck disable=SC2086
    code "the clock of a node is off by $off s" 0 layout 2x1 "$store" $list
    all_but_times "$store" >"$tmp/several"
    ok "the store is that of one" cmp "$tmp/one" "$tmp/several"
    rm "$tmp/node2.sh"
    # shellcheck disable=SC2086
    code "what is measured again" 0 layout 1x1 "$store" $list --redo 'policy == lpt'
    is "is the newest" "$(each run,rank "$store" | wc -l) $(alone query "$store" -f csv --columns run -w 'policy == lpt' | tail -n +2 \
        | sort -u | wc -l)" "3 1"
done

mkdir "$tmp/elsewhere"
echo "export TMPDIR=$tmp/elsewhere" >"$tmp/node2.sh"
store=$tmp/cached.h5
# shellcheck disable=SC2086
code "a TMPDIR and a cache of each node" 0 layout 2x1 "$store" $list --cache /tmp/cache
all_but_times "$store" >"$tmp/several"
ok "the store is that of one" cmp "$tmp/one" "$tmp/several"
is "each matrix is in the cache of the node that read it" \
    "$( (on 1 find /tmp/cache -name '*.csr'; on 2 find /tmp/cache -name '*.csr') | sort -u | wc -l)" $((matrices + 1))
ok "which both have" on 2 test -d /tmp/cache/G
rm "$tmp/node2.sh"
is "nothing is left in a folder for temporary files" "$(find "$tmp/elsewhere" -type f)" ""

# -------------------------------------------------------------- what a node lacks
# lacks WHAT FOLDER PATTERN STORE: node 2 does not have the folder, and says so before anything is measured
lacks()
{
    # shellcheck disable=SC2086
    code "$1" 3 layout 2x1 "$4" $list
    is "is said in one line" "$(said | wc -l)" 1
    said >"$tmp/line"
    ok "which names the node and the folder" grep -q -e "node2.*$2" -e "$2.*node2" "$tmp/line"
    ok "and what is wrong" grep -q -e "$3" "$tmp/line"
    is "nothing was measured" "$(find "${4%/*}" -name "${4##*/}*" | sort)" ""
}
on 2 mount -t tmpfs tmpfs "$tmp/col"
lacks "a node without the matrices" "$tmp/col" "no matrices" "$tmp/lacks.h5"
on 2 umount "$tmp/col"
mkdir "$tmp/out.d"
on 2 mount -t tmpfs tmpfs "$tmp/out.d"
lacks "a node without the folder of the store" "$tmp/out.d/x.h5.journal" "all nodes share" "$tmp/out.d/x.h5"
# what another sweep left there does not make it the same folder
on 2 mkdir "$tmp/out.d/x.h5.journal"
# shellcheck disable=SC2016  # for that shell
on 2 sh -c 'echo "process 1 on node2 since then" >"$0"' "$tmp/out.d/x.h5.journal/sweep.lock"
lacks "a node with another folder of that name" "$tmp/out.d/x.h5.journal" "all nodes share" "$tmp/out.d/x.h5"
on 2 umount "$tmp/out.d"
