#!/bin/sh
# rowcast paper: every table of every paper from a published store, in every format, and what it refuses.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
results=$top_srcdir/data/results
ROWCAST_TUNING=$top_srcdir/data/tuning
export ROWCAST_TUNING
[ -f "$results/h200.h5" ] || skip_all "no data/results/h200.h5"

"$ROWCAST" paper -f csv | tr -d '\r' | sed 1d >"$tmp/list" || exit 99
# of the study only what fits no models for minutes: the rest is in study.t
grep -v '^nisa,\(accuracy\|slowdown\|rme\|indirect\|importance\),' "$tmp/list" | cut -d, -f1,2 >"$tmp/tables"
plan $(($(wc -l <"$tmp/tables") + 14))

store_of()
{
    case $1 in
    mehrabi) echo "$results/h200.h5" ;;
    hong) echo "$results/h200-rs.h5" ;;
    nisa) echo "$results/h200-spmv-628.h5" ;;
    jiang) echo "$results/h200-tiles.h5" ;;
    lane) echo "$results/h200-csrk.h5" ;;
    esac
}

# alike PAPER TABLE: there are lines, and as many in all three formats
alike()
{
    store=$(store_of "$1")
    "$ROWCAST" paper "$1" "$2" "$store" -f csv >"$tmp/csv" && "$ROWCAST" paper "$1" "$2" "$store" -f json >"$tmp/json" &&
        "$ROWCAST" paper "$1" "$2" "$store" >"$tmp/text" || return 1
    lines=$(sed 1d "$tmp/csv" | wc -l)
    [ "$lines" -gt 0 ] && [ "$(grep -c '^ *{' "$tmp/json")" -ge "$lines" ] && [ "$(wc -l <"$tmp/text")" -gt 1 ]
}

while IFS=, read -r paper table; do
    ok "$paper $table" alike "$paper" "$table"
done <"$tmp/tables"
is "a table by what it shows" "$("$ROWCAST" paper hong figure-7 "$results/h200-rs.h5" -f csv)" \
    "$("$ROWCAST" paper hong modelling "$results/h200-rs.h5" -f csv)"
is "Table I has the paper's figures" "$("$ROWCAST" paper mehrabi table-I "$results/h200.h5" -x gstat -k n --precision fp32 |
    awk '/ lpt /{ print $(NF - 5), $(NF - 4), $(NF - 3), $(NF - 2), $(NF - 1), $NF }')" "3.5 1.1 0.8 1.9 1.06 0.6"
is "five papers" "$(cut -d, -f1 "$tmp/list" | uniq | paste -s -d' ' -)" "mehrabi hong nisa jiang lane"
is "one of them" "$("$ROWCAST" paper lane -f csv | tr -d '\r' | cut -d, -f2 | paste -s -d' ' -)" "table suite scaling suite-rate"
is "with a store" "$("$ROWCAST" paper lane "$results/h200-csrk.h5")" "$("$ROWCAST" paper lane)"
code "a paper that is none" 2 "$ROWCAST" paper nobody
ok "names the papers" grep -q "mehrabi, hong, nisa, jiang or lane, found 'nobody'" "$tmp/err"
code "a table that is none" 2 "$ROWCAST" paper lane tiles "$results/h200-csrk.h5"
ok "names the tables" grep -q "lane: unknown table 'tiles'; known: suite, scaling, suite-rate" "$tmp/err"
code "a table without a store" 2 "$ROWCAST" paper lane suite
code "a store that is not there" 3 "$ROWCAST" paper lane suite "$tmp/none.h5"
code "an option of another table" 2 "$ROWCAST" paper lane suite "$results/h200-csrk.h5" --plan aspt-rr
code "an option of fits" 2 "$ROWCAST" paper lane suite "$results/h200-csrk.h5" --model cart
is "the older spelling" "$("$ROWCAST" query -S suite-rate --matrices "$results/h200-csrk.h5" -f csv)" \
    "$("$ROWCAST" paper lane suite-rate -M "$results/h200-csrk.h5" -f csv)"
