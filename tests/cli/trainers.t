#!/bin/sh
# Every trainer of this build: on a store with a known rule it recovers most of the gain on groups that it
# has not seen, the model does not depend on the number of threads, and its C source compiles.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
synthetic=${top_builddir:?}/tests/cli/synthetic_store
store=$tmp/rule.h5
formats=$tmp/formats.h5
"$ROWCAST" info --format csv | awk -F, '$1 == "trainer" { print $2 }' >"$tmp/trainers"
[ -s "$tmp/trainers" ] || skip_all "this build has no trainers"
grep -e cart -e nisa "$tmp/trainers" >"$tmp/nisa"
grep -v -e cart -e nisa "$tmp/trainers" >"$tmp/ours"
plan $((2 + 6 * $(wc -l <"$tmp/ours") + 4 * $(wc -l <"$tmp/nisa")))
ok "a store with a known rule" "$synthetic" --matrices 150 --groups 30 --k 8,128 "$store"
ok "a store of formats" "$synthetic" --formats --matrices 120 --groups 30 "$formats"

# gain FILE: per cent recovered, a whole number, of the table that train prints
gain()
{
    sed -n 's/^gain recovered *\([0-9-]*\).*/\1/p' "$1"
}

# fits NAME LEAST OPTION...: it recovers at least so many per cent
fits()
{
    name=$1
    least=$2
    shift 2
    code "$name: fits" 0 "$ROWCAST" train "$@" -o "$tmp/$name.json" --model "$name" --threads 2 -q
    cp "$tmp/out" "$tmp/$name.txt"
    echo "# $name recovers $(gain "$tmp/$name.txt") %"
    ok "$name: recovers the rule" test "$(gain "$tmp/$name.txt")" -ge "$least"
}

# exports NAME
exports()
{
    code "$1: is written as C" 0 "$ROWCAST" export-model "$tmp/$1.json" --c "$tmp/model.c"
    ok "$1: which compiles" cc -std=c99 -Wall -Wextra -Werror -pedantic -c "$tmp/model.c" -o "$tmp/model.o"
}

while read -r name; do
    fits "$name" 60 "$store" --restarts 1 --members 3
    code "$name: fits on one thread" 0 "$ROWCAST" train "$store" -o "$tmp/one.json" --model "$name" --restarts 1 \
        --members 3 --threads 1 -q
    ok "$name: the model is the same" cmp "$tmp/$name.json" "$tmp/one.json"
    exports "$name"
done <"$tmp/ours"

# the models of Nisa et al. on their own task, in few rounds; they are not fitted to the gain
while read -r name; do
    fits "$name" 40 "$formats" --op spmv --members 2 --epochs 50
    exports "$name"
done <"$tmp/nisa"
