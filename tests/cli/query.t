#!/bin/sh
# rowcast query: the order of rows and how many, and values in a filter that no row has.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
python=/usr/bin/python3
command -v "$python" >/dev/null || skip_all "no python3"
plan 33

store=$tmp/a.h5
"${top_builddir:?}/tests/cli/synthetic_store" --matrices 30 --k 8,32 --gaps "$store" || exit 99

# sorted KEYS: the rows of a csv table sorted by another program; a key is a column's number, - in front: descending
cat >"$tmp/sorted.py" <<'PY'
import csv
import sys

rows = list(csv.reader(open(sys.argv[1])))
for key in reversed(sys.argv[2:]):  # stable: the first key last
    at = abs(int(key)) - 1

    def value(row):
        try:
            return (0, float(row[at]))
        except ValueError:
            return (1, row[at])

    there = [r for r in rows[1:] if r[at] != ""]
    there.sort(key=value, reverse=int(key) < 0)  # equal ones keep their order

    rows[1:] = there + [r for r in rows[1:] if r[at] == ""]
csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
PY

columns=fullname,policy,k,speedup,message,case
"$ROWCAST" query "$store" -f csv --columns $columns >"$tmp/plain.csv"
plain()
{
    $python "$tmp/sorted.py" "$tmp/plain.csv" "$@"
}
same_order() # same_order SORT KEY...
{
    keys=$1
    shift
    "$ROWCAST" query "$store" -f csv --columns $columns --sort "$keys" >"$tmp/found.csv" || return 1
    # through one writer, for the quotes
    $python "$tmp/sorted.py" "$tmp/found.csv" >"$tmp/found" && plain "$@" >"$tmp/want" && cmp "$tmp/found" "$tmp/want"
}
ok "there are rows" test "$(wc -l <"$tmp/plain.csv")" -gt 200
ok "some without a speedup" grep -q ',,' "$tmp/plain.csv"
ok "numbers" same_order k 3
ok "the largest first, missing values last" same_order -speedup -4
ok "the smallest first, missing values last" same_order speedup 4
ok "texts" same_order fullname 1
ok "several fields" same_order policy,-k,speedup 2 -3 4
ok "a text that each row makes" same_order -case -6
head -n 8 "$tmp/want" >"$tmp/want8"
"$ROWCAST" query "$store" -f csv --columns $columns --sort -case -l 7 >"$tmp/found.csv"
$python "$tmp/sorted.py" "$tmp/found.csv" >"$tmp/found"
ok "--limit takes the first of them" cmp "$tmp/found" "$tmp/want8"
is "--limit without --sort" "$("$ROWCAST" query "$store" -f csv --columns $columns --limit 3)" "$(head -n 4 "$tmp/plain.csv")"
is "--limit 0 is a head" "$("$ROWCAST" query "$store" -f csv -l 0 --columns k)" k
code "results that none matches" 0 "$ROWCAST" query "$store" -w 'k == 12345'
ok "it is said" grep -qx 'rowcast query: no result matches' "$tmp/err"
code "catalogue rows that none matches" 0 "$ROWCAST" query "$store" --matrices -w 'nnz > 1e15'
ok "it is said, too" grep -qx 'rowcast query: no row of the catalogue matches' "$tmp/err"
"$ROWCAST" query "$store" --matrices -f csv --columns fullname,nnz >"$tmp/plain.csv"
is "catalogue rows too" "$("$ROWCAST" query "$store" --matrices -f csv --columns fullname,nnz --sort -nnz,fullname -l 5)" \
    "$(plain -2 1 | head -n 6)"
code "a sort by an unknown field" 2 "$ROWCAST" query "$store" --sort -spedup
ok "is answered with the nearest" grep -q -- "--sort: unknown field 'spedup'; did you mean 'speedup'" "$tmp/err"
code "a summary has its own order" 2 "$ROWCAST" query "$store" -S speedup --limit 3
ok "as a line says" grep -q -- '--summary does not go with .*--limit' "$tmp/err"

# values that no row has
slip() # slip NAME EXPR TEXT
{
    code "$1" 2 "$ROWCAST" query "$store" -w "$2"
    ok "$1: the nearest is named" grep -q -- "$3" "$tmp/err"
}
slip "no such policy" 'k == 8 && policy == lpd' "position 11: no order is 'lpd'; did you mean 'lpt'?"
slip "no such kernel" "kernel != syn-a" "no kernel is 'syn-a'; did you mean 'syn-a:strip=8'?"
slip "no such status" "status == fail" "no status is 'fail'; did you mean 'failed'?"
slip "no such layout" "layout == rok" "no layout is 'rok'; did you mean 'row'?"
code "a pattern is none" 0 "$ROWCAST" query "$store" -w 'policy ~ lpd'
mkdir "$tmp/t"
code "export" 2 "$ROWCAST" export "$store" --csv "$tmp/t" -w 'policy == lpd'
code "archive" 2 "$ROWCAST" archive "$store" "$tmp/b.h5" -w 'policy == lpd'
code "train" 2 "$ROWCAST" train "$store" -o "$tmp/m.json" -w 'policy == lpd'
code "report" 2 "$ROWCAST" report "$store" -o "$tmp/r" -w 'policy == lpd'
