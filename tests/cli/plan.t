#!/bin/sh
# rowcast plan: what it chooses, what it prints, files of plans, wrong words.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 117
cd "${tmp:?}" || exit 99
plans()
{
    "${ROWCAST:?}" plan "$@" --device cpu --threads 1
}
# field FILE LINE NUMBER: a cell of a CSV file without quotes
field()
{
    sed -n "$2p" "$1" | cut -d, -f"$3"
}

code "a plan of one K" 0 plans mesh2d:n=12 -k 8
ok "says the matrix" grep -q '^matrix *mesh2d:n=12: 144 x 144' out
ok "and the kernel" grep -qE '^\* +csr +(rowsplit|serial-row|mkl-row) +[0-9.]+ ' out
code "column-major" 0 plans mesh2d:n=12 -k 8 --layout col -f csv --tune 0
is "has another kernel" "$(field out 2 2)" cstat
is "which was taken" "$(field out 2 4)" 1
code "several K, orders and timing" 0 plans mesh2d:n=12 -k 4,n --orders csr,lpt,random:seed=1 --tune 2 -f csv
is "a row per candidate" "$(wc -l <out)" 7
is "K = n is the number of columns" "$(field out 7 1)" 144
is "one is chosen for each K" "$(awk -F, 'NR > 1 { n[$1] += $4 } END { print n[4], n[144] }' out)" "1 1"
is "it was timed" "$(field out 2 14)" timed
# shellcheck disable=SC2016  # the fields are awk's
ok "and is not slower than the reference" awk -F, 'NR > 1 && $4 == 1 && !($6 >= 1) { bad = 1 } END { exit bad || NR == 1 }' out
# shellcheck disable=SC2016  # likewise
ok "the reference is in original order" awk -F, 'NR > 1 && $13 == 1 && $3 != "csr" { bad = 1 } END { exit bad || NR == 1 }' out
code "as json" 0 plans mesh2d:n=12 -k 4 -f json --tune 0
ok "it can be read" python3 -c 'import json, sys; r = json.load(open(sys.argv[1]))["rows"]; assert r[0]["why"] == "default" and r[0]["time_ns"] is None' out
for op in spmm_t sddmm; do
    code "$op" 0 plans mesh2d:n=12 --op $op -k 3 --precision fp64
done
code "spmv has no K" 0 plans mesh2d:n=12 --op spmv -f csv
is "and none is shown" "$(field out 2 1)" ""
code "a kernel by name" 0 plans mesh2d:n=12 -k 4 --kernels rowsplit --orders lpt -f csv
is "is no choice" "$(field out 2 14)" named

code "a plan is kept" 0 plans mesh2d:n=12 -k 4,8 --orders random:seed=5 --save m.plan
code "and comes back" 0 plans mesh2d:n=12 -k 8 --load m.plan -f csv
is "with its order" "$(field out 2 3) $(field out 2 14)" "random:seed=5 loaded"
is "which is no baseline, nor held against one" "$(field out 2 13) $(field out 2 6)$(field out 2 10)$(field out 2 16)" "0 "
code "and says so" 0 plans mesh2d:n=12 -k 8 --load m.plan
ok "in a sentence that compares nothing" grep -qE '^Loaded: [a-z-]+ in order random:seed=5; no time of it is known\.$' out
ok "and a table that calls it what it is" grep -qE '^\* +random:seed=5 .* loaded *$' out
code "not for another matrix" 3 plans mesh2d:n=13 -k 8 --load m.plan
ok "which is said" grep -q "m.plan: matrix.pattern: expected that of this matrix, found another one's\$" err
code "not for another K" 3 plans mesh2d:n=12 -k 9 --load m.plan
code "not with other kernels" 2 plans mesh2d:n=12 -k 8 --load m.plan --kernels rowsplit
code "not of another type" 3 plans mesh2d:n=12 -k 8 --load m.plan --precision fp64
is "without a word of usage" "$(grep -c -- --help err)" 0
head -c 50 m.plan >cut.plan
code "not from half a file" 3 plans mesh2d:n=12 -k 8 --load cut.plan

printf '%%%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n2 1 2\n2 3 3\n' >wide.mtx
code "both products" 0 plans wide.mtx -k 4 --transposed -f csv --tune 0 --save both.plan
is "each has a kernel" "$(sed 1d out | awk -F, '$4 == 1 { print $NF }' | tr '\n' ' ')" "0 1 "
code "come back" 0 plans wide.mtx -k 4 --load both.plan
ok "which is said" grep -q '^Transposed: .* rowsplit ' out
code "as they were" 2 plans wide.mtx -k 4 --load both.plan --transposed
code "of the kernel that has both" 0 plans wide.mtx -k 4 --transposed --kernels rs -f csv
is "there is one choice" "$(wc -l <out)" 2
code "of spmm_t" 0 plans wide.mtx --op spmm_t -k 4 --transposed --kernels rowsplit
code "of a vector" 0 plans wide.mtx --op spmv --transposed --tune 1
code "not of sddmm" 2 plans wide.mtx --op sddmm -k 4 --transposed

code "no K" 2 plans mesh2d:n=12
code "K = 0" 2 plans mesh2d:n=12 -k 0
code "one K twice" 2 plans mesh2d:n=12 -k 8,8
code "a wrong layout" 2 plans mesh2d:n=12 -k 8 --layout both
code "a range of K" 0 plans mesh2d:n=12 -k 3..20 -d cpu --kernels rowsplit -f csv
is "a range is cut at powers of two" "$(cut -d, -f1 "$tmp/out" | tr '\n' ' ')" "k 4 8 16 20 "
code "a range that ends before it begins" 2 plans mesh2d:n=12 -k 20..3
code "a range of three" 2 plans mesh2d:n=12 -k 1..3,4
code "a range without an end" 2 plans mesh2d:n=12 -k 3..
ok "is shown as it was typed" grep -qF "expected a range as in 8..512, found '3..'" err
code "an unknown kernel" 2 plans mesh2d:n=12 -k 8 --kernels rowsplt
ok "a like one is named" grep -q "did you mean 'rowsplit'" err
code "no memory" 3 plans mesh2d:n=12 -k 8 --device-memory 100
ok "the figures are said" grep -q 'expected at most 100' err

code "one candidate is timed too" 0 plans mesh2d:n=12 -k 4 --kernels rowsplit --orders csr --tune 6 -f csv
# shellcheck disable=SC2016  # the fields are awk's
ok "its product takes time" awk -F, 'NR == 2 && $5 > 0 { ok = 1 } END { exit !ok }' out
is "though nothing was chosen" "$(field out 2 14)" named

# An order of a file, under a name longer than a store keeps of it.
mkdir -p "$(printf 'folder%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)" && long=$(echo folderfolder*)/rows
seq 143 -1 0 >"$long"
code "an order of a file" 0 plans mesh2d:n=12 -k 4,8 --orders "csr,file:$long" --tune 4 -f csv --save filed.plan
ok "was timed, by what is in it" grep -q '^4,rowsplit,file:name=rows:rows=[0-9a-f]*,[01],[0-9]' out
code "a plan with it alone" 0 plans mesh2d:n=12 -k 4 --orders "file:$long" --save filed.plan
rm "$long"
code "comes back without the file" 0 plans mesh2d:n=12 -k 4 --load filed.plan
code "a file that is gone" 3 plans mesh2d:n=12 -k 4 --orders "file:$long"
ok "is named" grep -q "$long: cannot open" err

# What overflows fp32 is infinite there, and right; in fp64 it is a number.
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 4 6' '1 1 1e300' '2 2 -1e300' '3 3 1e38' '3 4 3e38' '4 1 1' '4 2 2' >huge.mtx
code "values that overflow fp32" 0 plans huge.mtx -k 8
ok "are named as such" grep -qE 'K = 8: [0-9]+ of 2000 sampled values are beyond fp32' err
code "and are numbers in fp64" 0 plans huge.mtx -k 8 --precision fp64 --tune 0
is "of which nothing is said" "$(cat err)" ""
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '2 3 3' '1 1 1' '2 2 nan' '2 3 inf' >none.mtx
code "values that are no numbers" 0 plans none.mtx -k 8 --tune 0
is "are named by the first" "$(grep -c 'none.mtx: 2 of 3 values are infinity or NaN, the first at row 2, column 2$' err)" 1
code "only kernels that keep to IEEE arithmetic" 0 plans mesh2d:n=12 -k 8 --strict

# The answer: what is printed when no option says what to time.
said='(Keep the order|Reorder by [a-z]+|Uncertain): [a-z0-9-]+ (takes|in .* took) [0-9.]+ [mun]?s in fp(32|64).*\.$'
code "an answer" 0 plans mesh2d:n=30 -k 16
ok "is one sentence" grep -qE "^$said" out
ok "and a table of orders" grep -qE '^ +(lpt|mincol|csr) +rowsplit +[0-9.]+ ' out
is "without a word of options" "$(grep -c -- --tune out)" 0
not_ok "times in it have no exponent" grep -qE '^[* ] .* [0-9.]+e[+-][0-9]+ ' out
code "and a time that is kept" 0 plans mesh2d:n=30 -k 16 --budget 0.1 --orders csr --save timed.plan
cp out kept
plans mesh2d:n=30 -k 16 --load timed.plan >out 2>err
ok "is told as one of then" grep -qE '^Loaded: [a-z-]+ in the given order, which took [0-9.]+ [mun]?s in fp32.* when it was chosen(; .*)?\.$' out
# what it said of its time then: the error and the load
sure()
{
    sed -nE 's/^(Keep the order|Loaded|Uncertain): .* (takes|took) [0-9.]+ [mun]?s in fp(32|64)( \(error [^)]*\))?( beside other programs)?.*/\3\4\5/p' "$1"
}
ok "and as sure as it was" test "$(sure out)" = "$(sure kept)"
sed 's/,"error":[^,}]*//; s/,"uncertain":true//; s/"load":"[^"]*",//' timed.plan >old.plan
plans mesh2d:n=30 -k 16 --load old.plan >out 2>err
ok "of a file that does not say it nothing of it is said" grep -qE '^Loaded: [a-z-]+ in the given order, which took [0-9.]+ [mun]?s in fp32 when it was chosen\.$' out
code "one for each K" 0 plans mesh2d:n=12 -k 4,8
is "with its K" "$(grep -cE "^K = (4|8): $said" out)" 2
code "of vectors" 0 plans mesh2d:n=12 --op spmv
ok "too" grep -qE "^$said" out
code "in little time" 0 plans mesh2d:n=12 -k 4 --budget 0 -f csv
ok "what was left out says so" grep -q '^4,rowsplit,metis,0,.*not tried: takes up to\|^4,rowsplit,lsh,0,.*not tried: takes up to' out
ok "for programs too" grep -qE '"K|"(Keep|Reorder|Uncertain)' out
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 7 2' '1 1 1' '3 7 2' >wide.mtx
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '5 5 0' >empty.mtx
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '1 9 2' '1 2 1' '1 9 2' >row.mtx
for matrix in wide empty row; do
    code "of the matrix $matrix" 0 plans $matrix.mtx -k 4
    ok "is a sentence too" grep -qE "^$said" out
done
code "two bounds" 2 plans mesh2d:n=12 -k 4 --budget 1 --tune 3
code "an order alone" 0 plans mesh2d:n=12 -k 4 --orders csr,lpt
ok "says that nothing was timed" grep -q '^None of 2 candidates was timed: --tune N times N' out
ok "and lists none of which there is nothing to say" test "$(grep -c '^ *lpt ' out)" = 0
code "an order that no plan takes" 0 plans mesh2d:n=12 -k 4 --orders csr,rcm --kernels rowsplit --tune 4
ok "says why one was timed" grep -q '^One of 2 candidates was timed: rowsplit with order rcm: ' out
code "beside two that it takes" 0 plans mesh2d:n=12 -k 4 --orders csr,rcm,lpt --kernels rowsplit --tune 4
ok "the table says why it has no time" grep -q '^ *rcm .* order rcm renumbers the columns too' out
code "one candidate" 0 plans mesh2d:n=12 -k 4 --tune 5 --kernels rowsplit
ok "says that it is one" grep -q '^One of 1 candidate was timed: --kernels and --orders leave nothing to choose' out

# What pays can be computed of the columns: over the first row in original order.
cat >pays.py <<'END'
import json, math, sys
rows = json.load(open(sys.argv[1]))["rows"]
timed = "predicted_ns" if all(r["time_ns"] is None for r in rows) else "time_ns"
over = next(r for r in rows if r["order"] == "csr" and r[timed] is not None)
def setup(r, of):
    if timed == "predicted_ns":
        return r["predicted_setup_ns"]
    return r["order_ns"] + (0 if r["kernel"] == of["kernel"] else r["prepare_ns"])
found = 0
for r in rows:
    expected = None
    if r is over:
        expected = 0
    elif r[timed] is not None and r["again"] == over["again"]:
        cost, gain = setup(r, over) - setup(over, r), over[timed] - r[timed]
        expected = 0 if cost <= 0 <= gain else math.ceil(cost / gain) if gain > 0 else None
    assert r["pays_after"] == expected, (r, over, expected)
    found += expected is not None
assert found > 0
END
code "a search for programs" 0 plans mesh2d:n=30 -k 16 --budget 0.5 -f json
ok "what pays in it can be computed" python3 pays.py out
code "of some orders and kernels" 0 plans mesh2d:n=30 -k 16 --kernels rowsplit,cstat,serial-row --orders lpt,csr --tune 9 -f json
ok "too" python3 pays.py out

# What cannot be kept is said before anything is measured, and then of a search without a terminal nothing but the answer.
code "a file in no folder" 3 plans mesh2d:n=30 -k 16 --budget 1 --save no/such/m.plan
ok "is named" grep -q 'no/such/m.plan' err
is "after nothing else" "$(cat out)$(grep -c . err)" 1
plans mesh2d:n=700 -k 64 --budget 4 >out 2>err
is "no progress is in a file" "$(grep -c 'timed, now' err) $(tr -dc '\r' <err | wc -c)" "0 0"

# A signal ends a search.  It listens when it catches SIGUSR1, 10; so does bash, which the process is at first.
listens()
{
    case $(cat "/proc/$1/comm") in
    *rowcast) [ $((0x$(sed -n 's/^SigCgt:.*\(........\)$/\1/p' "/proc/$1/status") & 0x200)) -ne 0 ] ;;
    *) false ;;
    esac
}
"$ROWCAST" plan mesh2d:n=700 -k 64 --budget 600 --device cpu >out 2>err &
pid=$!
comes $pid listens $pid
kill -TERM $pid
wait $pid
is "a signal ends a search" "$?" 75
ok "with the answer so far" grep -qE "^$said" out
