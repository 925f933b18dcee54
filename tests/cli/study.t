#!/bin/sh
# rowcast paper nisa: the tables of the study on a store of six formats, and what it refuses.
# shellcheck disable=SC2016 # of awk
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
has() { "$ROWCAST" info | grep -Eq "^trainer +$1 "; }
if ! has xgboost-nisa || ! has ensemble-nisa || ! has svm-nisa; then
    skip_all "not all trainers are built"
fi
plan 59

make_store() { "${top_builddir:?}/tests/cli/synthetic_store" --formats "$@" || exit 99; }
store=$tmp/s.h5
make_store --matrices 60 --groups 12 --fp64 "$store"

# study TABLE OPTION...: as CSV in $tmp/csv
study()
{
    table=$1
    shift
    "$ROWCAST" paper nisa "$table" "$store" -f csv -q "$@" >"$tmp/raw" 2>"$tmp/err" || return
    tr -d '\r' <"$tmp/raw" >"$tmp/csv"
}

# lines CONDITION: how many lines it holds for; columns by their names
lines()
{
    awk -F, -v out=0 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { if ('"$1"') out++ } END { print out }' "$tmp/csv"
}

# on a terminal progress comes five times a second
if command -v python3 >/dev/null; then
    python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$ROWCAST" paper nisa slowdown "$store" \
        --model ensemble-nisa --features top7 --precision fp32 --split group </dev/null >"$tmp/live" 2>&1
    ok "progress says which fit it is of" grep -q 'xgboost-nisa, fp32, [a-z]*, by group, set 1-3: fold ' "$tmp/live"
    ok "and then of the next" grep -q 'ensemble-nisa, fp32, [a-z]*, by group, set top7: fold ' "$tmp/live"
else
    skip "progress says which fit it is of" "no python3"
    skip "and then of the next" "no python3"
fi

ok "accuracies" study accuracy --model cart,svm-nisa --features 1,1-2
is "of two precisions, three and six formats, two divisions, two sets, two models" "$(lines 1)" 32
is "without ties within 0 % is right" "$(lines '$at["within_0"] != $at["accuracy"]')" 0
is "more is right within more" "$(lines '$at["within_2"] < $at["accuracy"] || $at["within_5"] < $at["within_2"]')" 0
is "intervals hold the figure" "$(lines '$at["low"] > $at["accuracy"] || $at["high"] < $at["accuracy"]')" 0
is "the tables are named" "$(tail -n +2 "$tmp/csv" | cut -d, -f6 | sort -u | paste -sd ' ' -)" "IV V VII VIII"
is "the paper stands beside" \
    "$(lines '$at["table"] == "VIII" && $at["model"] == "svm-nisa" && $at["precision"] == "fp64" && $at["paper_k80"] == 85 && $at["paper_p100"] == 83')" 2
is "the set of all features is left out" "$(lines '$at["set"] == "1-3"')" 0
is "ours divides by group" "$(lines '$at["split"] == "group"')" 16
cut -d, -f1-19 "$tmp/csv" >"$tmp/before"
ok "again with one thread" study accuracy --model cart,svm-nisa --features 1,1-2 --threads 1
ok "gives the same" sh -c "cut -d, -f1-19 '$tmp/csv' | cmp - '$tmp/before'"
ok "of a list of classes" study accuracy --model cart --features 1 --classes csr,merge --precision fp32 --split stratified
is "the paper has none" "$(grep -c '^fp32,real,"csr,merge",stratified,[0-9]*,,1,cart,.*,,$' "$tmp/csv")" 1

ok "real matrices and all" study accuracy --model cart --features 1 --split stratified --precision fp32 --generated 'group == G3'
is "each in its tables" "$(lines '$at["data"] == "real"'):$(lines '$at["data"] == "all"')" 2:2
ok "only generated ones" study accuracy --model cart --features 1 --split stratified --precision fp32 --generated 'rows >= 0'
is "are not called real" "$(lines '$at["data"] == "real"'):$(lines '$at["data"] == "all"')" 0:2
ok "real ones alone, where others are left out" study accuracy --model cart --features 1 --split stratified --precision fp32 \
    --generated 'group == G3' --where 'group != G3'
is "come once" "$(lines '$at["data"] == "real"'):$(lines '$at["data"] == "all"')" 2:0

for data in real all; do
    ok "one of them alone" study accuracy --model cart --features 1 --split stratified --precision fp32 --generated 'group == G3' \
        --data $data
    is "$data" "$(lines '$at["data"] == "real"'):$(lines '$at["data"] == "all"')" "$([ $data = real ] && echo 2:0 || echo 0:2)"
done
code "real ones where there are none" 2 study accuracy --model cart --features 1 --generated 'rows >= 0' --data real

ok "slowdowns" study slowdown --model svm-nisa --features 1,1-3 --split stratified
is "of the first part and of all" "$(lines 1)" 8
is "none and some are all" "$(lines '$at["none"] + $at["over_1"] != $at["tested"]')" 0
is "they only become fewer" "$(lines '$at["over_1"] < $at["from_1.2"] || $at["from_1.2"] < $at["from_1.5"] || $at["from_1.5"] < $at["from_2"]')" 0
is "table XI is of the first part in fp64" "$(lines '$at["table"] == "XI" && $at["part"] == "first" && $at["precision"] == "fp64" && $at["paper_none"] > 0')" 2

ok "importances" study importance --epochs 8 --split stratified --precision fp64
is "of the 17 features" "$(lines 1)" 17
is "sum to 100 %" "$(awk -F, 'NR > 1 { s += $9 } END { printf "%.6f", s }' "$tmp/csv")" 100.000000
is "seven a part" "$(awk -F, 'NR > 1 { s += $13 } END { print s }' "$tmp/csv")" 35
ok "the seven as inputs" study accuracy --model cart --features top7 --epochs 8 --split stratified --precision fp64
is "of six formats" "$(lines '$at["table"] == "X"')" 1

ok "the indirect choice" study indirect --tolerance 0,5 --epochs 8 --members 2 --split stratified --precision fp64
is "both methods at both tolerances" "$(tail -n +2 "$tmp/csv" | cut -d, -f7,9 | paste -sd ' ' -)" "direct,0 direct,5 indirect,0 indirect,5"
ok "of predicted times" study indirect --tolerance-of predicted --model ensemble-nisa-time --epochs 8 --members 2 --split stratified --precision fp64
ok "errors of times" study rme --task time --model mlp-nisa --epochs 8 --split stratified --precision fp64
is "of one model and of one for each, by format and all" "$(lines 1):$(lines '$at["fitted"] == "individual"'):$(lines '$at["format"] == "all"')" 14:7:2

ok "the older spelling" sh -c "'$ROWCAST' evaluate '$store' --op spmv --protocol nisa --tables -f csv -q --model cart --features 1 >'$tmp/older'"
study accuracy --model cart --features 1
is "is the same table" "$(cut -d, -f1-17 "$tmp/older" | tr -d '\r' | cksum)" "$(cut -d, -f1-17 "$tmp/csv" | cksum)"
is "a slowdown of the older one" "$("$ROWCAST" evaluate "$store" --slowdown --protocol=nisa -f csv -q --model svm-nisa --features 1 \
    --split stratified --op spmv | head -n 1 | grep -c from_1.5)" 1

# refuses WHAT TEXT TABLE OPTION...
refuses()
{
    what=$1
    text=$2
    table=$3
    shift 3
    "$ROWCAST" paper nisa "$table" "$store" "$@" >"$tmp/out" 2>"$tmp/err"
    is "$what" "$?:$(grep -c -e "$text" "$tmp/err"):$(wc -c <"$tmp/out" | tr -d ' ')" 2:1:0
}
refuses "another table" "nisa: unknown table 'tables'; known: ranges, " tables
refuses "an option of other tables" "--side-a does not go with" accuracy -A x
refuses "features of another set" "1, 1-2, 1-3 and top7, found '2'" accuracy --features 2
refuses "no tolerance" "--tolerance: expected percents" accuracy --tolerance -1
refuses "a division of another paper" "found 'random'" accuracy --split random
refuses "a trainer that is none" "svm-nisa" accuracy --model svn-nisa
refuses "a classifier for times" "cart predicts no times" rme --model cart
refuses "another operation" "found spmm" accuracy --op spmm
refuses "rows that are none" "and matches --where" accuracy --model cart --where 'rows < 0'
refuses "an expression that is none" "where" accuracy --model cart --where 'rows <'
store=$tmp/without.h5
make_store --matrices 60 --groups 12 --without 16 "$store"
refuses "a store without all formats" "csr5" accuracy --model cart -q
store=$tmp/few.h5
make_store --matrices 4 --groups 4 "$store"
refuses "fewer matrices than parts" "matrices" accuracy --model cart -q --classes coo,ell
store=$tmp/groups.h5
make_store --matrices 60 --groups 4 "$store"
ok "fewer groups than parts" study accuracy --model cart --features 1
is "are divided by matrix" "$(lines '$at["split"] == "stratified"'):$(lines 1)" 2:2
