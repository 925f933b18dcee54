#!/bin/sh
# rowcast evaluate --when: whether to order at all, on the published store of orders; and the map of its report.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
store=$top_srcdir/data/results/h200-orders.h5
[ -f "$store" ] || skip_all "no data/results/h200-orders.h5"
plan 17

# when OPTION...: the table as CSV, without carriage returns
when()
{
    "$ROWCAST" evaluate "$store" --when --format csv "$@" | tr -d '\r' >"$tmp/csv"
}

# lines EXPRESSION: how many lines of it awk finds true; r k by n ordered geomean gain worst
lines()
{
    awk -F, "NR > 1 { r = \$1; k = \$2; by = \$3; n = \$4; ordered = \$5; geomean = \$6; gain = \$7; worst = \$8
        if ($1) count++ } END { print count + 0 }" "$tmp/csv"
}

ok "orders and features of a GPU" when --order-cost 2.5e5,0.55,0.077 --feature-cost 9e4,0.03,0.004
is "a line for each reuse, K and all K, and way" "$(lines 1)" 32
is "as many rows in all as of each K" "$(lines 'k == "" && n == 147'):$(lines 'k != "" && n == 49')" 8:24
is "always is always" "$(lines 'by == "always" && ordered != n')" 0
is "the oracle gets all, and never loses" "$(lines 'by == "oracle" && (gain < 99.999 || worst < 1)')" 0
is "rule and model get 85 % at 100 products, 95 % at 1,000" \
    "$(lines 'k == "" && (by == "rule" || by == "model") && gain > (r == 100 ? 85 : 95)')" 4
is "more than ordering always" "$(lines 'k == "" && r == 100 && by == "always" && gain < 60')" 1
when --order-cost 4e5,0.55,0.055 --feature-cost 1e5,0,0 --reuse 1 --where 'k == 32'
is "nothing is ordered for one product" "$(lines 'by != "always" && (ordered > 0 || geomean != 1)')" 0
when --reuse 1000 --k 128 --classes 'mincol' --kernel 'growmajor*'
is "of one order and one kernel, at one K" "$(lines 'n == 16')" 8
code "orders that nothing has" 2 "$ROWCAST" evaluate "$store" --when --classes nothing
code "a cost that is no cost" 2 "$ROWCAST" evaluate "$store" --when --order-cost 1,2
ok "is told so" grep -q "expected NS,ROW,ENTRY, found '1,2'" "$tmp/err"
code "one mode at a time" 2 "$ROWCAST" evaluate "$store" --when --compare
code "options of it need it" 2 "$ROWCAST" evaluate "$store" --compare --reuse 10

# The map: a point for each matrix, K, layout and kind of kernel; chosen and scored on the same times the gain is nearly that
# held out.
ROWCAST_ASSETS=$(cd "$top_srcdir/analysis" && pwd)
export ROWCAST_ASSETS
code "a report" 0 "$ROWCAST" report "$store" -o "$tmp/report" --spies 0 -q
"$ROWCAST" query "$store" --format csv --columns fullname,k,kernel,policy,median_ns,layout | tr -d '\r' >"$tmp/times"
tr -d '\r' <"$tmp/report/figures/map.csv" | sed 's/"[^"]*, \([a-z]*\)-major"/\1/; s/,column,/,col,/' >"$tmp/map"
is "the gains are those of the times" "$(awk -F, '
    FNR == 1 { next }
    FNR == NR && $3 !~ /^cusparse/ {
        n = split($3 ~ /^g(sub|stat)/ ? "C-stationary kernels,the fastest kernel" : "the fastest kernel", class, ",")
        for (i = 1; i <= n; i++) {
            key = class[i] "," $1 "," $2 "," $6
            if (!(key in any) || $5 < any[key]) any[key] = $5
            if ($4 == "csr" && (!(key in csr) || $5 < csr[key])) csr[key] = $5
            if ($4 != "csr") orders[key] = 1
        }
    }
    FNR < NR {
        key = $1 "," $4 "," $5 "," $3
        plain = csr[key] / any[key]
        if (!(key in orders) || $7 > plain * 1.03 || $7 < plain * 0.93) print key, $7, plain
        seen[key]++
    }
    END { for (key in orders) if (key in csr && seen[key] != 1) print key, "is there", seen[key] + 0, "times" }' "$tmp/times" "$tmp/map")" ""
is "B over the L2 is in bytes" "$(awk -F, 'NR == 1 || $4 !~ /mesh3d-27pt-100/ { next }
    { want = 4e6 * $5 / 62.9e6; if ($6 / want > 1.001 || $6 / want < 0.999) print }' "$tmp/map")" ""
