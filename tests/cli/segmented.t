#!/bin/sh
# rowcast query --summary modelling, prepare and both, against what single rows say.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
python=/usr/bin/python3 # of the distribution: the one that has h5py
plan 93

# six matrices of more than 10,000 entries: the 5th by entries trains, and is in no table
mkdir -p "$tmp/c/g" "$tmp/no"
ROWCAST_TUNING=$tmp/no # where no tuning is installed, the rule of every 5th stands
export ROWCAST_TUNING
i=0
for spec in mesh2d:n=50 mesh2d:n=52 mesh2d:n=54 banded:n=1400 banded:n=1500 banded:n=1600; do
    i=$((i + 1))
    echo "$spec" >"$tmp/c/g/m$i.spec"
done
store=$tmp/s.h5
sweep()
{
    "$ROWCAST" sweep -q -s "$store" -C "$tmp/c" -d cpu -p csr --case-time 0.0001 --max-reps 1 -k 4 "$@" >/dev/null 2>"$tmp/err"
}
# rows WHERE FIELDS: of the matrices that are not for training
rows()
{
    "$ROWCAST" query "$store" -f csv -w "fullname != 'g/m5' && ($1)" --columns "$2" | sed 1d
}
table() # table SUMMARY [OPTIONS]: as CSV
{
    summary=$1
    shift
    "$ROWCAST" query "$store" -S "$summary" -f csv "$@"
}

ok "parameters" env ROWCAST_TUNING="$tmp" "$ROWCAST" sweep -q -s "$store" -C "$tmp/c" -d cpu -p csr --case-time 0.0001 \
    --max-reps 1 -k 4 -x rs:t=2..3:cfv=1..2:cfh=1,rs
tuning=$(cd "$top_srcdir/data/tuning" && pwd)/rs-h200.json
ok "with a tuning" sweep -x "rs:tune=$tuning"
ok "A' B" sweep --op spmm_t -x rs-spmm_t:t=2:cfv=1:cfh=1

"$ROWCAST" query "$store" -S modelling --kernel rs -f csv >"$tmp/out" || exit 99
is "generated matrices are in the line of all alone" "$(column set <"$tmp/out")" all
is "the training matrix is left out" "$(column matrices_none <"$tmp/out") $(column matrices <"$tmp/out")" "5 5"
t=$(column t <"$tmp/out")
ok "t is one that was measured" sh -c "test '$t' -eq 2 || test '$t' -eq 3"
rows "kernel ~ 'rs:*' && kernel !~ '*t=0:*'" fullname,median_ns | awk -F, '{ if (!($1 in best) || $2 < best[$1]) best[$1] = $2 }
    END { for (m in best) print m, best[m] }' | sort >"$tmp/best"
rows "kernel ~ '*t=$t:cfv=1:cfh=1*' && op == spmm" fullname,median_ns | tr ',' ' ' | sort >"$tmp/none"
want=$(join "$tmp/best" "$tmp/none" | awk '{ s += log($2 / $3) } END { printf "%.4f", exp(s / NR) }')
is "none is the geomean over the best" "$(column none <"$tmp/out" | awk '{ printf "%.4f", $1 }')" "$want"
rows "kernel ~ '*t=0:*' && kernel !~ '*tune=auto*'" fullname,median_ns | tr ',' ' ' | sort >"$tmp/model"
want=$(join "$tmp/best" "$tmp/model" | awk '{ s += log(($2 < $3 ? $2 : $3) / $3) } END { printf "%.4f", exp(s / NR) }')
is "the model likewise" "$(column model <"$tmp/out" | awk '{ printf "%.4f", $1 }')" "$want"
want=$(join "$tmp/none" "$tmp/model" | awk '{ s += log($2 / $3) } END { printf "%.4f", exp(s / NR) }')
is "and what it gains" "$(column gain <"$tmp/out" | awk '{ printf "%.4f", $1 }')" "$want"
is "K = 4 is not in the paper" "$(column paper <"$tmp/out")" ""

is "a line for each kernel of the name" "$(table prepare | column kernel | wc -l)" 6
is "of another name" "$(table prepare --kernel rs-spmm_t | column matrices | sort -u)" 5
most=$(rows "kernel ~ '*t=2:cfv=2:*' && op == spmm" prepare_ns,median_ns | awk -F, '{ x = $1 / $2; if (x > m) m = x } END { printf "%.6g", m }')
is "the most products" "$(table prepare | sed -n '1p; /t=2:cfv=2/p' | column most | awk '{ printf "%.6g", $1 }')" "$most"
ok "of a kernel that nothing was trained for" sweep -x rowsplit
is "no matrix is left out" "$(table prepare --kernel rowsplit | column matrices)" 6
ok "a product without K" "$ROWCAST" sweep -q -s "$store" -C "$tmp/c" -d cpu -p csr --case-time 0.0001 --max-reps 1 --op spmv -x merge
is "has none" "$("$ROWCAST" query "$store" -S prepare --kernel merge | awk 'NR > 2 { print $1 }')" -
is "also as CSV" "$(table prepare --kernel merge | column k)" ""
is "and as JSON" "$("$ROWCAST" query "$store" -S prepare --kernel merge -f json | grep -c '"k": *null')" 1
ok "without cuSPARSE nothing is over it" test -z "$(table both | sed 1d)"
code "--kernel of another summary" 2 "$ROWCAST" query "$store" -S both --kernel rs
code "an empty table is no error" 0 "$ROWCAST" query "$store" -S modelling -w 'k == 4 && op == spmm_t'
ok "it has its heading" grep -q model "$tmp/out"

is "without a tuning there is no model" \
    "$(table modelling -w "kernel !~ '*tune=[0-9a-f]*' || kernel !~ '*t=0:*'" | column matrices)" 0

# --op and --kernels with lists
ops()
{
    "$ROWCAST" query "$store" -f csv --columns op "$@" | sed 1d | sort -u | paste -s -d,
}
is "two operations" "$(ops --op spmm,spmm_t)" spmm,spmm_t
is "one of them by its kernels" "$(ops --op spmm,spmm_t --kernels 'rs-*')" spmm_t
"$ROWCAST" query "$store" -S rate --op spmm,spmm_t --kernels 'rs*:*t=2:cfv=1*' -f csv >"$tmp/out"
is "rates of both" "$(column op <"$tmp/out" | paste -s -d,)" spmm,spmm_t
is "generated matrices are in the line of all alone" "$(column set <"$tmp/out" | sort -u)" all
"$ROWCAST" query "$store" -S rate --op spmm --kernels 'rs:tune=*t=0:*' -f csv >"$tmp/out"
is "a kernel with a tuning has no rate where it was trained" \
    "$(awk -F, 'NR > 1 { print ($0 ~ /tune=auto/ ? "open" : "tuned") }' "$tmp/out" | sort | paste -s -d,) $(column matrices <"$tmp/out" | sort -n | paste -s -d,)" "open,tuned 5,6"
is "a name alone is any of its parameters" "$(ops --op spmm,spmm_t --kernels rs-spmm_t)" spmm_t
code "a kernel that nothing has" 0 "$ROWCAST" query "$store" --kernels nosuch -S rate
is "says so" "$(cut -d ';' -f 1 "$tmp/err")" "rowcast query: no result matches"
code "an operation that there is not" 2 "$ROWCAST" query "$store" --op spmm,sum
code "a kernel that is no pattern" 2 "$ROWCAST" query "$store" --kernels "rs,a'b"

# matrices of versus, and those that modelling has
versus() # versus SIDE [OPTIONS]: matrices of rs against that side
{
    side=$1
    shift
    "$ROWCAST" query "$store" -S versus -A 'rs:*t=2:cfv=1*' -B "$side" --op spmm -f json "$@" | tr -d '\n ' \
        | sed 's/.*"matrices":\([0-9]*\).*/\1/'
}
is "versus leaves the training matrix out where a side was trained on it" "$(versus 'rs:tune=*t=0:*,!*tune=auto*')" 5
is "and only there" "$(versus 'rs:*t=3:*')" 6
printf '{"training_matrices": ["g/m1", "g/m2", "other/none"]}\n' >"$tmp/named.json"
is "those that a tuning names are left out" "$(versus 'rs:tune=*t=0:*,!*tune=auto*' --tuning "$tmp/named.json")" 4
is "of prepare too" "$(table prepare --tuning "$tmp/named.json" | column matrices | sort -u)" 4
printf '{"training_matrices": ["other/none"]}\n' >"$tmp/named.json"
is "a tuning that names none of the store leaves none out" "$(versus 'rs:tune=*t=0:*,!*tune=auto*' --tuning "$tmp/named.json")" 6
code "--tuning of another summary" 2 "$ROWCAST" query "$store" -S best --tuning "$tmp/named.json"

# C in another order of rows is another setting, with the original order in it
cp "$store" "$tmp/c.h5"
ok "C in the order of the schedule" "$ROWCAST" sweep -q -s "$tmp/c.h5" -C "$tmp/c" -d cpu -p csr,lpt --c-order schedule \
    --case-time 0.0001 --max-reps 1 -k 4 -x rowsplit
for summary in modelling prepare; do
    is "no two lines of $summary are of one setting" "$("$ROWCAST" query "$tmp/c.h5" -S $summary -f csv | sed 1d | sed 's/,[0-9]*,[0-9.e-]*,.*//' | sort | uniq -d)" ""
    is "they name the order of C" "$("$ROWCAST" query "$tmp/c.h5" -S $summary -f csv | column c_order | sort -u | paste -s -d' ')" "original schedule"
done

is "of some K" "$("$ROWCAST" query "$store" -k 4,n -f csv | wc -l)" "$("$ROWCAST" query "$store" -w 'k == 4' -f csv | wc -l)"
is "of another" "$("$ROWCAST" query "$store" -k 8 -f csv 2>/dev/null | sed 1d | wc -l)" 0
is "of a precision" "$("$ROWCAST" query "$store" --precision fp64 -f csv 2>/dev/null | sed 1d | wc -l)" 0
code "a K that is none" 2 "$ROWCAST" query "$store" -k zero
code "a precision that is none" 2 "$ROWCAST" query "$store" --precision fp12
# near FOUND WANTED: numbers that agree to six digits
near()
{
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a > 0 && d * d <= 1e-10 * b * b) }'
}
class=$("$ROWCAST" query "$store" -f csv --columns device --limit 1 | tail -1)
limits() # limits DEVICE MEMBER
{
    printf '{"format": "rowcast limits", "version": 1, "device": "%s", "read_gbs": {"%s": 10, "l2": 2, "l1": 3, "shared": 4},
        "multiply_add_gflops": {"fp32": 5, "fp64": 6}}\n' "$1" "$2"
}
limits "$class" memory >"$tmp/limits.json"
"$ROWCAST" query "$store" -S roofline --op spmm,spmm_t --kernels 'rs:*t=2:cfv=1:*' --limits "$tmp/limits.json" -f csv >"$tmp/out"
cp "$tmp/out" "$tmp/roofline"
is "a roofline for each product" "$(sed 1d "$tmp/out" | cut -d, -f1,7,8 | paste -s -d' ')" "spmm,all,6"
want=$("$ROWCAST" query "$store" -f csv -w "kernel ~ 'rs:*t=2:cfv=1:*'" --columns gflops,rows,cols,nnz | sed 1d | awk -F, '
    { bound = 2 * 4 * $4 * 10 / (8 * $4 + 4 * ($2 + 1) + 16 * ($2 + $3)); s += log($1 / bound); n++ } END { print exp(s / n) }')
ok "its share is of the bytes of A, B and C" near "$(sed 1d "$tmp/out" | cut -d, -f12)" "$want"
is "and two flops a word of shared memory and of L1" "$(sed 1d "$tmp/out" | cut -d, -f16-18)" "2,1.5,5"
limits cuda:other memory >"$tmp/other.json"
code "limits of another device" 2 "$ROWCAST" query "$store" -S roofline --limits "$tmp/other.json"
ok "are said to be" grep -q 'cuda:other' "$tmp/err"
mkdir "$tmp/tuning"
cp "$tmp/other.json" "$tmp/tuning/limits-h200.json"
code "installed limits of another device" 2 env ROWCAST_TUNING="$tmp/tuning" "$ROWCAST" query "$store" -S roofline
ok "are said to be" grep -q 'cuda:other' "$tmp/err"
cp "$tmp/limits.json" "$tmp/tuning/limits-here.json"
ROWCAST_TUNING="$tmp/tuning" "$ROWCAST" query "$store" -S roofline --op spmm,spmm_t --kernels 'rs:*t=2:cfv=1:*' -f csv >"$tmp/found"
ok "those of the device of the store are taken" cmp "$tmp/roofline" "$tmp/found"
limits "$class" memories >"$tmp/flawed.json"
code "limits without one" 3 "$ROWCAST" query "$store" -S roofline --limits "$tmp/flawed.json"
ok "name it" grep -q 'read_gbs.memory: expected a number' "$tmp/err"
code "--limits of another summary" 2 "$ROWCAST" query "$store" -S rate --limits "$tmp/limits.json"

"$ROWCAST" query "$store" -S profile --contestants 'rs:*t=2:cfv=1:*;rs:*t=3:cfv=1:*;nosuch' --op spmm -f csv >"$tmp/out"
is "a line for each contestant" "$(sed 1d "$tmp/out" | cut -d, -f1,7-10 | paste -s -d' ')" \
    "spmm,all,rs:*t=2:cfv=1:*,5,5 spmm,all,rs:*t=3:cfv=1:*,5,5 spmm,all,nosuch,5,0"
for t in 2 3; do
    rows "kernel ~ 'rs:*t=$t:cfv=1:*' && op == spmm" fullname,median_ns | tr ',' ' ' | sort >"$tmp/t$t"
done
join "$tmp/t2" "$tmp/t3" >"$tmp/pairs"
want=$(awk '{ n += $2 <= $3 } END { printf "%g", 100 * n / NR }' "$tmp/pairs")
is "how often it is the fastest" "$(awk -F, 'NR == 2 { printf "%g", $11 }' "$tmp/out")" "$want"
want=$(awk '{ n += $3 <= 2 * $2 } END { printf "%g", 100 * n / NR }' "$tmp/pairs")
is "how often within a factor" "$(awk -F, 'NR == 3 { printf "%g", $15 }' "$tmp/out")" "$want"
want=$(awk '{ s += log(($2 < $3 ? $3 / $2 : 1)) } END { print exp(s / NR) }' "$tmp/pairs")
ok "and by how much it is slower" near "$(sed -n 3p "$tmp/out" | cut -d, -f18)" "$want"
is "what has no time is within no factor" "$(sed -n 4p "$tmp/out" | cut -d, -f17)" 0
code "one contestant" 2 "$ROWCAST" query "$store" -S profile --contestants rs
ok "names the lists" grep -q iterated "$tmp/err"
code "both has contestants of its own" 2 "$ROWCAST" query "$store" -S profile --op both --contestants 'rs;null'
code "both is no operation of rows" 2 "$ROWCAST" query "$store" --op both -S rate
is "where one alone has a time nothing is compared" "$("$ROWCAST" query "$store" -S profile --op both -f csv | sed 1d | wc -l)" 0
code "--contestants of another summary" 2 "$ROWCAST" query "$store" -S both --contestants all

"$ROWCAST" query "$store" -S rate --by heavy_ratio --kernels 'rs:*t=2:cfv=1:*' --op spmm -f csv >"$tmp/out"
is "rates by quarters, without the training matrix" "$(sed 1d "$tmp/out" | cut -d, -f7,10-12 | paste -s -d' ')" "all,0.5,0.75,3 all,0.75,1,2"
want=$(rows "kernel ~ 'rs:*t=2:cfv=1:*' && op == spmm && nnz > 14500" gflops | awk '{ s += log($1); n++ } END { print exp(s / n) }')
ok "are those of the rows" near "$(sed -n 3p "$tmp/out" | cut -d, -f13)" "$want"
published=$top_srcdir/data/results/h200-rs.h5
is "rates have what the paper says beside" "$("$ROWCAST" query "$published" -S rate --kernels 'rs:*:t=0:*' --precision fp32 -f csv | column paper | sort -u)" \
    "almost 800 on large ones"
is "so has versus" "$("$ROWCAST" query "$published" -S versus -A 'rs:*:t=0:*' -B 'cusparse-csr-bt-ccol*' --precision fp32 --op spmm -f csv | column paper | sort -u)" "1 to 2"
is "so have profiles of both products" "$("$ROWCAST" query "$published" -S profile --op both --precision fp32 -f csv | column paper | sort -u | paste -s -d';')" \
    ";first, no number;last, no number (op_A = T there; here the fastest, copies of A' too)"
is "other kernels have none" "$("$ROWCAST" query "$published" -S rate --kernels growmajor | grep -c paper)" 0
code "a feature that no set has" 2 "$ROWCAST" query "$store" -S rate --by nosuch
code "one that is no share" 2 "$ROWCAST" query "$store" -S rate --by accumulations
code "--by of another summary" 2 "$ROWCAST" query "$store" -S both --by heavy_ratio

ROWCAST_ASSETS=$(cd "$top_srcdir/analysis" && pwd)
export ROWCAST_ASSETS
code "a report" 0 "$ROWCAST" report "$store" -o "$tmp/report" -q --spies 0 --limits "$tmp/limits.json"
# figure NAME SERIES: its matrices and values
figure()
{
    awk -F, -v series="$2" 'NR > 1 && $1 == series { print $2, $NF }' "$tmp/report/figures/$1.csv" | sort
}
rows "kernel ~ '*t=0:*' && kernel !~ '*tune=auto*'" fullname,gflops | tr ',' ' ' | sort >"$tmp/want"
figure modelling model >"$tmp/found"
ok "its figure of the model has the rows" sh -c "join '$tmp/want' '$tmp/found' | awk '{ d = \$2 - \$3; bad += d * d > 1e-8 * \$2 * \$2 } END { exit NR != 5 || bad }'"
is "and the best" "$(figure modelling "best measured" | wc -l)" 5
is "rates by the share of heavy entries" "$(figure rate-heavy rs | wc -l)" 5
ok "which is that of the feature" near "$(grep '^rs,g/m4,' "$tmp/report/figures/rate-heavy.csv" | cut -d, -f3)" \
    "$("$ROWCAST" features banded:n=1400 --set heavy -f csv | sed 1d | cut -d, -f1)"
"$ROWCAST" query "$store" -f csv -w "op == spmm" --columns fullname,gflops,rows,cols,nnz | sed 1d | awk -F, '
    { x = $2 * (8 * $5 + 4 * ($3 + 1) + 16 * ($3 + $4)) / (2 * 4 * $5 * 10); if (x > best[$1]) best[$1] = x }
    END { for (m in best) print m, best[m] }' | sort >"$tmp/want"
awk -F, '$1 == "\"ours" { print $3, $NF }' "$tmp/report/figures/roofline.csv" | sort >"$tmp/found" # "ours, any order"
ok "the roofline is the bound with the limits" sh -c "join '$tmp/want' '$tmp/found' | awk '{ d = \$2 - \$3; bad += d * d > 1e-8 * \$2 * \$2 } END { exit NR != 6 || bad }'"
sed 's/"l1": 3, "shared": 4/"l1": 0.001, "shared": 0.001/' "$tmp/limits.json" >"$tmp/low.json"
code "a report with limits below all points" 0 "$ROWCAST" report "$store" -o "$tmp/low" -q --spies 0 --limits "$tmp/low.json"
if command -v "${GNUPLOT:-gnuplot}" >/dev/null; then
    ok "and they are drawn" grep -q 'shared memory' "$tmp/report/figures/throughput.svg"
    ok "those below, too" grep -q 'shared memory' "$tmp/low/figures/throughput.svg"
else
    skip "and they are drawn" "no gnuplot"
    skip "those below, too" "no gnuplot"
fi
code "limits that are not there" 3 "$ROWCAST" report "$store" -o "$tmp/report" -q --spies 0 --limits "$tmp/none.json"

# a library whose A' B is of another order than its A B is no pair
if $python -c 'import h5py' 2>/dev/null; then
    cat >"$tmp/edit.py" <<'PY'
import sys
import h5py

with h5py.File(sys.argv[1], "r+") as f:
    k = f["dict/kernel"][:]
    for row in k:
        if row["name"] in (b"rowsplit", b"plain-spmm_t"):
            row["name"] = b"cusparse-a" if row["name"] == b"rowsplit" else b"cusparse-spmm_t-a"
    f["dict/kernel"][:] = k
PY
    sweep -x rowsplit
    cp "$store" "$tmp/one.h5"
    for order in lpt csr; do
        "$ROWCAST" sweep -q -s "$tmp/one.h5" -C "$tmp/c" -d cpu --case-time 0.0001 --max-reps 1 -k 4 --op spmm_t -p $order \
            -x plain-spmm_t >/dev/null 2>"$tmp/err"
        cp "$tmp/one.h5" "$store"
        $python "$tmp/edit.py" "$store"
        seal "$store"
        table both | sed 1d | grep -c . >"$tmp/$order"
    done
    is "a pair is of one order" "$(cat "$tmp/lpt")" 0
    ok "and then it is one" test "$(cat "$tmp/csr")" -gt 0
else
    skip "a pair is of one order" "no h5py"
    skip "and then it is one" "no h5py"
fi
