#!/bin/sh
# The published store opens, and says what its README says: every table line that the README has from
# the store is a line that jobs/campaign.sh prints from it.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
results=$top_srcdir/data/results
[ -f "$results/h200.h5" ] || skip_all "no data/results/h200.h5"
command -v bash >/dev/null || skip_all "no bash"
plan 29

published()
{
    (cd "$results" && sha256sum --strict -c SHA256SUMS)
}
if command -v sha256sum >/dev/null; then
    ok "the store is what was published" published
else
    skip "the store is what was published" "no sha256sum"
fi
PATH=$(dirname "$ROWCAST"):$PATH bash "$top_srcdir/jobs/campaign.sh" -s "$results/h200.h5" -w "$tmp/work" tables \
    >"$tmp/tables" 2>"$tmp/err"
is "the tables are printed" "$?$(cat "$tmp/err")" 0
sed -n '/^<!-- from the store -->/,/^<!-- end -->/p' "$results/README.md" | grep '^|' >"$tmp/lines"
ok "README has tables" test "$(wc -l <"$tmp/lines")" -gt 50
is "all of them are those of the store" "$(grep -vxF -f "$tmp/tables" "$tmp/lines")" ""
PATH=$(dirname "$ROWCAST"):$PATH bash "$top_srcdir/jobs/campaign.sh" -s "$results/h200-plans.h5" -w "$tmp/work" \
    plan-tables >"$tmp/plan-tables" 2>"$tmp/err"
is "the tables of plans are printed" "$?$(cat "$tmp/err")" 0
sed -n '/^<!-- from the plans -->/,/^<!-- end -->/p' "$results/README.md" | grep '^|' >"$tmp/lines"
ok "README has tables of plans" test "$(wc -l <"$tmp/lines")" -gt 50
is "all of them are those of the store of plans" "$(grep -vxF -f "$tmp/plan-tables" "$tmp/lines")" ""
PATH=$(dirname "$ROWCAST"):$PATH bash "$top_srcdir/jobs/campaign.sh" -s "$results/h200-orders.h5" -w "$tmp/work" \
    large-tables >"$tmp/large-tables" 2>"$tmp/err"
is "the tables of orders are printed" "$?$(cat "$tmp/err")" 0
sed -n '/^<!-- from the orders -->/,/^<!-- end -->/p' "$results/orders.md" | grep '^|' >"$tmp/lines"
ok "orders.md has tables" test "$(wc -l <"$tmp/lines")" -gt 50
is "all of them are those of the store of the part large" "$(grep -vxF -f "$tmp/large-tables" "$tmp/lines")" ""
PATH=$(dirname "$ROWCAST"):$PATH bash "$top_srcdir/jobs/campaign.sh" -s "$results/h200-spmv-628.h5" -w "$tmp/work" \
    spmv-tables >"$tmp/spmv-tables" 2>"$tmp/err"
is "the tables of products with a vector are printed" "$?$(cat "$tmp/err")" 0
sed -n '/^<!-- from the store of products/,/^<!-- end -->/p' "$results/spmv.md" | grep '^|' >"$tmp/lines"
ok "spmv.md has tables" test "$(wc -l <"$tmp/lines")" -gt 50
is "all of them are those of the store of products with a vector" "$(grep -vxF -f "$tmp/spmv-tables" "$tmp/lines")" ""
PATH=$(dirname "$ROWCAST"):$PATH bash "$top_srcdir/jobs/campaign.sh" -s "$results/h100-tiles.h5" -w "$tmp/work" \
    tiles-tables >"$tmp/tiles-tables" 2>"$tmp/err"
is "the tables of row reordering are printed" "$?$(cat "$tmp/err")" 0
sed -n '/^<!-- from the store of row reordering/,/^<!-- end -->/p' "$results/tiles.md" | grep '^|' >"$tmp/lines"
ok "tiles.md has tables" test "$(wc -l <"$tmp/lines")" -gt 30
is "all of them are those of the store of row reordering" "$(grep -vxF -f "$tmp/tiles-tables" "$tmp/lines")" ""
for store in h200 h200-plans h200-orders h200-spmv-628 h200-csrk h100-csrk h200-rs h100-rs-628 h100-rs-generated h100-rs-train h200-tiles h100-tiles; do
    is "no case of $store.h5 is wrong, failed or crashed" "$("$ROWCAST" query "$results/$store.h5" -f csv -o case \
        -w 'status != ok && status != skipped' | tail -n +2)" ""
done
# a session of that store lacked three specs whose cases it has from others
is "a store that has cases of a matrix does not call it absent" "$("$ROWCAST" query "$results/h200-orders.h5" --matrices \
    -f csv -o fullname -w 'where == absent' | tail -n +2)" ""
