#!/bin/bash
# Fits the pretrained models of data/models, and prints the tables of its README.
# Usage: jobs/models.sh [OPTION]... fit | tables
#   fit     write paper, order, plan, plan-row, plan-col and spmv as DIR/h200-NAME.json, and their evaluations
#           beside them as OUT/h200-NAME.txt
#   tables  all trainers side by side, inputs from the matrix alone, layer sizes; a table a file in OUT
#   -b BUILD   build folder with rowcast      [build]
#   -s STORE   results to learn from          [data/results/h200.h5]
#   -p STORE   results for plan-row, plan-col [data/results/h200-plans.h5]
#   -v STORE   results for spmv               [data/results/h200-spmv-628.h5]
#   -d DIR     where models go                [data/models]
#   -o OUT     where tables go                [out/models]
#   -t N       threads                        [all]
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
plans=$top/data/results/h200-plans.h5
vectors=$top/data/results/h200-spmv-628.h5
build=$top/build store=$top/data/results/h200.h5 dir=$top/data/models out=$top/out/models threads=0
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'; }
[[ ${1:-} != --help ]] || { usage; exit 0; }
while getopts b:s:p:v:d:o:t:h letter; do
    case $letter in
    [bspvdot]) [[ $OPTARG ]] || { echo "models.sh: -$letter needs a value; see -h" >&2; exit 2; } ;;&
    b) build=$OPTARG ;;
    s) store=$OPTARG ;;
    p) plans=$OPTARG ;;
    v) vectors=$OPTARG ;;
    d) dir=$OPTARG ;;
    o) out=$OPTARG ;;
    t) threads=$OPTARG ;;
    h) usage; exit 0 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[[ $# == 1 && $1 =~ ^(fit|tables)$ ]] || { echo "models.sh: expected fit or tables, found '$*'; see -h" >&2; exit 2; }
[[ $threads =~ ^[0-9]{1,4}$ ]] || { echo "models.sh: -t: expected a number, found '$threads'" >&2; exit 2; }
for file in "$store" "$plans" "$vectors"; do
    [[ -f $file ]] || { echo "models.sh: $file: no such store" >&2; exit 3; }
done
rowcast=$build/rowcast
[[ -x $rowcast ]] || { echo "models.sh: no $rowcast: build first, or say -b BUILD" >&2; exit 3; }
mkdir -p "$dir" "$out"

# The three settings: the paper's (K = n, published kernel), its orders for every K, and pairs of kernel
# and order.
paper=(--kernel 'gstat:strip=8:split=0' --k n --precision fp32)
order=(--kernel 'gstat:strip=8:split=0' --precision fp32)
plan=(--task plan)
# Kernels whose sums have one order; of cuSPARSE those that NVIDIA promises (kernels/vendor), also where
# this build has no CUDA.
deterministic='gchunk*,gpanel*,gslice*,gstage*,gstat*,gsub*,growmajor*,cusparse-csr-*:alg=3:*,cusparse-coo-*:alg=2:*'
common=(--folds 10 --seed 1 --threads "$threads")

fit() # fit NAME OPTION...
{
    local name=$1
    shift
    "$rowcast" train "$store" -o "$dir/h200-$name.json" "${common[@]}" \
        --deterministic "$deterministic" "$@" >"$out/h200-$name.txt"
}

# table NAME OPTION...
table()
{
    local name=$1
    shift
    "$rowcast" evaluate "$store" "${common[@]}" "$@" >"$out/$name.txt"
}

case $1 in
fit)
    fit paper --model regret "${paper[@]}"
    fit order --model regret "${order[@]}"
    fit plan --model regret "${plan[@]}"
    # what plans of librowcast_cuda choose among: kernels of one layout, real matrices
    store=$plans
    soft=(--model xgboost-merit-soft --features storage+product "${plan[@]}")
    fit plan-row "${soft[@]}" --where 'layout == row && group != large'
    fit plan-col "${soft[@]}" --where 'layout == col && group != large'
    store=$vectors
    # 4 networks: with 10 a prediction takes four times as long for 0.2 points
    fit spmv --model regret --members 4 --op spmv --task format --features shares+product
    ;;
tables)
    table compare-paper --compare "${paper[@]}"
    table compare-order --compare "${order[@]}"
    table random-paper --compare --split random "${paper[@]}"
    table ablation-paper --ablation --model mlp,regret "${paper[@]}"
    table topologies-paper --topologies "${paper[@]}"
    table ablation-plan --ablation --model xgboost-merit-soft "${plan[@]}"
    # the longest: six times the rows, nine classes
    table compare-plan --compare "${plan[@]}"
    ;;
esac
