#!/bin/bash
# Several nodes on one machine, to try a program between nodes: each has a host name, a network and a
# /tmp and /dev/shm of its own; all else of the file system is shared.  Root, or a user who may make user
# namespaces and open /dev/net/tun.  The networks are joined by a program alone, so that no traffic leaves
# the machine.  Needs util-linux and a C compiler; the program in it, Open MPI.
# Usage: jobs/local-nodes.sh COMMAND [-d DIR] [ARGUMENT]...
#   up [-s PATH]... [-c N] N   start node1 .. nodeN at 10.77.0.1 .. N; print what `env` prints
#       -s PATH   shared too, although it is under /tmp; DIR and this checkout are
#       -c N      slots of each node in the hostfile              [1]
#   env           print what makes mpirun start ranks there: eval "$(... env)"
#   exec I COMMAND...   run it on node I, in the folder of the same name: exec 1 mpirun -n 4 ...
#   link I        tell the state of the link of node I, and its frames
#   link I up | down | delay MS | loss PERCENT   of both directions; a cut link loses what is on its way
#   kill I        kill all processes of node I at once and empty its /dev/shm.  Its kernel closes their
#                 connections; cut its link before that, and they are left open, as when the power fails
#   freeze I, thaw I    stop all its processes, let them go on; its kernel goes on answering
#   down          kill what runs on the nodes, and remove them and the folder DIR; also after an `up` that
#                 was killed
#   agent HOST COMMAND...   what Open MPI calls in the place of ssh; the environment goes along
#   -d DIR        folder that they live in             [/tmp/rowcast-nodes-UID]
# A node can be changed further from inside, for itself alone: exec 2 mount --bind FILE /proc/cpuinfo.
# Exit codes: 0, 2 wrong usage, 3 the nodes cannot be made or are not there; `exec` ends as its command.
set -euo pipefail

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }
die() { local code=$1; shift; say "$*"; exit "$code"; }

usage() { sed -n '2,26s/^# \{0,1\}//p' "$0"; }
case ${1:-} in
'') usage >&2; exit 2 ;;
-h | --help) usage; exit 0 ;;
esac
self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
top=$(dirname "$(dirname "$self")")
command=$1
shift
dir=/tmp/rowcast-nodes-$(id -u)
slots=1
shared=()
while (($#)); do
    case $1 in
    -d | -s | -c)
        [[ ${2:-} ]] || die 2 "$1 needs a value"
        case $1 in -d) dir=$2 ;; -s) shared+=("$2") ;; -c) slots=$2 ;; esac
        shift 2
        ;;
    -*) die 2 "unknown option '$1'; see --help" ;;
    *) break ;;
    esac
done
case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
# a Unix socket's path has at most 107 characters
((${#dir} <= 90)) || die 2 "the folder's name is too long for a socket in it: $dir"
made=$dir/made-by-local-nodes # what has none is somebody else's
mark=ROWCAST_NODE_OF=$dir # in the environment of all that runs on a node, by which `down` finds it

# whole NUMBER MOST: a number from 1 on
whole()
{
    if ! [[ $1 =~ ^[1-9][0-9]{0,4}$ ]] || (($1 > $2)); then die 2 "expected a number from 1 to $2, found '$1'"; fi
}

# The ids of all processes that carry the mark.
marked() { grep -lszxF -e "$mark" /proc/[0-9]*/environ | sed 's|^/proc/\([0-9]*\)/.*|\1|' | grep -vx "$$" || true; }

# holder I: the id of the process that keeps the namespaces of node I
holder()
{
    local id
    whole "$1" 200
    { read -r id <"$dir/run/node$1.pid"; } 2>/dev/null || die 3 "there is no node $1 in $dir"
    grep -qszxF -e "$mark" "/proc/$id/environ" || die 3 "node $1 in $dir is gone"
    echo "$id"
}

# members I: the ids of the processes in the network of node I, but its holder
members()
{
    local id network
    id=$(holder "$1")
    network=$(stat -Lc %i "/proc/$id/ns/net")
    { stat -Lc '%i %n' /proc/[0-9]*/ns/net 2>/dev/null || true; } \
        | awk -v network="$network" -v holder="$id" '$1 == network { split($2, part, "/"); if (part[3] != holder) print part[3] }'
}

# moving ID...: those that are neither stopped nor dead
moving() { for id; do awk '{ sub(/.*\) /, ""); if ($1 !~ /^[TtZX]/) exit 1 }' "/proc/$id/stat" 2>/dev/null || echo "$id"; done; }

# Stop all of node I; one that starts another meanwhile is stopped the next time.
freeze()
{
    local -a ids
    local round id
    for ((round = 0; round < 1000; round++)); do
        mapfile -t ids < <(members "$1")
        mapfile -t ids < <(for id in "${ids[@]}"; do [[ ! -e /proc/$id ]] || moving "$id"; done)
        ((${#ids[@]})) || return 0
        kill -s STOP "${ids[@]}" 2>/dev/null || true
        ((round < 3)) || sleep 0.01
    done
    die 3 "some processes of node $1 cannot be stopped: ${ids[*]}"
}

# living ID...: those that are more than an entry that nobody has waited for
living() { for id; do awk '{ sub(/.*\) /, ""); exit $1 ~ /^[ZX]/ }' "/proc/$id/stat" 2>/dev/null && echo "$id"; done; true; }

# gone COMMAND...: kill what it lists until there is none
gone()
{
    local -a ids
    local round
    for ((round = 0; round < 1000; round++)); do
        mapfile -t ids < <("$@")
        mapfile -t ids < <(living "${ids[@]}")
        ((${#ids[@]})) || return 0
        kill -s KILL "${ids[@]}" 2>/dev/null || true
        ((round < 3)) || sleep 0.01
    done
    die 3 "some processes cannot be killed: ${ids[*]}"
}

# enter I COMMAND...: become it, on node I
enter()
{
    local id
    id=$(holder "$1")
    shift
    # shellcheck disable=SC2016  # for that shell
    exec env "$mark" nsenter -t "$id" -n -m -u -- sh -c 'cd "$0" 2>/dev/null; exec "$@"' "$PWD" "$@"
}

# What a node is: this is called in its namespaces, and stays there.  $1 is its number.
become()
{
    local path
    hostname "node$1"
    mount --bind "$dir/hosts" /etc/hosts
    mount -t tmpfs -o mode=1777 tmpfs /dev/shm
    for path in "$dir" "${shared[@]}"; do
        [[ $path == /tmp/* ]] || continue
        mkdir -p "$dir/node$1$path"
        mount --bind "$path" "$dir/node$1$path"
    done
    mount --rbind "$dir/node$1/tmp" /tmp
    echo "$$" >"$dir/run/.node$1"
    mv "$dir/run/.node$1" "$dir/run/node$1.pid"
    exec sleep infinity
}

down()
{
    ! grep -qszxF -e "$mark" "/proc/$$/environ" || die 3 "down: it has to be said outside the nodes"
    [[ ! -d $dir || -e $made ]] || rmdir "$dir" 2>/dev/null || die 2 "$dir: holds other things than nodes, nothing is removed"
    gone marked
    rm -rf "$dir"
}

# ready WHAT LOG ID COMMAND...: wait until it succeeds, as long as process ID runs
ready()
{
    local what=$1 log=$2 id=$3 round said
    shift 3
    for ((round = 0; round < 1000; round++)); do
        ! "$@" >/dev/null 2>&1 || return 0
        kill -0 "$id" 2>/dev/null || break
        sleep 0.02
    done
    said=$(tail -n 3 "$log")
    down
    die 3 "$what does not start: $said"
}

up()
{
    local nodes=$1 i tool
    local -a options=() ids=()
    for tool in unshare nsenter "${CC:-cc}"; do
        command -v "${tool%% *}" >/dev/null || die 3 "no $tool"
    done
    for i in "${shared[@]}" "$top"; do options+=(-s "$(cd "$i" && pwd)"); done
    down
    mkdir -p "$dir"
    : >"$made"
    mkdir "$dir"/{run,log}
    # shellcheck disable=SC2086  # may hold options
    ${CC:-cc} -std=c11 -O2 -o "$dir/switch" "$top/tests/nodes/switch.c" -lm || die 3 "the switch does not compile"
    printf '127.0.0.1 localhost\n' >"$dir/hosts"
    for ((i = 1; i <= nodes; i++)); do
        printf '10.77.0.%d node%d\n' "$i" "$i" >>"$dir/hosts"
        printf 'node%d slots=%d\n' "$i" "$slots" >>"$dir/hostfile"
        mkdir -p "$dir/node$i/tmp"
        chmod 1777 "$dir/node$i/tmp"
    done
    for ((i = 1; i <= nodes; i++)); do
        env "$mark" setsid unshare -n -m -u -- "$self" become -d "$dir" "${options[@]}" "$i" \
            >"$dir/log/node$i" 2>&1 </dev/null &
        disown
        ready "node $i" "$dir/log/node$i" "$!" test -s "$dir/run/node$i.pid"
        ids+=("$(holder "$i")")
    done
    env "$mark" setsid "$dir/switch" "$dir/socket" 1 "${ids[@]}" >"$dir/log/switch" 2>&1 </dev/null &
    disown
    ready "the switch" "$dir/log/switch" "$!" "$dir/switch" "$dir/socket" ask 1
}

print_env()
{
    local name
    [[ -s $dir/hostfile ]] || die 3 "there are no nodes in $dir"
    printf 'export OMPI_MCA_plm_rsh_agent=%q\n' "$self agent -d $dir"
    printf 'export OMPI_MCA_orte_default_hostfile=%q\n' "$dir/hostfile"
    for name in btl_tcp_if_include oob_tcp_if_include; do echo "export OMPI_MCA_$name=10.77.0.0/24"; done
    echo "export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_pml=ob1 OMPI_MCA_osc=^rdma OMPI_MCA_plm=rsh"
    # the nodes, and the switch, have the same CPUs
    echo "export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1"
    echo "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
}

# Who is not root is root of a user namespace, which the nodes belong to: that of `up` is entered again.
arguments=("$command" -d "$dir" -c "$slots")
for path in "${shared[@]}"; do arguments+=(-s "$path"); done
arguments+=("$@")
if ((EUID != 0)); then
    case $command in
    up)
        unshare -Ur true 2>/dev/null || die 3 "neither root nor user namespaces are allowed"
        exec unshare -Ur "$self" "${arguments[@]}"
        ;;
    exec | agent | freeze | thaw | kill)
        id=$(holder 1)
        exec nsenter -t "$id" -U --preserve-credentials -- "$self" "${arguments[@]}"
        ;;
    esac
fi

# wants NUMBER ARGUMENT...: that many at least;  only NUMBER ARGUMENT...: neither more nor less
wants() { (($# > $1)) || die 2 "$command: an argument is missing; see --help"; }
only()
{
    wants "$@"
    (($# == $1 + 1)) || die 2 "$command: unexpected argument '${*: -1}'; see --help"
}
# node I: it is there
node()
{
    only 1 "$@"
    whole "$1" 200
    holder "$1" >/dev/null
}
case $command in
up)
    only 1 "$@"
    for path in "${shared[@]}"; do [[ -d $path ]] || die 2 "-s $path: no such folder"; done
    whole "$1" 200
    whole "$slots" 10000
    up "$1"
    print_env
    ;;
become) become "$1" ;;
env)
    only 0 "$@"
    print_env
    ;;
exec)
    wants 2 "$@"
    enter "$@"
    ;;
agent)
    wants 2 "$@"
    node=${1#node}
    shift
    enter "$node" sh -c "$*"
    ;;
link)
    wants 1 "$@"
    whole "$1" 200
    [[ -S $dir/socket ]] || die 3 "there are no nodes in $dir"
    "$dir/switch" "$dir/socket" ask "$@" || exit 2
    ;;
freeze)
    node "$@"
    freeze "$1"
    ;;
thaw)
    node "$@"
    mapfile -t ids < <(members "$1")
    ((${#ids[@]} == 0)) || kill -s CONT "${ids[@]}" 2>/dev/null || true
    ;;
kill)
    node "$@"
    freeze "$1"
    gone members "$1"
    nsenter -t "$(holder "$1")" -m find /dev/shm -mindepth 1 -delete
    ;;
down)
    only 0 "$@"
    down
    ;;
*) die 2 "unknown command '$command'; see --help" ;;
esac
