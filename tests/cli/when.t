#!/bin/sh
# rowcast evaluate --when: whether to order at all, on the published store of orders.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
store=$top_srcdir/data/results/h200-orders.h5
[ -f "$store" ] || skip_all "no data/results/h200-orders.h5"
plan 14

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

ok "orders of a GPU" when --order-cost 4e5,0.55,0.055 --feature-cost 1e5,0,0
is "a line for each reuse, K and all K, and way" "$(lines 1)" 32
is "as many rows in all as of each K" "$(lines 'k == "" && n == 138'):$(lines 'k != "" && n == 46')" 8:24
is "always is always" "$(lines 'by == "always" && ordered != n')" 0
is "the oracle gets all, and never loses" "$(lines 'by == "oracle" && (gain < 99.999 || worst < 1)')" 0
is "rule and model get 90 % at 100 products, 95 % at 1,000" \
    "$(lines 'k == "" && (by == "rule" || by == "model") && gain > (r == 100 ? 90 : 95)')" 4
is "more than ordering always" "$(lines 'k == "" && r == 100 && by == "always" && gain < 50')" 1
when --order-cost 4e5,0.55,0.055 --feature-cost 1e5,0,0 --reuse 1 --where 'k == 32'
is "nothing is ordered for one product" "$(lines 'by != "always" && (ordered > 0 || geomean != 1)')" 0
when --reuse 1000 --k 128 --classes 'mincol' --kernel 'growmajor*'
is "of one order and one kernel, at one K" "$(lines 'n == 16')" 8
code "orders that nothing has" 2 "$ROWCAST" evaluate "$store" --when --classes nothing
code "a cost that is no cost" 2 "$ROWCAST" evaluate "$store" --when --order-cost 1,2
ok "is told so" grep -q "expected NS,ROW,ENTRY, found '1,2'" "$tmp/err"
code "one mode at a time" 2 "$ROWCAST" evaluate "$store" --when --compare
code "options of it need it" 2 "$ROWCAST" evaluate "$store" --compare --reuse 10
