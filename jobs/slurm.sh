# shellcheck shell=bash
# Sourced by the job scripts: the site's profile, the MPI plugin, draining and requeueing.  Reads
#   ROWCAST_JOBS        folder of these scripts        [jobs of the folder that sbatch was called in]
#   ROWCAST_SITE        profile: a name in jobs/site, or a file                            [generic]
#   ROWCAST             the program                                     [as the profile says, or PATH]
#   ROWCAST_MPI         plugin for srun --mpi                       [the profile's, or asked of srun]
#   ROWCAST_REQUEUES    times that the job may go back to the queue                             [50]
#   ROWCAST_WAIT        seconds that ranks may outlive the first one that ended                 [60]
#   ROWCAST_RETRIES     times that a step may be started again after a rank died                [20]
#   ROWCAST_SHORTEST    seconds: a start that ran so long and finished no case tells that the time
#                       limit is too short; one that was cut sooner goes back to the queue       [60]

# A job may be asked to end at any moment, also before its first step: see run_step.  bash dies of a
# signal that it has no trap for, and the job with it.
asked=${asked:-}
step=
trap 'asked=${asked:-USR1}; pass_on' USR1
trap 'asked=TERM; pass_on' TERM
# srun takes TERM as its own end and would leave the ranks a few seconds only
pass_on() { [[ -z $step ]] || kill -USR1 "$step" 2>/dev/null || true; }

note() { printf '%s %s: %s\n' "$(date -u +%H:%M:%S)" "${SLURM_JOB_NAME:-job}" "$*" >&2; }
give_up() { local code=$1; shift; note "$*"; exit "$code"; }

# load_site: the profile, then what it left open
load_site()
{
    local file=${ROWCAST_SITE:-generic}
    [[ $file == */* ]] || file=$ROWCAST_JOBS/site/$file.sh
    [[ -r $file ]] || give_up 2 "no site profile '$file'; those there are: $(cd "$ROWCAST_JOBS/site" && echo *.sh)"
    site_mpi=
    site_scratch=
    site_rowcast=
    # shellcheck source=jobs/site/generic.sh
    . "$file"
    site_modules
    rowcast=${ROWCAST:-${site_rowcast:-rowcast}}
    command -v "$rowcast" >/dev/null \
        || give_up 2 "no program '$rowcast' on $(hostname -s): set ROWCAST, or site_rowcast in $file"
}

# choose_mpi: the plugin in $mpi; the newest pmix that srun has
choose_mpi()
{
    local list
    mpi=${ROWCAST_MPI:-$site_mpi}
    [[ -z $mpi ]] || return 0
    list=$(srun --mpi=list 2>&1) || true
    mpi=$(grep -oE '\bpmix(_v[0-9]+)?\b' <<<"$list" | sort -V | tail -n 1)
    [[ -n $mpi ]] || mpi=$(grep -oE '\bpmi2\b' <<<"$list" | head -n 1)
    [[ -n $mpi ]] || give_up 2 "srun offers neither pmix nor pmi2 (srun --mpi=list): set site_mpi or ROWCAST_MPI"
}

# run_step COMMAND...: run it as a step that can be asked to drain.  Slurm signals the script before
# the time limit (#SBATCH --signal=B:USR1@N) or at preemption (TERM); both are passed on to every
# rank, which finishes its case and commits.  A step that is still starting may lose a signal or die of
# it, so it gets it again.  Sets step_code, and asked: '', USR1 or TERM.
run_step()
{
    step_code=75
    [[ -z $asked ]] || return 0
    "$@" &
    step=$!
    [[ -z $asked ]] || pass_on # since the last look
    # a signal ends the wait, not the step
    while kill -0 "$step" 2>/dev/null; do
        if [[ -z $asked ]]; then
            wait "$step" || true
        else
            sleep 2 &
            wait -n "$step" $! || true
            pass_on
        fi
    done
    step_code=0
    wait "$step" || step_code=$?
    step=
}

# finished STORE: result rows in the store, 0 without one
finished()
{
    [[ -e $1 ]] || { echo 0; return; }
    "$rowcast" query "$1" -f csv --columns case 2>/dev/null | tail -n +2 | wc -l
}

# go_on STORE BEFORE [DIED]: the step drained with work left, or died: back to the queue, if that has a
# point.  What died at its start says nothing about the time limit.
go_on()
{
    local most=${ROWCAST_REQUEUES:-50} restarts=${SLURM_RESTART_COUNT:-0} now
    local job=$SLURM_JOB_ID
    [[ -z ${SLURM_ARRAY_JOB_ID:-} ]] || job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
    now=$(finished "$1")
    if [[ $asked == TERM ]]; then
        # a preempted job is requeued by Slurm itself where the site says so, a cancelled one is not
        give_up 75 "asked to end; $now cases are in $1; submit the same again to go on"
    elif [[ -z ${3:-} ]] && ((now <= $2 && SECONDS >= ${ROWCAST_SHORTEST:-60})); then
        give_up 1 "no case was finished since the start of the job ($now in $1): the time limit is too short, not requeued"
    elif ((restarts >= most)); then
        give_up 1 "requeued $restarts times already (ROWCAST_REQUEUES=$most); $now cases are in $1; submit the same again to go on"
    fi
    note "work is left, $now cases are in $1 ($2 before): back to the queue, for the $((restarts + 1)). time of at most $most"
    scontrol requeue "$job" || give_up 75 "Slurm does not requeue job $job; submit the same again to go on"
    # the requeue ends this script; should it not, the code tells that work is left
    sleep 60
    exit 75
}

# sweep_into STORE OPTION...: rowcast sweep as a step, until it is complete; ends the job
sweep_into()
{
    local store=$1 before most=${ROWCAST_RETRIES:-20} retries=0
    shift
    before=$(finished "$store")
    # decoded matrices on the node's own disk, when the profile names one
    [[ -z $site_scratch || " $*" == *" --cache"[\ =]* ]] || set -- --cache "$site_scratch/rowcast-cache" "$@"
    note "$before cases in $store; ${SLURM_NTASKS:-1} ranks on ${SLURM_JOB_NODELIST:-one node}, srun --mpi=$mpi"
    while :; do
        # All ranks end together, with codes that need not be 0.  When one dies the others wait for it:
        # they are ended a while after it.
        # since Slurm 22.05 a step does not take over the CPUs of a task by itself
        run_step srun ${SLURM_CPUS_PER_TASK:+--cpus-per-task="$SLURM_CPUS_PER_TASK"} --mpi="$mpi" --kill-on-bad-exit=0 --wait="${ROWCAST_WAIT:-60}" "$rowcast" sweep --store "$store" "$@"
        case $step_code in
        75) go_on "$store" "$before" ;;
        0)
            # a slice has a store, also one without a matrix
            [[ -e $store || -z ${SLURM_ARRAY_TASK_ID:-} ]] || give_up 3 "rowcast sweep ended with code 0, and there is no $store"
            give_up 0 "complete: $(finished "$store") cases in $store"
            ;;
        1) give_up 1 "complete, but some cases failed: $rowcast query $store --where 'status != ok'" ;;
        2 | 3) give_up "$step_code" "rowcast sweep ended with code $step_code" ;;
        esac
        # a kernel crashed or hung: in its second time the case is given up, and the rest is done
        if [[ -n $asked ]]; then # it may have died of the signal: the next start tells
            note "a rank died (code $step_code) after the job was asked to end"
            go_on "$store" "$before" died
        fi
        ((retries < most)) || give_up "$step_code" "ranks died $((retries + 1)) times, last with code $step_code; $(finished "$store") cases are in $store"
        retries=$((retries + 1))
        note "a rank died (code $step_code): started again, for the $retries. time of at most $most"
    done
}
