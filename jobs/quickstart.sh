#!/bin/bash
# Installs what is missing, builds, measures the built-in matrices with 2 ranks, prints the table and makes
# the report: the last lines are its path and what it says first.
# Safe to run again: the second run measures only what is missing.
# CUDA kernels are built for the GPUs of this machine, and where there is none only when asked for.
# ROWCAST_CONFIGURE: words for configure instead, such as --with-cuda-arch=90; --with-cuda: the usual architectures.
# Usage: jobs/quickstart.sh [OPTION OF rowcast sweep]...
set -euo pipefail
# shellcheck source=jobs/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

ranks=2
store=$top/out/quickstart.h5

# check_options WORD...: what rowcast sweep would refuse is refused before anything is installed or built; its options are read
# in the source
check_options()
{
    local name letter kind word
    local -A kinds=()
    while read -r name letter kind; do
        kinds[--$name]=$kind
        [[ $letter == 0 ]] || kinds[-$letter]=$kind
    done < <(sed -n "s/^ *\(RC_OPT(\|{\)\"\([a-z-]*\)\", '\{0,1\}\([A-Za-z0]\)'\{0,1\}, RC_OPT_\([A-Z]*\),.*/\2 \3 \4/p" "$top/src/cmd/cmd_sweep.c")
    while (($#)); do
        word=$1
        shift
        case $word in
        -h | --help)
            sed -n '2,/^set/s/^# //p' "${BASH_SOURCE[0]}"
            exit 0
            ;;
        --*) name=${word%%=*} ;;
        -?*) name=${word:0:2} ;;
        *) die 2 "unexpected argument '$word'; see --help" ;;
        esac
        kind=${kinds[$name]:-}
        case $name in -s | --store | -n | --dry-run) die 2 "$name: not here, the store is $store; see rowcast sweep --help" ;; esac
        [[ $kind ]] || die 2 "rowcast sweep has no option $name; see --help"
        if [[ $kind == FLAG ]]; then
            [[ $word == "$name" ]] || die 2 "option $name takes no value"
        elif [[ $word == "$name" ]]; then
            (($#)) || die 2 "option $name needs a value"
            shift
        fi
    done
}
check_options "$@"

# without_noise COMMAND...: without its lines on times that other programs disturbed: one is said in the end, with what to do
without_noise()
{
    {
        "$@" 2>&1 >&3 | sed -uE '/^[^ ]+: ([0-9]+ of [0-9]+ (cases missed|are noisy:)|load [0-9.]+ on|neighbours of a|batches of [0-9]+ cases|clock held back) /d; /^rowcast query: .* have no time of the original order/d; / info sweep: drift: /d' >&2
    } 3>&1
}

install_packages "${packages_build[@]}" "${packages_report[@]}"
arguments=()
if [[ ${ROWCAST_CONFIGURE:-} ]]; then
    read -ra arguments <<<"$ROWCAST_CONFIGURE"
elif [[ ! ${NVCC_GENCODE:-} ]] && find_nvcc >/dev/null; then
    architectures=$(gpu_architectures)
    if [[ $architectures ]]; then
        arguments=("--with-cuda-arch=$architectures")
        say "CUDA kernels are built for the GPU of this machine (architecture $architectures)"
    else
        arguments=(--without-cuda)
        say "no GPU that nvcc knows here: built for CPUs alone; ROWCAST_CONFIGURE=--with-cuda makes CUDA kernels, too"
    fi
fi
build_tree "$build" "${arguments[@]}"
rowcast=$build/rowcast
mkdir -p "$(dirname "$store")"
prepare_mpi "$ranks"
threads=$((cores / ranks))
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$((threads > 0 ? threads : 1))}

say "measuring the built-in matrices with $ranks ranks"
code=0
without_noise mpirun -n "$ranks" "$rowcast" sweep --store "$store" --accept-noisy "$@" </dev/null || code=$?
case $code in
0) ;;
1) say "some cases failed: $rowcast query $store --where 'status != ok && status != noisy'" ;;
75) say "stopped early: the next run goes on from here" ;;
*) die "$code" "the sweep failed (exit code $code)" ;;
esac

noisy=$(without_noise "$rowcast" query "$store" --where 'status == ok || status == noisy' --columns status -f csv | grep -cx noisy || true)
say "speedup over the original row order"
without_noise "$rowcast" query "$store" --summary speedup
((noisy == 0)) || say "times left out, for other programs disturbed them: $noisy; run this again to measure them anew"
say "drawing the report"
page=${store%.h5}-report
said=$("$rowcast" report "$store" --assets "$top/analysis" -q -o "$page") || die 3 "the report failed"
say "for a matrix of yours: $rowcast plan matrix.mtx -k 32"
say "done; the results are in $store, and the report is"
printf '%s\n' "$said"
exit "$code"
