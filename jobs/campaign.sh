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
#   bench    the kernels with their defaults and the library: warm batches, then single launches, fp32 and
#            fp64, rows and columns, products with a vector, rs, row reordering; prints their ratios (make bench-gpu)
#   scaleN   one sweep of a fixed subset on 1, 2, 4, ... N devices, into fresh stores: its times
#   tables   print the tables of the store as Markdown; nothing else is done for it
#   plan-tables, large-tables, spmv-tables, tiles-tables  the same of a store of the part plans, large, spmv or tiles;
#            LARGE_WHERE=EXPR keeps large-tables to the runs of one card
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
    smoke | paper | modern | double | wide | schedule | plans | large | twins | spmv | rs | rs-train | rs-others | rs-figures | rs-generated | rs-loops | sddmm | tiles | csrk | csrk-fit | csrk-study | bench | tables | plan-tables | large-tables | spmv-tables | tiles-tables) parts+=("$1") ;;
    scale[1-9] | scale[1-9][0-9]) parts+=("$1") ;;
    *) die 2 "unknown part or option '$1'; see --help" ;;
    esac
    shift
done
((${#parts[@]})) || die 2 "name the parts to run; see --help"
[[ $seconds =~ ^[0-9]{1,8}$ ]] || die 2 "--time: expected whole seconds, found '$seconds'"
[[ -z $collection || -d $collection ]] || die 3 "$collection: no such folder"
[[ -z $catalog || -f $catalog ]] || die 3 "$catalog: no such file"
for file in "${RS_TUNING:-}" "${RS_PUBLISHED:-}"; do [[ -z $file || -f $file ]] || die 3 "$file: no such tuning"; done
# what a part cannot do without is missed before the first one begins
for part in "${parts[@]}"; do
    case $part in
    plans | large | rs | rs-figures | sddmm | tiles | csrk | bench) [[ $device == cuda ]] || die 2 "$part: needs --device cuda" ;;&
    rs-train | rs-others | twins) [[ $collection ]] || die 2 "$part: needs --collection" ;;&
    twins | csrk | csrk-study) [[ $catalog ]] || die 2 "$part: needs --catalog" ;;
    esac
done

# published: the kernel of the paper.  ours: what else is measured under all orders.  tuning: further
# parameters, in the original order.  vendor: all of the library, in the original order.  vendor_best:
# its usually fastest ones, under all orders.  vendor_few: without those that hardly ever win.
case $device in
cuda)
    published=gstat:strip=8
    ours=gsub:lanes=8:strip=8,growmajor
    tuning=gstat:strip=1..16,gsub:lanes=2..16:strip=8,gsub:lanes=4..8:strip=16
    vendor="cusparse-csr-row:alg=0..3:pre=0..1,cusparse-csr-col:alg=0..3:pre=0..1,cusparse-coo-*:alg=0..4,cusparse-bsr-*:alg=0..1"
    vendor_best=cusparse-csr-row:alg=3:pre=1,cusparse-coo-row:alg=4
    vendor_few="cusparse-csr-row:alg=0..3,cusparse-csr-col:alg=0..3,cusparse-csr-row:alg=3:pre=1,cusparse-csr-col:alg=3:pre=1,cusparse-coo-*:alg=1,cusparse-coo-*:alg=4"
    ;;
cpu)
    published=cstat:strip=4
    ours=cstat:strip=8
    tuning=cstat:strip=1..8
    vendor=rowsplit
    vendor_best=rowsplit
    vendor_few=rowsplit
    ;;
*) die 2 "--device: expected cuda or cpu, found '$device'" ;;
esac
library='cusparse*'
library_col='cusparse-*-col*'
[[ $device == cuda ]] || library=rowsplit library_col=rowsplit
# orders that take milliseconds for millions of rows
fast_orders=csr,dcsr,plain,flipped,lpt

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

query()
{
    "${run[@]}" rowcast query "$@"
}

# not_ok STORE: how many cases have which status, and why
not_ok()
{
    query "$1" --format csv --columns status,kernel,phase,message --where 'status != ok' \
        | sed 1d | sort | uniq -c | sort -rn | sed -n '1,30p'
}

part_smoke()
{
    local to=${store%.h5}-smoke.h5
    "${run[@]}" rowcast info -f csv | grep -E '^(build|library|device|gpu)' || true
    sweep "smoke: every kernel and order" "$to" 1 --orders all --k 8,n --limit 8 \
        --where 'present && square && rows <= 5000 && nnz > 1000' \
        --kernels "$published,$ours,$tuning,$vendor"
    if ((dry)); then return; fi
    query "$to" --summary best --top 5
    say "not ok:"
    not_ok "$to"
}

# the matrices of the paper, and those of the built-in set that are as large
small='present && square && rows <= 30000 && group != wide'

part_paper()
{
    sweep "paper: the published kernel" "$store" 1 --where "$small" --k n --orders all \
        --kernels "$published"
    sweep "paper: other kernels" "$store" 1 --where "$small" --k n --orders all --kernels "$ours"
    sweep "paper: the library under all orders" "$store" 1 --where "$small" --k n --orders all \
        --kernels "$vendor_best"
    # after the orders: an order is best compared with a csr of its own run
    sweep "paper: the library" "$store" 1 --where "$small" --k n --orders csr --kernels "$vendor"
    sweep "paper: parameters" "$store" 1 --where "$small" --k n --orders csr --kernels "$tuning"
}

part_modern()
{
    local ks where='present && group != wide && (square && rows <= 30000 || group == builtin)'
    for ks in 32,512 128,8; do
        sweep "modern: K = $ks, all orders" "$store" 1 --where "$where" --k "$ks" --orders all \
            --kernels "$published,$ours"
        sweep "modern: K = $ks, the library" "$store" 1 --where "$where" --k "$ks" --orders csr \
            --kernels "$vendor"
    done
}

part_double()
{
    sweep "double: our kernels" "$store" 1 --where "$small" --k 128 --precision fp64 \
        --orders "$fast_orders" --kernels "$published,$ours"
    sweep "double: the library" "$store" 1 --where "$small" --k 128 --precision fp64 \
        --orders csr --kernels "$vendor_few"
}

part_wide()
{
    wide_set | specs wide
    sweep "wide: our kernels" "$store" 1 --where 'group == wide' --k 32,512 \
        --orders "$fast_orders" --kernels "$published,$ours"
    sweep "wide: the library" "$store" 1 --where 'group == wide' --k 32,512 --orders csr \
        --kernels "$vendor"
}

part_schedule()
{
    sweep "schedule: C in schedule order" "$store" 1 --where "$small" --k 128 --orders "$fast_orders,warp,hybrid2.2" \
        --c-order schedule --kernels "$published,${ours%,growmajor}"
}

# By rows and by columns: what a greedy portfolio takes of the parameters of our kernels.
plan_row=growmajor,gchunk,gchunk:entries=4,gchunk:entries=8,gchunk:entries=16,gchunk:entries=32,gchunk:vectors=1,gchunk:vectors=2
plan_row+=,gpanel,gpanel:strip=16x2,gpanel:strip=32x1,gpanel:strip=32x2,gpanel:pairs=yes,gpanel:longest=64,gpanel:longest=256,gpanel:panel=32,gstage,gstage:ctas=4
plan_col=gchunk-col,gchunk-col:b=rows,gchunk-col:b=columns,gchunk-col:entries=8:b=columns:tile=2,gchunk-col:entries=16:b=columns:tile=2
plan_col+=,gslice,gslice:b=columns,gslice:strip=2:split=1,gslice:strip=8:split=1
plan_vendor="cusparse-csr-row:alg=1..3:pre=0,cusparse-csr-col:alg=1..3:pre=0,cusparse-csr-row:alg=3:pre=1,cusparse-csr-col:alg=3:pre=1,cusparse-coo-*:alg=1..4"

part_plans()
{
    local ks real='present && square && rows >= 300 && rows <= 30000 && group != large && group != builtin'
    for ks in 128 8,32 512 n; do
        sweep "plans: K = $ks" "$store" 1 --where "$real" --k "$ks" --orders csr \
            --kernels "$plan_row,$plan_col,$plan_vendor"
    done
    large_set | specs large
    sweep "plans: large matrices" "$store" 1 --where 'group == large' --k 32,128 --orders csr \
        --kernels "$plan_row,$plan_col,$plan_vendor"
    sweep "plans: fp64" "$store" 1 --where "$real" --k 128 --precision fp64 --orders csr \
        --kernels "$plan_row,$plan_col,$plan_vendor"
    sweep "plans: blocks of few columns" "$store" 1 --where "$real" --k 512,n --orders blk \
        --kernels gpanel,gpanel:pairs=yes
}

# Twins of 100 million entries, in a store of their own: the tables of the part are not of them.
large_100m()
{
    local data=twins kernels=growmajor,gchunk,cusparse-csr-row:alg=2 to=${store%.h5}-100m.h5
    # most of the time goes into making the matrices: --verbose, in the options, tells
    sweep "large: K tiled" "$to" 1 --where 'name == Flan_1565 || name == Bump_2911' --k 32,512 --orders csr,auto \
        --kernels "$kernels" --device-memory 6G --case-time 1
    if ((dry)) || [[ ! -s $to ]]; then return; fi
    query "$to" --format csv --columns fullname,nnz,kernel,policy,k,k_tile,median_ns,prepare_ns,device_bytes,status \
        | markdown fullname nnz kernel policy k k_tile median_ns prepare_ns device_bytes status
}

part_large()
{
    local few=csr,mincol,minlabel,labels,cells:rounds=0,cells,multilevel,auto ours=growmajor,gchunk,gpanel,gstage,gstage:ctas=4
    local library=cusparse-csr-row:alg=2..3,cusparse-coo-row:alg=4,cusparse-csr-col:alg=2
    local near=cta-near,warp-near,hybrid1-near,hybrid2.1-near,hybrid2.2-near,hybrid2.3-near
    { kinds && random_kinds; } | sed 's/$/,shuffle=both/' | specs shuffled
    kinds | sed 's/$/,shuffle=cols/' | specs ideal
    { kinds && random_kinds; } | specs natural
    sizes | sed 's/$/,shuffle=both/' | specs sizes
    sweep "large: shuffled" "$store" 1 --where 'group == shuffled' --k 128,32,8 --orders "$few" --kernels "$ours"
    sweep "large: the library" "$store" 1 --where 'group == shuffled' --k 128,32,8 --orders csr \
        --kernels "$library"
    sweep "large: rows in natural order" "$store" 1 --where 'group == ideal' --k 128,32,8 --orders csr \
        --kernels "$ours"
    sweep "large: natural" "$store" 1 --where 'group == natural' --k 128,32,8 --orders csr,auto \
        --kernels "$ours"
    sweep "large: sizes" "$store" 1 --where 'group == sizes' --k 128,32,8 --orders csr,lpt,rcm,labels,cells,multilevel,auto \
        --kernels "$ours,gsub:lanes=8:strip=8"
    # the orders of the paper, approximate where they compare rows: up to a minute of one CPU for a matrix of a million
    sweep "large: the paper's, beyond 30,000 rows" "$store" 1 --where 'group == sizes || group == shuffled &&
        name != "mesh3d-4.9m" && name != "road-4m" && name != "geometric2d-2m" && name != "mesh2d-2m"' --k 128,32,8 \
        --orders "csr,auto,dcsr,plain,flipped,lpt,$near" --kernels "$published,growmajor,gchunk,gstage"
    if [[ $catalog ]]; then large_100m; fi
}

part_twins()
{
    local few=csr,lpt,rcm,cells ours=growmajor,gchunk,gpanel,gstage,gchunk-col,gslice
    local library=cusparse-csr-row:alg=2..3,cusparse-coo-row:alg=4,cusparse-csr-col:alg=2
    local names=$work/twins.csv real='present && id > 0 && square && rows <= 30000' data=$data catalog=$catalog
    [[ $device == cuda ]] || ours=cstat,rowsplit library=rowsplit
    sweep "twins: real matrices" "$store" 1 --where "$real" --k 32,128 --orders "$few" --kernels "$ours"
    sweep "twins: real matrices, the library" "$store" 1 --where "$real" --k 32,128 --orders csr \
        --kernels "$library"
    # the rows of the catalogue that are here, and how many there are in the first line
    "${run[@]}" rowcast catalog --collection "$collection" --catalog "$catalog" --where "$real" --columns fullname \
        --format csv | tr -d '"\r' | awk -F, 'FNR == NR { here[$1]; next }
            FNR == 2 { date = $0 }
            FNR > 2 && ($1 "/" $2) in here { row[++n] = $0 }
            END { print n; print date; for (i = 1; i <= n; i++) print row[i] }' - <(tr -d '\r' <"$catalog") >"$names"
    data=twins catalog=$names
    sweep "twins: twins" "$store" 1 --k 32,128 --orders "$few" --kernels "$ours"
    sweep "twins: twins, the library" "$store" 1 --k 32,128 --orders csr --kernels "$library"
}

vector_ours=csr,merge,csr5,coo,ell,hyb
vector_vendor=cusparse-spmv-csr:alg=1..2:pre=0..1,cusparse-spmv-coo:alg=1..2,cusparse-spmv-sell,cusparse-spmv-bsr
vector_params=csr:lanes=2,csr:lanes=8,csr:lanes=32,merge:items=448,merge:items=1792,csr5:sigma=4,csr5:sigma=16,hyb:width=bell

# Every kernel with its defaults, and the library, of what vector_set says and the other matrices.
spmv_defaults()
{
    local kernels=plain-spmv,csr,merge,ell
    [[ $device != cuda ]] || kernels=$vector_ours,$vector_vendor
    vector_set | specs vector
    sweep "spmv: real matrices" "$store" 1 --where "$1" --op spmv --orders csr --precision fp32,fp64 \
        --kernels "$kernels"
    sweep "spmv: generated matrices" "$store" 1 --where 'group == vector' --op spmv --orders csr \
        --precision fp32,fp64 --kernels "$kernels"
}

part_spmv()
{
    local real='present && group != vector && group != builtin'
    [[ $collection ]] || real='present && group != vector'
    spmv_defaults "$real"
    [[ $device != cuda ]] || sweep "spmv: parameters" "$store" 1 --where "group == vector || $real" --op spmv \
        --orders csr --precision fp32,fp64 --kernels "$vector_params"
}

# csrk_pairs KERNEL: the kernel with every pair of sizes that is fitted on
csrk_pairs()
{
    local size=(4 6 8 12 16 24 32 48) ssrs srs
    local -a all=()
    for ssrs in "${size[@]}"; do
        for srs in "${size[@]}"; do all+=("$1:srs=$srs:ssrs=$ssrs"); done
    done
    (IFS=,; echo "${all[*]}")
}

csrk_library='cusparse-spmv-csr:alg=1..2:pre=0..1'
csrk_ours=csr35,csr35:reduce=shuffle,csr35:volta,csr3,csr2,csrk-split,csr5,merge,csr
# CSRK_TUNING: a file of rowcast tune csrk --fit, whose sizes are measured beside the published ones
[[ -z ${CSRK_TUNING:-} ]] || csrk_ours+=",csr35:tune=$CSRK_TUNING"
csrk_orders=csr,rcm,bandk:srs=8:ssrs=8,bandk:srs=24:ssrs=8

# CSRK_TRAIN: the first so many matrices [16]
part_csrk-fit()
{
    local data=twins catalog=$work/csrk-train.csv number=${CSRK_TRAIN:-16}
    { echo "$number" && echo none && csrk_train_index | head -n "$number"; } >"$catalog"
    sweep "csrk: pairs of sizes" "$store" 1 --op spmv --orders csr \
        --kernels "$(csrk_pairs csr35),$(csrk_pairs csr3),$csrk_ours,$csrk_library"
}

# matrices of the study, or what CSRK_WHERE says of them
csrk_where=${CSRK_WHERE:-square && rows >= 1e6 && rows <= 6e6 && nnz < 6e7}

part_csrk-study()
{
    local data=twins
    sweep "csrk: twins" "$store" 1 --where "$csrk_where" --op spmv --orders "$csrk_orders" \
        --kernels "$csrk_ours,$csrk_library"
}

part_csrk()
{
    part_csrk-fit
    part_csrk-study
}

part_bench()
{
    local others='group != large && group != rs-others && group != tiles'
    local real="present && square && rows >= 300 && rows <= 30000 && $others && group != builtin"
    local kernels="growmajor,gchunk,gpanel,gstage,gchunk-col,gslice,$plan_vendor" warm=$store
    [[ $collection ]] || real="present && square && rows <= 30000 && $others"
    sweep "bench: fp32" "$warm" 1 --where "$real" --k 8,32,128,512,n --orders csr --kernels "$kernels"
    sweep "bench: fp64" "$warm" 1 --where "$real" --k 8,32,128,512,n --orders csr --kernels "$kernels" \
        --precision fp64
    large_set | specs large
    sweep "bench: large matrices" "$warm" 1 --where 'group == large' --k 32,128 --orders csr \
        --kernels "$kernels"
    sweep "bench: single launches" "${warm%.h5}-single.h5" 1 --where "$real" --k 8,32,128,512,n --orders csr \
        --kernels "$kernels" --max-batch 1
    if ((dry)); then
        bench_rs "${warm%.h5}"
        bench_tiles "${warm%.h5}"
        return
    fi
    printf '### Time of side B over time of side A, batches\n\n' && bench_ratios 'group != large'
    printf '### The same of generated matrices of 0.5 to 5 million rows\n\n' && bench_ratios 'group == large'
    store=${warm%.h5}-single.h5
    printf '### Single launches between events\n\n' && bench_ratios 'rows > 0'
    store=$warm
    printf '### Fraction of the bound, the fastest of our kernels, batches\n\n' && bench_bounds
    printf '### Preparation, in products at K = 128 (gchunk, gchunk-col, gpanel: on the GPU, without the upload)\n\n' && bench_prepare
    summary "Compulsory traffic, GB/s" "k precision kernel matrices geomean_bytes mean_bytes max_bytes" \
        --summary rate
    bench_spmv "${warm%.h5}"
    bench_rs "${warm%.h5}"
    bench_tiles "${warm%.h5}"
}

# bench_spmv NAME: products with a vector, in batches, and one at a time as a program that has other work between them
bench_spmv()
{
    local others='group != vector && group != rs-others && group != tiles'
    local real="present && $others && group != builtin"
    [[ $collection ]] || real="present && $others"
    store=$1-spmv.h5
    spmv_defaults "$real"
    printf '### Products with a vector, batches\n\n' && part_spmv-tables
    store=$1-spmv-single.h5
    sweep "bench: single products with a vector" "$store" 1 --where "group == vector || $real" --op spmv --orders csr \
        --precision fp32,fp64 --kernels "$vector_ours,$vector_vendor" --max-batch 1
    printf '### Products with a vector, single launches beside batches\n\n' && spmv_beside "$1-spmv.h5" "$store"
}

# part_scale N
part_scale()
{
    local ranks to times=${store%.h5}-scale.csv start seconds_used cases
    ((dry)) || printf 'ranks,seconds,cases,cases_per_second\n' >"$times"
    for ((ranks = 1; ranks <= $1; ranks *= 2)); do
        to=${store%.h5}-scale$ranks.h5
        ((dry)) || rm -rf "$to" "$to.journal"
        start=$(date +%s%N)
        sweep "scale: $ranks devices" "$to" "$ranks" --k 32,128 --orders all \
            --where 'present && square && rows >= 2000 && rows <= 30000 && group != wide' \
            --kernels "$published,$ours"
        # no store: there was no time left
        if ((dry)) || [[ ! -f $to ]]; then continue; fi
        seconds_used=$((($(date +%s%N) - start) / 1000000))
        cases=$(query "$to" --format csv --columns case | sed 1d | wc -l)
        printf '%d,%d.%03d,%d\n' "$ranks" $((seconds_used / 1000)) $((seconds_used % 1000)) "$cases" \
            | awk -F, '{ printf "%s,%.1f\n", $0, $3 / $2 }' >>"$times"
    done
    if ((!dry)); then markdown ranks seconds cases cases_per_second <"$times"; fi
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
    scale*) part_scale "${part#scale}" ;;
    *) "part_$part" ;;
    esac
done
if ((cut)); then
    say "time ran out with work left: run the same command again"
    exit 75
fi
