#!/bin/bash
# The job scripts under a real Slurm, private to this test, with two emulated nodes: a sweep over both,
# a time limit, a limit of requeues, a preemption, a cancelled job, an array with its merge, a job from inside a job, a wrong
# MPI plugin.  Each must end with the cases of an uninterrupted sweep.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
[[ ${ROWCAST_SLURM:-0} == 1 ]] || skip_all "takes two minutes: make check-slurm, or ROWCAST_SLURM=1"
jobs_dir=$(cd "$top_srcdir/jobs" && pwd)
((EUID == 0)) || skip_all "a private Slurm needs root"
for tool in slurmctld slurmd munged sbatch srun; do
    command -v "$tool" >/dev/null || skip_all "no $tool"
done
getent hosts "$(hostname -s)" >/dev/null || skip_all "the machine cannot look up its own name"
slurm_dir=$(mktemp -d /tmp/rc-slurm-XXXXXX)
"$jobs_dir/local-slurm.sh" up -d "$slurm_dir" -n 2 -c 2 --preempt >"$tmp/env" 2>"$tmp/up.err" || {
    sed 's/^/# /' "$tmp/up.err"
    "$jobs_dir/local-slurm.sh" down -d "$slurm_dir"
    skip_all "a private Slurm does not start here"
}
trap '"$jobs_dir/local-slurm.sh" down -d "$slurm_dir"; rm -rf "$tmp"' EXIT
# shellcheck source=/dev/null
. "$tmp/env"
srun --mpi=list 2>&1 | grep -q pmix || skip_all "srun has no pmix plugin"
plan 40

export ROWCAST OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0
# nothing of a Slurm job that this may itself be in
unset ROWCAST_SITE ROWCAST_MPI ROWCAST_REQUEUES
for name in $(compgen -e | grep '^SLURM_' | grep -vx SLURM_CONF); do unset "$name"; done
cd "$tmp" || exit 1
mkdir -p col/G
for i in 1 2 3 4 5 6; do
    "$ROWCAST" generate uniform:n=$((50 + 40 * i)) -o "col/G/m$i.mtx" >/dev/null
done
quick=(--once --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q)
# 72 cases, about 45 s on two ranks: longer than a job that is drained 10 s after its start
work=(-C "$tmp/col" "${quick[@]}" -k '2,3,4,5' -p 'csr,lpt,warp' --kernels "fault:mode=0:delay_us=250000")

# cases STORE: each case with its status, sorted;  twice STORE: those that have more than one row
cases() { "$ROWCAST" query "$1" -f csv --columns name,kernel,policy,k,precision,status | tail -n +2 | sort; }
twice() { "$ROWCAST" query "$1" -a -f csv --columns case | tail -n +2 | sort | uniq -d; }
count() { "$ROWCAST" query "$1" -f csv --columns case 2>/dev/null | tail -n +2 | wc -l; }

# job_field ID NAME: of scontrol show job, of the last task for an array; a busy controller may not answer
job_field()
{
    local round shown
    for ((round = 0; round < 20; round++)); do
        shown=$(scontrol show job "${1:?no job}" -o 2>/dev/null | grep -oE "(^| )$2=[^ ]*" | tail -n 1 | cut -d= -f2)
        [[ -n $shown ]] && break
        sleep 0.5
    done
    echo "$shown"
}

# ended ID: wait until the job has ended, at most ten minutes; a preempted one comes back
ended()
{
    local round
    for ((round = 0; round < 1200; round++)); do
        case $(job_field "$1" JobState) in
        COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL | BOOT_FAIL | DEADLINE | OUT_OF_MEMORY) return 0 ;;
        esac
        sleep 0.5
    done
    return 1
}

# under_way STORE: a journal of the store has results
under_way()
{
    local round
    for ((round = 0; round < 3000; round++)); do
        "$ROWCAST" status "$1" -f csv 2>/dev/null | awk -F'",' '/^journal/ && $2 + 0 > 0' | grep -q . && return 0
        sleep 0.1
    done
    return 1
}

# why ID: what a job that did not complete said, as comments
why()
{
    [[ $(job_field "$1" JobState) == COMPLETED ]] && return
    scontrol show job "$1" -o 2>/dev/null | cut -c 1-400 | sed 's/^/# /'
    tail -n 30 "slurm-$1.out" 2>&1 | sed 's/^/# /'
}

submit() # submit ARGUMENT...: jobs/submit.sh; $job is the id
{
    "$jobs_dir/submit.sh" "$@" >submit.out 2>submit.err </dev/null
    submit_code=$?
    job=$(sed -n 's/^submitted job \([0-9]*\)$/\1/p' submit.out | head -n 1)
    return $submit_code
}

timeout 200 "$ROWCAST" sweep -s whole.h5 "${work[@]}" --kernels "fault:mode=0:delay_us=100" >/dev/null 2>&1
# the same matrices, orders and K: the kernel's delay is one of its parameters
whole=$(cases whole.h5 | sed 's/delay_us=100\b/delay_us=250000/')
is "the uninterrupted sweep has every case" "$(count whole.h5)" 72

# ---------------------------------------------------------------------- the plan, and mistakes
code "a plan without a submission" 0 submit sweep --dry-run plan.h5 "${work[@]}"
ok "it says ranks, plugin and work" sh -c \
    'grep -q "2 on 2 nodes, 1 a node" submit.out && grep -q "srun --mpi=pmix" submit.out && grep -q "72 cases pending" submit.out'
is "and touches nothing" "$(ls plan.h5* 2>/dev/null; squeue -h)" ""
code "without --yes nobody can be asked" 1 submit sweep plan.h5 "${work[@]}"
code "an unknown profile is refused" 2 submit sweep -s nowhere plan.h5
ok "and those there are named" grep -q "generic.sh" submit.err
code "a partition that is not there is refused" 3 submit sweep -p nowhere plan.h5
code "a wrong MPI plugin is refused" 3 srun -N2 -n2 --mpi=none "$ROWCAST" sweep -s singleton.h5 "${work[@]}"
ok "in one line that says what to do" grep -q "srun --mpi=pmix" "$tmp/err"
is "before the store is touched" "$(ls singleton.h5* 2>/dev/null)" ""

# ------------------------------------------ four jobs; each waits its turn, as in any queue
code "a job with a time limit is submitted" 0 submit sweep --yes -t 2 -d 110 limit.h5 "${work[@]}"
limited=$job
ok "the limited job ends" ended "$limited"
is "it completed" "$(job_field "$limited" JobState)" COMPLETED
why "$limited"
ok "after it had been requeued" test "$(job_field "$limited" Restarts)" -ge 1
is "with the cases of an uninterrupted sweep" "$(cases limit.h5)$(twice limit.h5)" "$whole"
ok "and its log tells" grep -q "back to the queue" "slurm-$limited.out"

ROWCAST_REQUEUES=0 submit sweep --yes -t 2 -d 112 bounded.h5 "${work[@]}"
ok "a job that may not be requeued ends" ended "$job"
is "as failed" "$(job_field "$job" JobState)" FAILED
ok "and says how to go on" grep -q "ROWCAST_REQUEUES=0" "slurm-$job.out"
ok "what it did is kept" test "$(count bounded.h5)" -gt 0

submit sweep --yes cancel.h5 "${work[@]}"
ok "a job is under way" under_way cancel.h5
scancel "$job"
ok "a cancelled job ends" ended "$job"
is "it stays cancelled" "$(job_field "$job" JobState)" CANCELLED
ok "what it finished is not lost" sh -c "'$ROWCAST' fold cancel.h5 && test \$('$ROWCAST' query cancel.h5 -f csv --columns case | wc -l) -gt 1"
# while the rest is done, a job with more right preempts it
"$jobs_dir/submit.sh" sweep --yes --wait cancel.h5 "${work[@]}" >wait.out 2>&1 </dev/null &
waiter=$!
ok "the rest is under way" under_way cancel.h5
preempted=$(sed -n 's/^submitted job \([0-9]*\)$/\1/p' wait.out)
urgent=$(sbatch --parsable -p urgent -N2 -n2 --wrap "sleep 3")
ok "the urgent job ends" ended "$urgent"
ok "the preempted one comes back and ends" ended "$preempted"
why "$preempted"
is "with the cases of an uninterrupted sweep (cancelled, preempted)" "$(cases cancel.h5)$(twice cancel.h5)" "$whole"
code "who waited for it saw its end" 0 wait "$waiter"
is "and no other" "$(tail -n 1 wait.out)" "job $preempted: COMPLETED, exit code 0"

# a crash takes a case twice before it is given up; the job starts its step again by itself
ROWCAST_WAIT=3 submit sweep --yes crash.h5 -C "$tmp/col" "${quick[@]}" -k 2 -p csr --kernels "fault:mode=2:rows=130,rowsplit"
ok "a job whose kernel crashes ends" ended "$job"
is "one case is crashed, all others are ok" "$("$ROWCAST" query crash.h5 -f csv --columns status | tail -n +2 | sort | uniq -c | xargs)" \
    "1 crashed 11 ok"

# more slices than matrices: some have nothing to do
echo MaxArraySize=5 >>"$SLURM_CONF"
timeout 60 scontrol reconfigure
submit array --yes --slices 7 merged.h5 "${work[@]}" --kernels "fault:mode=0:delay_us=100"
merge=$(sed -n 's/^submitted job \([0-9]*\): the merge.*/\1/p' submit.out)
is "they are more than an array may have" "$(grep -c '^submitted job .* slices from 5 on' submit.out)" 1
ok "an array and its merge end" ended "${merge:-0}"
is "the merge completed" "$(job_field "${merge:-0}" JobState)" COMPLETED
is "with the cases of an uninterrupted sweep" "$(cases merged.h5)$(twice merged.h5)" "$(cases whole.h5)"

# from inside a task of an array: it is no task itself, and needs no store where there is nothing to do
outer=$(sbatch --parsable --array=3 --mem-per-cpu=10 -o outer.out --wrap \
    "'$jobs_dir/submit.sh' sweep --yes nothing.h5 -C '$tmp/col' --where 'rows > 1000000' --device cpu")
ok "a task of an array that submits a job ends" ended "$outer"
inner=$(sed -n 's/^submitted job \([0-9]*\)$/\1/p' outer.out)
ok "so does that job" ended "${inner:-0}"
is "complete" "$(job_field "${inner:-0}" JobState)" COMPLETED
why "${inner:-0}"
