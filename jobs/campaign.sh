#!/bin/bash
# Measures the published comparison on one machine into one store, most valuable part first.
# Usage: jobs/campaign.sh [OPTION]... PART...
#   -b, --bundle FILE|DIR   use this archive of jobs/bundle.sh, or where it was unpacked
#                           [the rowcast and mpirun of PATH]
#   -C, --collection DIR    matrices, as rowcast sweep takes them
#   -c, --catalog CSV       index of the collection, for the kinds of problems
#   -s, --store FILE        what to add to [campaign.h5]
#   -T, --time SECONDS      for all parts together: what is left out then is done by the same
#                           command again [no limit]
#   -d, --device KIND       cuda or cpu [cuda]
#   -w, --work DIR          for the built-in set, specs of generated matrices and the unpacked bundle [$TMPDIR/rowcast-campaign]
#   -O, --out DIR           at the end, also after a failure, put compressed copies of the stores
#                           there, split into .part00, .part01, ... of 15 MiB where they are larger
#                           (cat puts them together)
#   -o, --options TEXT      more options for every sweep, e.g. '--limit 20' or '--max-reps 10'
#   -n, --dry-run           print the sweeps instead of running them
#   -h, --help              this text
# Parts, in the order in which they are worth having:
#   smoke    a few matrices with every kernel and order, into a store of its own; what is not ok
#   paper    K = n, fp32: the published kernel under all orders, the vendor's library, the
#            tuning parameters, then the other kernels under all orders
#   modern   K = 32 and 512, then 128 and 8
#   double   fp64, K = 128
#   wide     generated matrices of 3 to 20 million entries
#   schedule C in schedule order, K = 128
#   plans    what plans choose among: our kernels with several parameters and the library, rows or
#            columns, K = 8, 32, 128, 512 and n, fp64 at K = 128, generated matrices of up to 5 million
#            rows; of a GPU.  Into a store of its own: -s plans.h5
#   large    row orders for millions of rows, K = 8, 32 and 128: generated matrices of many kinds with rows
#            and columns shuffled, with rows in natural order and columns shuffled (which is what an order
#            could reach), and natural; then sizes from 8,000 rows on.  Into a store of its own: -s large.h5.
#            With --catalog then twins of matrices of 117 and 128 million entries in 6 GB of device memory, so that
#            K = 512 is tiled, into STORE-100m.h5; the line of the sweep says for how much of its time the device executed
#   twins    the matrices of --collection that --catalog knows beside their twins, generated in their place: our kernels
#            with their defaults and the library under a few orders, K = 32 and 128.  Into a store of its own:
#            -s twins.h5, which analysis/twins.py --plans reads
#   spmv     products with a vector: every kernel with its defaults and the library, fp32 and fp64, all
#            matrices, rectangular ones too, then generated ones of 1 to 40 million entries (group vector), then
#            parameters of the kernels.  Into a store of its own: -s spmv.h5
#   csrk     CSR-k: the sizes of super-rows on generated matrices that are not of the study, for rowcast tune csrk --fit; then
#            twins of the study (Lane and Booth 2022) of --catalog in natural order, rcm and bandk.  Into a store of
#            its own: -s csrk.h5.  csrk-fit and csrk-study are its halves
#   rs       RS-SpMM and its rivals, A B at K = 8, 32, 128, 512 and A' B at K = 128, fp32 and fp64, all matrices and
#            generated ones of about 1 to 20 million entries (group rs).  Into a store of its own: -s rs.h5, which rowcast
#            calibrate and train --task parameters make a tuning of, for RS_TUNING=FILE in the next run
#   rs-train the tuning of rs from the paper's rule: fp32 and fp64 or what RS_PRECISION says, every 5th real matrix of 10,000 entries
#            and generated ones of 0.1 to 2 million; makes STORE.json.  -s train.h5
#   rs-others  what that tuning keeps of the best on other matrices: RS_TUNING=FILE, beside it RS_PUBLISHED=FILE.  -s others.h5
#   rs-figures  rs and few rivals, all real matrices, both products, K = 8, 32, 128, 512, fp32 and fp64.  -s figures.h5
#   rs-generated  to the same store the same, but for loops, of the generated matrices of rs
#   rs-loops  to the same store the products with each column of K = 128 and 512
#   sddmm    the sampled product: row-sddmm and the library, K = 32, 128, 512 and 1,024, fp32 and fp64, all matrices and
#            generated ones of about 1 to 30 million entries (group sddmm).  Into a store of its own: -s sddmm.h5
#   tiles    row reordering for dense tiles (Jiang et al. 2020): no order, both rounds by rule and forced, METIS, RCM, A B and the
#            sampled product, fp32, and fp64 at K = 512.  First matrices within the paper's limits at K = 512 and 1,024, generated
#            ones of up to 30 million entries (group tiles) and the other matrices at 512, then 32 and 128, and what is left at
#            all four.  With --time each sweep has a share of it, and what that cuts off comes at the end.  Into a store of its own:
#            -s tiles.h5
#   types    values of 16 bits and complex ones beside fp32: real matrices, a million shuffled rows, natural numberings, pruned
#            weights, products with a vector, sampled ones; our kernels with their defaults and the library.  With --time
#            each sweep has a share of it, made for 560 s and 40 real matrices.  Into a store of its own: -s types.h5
#   baseline rs and aspt beside every algorithm of cuSPARSE, of one card.  Into a store of its own: -s baseline.h5
#   bench    the kernels with their defaults and the library: warm batches, then single launches, fp32 and
#            fp64, rows and columns, products with a vector, rs, row reordering; prints their ratios (make bench-gpu)
#   scaleN   one sweep of a fixed subset on 1, 2, 4, ... N devices, into fresh stores: its times
#   tables   print the tables of the store as Markdown; nothing else is done for it
#   plan-tables, large-tables, spmv-tables, tiles-tables  the same of a store of the part plans, large, spmv or tiles;
#            LARGE_WHERE=EXPR keeps large-tables to the runs of one card, and
#            large-library-tables is the first of them
# For a machine without rowcast: jobs/bundle.sh -o out/rowcast.tar.gz here, then take along out/, the
# matrices, this script and campaign-*.sh beside it, and there
#   jobs/campaign.sh -b out/rowcast.tar.gz -C matrices -s h200.h5 -T 540 -O results smoke paper tables
# A sweep measures only what its store lacks, so any part may be repeated or named twice.  To go on
# on another machine, take the store along.  Exit code 75: time ran out, with work left.
set -euo pipefail

bundle=
collection=
catalog=
store=campaign.h5
seconds=0
device=cuda
work=${TMPDIR:-/tmp}/rowcast-campaign
out=
options=()
dry=0
parts=()

# die CODE TEXT
die()
{
    printf '%s: %s\n' "$(basename "$0")" "$2" >&2
    exit "$1"
}

while (($#)); do
    case $1 in
    -b | --bundle | -C | --collection | -c | --catalog | -s | --store | -T | --time | -d | --device \
        | -w | --work | -O | --out)
        [[ ${2:-} ]] || die 2 "option '$1' needs a value; see --help"
        ;;
    -o | --options) (($# > 1)) || die 2 "option '$1' needs a value; see --help" ;;
    esac
    case $1 in
    -b | --bundle) bundle=$2 && shift ;;
    -C | --collection) collection=$2 && shift ;;
    -c | --catalog) catalog=$2 && shift ;;
    -s | --store) store=$2 && shift ;;
    -T | --time) seconds=$2 && shift ;;
    -d | --device) device=$2 && shift ;;
    -w | --work) work=$2 && shift ;;
    -O | --out) out=$2 && shift ;;
    -o | --options) read -ra options <<<"$2" && shift ;;
    -n | --dry-run) dry=1 ;;
    -h | --help)
        sed -n '2,/^set /{/^# /s/^# //p}' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    -*) die 2 "unknown option '$1'; see --help" ;;
    *) parts+=("$1") ;;
    esac
    shift
done
((${#parts[@]})) || die 2 "name the parts to run; see --help"
[[ $seconds =~ ^[0-9]{1,8}$ ]] || die 2 "--time: expected whole seconds, found '$seconds'"
[[ -z $collection || -d $collection ]] || die 3 "$collection: no such folder"
[[ -z $catalog || -f $catalog ]] || die 3 "$catalog: no such file"
for file in "${RS_TUNING:-}" "${RS_PUBLISHED:-}"; do [[ -z $file || -f $file ]] || die 3 "$file: no such tuning"; done
# each part is a function part_NAME of these
# shellcheck source=jobs/campaign-parts.sh
. "$(dirname "${BASH_SOURCE[0]}")/campaign-parts.sh"
# shellcheck source=jobs/campaign-tables.sh
. "$(dirname "${BASH_SOURCE[0]}")/campaign-tables.sh"
# shellcheck source=jobs/campaign-sets.sh
. "$(dirname "${BASH_SOURCE[0]}")/campaign-sets.sh"
# shellcheck source=jobs/campaign-rs.sh
. "$(dirname "${BASH_SOURCE[0]}")/campaign-rs.sh"
# shellcheck source=jobs/campaign-sddmm.sh
. "$(dirname "${BASH_SOURCE[0]}")/campaign-sddmm.sh"
# shellcheck source=jobs/campaign-spmv.sh
. "$(dirname "${BASH_SOURCE[0]}")/campaign-spmv.sh"
# shellcheck source=jobs/campaign-tiles.sh
. "$(dirname "${BASH_SOURCE[0]}")/campaign-tiles.sh"
# shellcheck source=jobs/campaign-types.sh
. "$(dirname "${BASH_SOURCE[0]}")/campaign-types.sh"

# what a part cannot do without is missed before the first one begins
for part in "${parts[@]}"; do
    [[ $part =~ ^scale[1-9][0-9]?$ ]] || declare -F "part_$part" >/dev/null || die 2 "unknown part '$part'; see --help"
    case $part in
    plans | large | rs | rs-figures | sddmm | tiles | types | baseline | csrk | bench) [[ $device == cuda ]] || die 2 "$part: needs --device cuda" ;;&
    rs-train | rs-others | twins) [[ $collection ]] || die 2 "$part: needs --collection" ;;&
    twins | csrk | csrk-study) [[ $catalog ]] || die 2 "$part: needs --catalog" ;;
    esac
done

run=()
cut=0

say()
{
    printf '[%2d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*" >&2
}

# left: seconds until the budget ends
left()
{
    if ((seconds)); then echo $((seconds - SECONDS)); else echo 1000000; fi
}

# allowed SECONDS: what a sweep may take of those that are left: a share of the budget, in percent, where a part deals it out
allowed()
{
    local most=$(($1 - 8))
    if ((${share:-0} && seconds * share / 100 < most)); then most=$((seconds * share / 100)); fi
    echo "$most"
}

prepare_program()
{
    if [[ -f $bundle ]]; then
        if [[ ! -x $work/bundle/run || $bundle -nt $work/bundle/run ]]; then
            rm -rf "$work/bundle"
            tar -xzf "$bundle" -C "$work"
            touch "$work/bundle/run"
        fi
        run=("$work/bundle/run")
    elif [[ -n $bundle ]]; then
        [[ -x $bundle/run ]] || die 3 "$bundle: there is no $bundle/run"
        run=("$bundle/run")
    else
        command -v rowcast >/dev/null || die 3 "no rowcast in PATH; see --bundle"
        run=(env)
        [[ $EUID != 0 ]] || run+=(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
    fi
}

# make_group GROUP: the lines "name spec" on stdin become files of the group
make_group()
{
    local name spec fresh=$work/fresh
    rm -rf "$fresh"
    mkdir -p "$fresh" "$data/$1"
    while read -r name spec; do
        [[ -s $data/$1/$name.mtx ]] || printf '%s\0-o\0%s\0' "$spec" "$fresh/$name.mtx"
    done | xargs -0 -r -n 3 -P "$(nproc)" "${run[@]}" rowcast generate >/dev/null \
        || die 3 "cannot generate the matrices of $1"
    find "$fresh" -name '*.mtx' -exec mv -t "$data/$1" {} +
}

# specs GROUP: the lines "name spec" on stdin are matrices of the group that the rank makes that measures them
specs()
{
    local name spec
    mkdir -p "$data/$1"
    while read -r name spec; do
        printf '%s\n' "$spec" >"$data/$1/$name.spec"
    done
}

# One folder with the collection; the built-in set and generated matrices come into it.
prepare_data()
{
    local group
    data=$work/data
    mkdir -p "$data"
    for group in ${collection:+"$collection"/*/}; do
        ln -sfn "$(realpath "$group")" "$data/$(basename "$group")"
    done
}

prepare_builtin()
{
    make_group builtin < <("${run[@]}" rowcast generate --list-set --format csv \
        | awk -F, 'NR > 1 { print $1, $1 }')
}

# sweep NAME STORE RANKS OPTION...
sweep()
{
    local name=$1 to=$2 ranks=$3 code=0 started=$SECONDS remaining
    local -a command
    shift 3
    remaining=$(left)
    if ((remaining < 15)); then
        cut=1
        say "$name: no time left"
        return 0
    fi
    command=(mpirun -n "$ranks" --bind-to none rowcast sweep --device "$device" --store "$to"
        --collection "$data" ${catalog:+--catalog "$catalog"} "$@" ${options[@]+"${options[@]}"})
    if ((seconds)); then command+=(--time-budget "$(allowed "$remaining")"); fi
    if ((dry)); then
        printf '%s\n' "${command[*]@Q}"
        return 0
    fi
    say "$name"
    # a run that hangs must not take the machine's whole time
    timeout --signal=USR1 --kill-after=30 $((remaining + 10)) "${run[@]}" "${command[@]}" </dev/null \
        >&2 || code=$?
    say "$name: exit code $code after $((SECONDS - started)) s"
    case $code in
    0 | 1) ;;
    75) cut=1 ;;
    *) die 3 "$name: the sweep failed" ;;
    esac
}

# deal PERCENT NAME OPTION...: a sweep of short batches that may take so much of --time; what that cuts off is kept for
# deal_again
dealt=()
deal()
{
    local share=$1 before=$cut
    local -a short=(--case-time 0.002 --target 0.01 --max-reps 7)
    shift
    cut=0
    sweep "$part: $1" "$store" 1 "${@:2}" "${short[@]}"
    if ((cut)); then dealt+=("$(printf '%s\x1f' "$@")"); else cut=$before; fi
}

# What was cut off, as far as time goes.
deal_again()
{
    local one
    local -a later=(${dealt[@]+"${dealt[@]}"}) words
    dealt=()
    cut=0
    for one in ${later[@]+"${later[@]}"}; do
        IFS=$'\x1f' read -ra words <<<"$one"
        deal 100 "${words[@]}"
    done
}

query()
{
    "${run[@]}" rowcast query "$@"
}

# Compressed copies of what there is.
hand_over()
{
    local file copy
    mkdir -p "$out"
    for file in "$store" "${store%.h5}"-*.h5; do
        [[ -f $file || -d $file.journal ]] || continue
        copy=$out/$(basename "$file")
        rm -f "$copy" "$copy".part*
        "${run[@]}" rowcast fold -q "$file" || say "$file: could not be folded"
        "${run[@]}" rowcast archive "$file" "$copy" >&2 || continue
        if (($(wc -c <"$copy") > 15 << 20)); then
            split -b 15M -d "$copy" "$copy.part"
            rm "$copy"
        fi
    done
}

mkdir -p "$work"
prepare_program
if [[ $out ]] && ((!dry)); then trap hand_over EXIT; fi
for part in "${parts[@]}"; do
    if [[ $part != *tables && -z ${data:-} ]]; then prepare_data; fi
    if [[ $part != *tables && $part != rs-* ]]; then prepare_builtin; fi
    case $part in
    scale*) scale_to "${part#scale}" ;;
    *) "part_$part" ;;
    esac
done
if ((cut)); then
    say "time ran out with work left: run the same command again"
    exit 75
fi
