#!/bin/bash
# Submit a sweep, an array of slices with its merge, or a training to Slurm; asks Slurm what it needs
# to know, prints the plan first, and submits after a yes.
# Usage: jobs/submit.sh sweep [OPTION]... STORE [OPTION OF rowcast sweep]...
#        jobs/submit.sh array [OPTION]... STORE [OPTION OF rowcast sweep]...
#        jobs/submit.sh train [OPTION]... STORE MODEL.json [OPTION OF rowcast train]...
#   -N, --nodes N        nodes of a sweep                          [all of the partition that are up]
#   -r, --ranks N        ranks per node                  [its GPUs; without GPUs 1, as times on CPUs
#                        of one node disturb each other]
#   -c, --cpus N         CPUs per rank                                  [CPUs of a node over its ranks]
#   -n, --slices N       tasks of an array, one rank each            [GPUs, or nodes, of the partition]
#   -p, --partition P                                          [the profile's, or Slurm's default]
#   -t, --time TIME      limit, as sbatch takes it                       [60 minutes, or the partition's]
#   -d, --drain SECONDS  before the limit when ranks are asked to finish                         [120]
#   -s, --site NAME      profile in jobs/site, or a file               [$ROWCAST_SITE, or generic]
#       --wait           until the jobs have ended; the exit code is theirs.  A job that was preempted or lost its node may come
#                        back for ROWCAST_COMEBACK seconds [300]
#       --yes            do not ask;    --dry-run: print the plan and the commands only
# Everything after STORE goes to rowcast.  An array beyond Slurm's MaxArraySize becomes several.  Exit codes: 0, 1 not submitted, 2 wrong usage, 3 no Slurm.
set -euo pipefail
ROWCAST_JOBS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export ROWCAST_JOBS

die() { local code=$1; shift; printf 'submit.sh: %s\n' "$*" >&2; exit "$code"; }
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

case ${1:-} in
sweep | array | train) what=$1 ;;
-h | --help) usage; exit 0 ;;
*) usage >&2; exit 2 ;;
esac
shift
nodes='' ranks='' cpus='' slices='' partition='' limit='' drain=120 site=${ROWCAST_SITE:-generic}
yes=0 dry=0 wait=0
while (($#)); do
    case $1 in
    -N | --nodes | -r | --ranks | -c | --cpus | -n | --slices | -p | --partition | -t | --time | -d | --drain | -s | --site)
        [[ -n ${2:-} ]] || die 2 "$1 needs a value"
        case $1 in
        -N | --nodes) nodes=$2 ;;
        -r | --ranks) ranks=$2 ;;
        -c | --cpus) cpus=$2 ;;
        -n | --slices) slices=$2 ;;
        -p | --partition) partition=$2 ;;
        -t | --time) limit=$2 ;;
        -d | --drain) drain=$2 ;;
        -s | --site) site=$2 ;;
        esac
        shift 2
        ;;
    --yes) yes=1; shift ;;
    --dry-run) dry=1; shift ;;
    --wait) wait=1; shift ;;
    -h | --help) usage; exit 0 ;;
    --) shift; break ;;
    -*) die 2 "unknown option '$1'; see --help" ;;
    *) break ;;
    esac
done
for number in "${nodes:-1}" "${ranks:-1}" "${cpus:-1}" "${slices:-1}" "$drain"; do
    [[ $number =~ ^[1-9][0-9]{0,6}$ ]] || die 2 "expected a positive number, found '$number'"
done
[[ -n ${1:-} ]] || die 2 "STORE is missing; see --help"
[[ $what != train || -n ${2:-} ]] || die 2 "MODEL.json is missing; see --help"
store=$1
shift
for tool in sbatch sinfo scontrol srun; do
    command -v "$tool" >/dev/null || die 3 "no $tool in PATH: this is not a machine that Slurm jobs are submitted from"
done

# what the job has that this may be called in would reach the new one: its array, memory, restarts, ranks
for name in $(compgen -e | grep -E '^(SLURM|SLURMD|PMI|PMIX)_' | grep -vxE 'SLURM_(CONF|CONF_SERVER|JWT|CLUSTERS)'); do unset "$name"; done

# ---------------------------------------------------------------- the site, and what Slurm says
site_sbatch=()
site_gpu=--gpus-per-task=1
export ROWCAST_SITE=$site
# shellcheck source=jobs/slurm.sh
. "$ROWCAST_JOBS/slurm.sh"
SLURM_JOB_NAME=submit load_site
for word in "${site_sbatch[@]}"; do
    case $word in --partition=*) partition=${partition:-${word#*=}} ;; esac
done
[[ -n $partition ]] || partition=$(sinfo -h -o %P | sed -n 's/\*$//p' | head -n 1)
[[ -n $partition ]] || die 3 "Slurm has no default partition: name one with --partition (sinfo lists them)"
# nodes in use count: the job waits for them; those that are down or drained do not
read -r up node_cpus node_gres < <(sinfo -h -p "$partition" -N -t idle,alloc,mix,comp -o '%N %c %G' 2>/dev/null \
    | sort -u | awk '{ n++; if (!c || $2 < c) c = $2; g = $3 } END { print n + 0, c + 0, g }') || true
((${up:-0} > 0)) || die 3 "partition '$partition' has no node that is up (sinfo -p $partition)"
# grep finds nothing where there are no GPUs
node_gpus=$({ grep -oE 'gpu(:[A-Za-z0-9_.-]+)?:[0-9]+' <<<"${node_gres:-}" || true; } | sed 's/.*://' | awk '{ n += $1 } END { print n + 0 }')
most=$(sinfo -h -p "$partition" -o %l | head -n 1)
[[ -n $limit ]] || { limit=60; [[ $most == infinite || $most == *-* || $most == *:*:* ]] || limit=$most; }
preempt=$(scontrol show partition "$partition" 2>/dev/null | grep -oE 'PreemptMode=[A-Z,]+' | cut -d= -f2 || true)

arguments=(--partition="$partition" --time="$limit" "${site_sbatch[@]/--partition=*/}")
gpu=()
((node_gpus == 0)) || read -r -a gpu <<<"$site_gpu"
case $what in
sweep)
    choose_mpi
    nodes=${nodes:-$up}
    ranks=${ranks:-$((node_gpus > 0 ? node_gpus : 1))}
    ((node_gpus == 0 || ranks <= node_gpus)) || die 2 "$ranks ranks a node, but a node of '$partition' has $node_gpus GPUs"
    cpus=${cpus:-$((node_cpus / ranks > 0 ? node_cpus / ranks : 1))}
    arguments+=(--nodes="$nodes" --ntasks=$((nodes * ranks)) --ntasks-per-node="$ranks" --cpus-per-task="$cpus"
        "${gpu[@]}" --signal=B:USR1@"$drain")
    ;;
array)
    choose_mpi
    slices=${slices:-$((up * (node_gpus > 0 ? node_gpus : 1)))}
    cpus=${cpus:-$((node_gpus > 1 ? node_cpus / node_gpus : node_cpus))}
    # an index is smaller than this
    largest=$(scontrol show config 2>/dev/null | sed -n 's/^MaxArraySize *= *\([0-9]*\).*/\1/p')
    piece=$((${largest:-0} > 0 && ${largest:-0} <= slices ? largest - 1 : slices))
    [[ ${largest:-2} -gt 1 ]] || die 3 "this Slurm has no arrays (MaxArraySize=$largest)"
    pieces=$(((slices + piece - 1) / piece))
    arguments+=(--nodes=1 --ntasks=1 --cpus-per-task="$((cpus > 0 ? cpus : 1))" "${gpu[@]}"
        --signal=B:USR1@"$drain")
    ;;
train)
    arguments+=(--cpus-per-task="${cpus:-$node_cpus}")
    ;;
esac
# the profile's own --partition was taken out above and left an empty word
words=()
for word in "${arguments[@]}"; do [[ -z $word ]] || words+=("$word"); done
arguments=("${words[@]}")

# --------------------------------------------------------------------------------- the plan
plan()
{
    printf '  %-12s %s\n' "$@"
}
echo "rowcast $what on Slurm:"
plan partition "$partition: $up nodes up, $node_cpus CPUs and $node_gpus GPUs each, time limit $most${preempt:+, preemption $preempt}"
case $what in
sweep) plan ranks "$((nodes * ranks)) on $nodes nodes, $ranks a node, $cpus CPUs each$( ((node_gpus == 0)) || echo ', one GPU each')" ;;
array) plan slices "$slices tasks of one rank, $cpus CPUs each$( ((node_gpus == 0)) || echo ', one GPU each')$( ((pieces == 1)) || echo ", as $pieces arrays (MaxArraySize is $largest)"); then one merge into $store" ;;
esac
[[ $what == train ]] || plan MPI "srun --mpi=$mpi"
[[ $what == train ]] || plan time "limit $limit; drains $drain s before it, back to the queue at most ${ROWCAST_REQUEUES:-50} times"
plan program "$rowcast (profile $site)"
plan store "$store ($(finished "$store") cases are there)"
if [[ $what != train ]]; then
    code=0
    estimate=$(timeout 120 "$rowcast" sweep --dry-run -f csv --store "$store" "$@" 2>&1 >/dev/null) || code=$?
    case $code,$estimate in
    0,*) plan work "${estimate##*$'\n'}" ;;
    124,*) plan work "unknown: rowcast sweep --dry-run took more than 2 minutes" ;;
    2,*--device* | 2,*--kernels*) plan work "unknown here: ${estimate%%$'\n'*}" ;; # a node may have a GPU
    2,*) die 2 "${estimate%%$'\n'*}" ;;
    *) plan work "unknown: ${estimate##*$'\n'}" ;;
    esac
fi

# The words for a shell: --wrap gives them to sh, which knows nothing of what printf %q writes ($'gr\303...').
quote()
{
    local word text=
    for word; do
        [[ $word =~ ^[A-Za-z0-9_./=:,@%+-]+$ ]] || word="'${word//\'/"'\\''"}'"
        text+="$word "
    done
    printf '%s' "${text% }"
}
submitted=()
folder=$store.slices
case $what in
sweep) submitted+=("${arguments[@]}" "$ROWCAST_JOBS/sweep.sbatch" "$store" "$@") ;;
array) submitted+=("${arguments[@]}" --array=1-"$piece" "$ROWCAST_JOBS/sweep-array.sbatch" "$folder" "$@") ;;
train) submitted+=("${arguments[@]}" "$ROWCAST_JOBS/train.sbatch" "$store" "$@") ;;
esac
printf '  %-12s sbatch' command
printf ' %s' "$(quote "${submitted[@]}")"
echo
if [[ $what == array ]]; then
    merge_text=$(quote "$ROWCAST_JOBS/merge-slices.sh" "$store" "$folder" "$slices")
    plan "and then" "sbatch --dependency=afterany:JOB --wrap '$merge_text'"
fi
((dry == 0)) || exit 0
if ((!yes)); then
    [[ -t 0 ]] || die 1 "not submitted: nobody to ask; say --yes"
    read -r -p "submit? [y/N] " answer
    [[ $answer == [yY]* ]] || die 1 "not submitted"
fi

# --------------------------------------------------------------------------------- submitting
export ROWCAST="$rowcast" ROWCAST_SLICES="${slices:-}" ROWCAST_SLICES_BEFORE=0
jobs=()
# submit WORD...: to sbatch; the id is added to $jobs
submit()
{
    local job
    job=$(sbatch --parsable --export=ALL "$@") || return
    jobs+=("${job%%;*}")
}
submit "${submitted[@]}" || die 1 "sbatch refused it"
echo "submitted job ${jobs[0]}"
if [[ $what == array ]]; then
    while (((ROWCAST_SLICES_BEFORE += piece) < slices)); do
        ((slices - ROWCAST_SLICES_BEFORE >= piece)) || submitted=("${submitted[@]/#--array=*/--array=1-$((slices - ROWCAST_SLICES_BEFORE))}")
        submit "${submitted[@]}" || {
            scancel "${jobs[@]}" || true
            die 1 "sbatch refused the slices from $((ROWCAST_SLICES_BEFORE + 1)) on; the jobs before them are cancelled: ${jobs[*]}"
        }
        echo "submitted job ${jobs[-1]}: the slices from $((ROWCAST_SLICES_BEFORE + 1)) on"
    done
    # not afterok: a slice with a failed case exits 1, and is as good as the others
    after=$(IFS=: && echo "${jobs[*]}")
    submit --job-name=rowcast-merge --partition="$partition" --time="$limit" --nodes=1 --ntasks=1 \
        --dependency=afterany:"$after" --wrap "$merge_text" \
        || die 1 "sbatch refused the merge; when the slices have ended: $merge_text"
    echo "submitted job ${jobs[-1]}: the merge, when all slices have ended"
fi
((wait)) || exit 0
# the accounting may be off: ask the controller until it knows an end
last=${jobs[-1]}
known=$SECONDS
while :; do
    shown=$(scontrol show job "$last" -o 2>&1 || true)
    state=$(sed -n 's/.* JobState=\([A-Z_]*\).*/\1/p' <<<"$shown" | head -n 1)
    case $state in
    COMPLETED | FAILED | CANCELLED | TIMEOUT | OUT_OF_MEMORY | DEADLINE) break ;;
    # on its way back to the queue, unless that is not allowed; or the controller does not answer
    PREEMPTED | NODE_FAIL | BOOT_FAIL | '')
        [[ $shown != *" Requeue=0 "* && $shown != *"Invalid job id"* ]] || break
        ((SECONDS - known < ${ROWCAST_COMEBACK:-300})) || break
        ;;
    *) known=$SECONDS ;;
    esac
    sleep 2
done
code=$(sed -n 's/.* ExitCode=\([0-9]*\).*/\1/p' <<<"$shown" | head -n 1)
echo "job $last: ${state:-unknown}, exit code ${code:-unknown}"
[[ $state == COMPLETED ]] || exit "$(( ${code:-1} > 0 ? ${code:-1} : 1 ))"
