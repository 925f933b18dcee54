# shellcheck shell=bash
# Sourced by the job scripts: the site's profile, the MPI plugin, draining and requeueing.  Reads
#   ROWCAST_JOBS        folder of these scripts        [jobs of the folder that sbatch was called in]
#   ROWCAST_SITE        profile: a name in jobs/site, or a file                            [generic]
#   ROWCAST             the program                                     [as the profile says, or PATH]
#   ROWCAST_MPI         plugin for srun --mpi                       [the profile's, or asked of srun]
#   ROWCAST_REQUEUES    times that the job may go back to the queue                             [50]
#   ROWCAST_WAIT        seconds that ranks may outlive the first one that ended                 [60]
#   ROWCAST_RETRIES     times that a step may be started again after a rank died                [20]

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
# rank, which finishes its case and commits.  Sets step_code, and asked: '', USR1 or TERM.
run_step()
{
    local id
    asked=
    trap 'asked=${asked:-USR1}; kill -USR1 "$id" 2>/dev/null' USR1
    # srun takes TERM as its own end and would leave the ranks a few seconds only
    trap 'asked=TERM; kill -USR1 "$id" 2>/dev/null' TERM
    "$@" &
    id=$!
    # shellcheck disable=SC2034  # for the scripts that source this
    step_code=0
    wait "$id" || step_code=$?
    # a signal ends the wait, not the step; it may arrive more than once
    while kill -0 "$id" 2>/dev/null; do
        # shellcheck disable=SC2034
        step_code=0
        # shellcheck disable=SC2034
        wait "$id" || step_code=$?
    done
    trap - USR1 TERM
}

# finished STORE: result rows in the store, 0 without one
finished()
{
    [[ -e $1 ]] || { echo 0; return; }
    "$rowcast" query "$1" -f csv -o case 2>/dev/null | tail -n +2 | wc -l
}

# go_on STORE BEFORE: the step drained with work left: back to the queue, if that has a point
go_on()
{
    local most=${ROWCAST_REQUEUES:-50} restarts=${SLURM_RESTART_COUNT:-0} now
    local job=$SLURM_JOB_ID
    [[ -z ${SLURM_ARRAY_JOB_ID:-} ]] || job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
    now=$(finished "$1")
    if [[ $asked == TERM ]]; then
        # a preempted job is requeued by Slurm itself where the site says so, a cancelled one is not
        give_up 75 "asked to end; $now cases are in $1; submit the same again to go on"
    elif ((now <= $2)); then
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
        run_step srun --mpi="$mpi" --kill-on-bad-exit=0 --wait="${ROWCAST_WAIT:-60}" "$rowcast" sweep --store "$store" "$@"
        case $step_code in
        75) go_on "$store" "$before" ;;
        0)
            # no matrix, no store: a merge is to know that nothing is missing
            [[ -e $store || -z ${SLURM_ARRAY_TASK_ID:-} ]] || : >"$store.none"
            give_up 0 "complete: $(finished "$store") cases in $store"
            ;;
        1) give_up 1 "complete, but some cases failed: $rowcast query $store --where 'status != ok'" ;;
        2 | 3) give_up "$step_code" "rowcast sweep ended with code $step_code" ;;
        esac
        # a kernel crashed or hung: in its second time the case is given up, and the rest is done
        [[ -z $asked ]] || give_up 75 "asked to end while a rank died (code $step_code); submit the same again to go on"
        ((retries < most)) || give_up "$step_code" "ranks died $((retries + 1)) times, last with code $step_code; $(finished "$store") cases are in $store"
        retries=$((retries + 1))
        note "a rank died (code $step_code): started again, for the $retries. time of at most $most"
    done
}
