#!/bin/sh
# Which GPU each rank takes where every node has a list of its own, with simulated descriptors
# (tests/nodes/seats.c): GPUs of one number on two nodes are two, and what a node lacks is said with its name.
# shellcheck source=tests/nodes/nodes.sh
. "${top_srcdir:?}/tests/nodes/nodes.sh"
launched=${top_builddir:?}/tests/nodes/seats
[ -x "$launched" ] || skip_all "no tests/nodes/seats was built"
export GPUS

# seats RANKS-PER-NODE GPUS [share]: on two nodes
seats()
{
    PER_NODE=$1
    GPUS=$2
    shift 2
    launch $((2 * PER_NODE)) "$@" >"$tmp/out" 2>"$tmp/err"
    seats_code=$?
    sort "$tmp/out" | tr '\n' ';' >"$tmp/taken"
    return "$seats_code"
}

# refused PATTERN: nobody took any, and one line says why
refused()
{
    is "nobody takes any" "$(cat "$tmp/taken")" ""
    is "which is said in one line" "$(grep -c '^seats: ' "$tmp/err")" 1
    ok "with the node and what to do" grep -q "^seats: $1" "$tmp/err"
}

nodes 2
plan 12

ok "two ranks on each of two nodes" seats 2 'node1=4:0 node2=2:0'
is "take the first two of each, though their numbers are the same" "$(cat "$tmp/taken")" \
    "rank 0 on node1: GPU 0;rank 1 on node1: GPU 1;rank 2 on node2: GPU 0;rank 3 on node2: GPU 1;"
not_ok "three ranks on a node with two GPUs" seats 3 'node1=4:0 node2=2:0'
refused '3 ranks on node2, which has 2 GPUs: start one rank per GPU'
ok "unless they share" seats 3 'node1=4:0 node2=2:0' share
is "and then their numbers wrap on that node alone" "$(cat "$tmp/taken")" \
    "rank 0 on node1: GPU 0;rank 1 on node1: GPU 1;rank 2 on node1: GPU 2;rank 3 on node2: GPU 0;rank 4 on node2: GPU 1;rank 5 on node2: GPU 0;"
not_ok "a node without GPUs" seats 1 'node1=4:0'
refused 'rank 1 on node2 sees no GPU'
