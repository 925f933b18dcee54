#!/bin/sh
# A disk that fails one to four times in a row and then is sound again, at each call in turn that changes
# files: of a fold, the migration of an old store, a merge, an archive, and a sweep, which commits.  All
# but the sweep have one right outcome, byte by byte: exit code 0 is for that alone; after any other the store is the
# old or the new one, and the same command again makes the new one.
# ROWCAST_FAULT_POINTS: calls of each kind ("all": all).
# shellcheck source=tests/fault/fault.sh
. "${top_srcdir:?}/tests/fault/fault.sh"
echo "# points: $points of each kind; seed $seed"
plan 12
old=$top_srcdir/tests/store/v1.h5
journal=$top_srcdir/tests/store/01a2017059df3ca46616c54245e40b12.00000.rcj

for i in 1 2; do
    matrix "m$i" uniform:n=$((40 + 30 * i))
done
first="-C $tmp/col $quick -k 2 --kernels null -p csr"
all="$first,lpt,warp"

# what is there before: a store with journals, two stores, a copy that is replaced
mkdir "$tmp/fold" "$tmp/migrate" "$tmp/merge" "$tmp/archive" "$tmp/sweep"
# shellcheck disable=SC2086
ok "a store" alone sweep -s "$tmp/sweep/s.h5" $first
for kind in fold merge archive; do cp "$tmp/sweep/s.h5" "$tmp/$kind/s.h5"; done
# its copy may not grow, so nothing is committed
# shellcheck disable=SC2086
faulty "$tmp/fold/s.h5" $(($(wc -c <"$tmp/fold/s.h5") - 1)) limit sweep -s "$tmp/fold/s.h5" $all >"$tmp/out" 2>&1
rm -f "$tmp/fold/s.h5-log" "$tmp/fold/s.h5.journal/"*.lock
ok "and journals that are not in it" test -n "$(find "$tmp/fold/s.h5.journal" -name '*.rcj')"
mkdir "$tmp/migrate/s.h5.journal"
cp "$old" "$tmp/migrate/s.h5"
cp "$journal" "$tmp/migrate/s.h5.journal/"
cp "$old" "$tmp/merge/in.h5"
cp "$old" "$tmp/archive/in.h5"

# command KIND DIR: what is done to DIR/s.h5
command()
{
    case $1 in
    fold | migrate) echo "fold -q $2/s.h5" ;;
    merge) echo "merge $2/s.h5 $2/in.h5" ;;
    archive) echo "archive -q $2/in.h5 $2/s.h5" ;;
    sweep) echo "sweep -s $2/s.h5 --take-over 2 $all" ;;
    esac
}

ids "$tmp/sweep/s.h5" >"$tmp/before.ids"
for kind in fold migrate merge archive sweep; do
    cp -r "$tmp/$kind" "$tmp/$kind.new"
    # shellcheck disable=SC2046 # words
    faulty "$tmp/$kind.new/s.h5" 0 count $(command "$kind" "$tmp/$kind.new") >"$tmp/out" 2>&1
    is "an undisturbed $kind" "$?" 0
    calls "$tmp/$kind.new/s.h5" >"$tmp/$kind.calls"
    # a second time, from other inodes and at another moment
    cp -r "$tmp/$kind" "$tmp/$kind.twin"
    # shellcheck disable=SC2046
    alone $(command "$kind" "$tmp/$kind.twin") >"$tmp/out" 2>&1
    [ "$kind" = sweep ] || ok "$kind has one outcome" cmp "$tmp/$kind.new/s.h5" "$tmp/$kind.twin/s.h5"
done
cases "$tmp/sweep.new/s.h5" >"$tmp/cases"

# one KIND HOW COUNT AT
one()
{
    at="$1 $2 $3 $4"
    kind=$1 how=$2
    dir=$tmp/$1.$2.$3.$4
    cp -r "$tmp/$1" "$dir"
    new=$tmp/$1.new/s.h5
    words=$(command "$1" "$dir")
    # shellcheck disable=SC2086
    FAULT_COUNT=$3 faulty "$dir/s.h5" "$4" "$how" $words >"$dir/out" 2>"$dir/err"
    one_code=$?
    sed -n '/ total/!{s|[^ ]* \([a-z]*\).*|\1|p;q;}' "$dir/s.h5-log" | sed "s/^/$kind $how /" >>"$tmp/injected"
    at="$at ($(sed -n '1s|/[^ ]*/||p' "$dir/s.h5-log"))"
    if [ "$kind" = sweep ]; then
        held "$dir" "$one_code" "$how" "$tmp/before.ids"
        # shellcheck disable=SC2086
        alone $words >"$dir/out" 2>"$dir/err" || fault "again: exit code $?: $(cat "$dir/err")"
        healed "$dir"
    else
        case $one_code in
        0) cmp -s "$dir/s.h5" "$new" || fault "exit code 0, and something else was written" ;;
        3)
            cmp -s "$dir/s.h5" "$new" || cmp -s "$dir/s.h5" "$tmp/$kind/s.h5" || fault "neither the old nor the new store"
            [ "$(wc -l <"$dir/err")" -eq 1 ] || fault "not one clear line: $(cat "$dir/err")"
            ;;
        *) fault "exit code $one_code: $(cat "$dir/err")" ;;
        esac
        # shellcheck disable=SC2086
        alone $words >"$dir/out" 2>"$dir/err" || fault "again: exit code $?: $(cat "$dir/err")"
        cmp -s "$dir/s.h5" "$new" || fault "again: something else was written"
        find "$dir" -name '*tmp*' -o -name '*.rcj' -o -name '*.whole' >"$dir/left"
        [ ! -s "$dir/left" ] || fault "left behind: $(cat "$dir/left")"
    fi
    rm -rf "$dir"
}

workers=3
: >"$tmp/faults"
for kind in fold migrate merge archive sweep; do
    for count in 1 2 3 4; do
        how=io
        [ $((count % 2)) -ne 0 ] || how=once
        spread "$(cat "$tmp/$kind.calls")" | in_turns one "$kind" "$how" "$count"
    done
done
for kind in fold migrate merge archive sweep; do
    echo "# $kind: $(grep -c "^$kind " "$tmp/injected") failures of $(cat "$tmp/$kind.calls") calls, $(grep -c "^$kind " "$tmp/faults") bad"
done
is "what is done twice after up to four failures in a row" "$(cat "$tmp/faults")" ""
counted "$(wc -l <"$tmp/injected")" "bursts of failures"
