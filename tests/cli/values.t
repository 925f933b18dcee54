#!/bin/sh
# Results of four value types through every command: bf16 and fp16 have the same bytes and are two types.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
python=/usr/bin/python3
command -v "$python" >/dev/null || skip_all "no python3"
plan 61
cd "$tmp" || exit 99
synthetic=${top_builddir:?}/tests/cli/synthetic_store
"$synthetic" --matrices 40 --groups 10 --k 8,32 --fp64 --shorts s.h5 || exit 99
"$synthetic" --matrices 40 --groups 10 --k 8,32 --fp64 --shorts --seed 2 other.h5 || exit 99
known="unknown precision 'fp8'; known: fp32, fp64, bf16, fp16"

# get FILE EXPRESSION: a value of the JSON in a file, as python; x is the file's contents
get()
{
    $python -c 'import json, sys
with open(sys.argv[1]) as f:
    x = json.load(f)
print(eval(sys.argv[2]))' "$1" "$2"
}

# column NAME: of the CSV in out, without its head
column()
{
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' out
}

# query and its tables
code "rows of one type" 0 "$ROWCAST" query s.h5 --precision fp16 --columns precision -f csv
is "are all of it" "$(column precision | sort | uniq -c | awk '{ print $1, $2 }')" "$((40 * 2 * 12)) fp16"
code "of two types" 0 "$ROWCAST" query s.h5 --precision bf16,fp16 --columns precision -f csv
is "of both" "$(column precision | sort -u | tr '\n' ' ')" "bf16 fp16 "
for table in speedup best rate portfolio; do
    code "$table" 0 "$ROWCAST" query s.h5 -S $table -f csv
    is "has lines of each type" "$(column precision | sort -u | tr '\n' ' ')" "bf16 fp16 fp32 fp64 "
done
code "the largest errors" 0 "$ROWCAST" query s.h5 -S errors -f csv
is "are of kernel and type, in its unit" "$(awk -F, 'NR > 1 { print $3 ":" $7 }' out | sort -u | tr '\n' ' ')" \
    "bf16:0.25 fp16:0.5 fp32:0.5 fp64:0.5 "
is "a line for each" "$(column kernel | wc -l)" 12

# compare, export, archive
code "a store is like itself" 0 "$ROWCAST" compare s.h5 s.h5 -f csv
is "in each kernel, K, type and order" "$(column verdict | sort | uniq -c | awk '{ print $1, $2 }')" "$((3 * 2 * 4 * 4)) same"
code "an export" 0 "$ROWCAST" export s.h5 --csv tables
cp tables/results.csv out
is "names all types" "$(column precision | sort | uniq -c | awk '{ printf "%s %s;", $1, $2 }')" "960 bf16;960 fp16;960 fp32;960 fp64;"
code "a copy of one type" 0 "$ROWCAST" archive s.h5 half.h5 --where 'precision == fp16'
code "holds that" 0 "$ROWCAST" query half.h5 --columns precision -f csv
is "and nothing else" "$(column precision | sort -u)" fp16

# train, predict, evaluate
code "a model of all types" 0 "$ROWCAST" train s.h5 -o all.json -m cart --kernel 'syn-a*' --folds 2 -q -f json
is "has a row for each matrix, K and type" "$(get out 'x["data_rows"]')" "$((40 * 2 * 4))"
is "and an evaluation for each K and type" "$(get out '[p["name"] for p in x["by_k"]]')" \
    "['k=8 fp32', 'k=8 fp64', 'k=8 bf16', 'k=8 fp16', 'k=32 fp32', 'k=32 fp64', 'k=32 bf16', 'k=32 fp16']"
is "which names the type of the worst row" "$(get out 'x["all"]["loss_worst_row"]["precision"] in ("fp32", "fp64", "bf16", "fp16")')" True
is "the file lists its types" "$(get all.json 'sorted(k for k, v in x["features"]["geometry"].items() if v)')" \
    "['bf16', 'fp16', 'fp32', 'fp64']"
code "a model of one" 0 "$ROWCAST" train s.h5 -o bf16.json -m cart --kernel 'syn-a*' --precision bf16 --test-share 0.2 -q
is "lists that" "$(get bf16.json '[k for k, v in x["features"]["geometry"].items() if v]')" "['bf16']"
code "it answers for its type" 0 "$ROWCAST" predict mesh2d:n=30 -k 8 -m bf16.json --precision bf16 --extrapolate -f csv
is "and says so" "$(column precision | sort -u)" bf16
code "another of the same size is refused" 2 "$ROWCAST" predict mesh2d:n=30 -k 8 -m bf16.json --precision fp16 --extrapolate
ok "in a line with those that it knows" grep -q 'the model was trained on bf16, found a request for fp16$' err
code "that of all refuses none" 0 "$ROWCAST" predict mesh2d:n=30 -k 8 -m all.json --precision fp16 --extrapolate -f csv
"$synthetic" --matrices 40 --groups 10 --k 8 --fp64 --complex c.h5 || exit 99
code "a model of complex numbers" 0 "$ROWCAST" train c.h5 -o c.json -m cart --kernel 'syn-a*' --precision c64,c128 --folds 2 -q -f json
is "lists them" "$(get c.json 'sorted(k for k, v in x["features"]["geometry"].items() if v)')" "['c128', 'c64']"
is "and is evaluated of both" "$(get out '[p["name"] for p in x["by_k"]]')" "['k=8 c64', 'k=8 c128']"
code "it answers for one of them" 0 "$ROWCAST" predict mesh2d:n=30 -k 8 -m c.json --precision c128 --extrapolate -f csv
is "and says so of them" "$(column precision | sort -u)" c128
code "real numbers of the same size are refused" 2 "$ROWCAST" predict mesh2d:n=30 -k 8 -m c.json --precision fp64 --extrapolate
code "tables have them" 0 "$ROWCAST" query c.h5 -S best -f csv
is "each with its lines" "$(column precision | sort -u | tr '\n' ' ')" "c128 c64 fp32 fp64 "
code "on another store" 0 "$ROWCAST" evaluate other.h5 -m bf16.json --extrapolate -f json
is "only rows of its type count" "$(get out '[p["name"] for p in x["by_k"]]')" "['k=8 bf16', 'k=32 bf16']"

# report
code "a report with the model of one" 0 env ROWCAST_ASSETS="$top_srcdir/analysis" "$ROWCAST" report s.h5 -q --spies 0 -m bf16.json -o page
is "has each type" "$(get page/report.json 'sorted({s["precision"] for s in x["settings"]})')" "['bf16', 'fp16', 'fp32', 'fp64']"
is "and its choices in that alone" \
    "$(get page/report.json '{s["precision"] for s in x["settings"] if any(c is not None for c in s["choice_ns"])}')" "{'bf16'}"

# the study of Nisa et al., of each type that the store has
"$synthetic" --formats --matrices 40 --groups 10 --shorts f.h5 || exit 99
code "a study of types" 0 "$ROWCAST" paper nisa accuracy f.h5 -q -f csv --model cart --features 1 --split stratified --precision bf16,fp16
is "is of these" "$(column precision | sort -u | tr '\n' ' ')" "bf16 fp16 "
is "without figures of the paper, which has none" "$(column paper_k80 | sort -u | tr -d '\n\r')" ""

# What a file has and fp16 has not: 65,504 is its largest number, from 65,520 on it has infinity.
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 4 6' '1 1 65504' '1 2 65519' '2 2 65520' '3 3 -1e30' \
    '4 1 1e39' '4 4 inf' >big.mtx
code "a sweep says what overflows" 0 "$ROWCAST" sweep big.mtx -s big.h5 -d cpu -k 8 --threads 1 --share-device \
    --kernels rowsplit -p csr --timing shared --case-time 0.0005 --max-reps 7 --precision fp32,fp16
is "once, for each precision" "$(grep -o 'big: .* infinity$' err | tr '\n' ';')" \
    "big: 1 of 6 values is beyond fp32 (3.4e+38) and became infinity;big: 3 of 6 values are beyond fp16 (65,504) and became infinity;"
"$ROWCAST" plan big.mtx -d cpu -k 8 --precision fp16 >out 2>err
ok "so does a plan" grep -q '^rowcast plan: big.mtx: 3 of 6 values are beyond fp16 (65,504) and became infinity$' err

# what is no type
for words in "query s.h5" "train s.h5 -o x.json" "evaluate s.h5 -m all.json" "predict mesh2d:n=9 -k 8 -m all.json" \
    "plan mesh2d:n=9 -k 8" "sweep -s x.h5" "calibrate --kernel rs" "format mesh2d:n=9 -x ell"; do
    # shellcheck disable=SC2086 # words
    "$ROWCAST" $words --precision fp8 >out 2>err
    is "${words%% *}: what is no type is refused with those that are" "$? $(grep -c "$known" err)" "2 1"
done
