#!/bin/sh
# rowcast calibrate: the parameter file of rs on a CPU, bad input.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 26

calibrate()
{
    "$ROWCAST" calibrate --kernel rs --device cpu --n 64 "$@"
}
numbers() # numbers NAME: how many costs of that name there are
{
    tr -d '\n ' <"$tmp/rs.json" | grep -o "\"$1\":[^a-z]*" | wc -l
}

code "two K and both precisions" 0 calibrate --k 2,5 -o "$tmp/rs.json"
ok "print nothing" test ! -s "$tmp/out"
is "say on stderr where they are" "$(grep -c '^calibrating rs: fp[36][24], K = [25]$' "$tmp/err")" 4
is "are four sets of costs" "$(numbers k) $(numbers light_row) $(numbers light_entry)" "4 4 4"
is "with three cfv each" "$(tr -d '\n ' <"$tmp/rs.json" | grep -o '"heavy_segment":\[[^],]*,[^],]*,[^],]*\]' | wc -l)" 4
ok "of this device" grep -q '"device": "cpu:' "$tmp/rs.json"
ok "none is negative or no number" sh -c "! grep -E -- '-|nan|inf|null' '$tmp/rs.json' | grep -v '\"device\"'"
code "without a file" 0 calibrate --k 2 --precision fp64
ok "it goes to the output" grep -q '"kernel": "rs"' "$tmp/out"
code "another kernel is a usage error" 2 "$ROWCAST" calibrate --kernel gstat
code "none too" 2 "$ROWCAST" calibrate
code "K = 0" 2 calibrate --k 0
code "a K that is no number" 2 calibrate --k many
code "a precision that there is not" 2 calibrate --precision fp12
code "a device that there is not" 2 "$ROWCAST" calibrate --kernel rs --device tpu
code "a matrix that is too small" 2 "$ROWCAST" calibrate --kernel rs --device cpu --n 8
code "a file that cannot be written" 3 calibrate --k 2 --precision fp32 -o "$tmp/none/rs.json"
kept=$(cksum <"$tmp/rs.json")
code "a bad K behind a good one" 2 calibrate --k 2,0 -o "$tmp/rs.json"
is "is found before anything is measured" "$(grep -c calibrating "$tmp/err")" 0
is "and an earlier file stays" "$(cksum <"$tmp/rs.json")" "$kept"
code "--quiet" 0 calibrate --k 2 --precision fp32 --quiet -o "$tmp/rs.json"

code "limits of a CPU are not measured" 2 "$ROWCAST" calibrate --limits --device cpu -o "$tmp/limits.json"
ok "it says so" grep -q "on a GPU only\|no CUDA" "$tmp/err"
ok "and there is no file" test ! -e "$tmp/limits.json"
code "--limits goes without --kernel" 2 "$ROWCAST" calibrate --limits --kernel rs
code "and without --k" 2 "$ROWCAST" calibrate --limits --k 8
