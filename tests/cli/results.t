#!/bin/sh
# The published stores open, and say what the pages and the notebook say: every table line between marks is a line that
# jobs/campaign.sh prints from the store, or that the command prints which the mark names.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
results=$top_srcdir/data/results
[ -f "$results/h200.h5" ] || skip_all "no data/results/h200.h5"
command -v bash >/dev/null || skip_all "no bash"
plan 76

published()
{
    (cd "$results" && sha256sum --strict -c SHA256SUMS)
}
if command -v sha256sum >/dev/null; then
    ok "the store is what was published" published
else
    skip "the store is what was published" "no sha256sum"
fi
PATH=$(dirname "$ROWCAST"):$PATH
export PATH

# said: on stderr, but for how many results have no csr of their own run, or are of several cards
said()
{
    grep -v '^rowcast [a-z]*: o[fn] [0-9]* of \|^rowcast [a-z]*: [0-9]* of [0-9]* results ' "$tmp/err"
}

# marked MARK NAME: the table lines behind that mark, of the page and of the notebook
marked()
{
    for page in "$results/$2.md" "$results/notebook/${3:-$2}.md"; do
        sed -n "/^<!-- from $1/,/^<!-- end -->/p" "$page" | grep '^|'
    done
}

bash "$top_srcdir/jobs/campaign.sh" -s "$results/h200.h5" -w "$tmp/work" tables \
    >"$tmp/tables" 2>"$tmp/err"
is "the tables are printed" "$?$(said)" 0
marked "the store -->" README plans >"$tmp/lines"
ok "README has tables" test "$(wc -l <"$tmp/lines")" -gt 50
is "all of them are those of the store" "$(grep -vxF -f "$tmp/tables" "$tmp/lines")" ""
bash "$top_srcdir/jobs/campaign.sh" -s "$results/h200-plans.h5" -w "$tmp/work" \
    plan-tables >"$tmp/plan-tables" 2>"$tmp/err"
is "the tables of plans are printed" "$?$(said)" 0
marked "the plans" README plans >"$tmp/lines"
ok "README has tables of plans" test "$(wc -l <"$tmp/lines")" -gt 50
is "all of them are those of the store of plans" "$(grep -vxF -f "$tmp/plan-tables" "$tmp/lines")" ""
# of one card: the runs of the first
LARGE_WHERE='run ~ "01a207a*"' bash "$top_srcdir/jobs/campaign.sh" -s "$results/h200-orders.h5" -w "$tmp/work" \
    large-tables >"$tmp/large-tables" 2>"$tmp/err"
is "the tables of orders are printed" "$?$(said)" 0
bash "$top_srcdir/jobs/campaign.sh" -s "$results/h200-large.h5" -w "$tmp/work" \
    large-library-tables >>"$tmp/large-tables" 2>"$tmp/err"
is "and that beside all of the library" "$?$(said)" 0
marked "the orders" orders >"$tmp/lines"
ok "orders.md has tables" test "$(wc -l <"$tmp/lines")" -gt 50
is "all of them are those of the store of the part large" "$(grep -vxF -f "$tmp/large-tables" "$tmp/lines")" ""
bash "$top_srcdir/jobs/campaign.sh" -s "$results/h200-spmv-628.h5" -w "$tmp/work" \
    spmv-tables >"$tmp/spmv-tables" 2>"$tmp/err"
is "the tables of products with a vector are printed" "$?$(said)" 0
marked "the store of products" spmv >"$tmp/lines"
ok "spmv.md has tables" test "$(wc -l <"$tmp/lines")" -gt 50
is "all of them are those of the store of products with a vector" "$(grep -vxF -f "$tmp/spmv-tables" "$tmp/lines")" ""
bash "$top_srcdir/jobs/campaign.sh" -s "$results/h100-tiles.h5" -w "$tmp/work" \
    tiles-tables >"$tmp/tiles-tables" 2>"$tmp/err"
is "the tables of row reordering are printed" "$?$(said)" 0
marked "the store of row reordering" tiles >"$tmp/lines"
ok "tiles.md has tables" test "$(wc -l <"$tmp/lines")" -gt 30
is "all of them are those of the store of row reordering" "$(grep -vxF -f "$tmp/tiles-tables" "$tmp/lines")" ""
# a mark that is a command: its columns of what it prints as CSV
for page in spmv csrk rs tiles types notebook/types; do
    grep -o '^<!-- from rowcast .* -->$' "$results/$page.md" >"$tmp/marks"
    while IFS= read -r mark; do
        command=${mark#<!-- from }
        # from the mark to the end after it
        m=$mark awk '$0 == ENVIRON["m"] { on = 1 } /^<!-- end -->/ { on = 0 } on && /^\|/' "$results/$page.md" >"$tmp/lines"
        columns=$(head -n 1 "$tmp/lines" | tr -d '|')
        # shellcheck disable=SC2016,SC2086  # of that shell; columns are words
        (cd "$top_srcdir" && sh -c "${command% -->} -f csv") \
            | bash -c '. "$1" && shift && markdown "$@"' _ "$top_srcdir/jobs/campaign-tables.sh" $columns >"$tmp/printed"
        ok "$page.md has a table of ${command% -->}" test "$(wc -l <"$tmp/lines")" -gt 3
        is "all of it is what the command prints" "$(grep -vxF -f "$tmp/printed" "$tmp/lines")" ""
    done <"$tmp/marks"
done
# a ratio of two cards is marked: markdown of jobs/campaign-tables.sh, which prints all of these tables, shows how many a
# line has, asked or not, so that no line of a page without that column is found in what is printed
printf 'a,geomean,two_cards\n"x,y",1.5,0\nz,2,3\n' >"$tmp/mixed"
marked_by() # marked_by COLUMN...: how the generator prints that table
{
    bash -c '. "$1" && shift && markdown "$@"' _ "$top_srcdir/jobs/campaign-tables.sh" "$@" <"$tmp/mixed" | head -n 4 | tr '\n' ' '
}
marked_table='| a | geomean | two_cards | | --- | --- | --- | | x,y | 1.5 | 0 | | z | 2 | 3 | '
is "a table with a ratio of two cards has the mark" "$(marked_by a geomean)" "$marked_table"
is "once" "$(marked_by a geomean two_cards)" "$marked_table"
sed -i s/3$/0/ "$tmp/mixed"
is "and one without has none" "$(marked_by a geomean)" '| a | geomean | | --- | --- | | x,y | 1.5 | | z | 2 | '
for page in rs README; do
    sed 's/ two_cards |$//; /^| ---/!s/^\(|.*|\) [0-9]* |$/\1/' "$results/$page.md" >"$tmp/unmarked.md"
    case $page in
    README) cp "$tmp/plan-tables" "$tmp/printed"; command=none ;;
    *)
        grep '^<!-- from rowcast .* -->$' "$results/$page.md" | head -n 1 >"$tmp/marks"
        command=$(sed 's/^<!-- from //; s/ -->$//' "$tmp/marks")
        columns=$(sed -n '/^<!-- from rowcast/,/^<!-- end/p' "$tmp/unmarked.md" | grep '^|' | head -n 1 | tr -d '|')
        # shellcheck disable=SC2016,SC2086  # of that shell; columns are words
        (cd "$top_srcdir" && sh -c "$command -f csv") \
            | bash -c '. "$1" && shift && markdown "$@"' _ "$top_srcdir/jobs/campaign-tables.sh" $columns >"$tmp/printed"
        ;;
    esac
    sed -n '/^<!-- from \(rowcast\|the plans\)/,/^<!-- end/p' "$tmp/unmarked.md" | grep '^|' | head -n 3 | tail -n 1 >"$tmp/lines"
    is "$page.md without its mark fails" "$(wc -l <"$tmp/lines"):$(grep -cvxF -f "$tmp/printed" "$tmp/lines")" 1:1
done
# tables that are made of rows have no such column: their rows are of one card
for rows in 'h200-orders:run ~ "01a207a*"' 'h200-orders:kernel ~ "gstat*" && rows > 30000' 'h200-large:k > 0' 'h200-spmv-628:rows > 0' 'h100-tiles:k > 0'; do
    "$ROWCAST" query "$results/${rows%%:*}.h5" -f csv --columns card -w "status == ok && (${rows#*:})" | tail -n +2 | sort -u >"$tmp/cards"
    is "${rows%%:*}.h5 has rows of one card where ${rows#*:}" "$(wc -l <"$tmp/cards")" 1
done
# "at worst" is the least of the line, digit for digit
for page in README notebook/plans; do
    # shellcheck disable=SC2016  # Markdown's quotes
    sed -n 's/.*`\([a-z0-9.]*\)` has \([0-9.]*\) at worst.*/\1 \2/p' "$results/$page.md"
done | sort -u >"$tmp/worst"
is "what pages call the worst of an order is that of its line" "$(cat "$tmp/worst")" \
    "$(awk -F' *[|] *' 'NF == 13 && $2 == "n" && $4 == "dcsr" { print $4, $10 }' "$results/README.md")"
# what a store lacks of the library's fastest algorithms, its page names
for store in orders:h200-orders tiles:h100-tiles rs:h100-rs-628; do
    "$ROWCAST" query "$results/${store#*:}.h5" -f csv --columns kernel,layout -w 'kernel ~ "cusparse*" && op == spmm && policy == csr && status == ok && k == 128' \
        | sort -u >"$tmp/library"
    for kernel in $(sed -n '/^const.* rc_vendor_timed/,/;/p' "$top_srcdir/kernels/vendor/vendor.c" | grep -o '"cusparse-c[^"]*"' | tr -d '"'); do
        layout=${kernel%%:*}
        if ! grep -q ",${layout##*-}\$" "$tmp/library" || grep -q "^$kernel" "$tmp/library"; then continue; fi
        grep -qF "$kernel" "$results/${store%%:*}.md" || echo "$store: $kernel"
    done
done >"$tmp/lacks"
is "a page names what its store lacks of the library" "$(cat "$tmp/lacks")" ""
for store in h200 h200-plans h200-gstage h200-large h200-orders h200-spmv-628 h200-csrk h100-csrk h200-rs h100-rs-628 h100-rs-generated h100-rs-train h200-tiles h100-tiles h200-baseline; do
    is "no case of $store.h5 is wrong, failed or crashed" "$("$ROWCAST" query "$results/$store.h5" -f csv --columns case \
        -w 'status != ok && status != skipped' | tail -n +2)" ""
done
# sums of cuSPARSE overflow fp16 on the way
is "no case of h200-types.h5 is wrong, failed or crashed, but cuSPARSE's in fp16" "$("$ROWCAST" query "$results/h200-types.h5" -f csv \
    --columns case -w 'status != ok && status != skipped && !(status == wrong && kernel ~ "cusparse*" && precision == fp16)' \
    | tail -n +2)" ""
# a session of that store lacked three specs whose cases it has from others
is "a store that has cases of a matrix does not call it absent" "$("$ROWCAST" query "$results/h200-orders.h5" --matrices \
    -f csv --columns fullname -w 'where == absent' | tail -n +2)" ""
