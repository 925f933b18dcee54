#!/bin/sh
# Text from outside in tables, CSV and messages: it moves no cursor and is no formula.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 15

esc=$(printf '\033')
c1=$(printf '\302\233')
rlo=$(printf '\342\200\256')
# line NAME KIND
line()
{
    printf '%s,%s,10,10,20,1,0,0,0,0.5,0.5,%s,20\n' "$1" "$1" "$2"
}
{
    printf '3\n01-Jan-2026 00:00:00\n'
    line A "red${esc}[31m${c1}2J"
    line B "turned${rlo}gpj"
    line C "=größe"
} >"$tmp/index.csv"
for format in table csv json; do
    code "a catalogue as $format" 0 "$ROWCAST" catalog -c "$tmp/index.csv" --columns kind,nnz --format $format
    not_ok "has no escape in it" grep -qE "$esc|$c1|$rlo" "$tmp/out"
done
"$ROWCAST" catalog -c "$tmp/index.csv" --columns kind --format csv >"$tmp/out"
ok "controls are spelled out" grep -qxF 'red\x1b[31m\u009b2J' "$tmp/out"
ok "and marks of direction" grep -qxF 'turned\u202egpj' "$tmp/out"
ok "what begins with = is text" grep -qxF "\"'=größe\"" "$tmp/out"
"$ROWCAST" catalog -c "$tmp/index.csv" --columns kind >"$tmp/out"
ok "a table says it as it is" grep -qx "=größe *" "$tmp/out"
"$ROWCAST" catalog -c "$tmp/index.csv" --columns kind,nnz >"$tmp/out"
is "and its columns are those of a terminal, not bytes" \
    "$(sed 's/ö/o/g; s/ß/s/g' "$tmp/out" | awk 'NF { print length($0) }' | sort -u | wc -l | tr -d ' ')" 1
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 1\n1 %s[2J 1\n' "$esc" >"$tmp/bad.mtx"
code "a damaged file" 3 "$ROWCAST" features "$tmp/bad.mtx"
not_ok "is shown without escapes" grep -q "$esc" "$tmp/err"
code "a device is no empty file" 3 "$ROWCAST" features /dev/zero
ok "and is called one" grep -q '/dev/zero: .*found a device' "$tmp/err"
