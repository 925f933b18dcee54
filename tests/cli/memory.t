#!/bin/sh
# What the commands on one matrix may cost: memory has a bound, and a long order says how far it is.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 23

# files that ask for far more rows than they have entries
printf '%%%%MatrixMarket matrix coordinate real general\n1000000000 10 1\n1 1 1\n' >"$tmp/hollow.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n100000000 10 1\n100000000 1 1\n' >"$tmp/large.mtx"
model=$top_srcdir/data/models/h200-order.json

# The limit makes what exceeds it an error: success is that far less was asked for.
# bounded KIB COMMAND...
bounded()
{
    (
        # shellcheck disable=SC3045  # where sh has no such limit it says so
        ulimit -v "$1" 2>/dev/null || echo "# no limit could be set"
        shift
        "$@"
    )
}
while read -r name options; do
    # shellcheck disable=SC2086  # several words
    code "$name of a thousand million rows with one entry" 3 "$ROWCAST" $options
    ok "... is refused with the figures" grep -q \
        'hollow.mtx: \(1000000000 rows for 1 entries: it needs\|.* needs\) [0-9]* bytes' "$tmp/err"
    is "... in one line" "$(wc -l <"$tmp/err")" 1
done <<OF_ALL
features features $tmp/hollow.mtx
order order $tmp/hollow.mtx --policy lpt
spy spy $tmp/hollow.mtx -o $tmp/none.png
predict predict $tmp/hollow.mtx --model $model
OF_ALL
ok "nothing is drawn" test ! -e "$tmp/none.png"
if ldd "$ROWCAST" 2>/dev/null | grep -E 'lib(asan|tsan)' >/dev/null; then
    for what in "a limit of the shell" "is said" "a bound that is too small" "names it" \
        "a bound that is enough" "and only then"; do
        skip "$what" "a sanitizer needs the memory itself"
    done
else
    code "a limit of the shell" 3 bounded 1500000 "$ROWCAST" features "$tmp/large.mtx"
    ok "is what is available" grep -q 'large.mtx: a matrix of 100000000 x 10 .*needs [0-9]* bytes, [0-9]* are available' \
        "$tmp/err"
    code "a bound that is too small" 3 "$ROWCAST" features "$tmp/large.mtx" --memory 500M
    ok "is named" grep -q 'within --memory 524288000: .*large.mtx: .* needs [0-9]* bytes, 524288000 are' "$tmp/err"
    code "a bound that is enough" 0 "$ROWCAST" order mesh3d:n=20 --policy lpt --memory 500M
    ok "bounds nothing" test ! -s "$tmp/err"
fi

# An order of many rows takes long: it is ended when it has spoken.
"$ROWCAST" order uniform:n=1000000 --policy cta >"$tmp/out" 2>"$tmp/err" &
pid=$!
rounds=0
until grep -q '% of' "$tmp/err" || [ $rounds -ge 1200 ]; do
    rounds=$((rounds + 1))
    sleep 0.1
done
kill "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
ok "a long order says how far it is" grep -q 'info order: cta: [0-9]* % of 1000000 rows, .*, about .* left' "$tmp/err"
ok "in lines, where there is no terminal" test "$(tr -cd '\r' <"$tmp/err" | wc -c)" -eq 0
is "nothing of a result" "$(wc -c <"$tmp/out")" 0
code "a short one says nothing" 0 "$ROWCAST" order mesh3d:n=10 --policy cta
