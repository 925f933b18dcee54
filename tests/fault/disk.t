#!/bin/sh
# A disk that fails, at each call in turn that changes the store, its copy or its journals: full (once,
# for good, in the middle of a block), read-only, broken, or the machine is gone before or in the middle
# of a write.  The store is the old or the new one and verifies, what had been finished stays, the error
# is one line, and the same command on a sound disk brings exactly what an uninterrupted run has.
# ROWCAST_FAULT_POINTS: calls of each kind ("all": all; of short, readonly, io and torn every second one).
# shellcheck source=tests/fault/fault.sh
. "${top_srcdir:?}/tests/fault/fault.sh"
kinds="once full short readonly io kill torn"
echo "# points: $points of each kind; seed $seed"
plan 23

for i in 1 2 3; do
    matrix "m$i" uniform:n=$((40 + 30 * i))
done
# a lock whose line was torn names nobody, so that nothing but time tells
take_over=2
first="-C $tmp/col $quick -k 2 --kernels null --take-over $take_over -p csr"
all="$first,lpt,warp"

# synced FOLDER: it was, by the calls in $tmp/list, after its first journal was made and before what followed
synced()
{
    awk -v folder="$1" '$2 == "open" && /[.]rcj$/ { made = 1 }
        made && $2 == "fsync" && $3 == folder { found = 1 }
        $2 == "rename" && made { exit }
        END { exit !found }' "$tmp/list"
}

# the store that is there before, what there is to be, and a store with journals that are not folded
# shellcheck disable=SC2086
ok "a store" alone sweep -s "$tmp/before.h5" $first
cp "$tmp/before.h5" "$tmp/whole.h5"
: >"$tmp/none"
# shellcheck disable=SC2086
faulty "$tmp/whole.h5" 0 count sweep -s "$tmp/whole.h5" $all >"$tmp/out" 2>&1
is "an uninterrupted run" "$?" 0
sweep_calls=$(calls "$tmp/whole.h5")
# shellcheck disable=SC2086
faulty "$tmp/fresh.h5" 0 count sweep -s "$tmp/fresh.h5" $all >"$tmp/out" 2>&1
fresh_calls=$(calls "$tmp/fresh.h5")
cases "$tmp/whole.h5" >"$tmp/cases"

# a power cut must not take the name of a journal, or of its folder
# shellcheck disable=SC2086
code "a run whose calls are listed" 0 sh "$top_srcdir/tests/bound.sh" "$limit" env LD_PRELOAD="$shims/shim_io.so${LD_PRELOAD:+:$LD_PRELOAD}" \
    FAULT_MATCH="$tmp" FAULT_AT=0 FAULT_HOW=list FAULT_LOG="$tmp/list" "$ROWCAST" sweep -s "$tmp/list.h5" $first
ok "it syncs the folder of its journal" synced "$tmp/list.h5.journal"
ok "and the folder that this was made in" synced "$tmp"

# killed where it renames its last copy
cp "$tmp/before.h5" "$tmp/left.h5"
at=$(sed -n 's/ total.*//p' "$tmp/whole.h5-log")
left=0
while [ "$at" -gt 1 ] && [ "$left" -eq 0 ]; do
    at=$((at - 1))
    rm -rf "$tmp/left.h5.journal"
    cp "$tmp/before.h5" "$tmp/left.h5"
    # shellcheck disable=SC2086
    faulty "$tmp/left.h5" "$at" kill sweep -s "$tmp/left.h5" $all >/dev/null 2>&1
    ! tail -n 1 "$tmp/left.h5-log" | grep -q ' rename ' || left=1
done
ok "a run that was killed before its last rename" test "$left" -eq 1
rm -f "$tmp/left.h5.commit-tmp"
mkdir "$tmp/fold"
cp -r "$tmp/left.h5.journal" "$tmp/fold/s.h5.journal"
cp "$tmp/left.h5" "$tmp/fold/s.h5"
faulty "$tmp/fold/s.h5" 0 count fold -q "$tmp/fold/s.h5" >"$tmp/out" 2>&1
is "its journals have all" "$(cases "$tmp/fold/s.h5")" "$(cat "$tmp/cases")"
ids "$tmp/fold/s.h5" >"$tmp/left.ids"
ids "$tmp/before.h5" >"$tmp/before.ids"
fold_calls=$(calls "$tmp/fold/s.h5")
echo "# calls that can fail: $fresh_calls of a sweep into a new store, $sweep_calls of one into a store, $fold_calls of a fold"

# one WHAT HOW AT
one()
{
    at="$1 $2 $3"
    dir=$tmp/$1.$2.$3
    mkdir "$dir"
    before=$tmp/before.ids
    case $1 in
    fresh) before=$tmp/none ;;
    sweep) cp "$tmp/before.h5" "$dir/s.h5" ;;
    fold)
        cp "$tmp/left.h5" "$dir/s.h5"
        cp -r "$tmp/left.h5.journal" "$dir/s.h5.journal"
        ;;
    esac
    # shellcheck disable=SC2086
    case $1 in
    fold) set -- "$1" "$2" "$3" fold -q --take-over "$take_over" "$dir/s.h5" ;;
    *) set -- "$1" "$2" "$3" sweep -s "$dir/s.h5" $all ;;
    esac
    what=$1
    how=$2
    number=$3
    shift 3
    faulty "$dir/s.h5" "$number" "$how" "$@" >"$dir/out" 2>"$dir/err"
    held "$dir" "$?" "$how" "$before"
    grep -v ' total' "$dir/s.h5-log" | head -n 1 >"$dir/hit"
    [ ! -s "$dir/hit" ] || sed "s|[^ ]* \([a-z]*\).*|$what $how \1|" "$dir/hit" >>"$tmp/injected"
    at="$at ($(sed 's|/[^ ]*/||' "$dir/hit"))"
    [ "$what" != fold ] || cmp -s "$tmp/left.ids" "$dir/had" || fault "a fold lost or doubled: $(wc -l <"$dir/had")"
    alone "$@" >"$dir/out" 2>"$dir/err" || fault "again: exit code $?: $(cat "$dir/err")"
    healed "$dir"
    rm -rf "$dir"
}

for kind in $kinds; do
    : >"$tmp/faults"
    case $kind in
    once | full | kill) some='cat' ;;
    *) some='half' ;;
    esac
    spread "$sweep_calls" | $some | in_turns one sweep "$kind"
    is "a sweep into a store, $kind" "$(cat "$tmp/faults")" ""
    : >"$tmp/faults"
    spread "$fold_calls" | in_turns one fold "$kind"
    is "a fold, $kind" "$(cat "$tmp/faults")" ""
done
: >"$tmp/faults"
spread "$fresh_calls" | in_turns one fresh full
is "a sweep into a new store, full" "$(cat "$tmp/faults")" ""
: >"$tmp/faults"
spread "$fresh_calls" | in_turns one fresh kill
is "a sweep into a new store, kill" "$(cat "$tmp/faults")" ""
sort "$tmp/injected" | uniq -c | sed 's/^ */# /'
counted "$(wc -l <"$tmp/injected")" "faults injected"
