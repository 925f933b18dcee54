#!/bin/sh
# What is added to a store is compared fairly: its baselines are timed again beside it, once.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 18

store=$tmp/a.h5
# sweep ARGUMENT...: over two small matrices
sweep()
{
    "$ROWCAST" sweep -s "$store" --where 'rows <= 2000' --limit 2 -k 8 --case-time 0.0001 --share-device \
        --timing shared --noisy-above 100 "$@" >"$tmp/out" 2>"$tmp/err"
}
# rows EXPRESSION: how many there are, older ones too
rows()
{
    "$ROWCAST" query "$store" -a -w "$1" --columns case -f csv | tail -n +2 | wc -l | tr -d ' '
}

ok "a store" sweep -p csr,lpt -x rowsplit
"$ROWCAST" query "$store" --columns case,speedup -f csv >"$tmp/before"
ok "orders to add, without csr" sweep -p dcsr,warp -x rowsplit --dry-run
is "the plan counts the baselines" "$(grep -c ': 6 cases pending (2 baselines again), 0 done' "$tmp/err")" 1
is "and measures nothing" "$(rows true)" 4
ok "they are added" sweep -p dcsr,warp -x rowsplit
is "csr has a new row, the old ones stay" "$(rows 'policy == csr') $(rows true)" "4 10"
is "every row has csr of its run" "$(rows '!paired')" 0
is "the drift is said" "$(grep -c 'drift: 2 cases measured before took .* geometric mean' "$tmp/err")" 1
"$ROWCAST" query "$store" --columns case,speedup -f csv >"$tmp/after"
is "what was there says what it said" "$(grep -vxF -f "$tmp/after" "$tmp/before")" ""
ok "the same once more" sweep -p dcsr,warp -x rowsplit
is "measures nothing" "$(rows true) $(grep -c 'nothing to do: all 4 cases' "$tmp/err")" "10 1"
ok "a redo" sweep -p lpt -x rowsplit --redo 'policy == lpt'
is "has a new baseline too" "$(rows 'policy == csr') $(rows 'policy == lpt')" "6 4"
ok "another kernel" sweep -p csr,lpt -x rowsplit,cstat
is "comes with a link to earlier runs" "$(rows 'kernel == rowsplit && policy == csr') $(rows '!paired')" "8 0"
ok "once" sweep -p dcsr -x cstat --once
is "nothing is measured twice" "$(rows 'kernel == "cstat:strip=4" && policy == csr') $(rows '!paired')" "2 2"
is "a summary counts what has no csr of its run" \
    "$("$ROWCAST" query "$store" -S speedup 2>&1 >/dev/null | grep -c ': 2 of 1[0-9] results have no time of the original order (csr) from their own run: 2 are compared with that of another run$')" 1
