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
#       --wait           until the jobs have ended; the exit code is theirs
#       --yes            do not ask;    --dry-run: print the plan and the commands only
# Everything after STORE goes to rowcast.  Exit codes: 0, 1 not submitted, 2 wrong usage, 3 no Slurm.
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
        (($# > 1)) || die 2 "$1 needs a value"
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
(($# > 0)) || die 2 "STORE is missing; see --help"
[[ $what != train || $# -gt 1 ]] || die 2 "MODEL.json is missing; see --help"
store=$1
shift
for tool in sbatch sinfo scontrol srun; do
    command -v "$tool" >/dev/null || die 3 "no $tool in PATH: this is not a machine that Slurm jobs are submitted from"
done

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
    arguments+=(--array=1-"$slices" --nodes=1 --ntasks=1 --cpus-per-task="$((cpus > 0 ? cpus : 1))" "${gpu[@]}"
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
array) plan slices "$slices tasks of one rank, $cpus CPUs each$( ((node_gpus == 0)) || echo ', one GPU each'); then one merge into $store" ;;
esac
[[ $what == train ]] || plan MPI "srun --mpi=$mpi"
[[ $what == train ]] || plan time "limit $limit; drains $drain s before it, back to the queue at most ${ROWCAST_REQUEUES:-50} times"
plan program "$rowcast (profile $site)"
plan store "$store ($(finished "$store") cases are there)"
if [[ $what != train ]]; then
    if estimate=$(timeout 120 "$rowcast" sweep --store "$store" "$@" --dry-run -f csv 2>&1 >/dev/null | tail -n 1); then
        plan work "$estimate"
    else
        plan work "unknown: ${estimate:-rowcast sweep --dry-run took more than 2 minutes}"
    fi
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
array) submitted+=("${arguments[@]}" "$ROWCAST_JOBS/sweep-array.sbatch" "$folder" "$@") ;;
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
export ROWCAST="$rowcast" ROWCAST_SLICES="${slices:-}"
job=$(sbatch --parsable --export=ALL "${submitted[@]}") || die 1 "sbatch refused it"
job=${job%%;*}
echo "submitted job $job"
last=$job
if [[ $what == array ]]; then
    # not afterok: a slice with a failed case exits 1, and is as good as the others
    last=$(sbatch --parsable --export=ALL --job-name=rowcast-merge --partition="$partition" --time="$limit" \
        --nodes=1 --ntasks=1 --dependency=afterany:"$job" --wrap "$merge_text") || die 1 "sbatch refused the merge"
    last=${last%%;*}
    echo "submitted job $last: the merge, when all slices have ended"
fi
((wait)) || exit 0
# the accounting may be off: ask the controller until it knows an end
while :; do
    state=$(scontrol show job "$last" -o 2>/dev/null | grep -oE 'JobState=[A-Z_]+' | cut -d= -f2 | head -n 1)
    case $state in
    COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL | PREEMPTED | OUT_OF_MEMORY | DEADLINE | BOOT_FAIL | '') break ;;
    esac
    sleep 2
done
code=$(scontrol show job "$last" -o 2>/dev/null | grep -oE ' ExitCode=[0-9]+' | cut -d= -f2 || true)
echo "job $last: ${state:-unknown}, exit code ${code:-unknown}"
[[ $state == COMPLETED ]] || exit "$(( ${code:-1} > 0 ? ${code:-1} : 1 ))"
