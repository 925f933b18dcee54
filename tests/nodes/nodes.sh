# shellcheck shell=sh
# Sourced by the tests between nodes, in the place of tests/mpi/mpi.sh: the launcher starts ranks on virtual
# nodes of this machine, see jobs/local-nodes.sh.  Skips them where such are not allowed.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
"$MPIRUN" --version 2>/dev/null | grep -q 'Open MPI' || skip_all "virtual nodes are reached by Open MPI's launcher alone"
nodes_dir=$(mktemp -d /tmp/rowcast-nodes.XXXXXX) || exit 99
trap 'node_command down; leave' EXIT

# node_command COMMAND ARGUMENT...: jobs/local-nodes.sh
node_command()
{
    node_word=$1
    shift
    bash "$top_srcdir/jobs/local-nodes.sh" "$node_word" -d "$nodes_dir" "$@"
}

# nodes N [PER-NODE]: make node1 .. nodeN; from here on the launcher starts its ranks from node1 on, so many
# on each node before the next gets any
nodes()
{
    node_command up -s "$tmp" -s "$top_builddir" "$1" >"$tmp/nodes.env" 2>"$tmp/nodes.err" \
        || skip_all "no nodes: $(tail -n 1 "$tmp/nodes.err")"
    # shellcheck source=/dev/null
    . "$tmp/nodes.env"
    cat >"$tmp/mpirun" <<END_OF_LAUNCHER
#!/bin/sh
exec bash "$top_srcdir/jobs/local-nodes.sh" exec -d "$nodes_dir" 1 "$MPIRUN" --map-by "ppr:\${PER_NODE:-1}:node" "\$@"
END_OF_LAUNCHER
    chmod +x "$tmp/mpirun"
    MPIRUN=$tmp/mpirun
    PER_NODE=${2:-1}
    export PER_NODE
}

# on NODE COMMAND ARGUMENT...: there, within the limit
on()
{
    on_node=$1
    shift
    node_command exec "$on_node" sh "$top_srcdir/tests/bound.sh" "$limit" "$@"
    on_code=$?
    [ "$on_code" -ne 124 ] || echo "$* on node $on_node" >>"$tmp/stuck"
    return "$on_code"
}
