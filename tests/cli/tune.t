#!/bin/sh
# rowcast tune csrk: sizes of CSR-k by the published formulas and by a file, and errors.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 19

tune() # tune OPTION...
{
    "$ROWCAST" tune csrk "$@" >"$tmp/out" 2>"$tmp/err"
}
line() # line: what a program reads of the last answer
{
    sed -n 's/^{\("device".*\)}.*/\1/p' "$tmp/out"
}

ok "a mean row" tune --rdensity 20 --device volta -f json
is "its case, block and sizes" "$(line | sed 's/, "overhead".*//')" \
    '"device": "volta", "reading": "new", "rdensity": 20.0, "case": 3, "kernel": "GPUSpMV-3.5", "block": "8,8,8", "ssrs": 20, "srs": 10'
ok "another reading" tune --rdensity 20 --device ampere --reading srs -f csv
is "other sizes" "$(tail -n 1 "$tmp/out" | tr -d '\r' | cut -d, -f-4)" "ampere,srs,20,3"
is "of the same case" "$(tail -n 1 "$tmp/out" | tr -d '\r' | sed 's/.*",//' | cut -d, -f1,2)" "13,30"
ok "a matrix" tune mesh2d:n=30 --device volta -f csv
is "its groups" "$(tail -n 1 "$tmp/out" | tr -d '\r' | sed 's/.*",//' | cut -d, -f1,2,4-)" "7,8,113,17,528"
cat >"$tmp/d.json" <<END
{"device": "d", "ssrs": {"constant": 9, "slope": 1}, "srs": {"constant": 12, "slope": 2},
 "cases": {"2": {"ssrs": 1, "srs": 1}, "3": {"ssrs": 2, "srs": 3}, "4": {"ssrs": 1, "srs": 1}}}
END
ok "a file" tune --rdensity 20 -d "$tmp/d.json"
is "its sizes" "$(awk 'END { print $7, $8 }' "$tmp/out")" "12 18"
code "a device that is none" 3 "$ROWCAST" tune csrk --rdensity 2 -d hopper
code "neither matrix nor rdensity" 2 "$ROWCAST" tune csrk -d volta
code "both" 2 "$ROWCAST" tune csrk mesh2d:n=5 --rdensity 2 -d volta
code "a negative rdensity" 2 "$ROWCAST" tune csrk --rdensity -1 -d volta
code "another thing to tune" 2 "$ROWCAST" tune csr -d volta
ok "the file of the H200" tune --rdensity 20 -d "$top_srcdir/data/tuning/csrk-h200.json"
is "its sizes" "$(awk 'END { print $1, $7, $8 }' "$tmp/out")" "h200 48 24"
ok "that which fills it" tune --rdensity 20 -d "$top_srcdir/data/tuning/csrk-h200-filled.json"
is "its sizes without rows" "$(awk 'END { print $1, $7, $8 }' "$tmp/out")" "h200-filled 24 24"
# 1,000,000 rows: 24 times 8 makes 5,209 blocks, two rounds of 2,772 but for 335; 24 times 6 6,945, three rounds but for 1,371
tune mesh2d:n=1000 -d "$top_srcdir/data/tuning/csrk-h200-filled.json"
is "and with those of a matrix" "$(awk 'END { print $(NF - 5), $(NF - 4), $NF }' "$tmp/out")" "24 8 520844"
