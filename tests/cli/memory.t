#!/bin/sh
# What the commands on one matrix may cost: memory has a bound, and a long order says how far it is.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 35

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
        'hollow.mtx: a matrix of 1000000000 x 10 with up to 1 entry .* about [0-9]* bytes, the limit is [0-9]*; --memory sets it' \
        "$tmp/err"
    is "... in one line" "$(wc -l <"$tmp/err")" 1
done <<OF_ALL
features features $tmp/hollow.mtx
order order $tmp/hollow.mtx --order lpt
tiles tiles $tmp/hollow.mtx
split split $tmp/hollow.mtx
spy spy $tmp/hollow.mtx -o $tmp/none.png
predict predict $tmp/hollow.mtx --model $model
OF_ALL
ok "nothing is drawn" test ! -e "$tmp/none.png"
if ldd "$ROWCAST" 2>/dev/null | grep -E 'lib(asan|tsan)' >/dev/null; then
    for what in "a limit of the shell" "is said" "a bound that is too small" "names it" \
        "a bound that is enough" "and only then" "a bound that is enough to read, not to order" "counts both" \
        "without an order" "it is enough"; do
        skip "$what" "a sanitizer needs the memory itself"
    done
else
    code "a limit of the shell" 3 bounded 1500000 "$ROWCAST" features "$tmp/large.mtx"
    ok "is what is available" grep -q 'large.mtx: a matrix of 100000000 x 10 .*about 1600[0-9]* bytes, the limit is [0-9]*; --memory' \
        "$tmp/err"
    code "a bound that is too small" 3 "$ROWCAST" features "$tmp/large.mtx" --memory 500M
    ok "is named" grep -q 'large.mtx: .* about [0-9]* bytes, the limit is 524288000; --memory sets it' "$tmp/err"
    code "a bound that is enough" 0 "$ROWCAST" order mesh3d:n=20 --order lpt --memory 500M
    ok "bounds nothing" test ! -s "$tmp/err"
    code "a bound that is enough to read, not to order" 3 "$ROWCAST" order "$tmp/large.mtx" -p lpt --memory 4G
    ok "counts both" grep -q 'with up to 1 entry and the work on it take about 116000[0-9]* bytes' "$tmp/err"
    code "without an order" 0 "$ROWCAST" spy "$tmp/large.mtx" -o "$tmp/none.png" --memory 4G
    ok "it is enough" test -s "$tmp/none.png"
fi

# An order of many rows takes long: it is ended when it has spoken.
"$ROWCAST" order uniform:n=1000000 --order cta >"$tmp/out" 2>"$tmp/err" &
pid=$!
comes "$pid" grep -q '% of' "$tmp/err"
kill "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
ok "a long order says how far it is" grep -q 'info order: cta: [0-9]* % of 1000000 rows, .*, about .* left' "$tmp/err"
ok "in lines, where there is no terminal" test "$(tr -cd '\r' <"$tmp/err" | wc -c)" -eq 0
is "nothing of a result" "$(wc -c <"$tmp/out")" 0
code "a short one says nothing" 0 "$ROWCAST" order mesh3d:n=10 --order cta

# in a sweep the same rule, by its own limit
mkdir -p "$tmp/collection/G"
mv "$tmp/large.mtx" "$tmp/collection/G"
code "a sweep skips what does not fit" 1 "$ROWCAST" sweep -s "$tmp/s.h5" -C "$tmp/collection" -p csr --op spmv -d cpu --memory 1G
is "with the limit and its option" "$("$ROWCAST" query "$tmp/s.h5" -M -f csv --columns message | sed -n 's/about [0-9]* bytes/about N bytes/;2p')" \
    '"memory: loading takes about N bytes, the limit is 1073741824; --memory sets it"'
