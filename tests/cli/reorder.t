#!/bin/sh
# rowcast query --summary tiles, classes, forced and prepare --plan, against what single rows and rowcast tiles say.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 52

mkdir -p "$tmp/c/g"
i=0
for spec in rowclusters:rows=900,clusters=12,own=24,share=0.875,shuffle=rows block:n=800,size=32 mesh2d:n=30 uniform:n=700,mean=9; do
    i=$((i + 1))
    echo "$spec" >"$tmp/c/g/m$i.spec"
    "$ROWCAST" generate "$spec" -o "$tmp/m$i.mtx" >/dev/null || exit 99
done
store=$tmp/s.h5
ok "plans are cases" "$ROWCAST" sweep -q -s "$store" -C "$tmp/c" -d cpu -p csr,jiang,lsh --case-time 0.0001 --max-reps 1 -k 4 \
    -x aspt:rest=0..2,aspt:col_min=8:tile_min=9,rowsplit
table() # table OPTIONS: as CSV
{
    "$ROWCAST" query "$store" -f csv "$@"
}
query() # query OPTIONS: its lines, without a heading
{
    table "$@" | sed 1d
}
near() # near NAME A B: the same to four digits
{
    ok "$1" awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d * d <= 1e-6 * b * b) }'
}

# what needs reordering, counted from rowcast tiles
for cut in '8 9' '16 17' '24 25'; do
    # shellcheck disable=SC2086 # two words
    set -- $cut
    for i in 1 2 3 4; do
        "$ROWCAST" tiles "$tmp/m$i.mtx" --col-min "$1" --tile-min "$2" -f csv
    done | awk -F, '$1 == "panels" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { x = $at["dense_ratio"]; y = $at["rest_similarity"]; few += x < .01; a += x <= .1; b += x > .1 && y <= .1 }
        END { print few + 0 "," a + 0 "," b + 0 "," a + b }' >"$tmp/want"
    is "needs at col_min $1" "$(query -S tiles | awk -F, -v c="$1" '$1 == c { print $2, $3, $4 "," $6 "," $7 "," $8 }')" \
        "generated 4 $(cat "$tmp/want")"
done
is "as a field" "$(query -w "needs_reordering && kernel ~ 'rowsplit*' && policy == csr" --columns fullname | wc -l)" \
    "$(query -S tiles | awk -F, '$1 == 16 { print $8 }')"
is "and its parts" "$(query -w "dense_ratio > 0.1 && rest_similarity > 0.1 && kernel ~ 'rowsplit*' && policy == csr" --columns fullname | wc -l)" \
    "$((4 - $(query -S tiles | awk -F, '$1 == 16 { print $8 }')))"

# times of plans by hand; the other count of columns is another plan
of() # of KERNEL ORDER FIELD
{
    query -w "kernel ~ 'aspt:*col_min=16:*$1:*' && policy ~ '$2*'" -o "fullname,$3" | sort
}
of rest=0 csr median_ns >"$tmp/nr"
of rest=1 jiang median_ns >"$tmp/rr"
of rest=2 lsh median_ns >"$tmp/forced"
is "a plan is one case a matrix" "$(wc -l <"$tmp/nr") $(wc -l <"$tmp/rr") $(wc -l <"$tmp/forced")" "4 4 4"
line() # line FILE FILE: classes and geomean of the second's time over the first's
{
    join -t, "$1" "$2" | awk -F, '{ r = $3 / $2; n[r < 1 ? 0 : r < 1.1 ? 1 : r < 1.5 ? 2 : r < 2 ? 3 : 4]++; s += log(r) }
        END { for (i = 0; i < 5; i++) printf "%g,", 100 * n[i] / NR; printf "%.6f\n", exp(s / NR) }'
}
table -S classes -A aspt-rr,aspt-tried -B 'aspt-nr,max(aspt-nr,aspt-rr)' >"$tmp/out"
cells() # cells LINE NAME...: of the table, comma-separated
{
    cells=$1
    shift
    for name in "$@"; do column "$name" <"$tmp/out" | sed -n "${cells}p"; done | paste -s -d,
}
is "a line for each pair" "$(sed 1d "$tmp/out" | wc -l)" 4
is "classes" "$(cells 1 slower to_10 to_50 to_100 over_100)" "$(line "$tmp/rr" "$tmp/nr" | cut -d, -f1-5)"
near "geomean" "$(cells 1 geomean)" "$(line "$tmp/rr" "$tmp/nr" | cut -d, -f6)"
is "tried is the faster of both" "$(cells 4 max mean geomean median min)" "1,1,1,1,1"
near "forced" "$(table -S forced | column geomean)" "$(line "$tmp/forced" "$tmp/nr" | cut -d, -f6)"
is "a side as versus has it" "$(query -S classes -A 'aspt:*rest=1:*@jiang:siglen=128' -B aspt-nr | wc -l)" 1

is "only those that need it" "$(table -S classes -A aspt-rr -B aspt-nr -w needs_reordering | column matrices)" \
    "$(query -S tiles | awk -F, '$1 == 16 { print $8 }')"

table -S prepare --plan aspt-rr >"$tmp/out"
most=$(of rest=1 jiang order_ns,prepare_ns,preprocess_ns | awk -F, '{ x = ($2 + $3 + $4) / 1e9; if (x > m) m = x } END { printf "%.9g", m }')
near "order, tiles and rounds are counted" "$(cells 1 most)" "$most"
is "shares are of all" "$(cells 1 below_5 below_10 below_100 more | awk -F, '{ printf "%.0f", $1 + $2 + $3 + $4 }')" 100
is "how many it makes faster" "$(cells 1 faster_10)" \
    "$(join -t, "$tmp/rr" "$tmp/nr" | awk -F, '$3 > 1.1 * $2 { n++ } END { print n + 0 }')"
table -S prepare --plan aspt-rr -w "policy != csr" >"$tmp/out"
is "without a plan to compare with it is not known" "$(cells 1 matrices),$(cells 1 faster_10),$(cells 1 pays)" "4,,"
ok "products without K" "$ROWCAST" sweep -q -s "$store" -C "$tmp/c" -d cpu -p csr --case-time 0.0001 --max-reps 1 --op spmv -x merge,csr
is "have none in a table" "$(table -S classes --op spmv -A merge -B csr | column k)" ""
is "the table for people has a dash" "$("$ROWCAST" query "$store" -S classes --op spmv -A merge -B csr | awk 'NR > 2 { print $2 }')" -
code "a plan that is not there" 0 "$ROWCAST" query "$store" -S prepare --plan cusparse
is "says so" "$(grep matrix "$tmp/err")" "no matrix has a result of 'cusparse'"
code "two plans" 2 "$ROWCAST" query "$store" -S prepare --plan aspt-rr,aspt-nr
code "an open bracket" 2 "$ROWCAST" query "$store" -S classes -A 'max(aspt-nr'
code "a bracket in a bracket" 2 "$ROWCAST" query "$store" -S classes -A aspt-nr -B 'max(aspt-nr,max(aspt-rr,cusparse))'
ok "is said in a line" grep -q "^rowcast paper: --side-b: expected max(PLAN,PLAN), of plans alone, found 'max(aspt-nr,max(" "$tmp/err"
code "a bracket in a pattern" 2 "$ROWCAST" query "$store" -S classes -A 'xmax(aspt-nr,aspt-rr)'
code "or one for versus" 2 "$ROWCAST" query "$store" -S versus -B 'max(aspt*,max(rowsplit,aspt*))'
ok "is said likewise" grep -q '^rowcast query: --side-b: no pattern has brackets' "$tmp/err"
is "a slash is an at" "$(query -S classes -A 'aspt:*rest=1:*/jiang:siglen=128' -B aspt-nr | sed 's,/,@,')" \
    "$(query -S classes -A 'aspt:*rest=1:*@jiang:siglen=128' -B aspt-nr)"
code "text behind a bracket" 2 "$ROWCAST" query "$store" -S classes -A 'max(aspt-nr,aspt-rr)x'
code "an empty plan" 2 "$ROWCAST" query "$store" -S classes -A aspt-nr,

# figures 9, 10: the plans in a report; what forced reordering changes, by rowcast tiles
ROWCAST_ASSETS=$(cd "$top_srcdir/analysis" && pwd)
export ROWCAST_ASSETS
code "a report of plans" 0 "$ROWCAST" report -q "$store" -o "$tmp/r"
figures=$tmp/r/figures
is "a line for each matrix, by the throughput of nr" "$(sed 1d "$figures/throughput-plans.csv" | cut -d, -f3 | sort -g | md5sum)" \
    "$(sed 1d "$figures/throughput-plans.csv" | cut -d, -f3 | md5sum)"
is "four matrices" "$(sed 1d "$figures/throughput-plans.csv" | wc -l) $(sed 1d "$figures/forced.csv" | wc -l)" "4 4"
ratio() # ratio POLICY: dense_ratio of the hidden clusters
{
    "$ROWCAST" tiles "$tmp/m1.mtx" -p "$1" -f csv | awk -F, '$1 == "panels" { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["dense_ratio"] }'
}
near "the change of dense_ratio" "$(awk -F, '$1 ~ /m1/ { print $2 }' "$figures/forced.csv")" "$(awk "BEGIN { print $(ratio lsh) - $(ratio csr) }")"
near "the speedup" "$(awk -F, '$1 ~ /m1/ { print $4 }' "$figures/forced.csv")" \
    "$(join -t, "$tmp/forced" "$tmp/nr" | awk -F, '$1 ~ /m1/ { printf "%.9g", $3 / $2 }')"
"$ROWCAST" report -q "$store" -o "$tmp/csr" -w 'policy == csr' >/dev/null
ok "no plans, no figures" test ! -e "$tmp/csr/figures/forced.csv"

# files that are elsewhere now
mkdir -p "$tmp/then/g"
mv "$tmp/m2.mtx" "$tmp/then/g"
ok "plans of a file are cases" "$ROWCAST" sweep -q -s "$tmp/f.h5" -C "$tmp/then" -d cpu -p csr,lsh --case-time 0.0001 --max-reps 1 -k 4 \
    -x aspt:rest=0,aspt:rest=2
mv "$tmp/then" "$tmp/now"
"$ROWCAST" report -q "$tmp/f.h5" -o "$tmp/r2" >"$tmp/out" 2>"$tmp/err"
ok "a figure needs the matrices" test ! -e "$tmp/r2/figures/forced.csv"
"$ROWCAST" report -q "$tmp/f.h5" -C "$tmp/now" -o "$tmp/r3" >"$tmp/out" 2>"$tmp/err"
is "which a collection may have" "$(sed 1d "$tmp/r3/figures/forced.csv" | cut -d, -f1-3)" \
    "$(sed 1d "$figures/forced.csv" | grep '^g/m2,' | cut -d, -f1-3)"

# what the paper says beside each table of the issue: of matrices of files, within its limits, at its K
python=/usr/bin/python3 # of the distribution: the one that has h5py
mkdir -p "$tmp/paper/g"
awk 'BEGIN { print "%%MatrixMarket matrix coordinate pattern general"; print "10000 10000 100000"
    for (r = 0; r < 10000; r++) for (c = 0; c < 10; c++) print r + 1, (r + c * 997) % 10000 + 1 }' >"$tmp/paper/g/m.mtx"
papers()
{
    "$ROWCAST" sweep -q -s "$tmp/p.h5" -C "$tmp/paper" -d cpu --case-time 0.0001 --max-reps 1 -k 512 "$@" >/dev/null
}
paper() # paper OPTION...: what the table says, once
{
    "$ROWCAST" query "$tmp/p.h5" --unsealed -f csv "$@" 2>/dev/null | column paper | sort -u | paste -s '-d|' -
}
if $python -c 'import h5py' 2>/dev/null && "$ROWCAST" order mesh2d:n=4 -p metis:part=4 >/dev/null 2>&1; then
    papers -p csr,metis:part=128 -x aspt
    papers -p csr -x rowsplit
    papers -p jiang -x aspt:rest=1
    papers -p lsh -x aspt:rest=2
    papers --op sddmm -p csr -x aspt-sddmm
    papers --op sddmm -p jiang -x aspt-sddmm:rest=1
    $python - "$tmp/p.h5" <<'PY'
import sys
import h5py

with h5py.File(sys.argv[1], "r+") as f:
    k = f["dict/kernel"][:]
    for row in k:
        if row["name"] == b"rowsplit":
            row["name"] = b"cusparse-x"
    f["dict/kernel"][:] = k
PY
    is "tiles" "$(paper -S tiles)" "below 1 %: 351 of 1,084 (32.4 %); needed: 416 (38.4 %)"
    is "figure 8" "$(paper -S classes -A aspt-rr -B cusparse)" "figure 8: fewer slower and below 10 %, more at 50-100, than nr"
    is "figure 9" "$(paper -S forced)" "figure 9: 613 of 1,084 faster (56.5 %)"
    is "METIS in classes" "$(paper -S classes -A 'aspt:*@metis*' -B 'aspt:*@csr')" "section 5.2: all slower"
    is "METIS in versus" "$(paper -S versus -A 'aspt*/metis*' -B 'aspt*/csr' --op spmm)" "section 5.2: all slower"
    is "table 1" "$(paper -S classes -A aspt-rr -B 'max(aspt-nr,cusparse)' -w needs_reordering --op spmm | cut -d: -f1)" "table 1"
    is "table 2" "$(paper -S classes -A aspt-rr -B aspt-nr --op sddmm | cut -d: -f1)" "table 2"
    is "and over both" "$(paper -S classes -A aspt-rr -B 'max(aspt-nr,cusparse)' --op sddmm | cut -d, -f1)" "table 2"
    is "tables 3 and 4" "$(paper -S prepare --plan aspt-rr --op spmm | cut -d';' -f1)" "24.8 / 61.1 / 12.7 / 1.4"
    is "other sides have none" "$(paper -S versus -A 'aspt*/lsh*' -B 'aspt*/csr' --op spmm)" ""
else
    for i in 1 2 3 4 5 6 7 8 9 10; do skip "what the paper says, $i" "no h5py or no METIS"; done
fi
