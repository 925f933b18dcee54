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
plan $((2 + 6 * $(wc -l <"$tmp/trainers")))
ok "a store with a known rule" "$synthetic" --matrices 150 --groups 30 --k 8,128 "$store"
ok "a store of formats" "$synthetic" --formats --matrices 120 --groups 30 "$formats"

# gain FILE: per cent recovered, a whole number, of the table that train prints
gain()
{
    sed -n 's/^gain recovered *\([0-9-]*\).*/\1/p' "$1"
}

# options NAME: of a fit; those of formats are few rounds on their own task
options()
{
    case $1 in
        cart) echo "$formats --op spmv" ;;
        xgboost-nisa) echo "$formats --op spmv --epochs 50" ;;
        *-nisa*) echo "$formats --op spmv --members 2 --epochs 100" ;;
        *) echo "$store --restarts 1 --members 3" ;;
    esac
}

# least NAME: per cent that it has to recover; the models of Nisa et al. are not fitted to the gain
least()
{
    case $1 in
        cart | *-nisa*) echo 40 ;;
        *) echo 60 ;;
    esac
}

while read -r name; do
    # shellcheck disable=SC2046 # words
    code "$name: fits" 0 "$ROWCAST" train $(options "$name") -o "$tmp/$name.json" --model "$name" --threads 2 -q
    cp "$tmp/out" "$tmp/$name.txt"
    echo "# $name recovers $(gain "$tmp/$name.txt") %"
    ok "$name: recovers the rule" test "$(gain "$tmp/$name.txt")" -ge "$(least "$name")"
    # shellcheck disable=SC2046
    code "$name: fits on one thread" 0 "$ROWCAST" train $(options "$name") -o "$tmp/one.json" --model "$name" --threads 1 -q
    ok "$name: the model is the same" cmp "$tmp/$name.json" "$tmp/one.json"
    code "$name: is written as C" 0 "$ROWCAST" export-model "$tmp/$name.json" --c "$tmp/model.c"
    ok "$name: which compiles" cc -std=c99 -Wall -Wextra -Werror -pedantic -c "$tmp/model.c" -o "$tmp/model.o"
done <"$tmp/trainers"
