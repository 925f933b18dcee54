#!/bin/sh
# rowcast catalog: built-in set, index, collection, filters, formats, errors.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 36

dir=$tmp/collection
mkdir -p "$dir/G"
printf '%%%%MatrixMarket matrix coordinate real general\n4 4 2\n1 1 1\n2 3 1.5\n' >"$dir/G/here.mtx"
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n' >"$dir/G/extra.mtx"
printf 'not a matrix\n' >"$dir/G/broken.mtx"
cat >"$tmp/index.csv" <<'CSV'
3
01-Jan-2024 00:00:00
G,here,4,4,2,1,0,0,0,.5,.5,test problem,2
G,absent,9,5,20,1,0,0,0,0,0,"odd", kind,21
H,copy,4,4,2,0,1,1,1,1,1,duplicate test problem,2
CSV

# lines NAME EXPECTED OPTION...: the CSV without its heading
lines()
{
    tap_label=$1
    tap_expected=$2
    shift 2
    is "$tap_label" "$("$ROWCAST" catalog --format csv "$@" 2>"$tmp/err" | sed 1d)" "$tap_expected"
}

code "the built-in set is listed" 0 "$ROWCAST" catalog --format csv --columns fullname,where
ok "it has at least 30 matrices" test "$(sed 1d "$tmp/out" | wc -l)" -ge 30
is "all of them generated" "$(sed 1d "$tmp/out" | grep -cv '^builtin/.*,generated$')" 0
ok "stderr has the total" grep -Eq '^([0-9]+) of \1 matrices, \1 present, [0-9]+ entries$' "$tmp/err"

lines "the index in order of group and name" 'G/absent,9,5,20,"""odd"", kind",0
G/here,4,4,2,test problem,0
H/copy,4,4,2,duplicate test problem,0' --catalog "$tmp/index.csv"
lines "a filter on fields" 'G/here' --catalog "$tmp/index.csv" --where 'square && !duplicate' \
    --columns fullname
lines "name is without, fullname with the group" 'here,G/here' --catalog "$tmp/index.csv" \
    --where 'name == here && fullname == G/here' --columns name,fullname
is "the total names the matches" "$(cat "$tmp/err")" "1 of 3 matrices, 0 present, 2 entries"
lines "a limit" 'G/absent' --catalog "$tmp/index.csv" --limit 1 --columns fullname
is "a sweep's limit counts those that are there" "$("$ROWCAST" sweep -n -s "$tmp/s.h5" -d cpu -p csr -x rowsplit -f csv \
    --catalog "$tmp/index.csv" --collection "$dir" --where 'name != broken' --limit 2 2>"$tmp/err" | sed 1d | cut -d, -f1 | sort | tr '\n' ' ')" \
    "G/extra G/here "
lines "no match" '' --catalog "$tmp/index.csv" --where 'rows > 1M'
is "is no error" "$(cat "$tmp/err")" "0 of 3 matrices, 0 present, 0 entries"
lines "index and files together" 'absent,2,absent,9
broken,,file,
extra,,file,3
here,1,file,4
copy,3,absent,4' --catalog "$tmp/index.csv" --collection "$dir" --columns name,id,where,rows
lines "files alone, shapes from their headers" 'broken,,,,1
extra,3,2,1,1
here,4,2,,1' --collection "$dir" --columns name,rows,nnz,symmetry,present
lines "missing values match nothing" 'extra
here' --collection "$dir" --columns name --where 'rows > 0 || rows <= 0'
mkdir "$tmp/unpacked" "$tmp/unpacked/G" "$tmp/unpacked/G/here"
cp "$dir/G/here.mtx" "$tmp/unpacked/G/here/here.mtx"
cp "$dir/G/here.mtx" "$tmp/unpacked/G/here/here_b.mtx"
cp "$dir/G/here.mtx" "$tmp/unpacked/loose.mtx"
lines "what an archive unpacks to, and a file alone" "G/here,4
unpacked/loose,4" --collection "$tmp/unpacked" --columns fullname,rows
ok "what is left out is named" grep -q "unpacked: left out: 1 file beside an unpacked matrix (G/here/here_b.mtx)$" "$tmp/err"
code "a sweep takes them" 0 "$ROWCAST" sweep -n -s "$tmp/s.h5" -d cpu -p csr -x rowsplit --collection "$tmp/unpacked"
ok "and says what it left out" grep -q 'left out: 1 file beside' "$tmp/err"
code "text format" 0 "$ROWCAST" catalog --catalog "$tmp/index.csv"
ok "says no for what is absent" grep -q 'G/here .* no$' "$tmp/out"
code "JSON format" 0 "$ROWCAST" catalog --catalog "$tmp/index.csv" --format json
if command -v python3 >/dev/null; then
    is "is JSON with all rows" "$(python3 -c '
import json, sys
t = json.load(open(sys.argv[1]))
print(len(t["rows"]), t["rows"][0]["kind"], t["rows"][0]["present"])' "$tmp/out")" '3 "odd", kind False'
else
    skip "is JSON with all rows" "no python3"
fi
code "the fields are listed" 0 "$ROWCAST" catalog --fields
ok "with their meaning" grep -Eq '^symmetry +number +pattern symmetry' "$tmp/out"

code "an unknown field is a usage error" 2 "$ROWCAST" catalog --where 'rowz < 5'
ok "that suggests the nearest" grep -q "where: position 1: .*'rowz'; did you mean 'rows'?" "$tmp/err"
code "an unknown column is a usage error" 2 "$ROWCAST" catalog --columns rows,kinds
ok "and so is named" grep -q "unknown field 'kinds'; did you mean 'kind'?" "$tmp/err"
code "a column twice is a usage error" 2 "$ROWCAST" catalog --columns rows,rows
code "an unknown format is a usage error" 2 "$ROWCAST" catalog --format xml
code "an operand that is not there is an error" 3 "$ROWCAST" catalog file
code "a missing index is an error" 3 "$ROWCAST" catalog --catalog "$tmp/nowhere.csv"
code "a missing directory is an error" 3 "$ROWCAST" catalog --collection "$tmp/nowhere"
sed 's/^G,here,4/G,here,x/' "$tmp/index.csv" >"$tmp/bad.csv"
code "a malformed index is an error" 3 "$ROWCAST" catalog --catalog "$tmp/bad.csv"
ok "with file, line and column" grep -q "bad.csv:3: column 3 (rows): expected .* found 'x'" "$tmp/err"
