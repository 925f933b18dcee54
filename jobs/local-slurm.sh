#!/bin/bash
# A private Slurm on one machine, to try the job scripts: as root, without systemd and without
# accounting; its nodes are emulated and share the machine.
# Usage: jobs/local-slurm.sh up [OPTION]... | env [OPTION]... | down [OPTION]...
#   up     start it, wait until its nodes are idle, print what `env` prints
#   env    print the line that makes sbatch, srun and squeue talk to it: eval "$(... env)"
#   down   stop what `up` started, cancel nothing else, remove the folder
#   -d DIR    folder that it lives in                     [/tmp/rowcast-slurm-UID]
#   -n N      nodes                                       [2]
#   -c N      CPUs of a node                              [half of the machine's, at least 2]
#   -g N      pretend that each node has N GPUs (nothing is bound to them)   [0]
#   -p PORT   first of N + 101 TCP ports on the loopback  [chosen free]
#   --preempt   a second partition `urgent` whose jobs requeue those of `main`
# Exit codes: 0, 2 wrong usage, 3 Slurm is missing or does not start (what it said is shown).
set -euo pipefail

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }
die() { local code=$1; shift; say "$*"; exit "$code"; }

usage() { sed -n '2,15s/^# \{0,1\}//p' "$0"; }
case ${1:-} in
'') usage >&2; exit 2 ;;
-h | --help) usage; exit 0 ;;
esac
command=$1
shift
case $command in up | env | down) ;; *) die 2 "unknown command '$command'; see --help" ;; esac
dir=/tmp/rowcast-slurm-$(id -u)
nodes=2
cpus=$(($(nproc) / 2 > 2 ? $(nproc) / 2 : 2))
gpus=0
port=
preempt=0
while (($#)); do
    case $1 in
    -d | -n | -c | -g | -p)
        [[ ${2:-} ]] || die 2 "$1 needs a value"
        case $1 in -d) dir=$2 ;; -n) nodes=$2 ;; -c) cpus=$2 ;; -g) gpus=$2 ;; -p) port=$2 ;; esac
        shift 2
        ;;
    --preempt)
        preempt=1
        shift
        ;;
    *) die 2 "unknown argument '$1'; see --help" ;;
    esac
done
for number in "$nodes" "$cpus" "$gpus" "${port:-1}"; do
    [[ $number =~ ^(0|[1-9][0-9]{0,4})$ ]] || die 2 "expected a number, found '$number'"
done
((nodes > 0 && cpus > 0)) || die 2 "expected a node and a CPU at least"
case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
# a Unix socket's path has at most 107 characters
((${#dir} <= 80)) || die 2 "the folder's name is too long for a socket in it: $dir"
conf=$dir/slurm.conf
mark=$dir/made-by-local-slurm # what has none is somebody else's

# The ids of the daemons that `up` started and that still are what they were.
daemons()
{
    local file id name
    for file in "$dir"/run/*.pid; do
        [[ -s $file ]] || continue
        read -r id <"$file"
        { read -r name <"/proc/$id/comm"; } 2>/dev/null || continue
        case $name in slurmctld | slurmd | munged) echo "$id" ;; esac
    done
}

down()
{
    local -a ids
    local round
    [[ -d $dir ]] || return 0
    [[ -e $mark ]] || rmdir "$dir" 2>/dev/null || die 2 "$dir: holds other things than a private Slurm, nothing is removed"
    mapfile -t ids < <(daemons)
    # the steps of jobs would outlive their slurmd
    if [[ -e $conf ]] && ((${#ids[@]})); then
        SLURM_CONF=$conf timeout 10 scancel --user="$(id -un)" >/dev/null 2>&1 || true
        for ((round = 0; round < 50; round++)); do
            [[ -n $(SLURM_CONF=$conf timeout 5 squeue -h 2>/dev/null) ]] || break
            sleep 0.2
        done
    fi
    ((${#ids[@]})) && kill "${ids[@]}" 2>/dev/null
    for ((round = 0; round < 100; round++)); do
        mapfile -t ids < <(daemons)
        ((${#ids[@]})) || break
        sleep 0.1
    done
    ((${#ids[@]} == 0)) || kill -9 "${ids[@]}" 2>/dev/null || true
    rm -rf "$dir"
}

# A block of free ports: slurmctld's, and one for each node from 101 on.
free_port()
{
    local try i base used
    used=" $(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '{ sub(/.*:/, "", $2); printf "%s ", $2 }')"
    for ((try = 0; try < 50; try++)); do
        base=$((17000 + RANDOM % 12000))
        for ((i = 0; i <= nodes; i++)); do
            [[ $used != *" $(printf '%04X' $((base + (i ? 100 + i : 0)))) "* ]] || continue 2
        done
        echo "$base"
        return
    done
    die 3 "no free ports between 17000 and 29000"
}

write_configuration()
{
    local host=$1 mem i
    mem=$(awk '/^MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
    {
        cat <<END
ClusterName=local
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# a requeued job may start again only when its old credential has run out
AuthInfo=socket=$dir/run/munge.sock,cred_expire=5
StateSaveLocation=$dir/state
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd-%n.pid
SlurmdSpoolDir=$dir/spool/%n
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
SlurmdParameters=config_overrides
MpiDefault=none
TmpFS=$dir/tmp/%n
TaskProlog=$dir/task-prolog
ReturnToService=2
KillWait=10
# a busy machine answers late
MessageTimeout=60
MinJobAge=600
InactiveLimit=0
JobRequeue=1
Waittime=0
END
        ((gpus == 0)) || echo "GresTypes=gpu"
        for ((i = 1; i <= nodes; i++)); do
            printf 'NodeName=n%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d RealMemory=%d%s State=UNKNOWN\n' \
                "$i" "$host" $((port + 100 + i)) "$cpus" "$mem" "$( ((gpus == 0)) || echo " Gres=gpu:$gpus")"
        done
        if ((preempt)); then
            echo "PreemptType=preempt/partition_prio"
            echo "PreemptMode=REQUEUE"
            echo "PartitionName=urgent Nodes=ALL PriorityTier=10 PreemptMode=off MaxTime=INFINITE State=UP"
        fi
        echo "PartitionName=main Nodes=ALL Default=YES PriorityTier=1 MaxTime=INFINITE DefaultTime=60 State=UP GraceTime=20"
    } >"$conf"
    # Slurm 22.05 always loads a cgroup plugin; v1's does nothing unless something asks it to
    printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >"$dir/cgroup.conf"
    ((gpus == 0)) || for ((i = 0; i < gpus; i++)); do
        printf 'NodeName=n[1-%d] Name=gpu File=/dev/null\n' "$nodes"
    done >"$dir/gres.conf"
    # The nodes share one /tmp and /dev/shm: sessions and shared memory are kept apart.
    cat >"$dir/task-prolog" <<END
#!/bin/sh
t=$dir/tmp/\$SLURMD_NODENAME
for name in TMPDIR OMPI_MCA_orte_tmpdir_base OMPI_MCA_btl_vader_backing_directory \\
    OMPI_MCA_osc_sm_backing_directory OMPI_MCA_osc_rdma_backing_directory; do
    echo "export \$name=\$t"
done
END
    chmod 755 "$dir/task-prolog"
}

up()
{
    local host i tool idle round
    ((EUID == 0)) || die 3 "it must be started by root"
    for tool in slurmctld slurmd munged; do
        command -v "$tool" >/dev/null || die 3 "no $tool (Debian: slurm-wlm, munge)"
    done
    host=$(hostname -s)
    getent hosts "$host" >/dev/null || die 3 "the machine cannot look up its own name: add '127.0.0.1 $host' to /etc/hosts"
    down
    mkdir -p "$dir"
    : >"$mark"
    mkdir "$dir"/{run,state,log,spool}
    chmod 755 "$dir"
    port=${port:-$(free_port)}
    (umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
    munged --force --key-file="$dir/munge.key" --socket="$dir/run/munge.sock" --pid-file="$dir/run/munged.pid" \
        --log-file="$dir/log/munged.log" --seed-file="$dir/state/munge.seed" --num-threads=2 2>"$dir/log/munged.err" \
        || die 3 "munged does not start: $(tail -n 3 "$dir/log/munged.err")"
    write_configuration "$host"
    export SLURM_CONF=$conf
    slurmctld -f "$conf" >"$dir/log/slurmctld.out" 2>&1 || die 3 "slurmctld does not start: $(tail -n 3 "$dir/log/slurmctld.out")"
    for ((i = 1; i <= nodes; i++)); do
        mkdir -p "$dir/spool/n$i" "$dir/tmp/n$i"
        slurmd -N "n$i" -f "$conf" >"$dir/log/slurmd-n$i.out" 2>&1 || die 3 "slurmd n$i does not start: $(tail -n 3 "$dir/log/slurmd-n$i.out")"
    done
    for ((round = 0; round < 300; round++)); do
        idle=$(sinfo -h -N -p main -t idle -o %N 2>/dev/null | wc -l)
        ((idle == nodes)) && return 0
        sleep 0.1
    done
    sinfo >&2 || true
    tail -n 5 "$dir"/log/*.log >&2
    die 3 "only $idle of $nodes nodes became idle"
}

case $command in
up) up ;;
env) [[ -e $conf ]] || die 3 "nothing is running in $dir" ;;
down)
    down
    exit 0
    ;;
esac
printf 'export SLURM_CONF=%q\n' "$conf"
