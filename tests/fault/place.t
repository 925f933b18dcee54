#!/bin/sh
# A store that cannot be replaced, or would not be the same: it is a mount of its own, has other names, or
# its owner, group and permissions cannot be given to another file.  It is written in place, which is said
# before anything is measured; and a kill at each call of that leaves a store that is read, and that the
# next fold makes whole.
# ROWCAST_FAULT_POINTS: kills of each kind ("all": all calls).
if [ -z "${ROWCAST_PLACE:-}" ]; then # with mounts of its own, which end with it
    ROWCAST_PLACE=none
    for unshare in 'unshare -m' 'unshare -rm'; do
        # shellcheck disable=SC2016  # for that shell
        ! $unshare sh -c 'touch "$0.a" "$0.b" && mount --bind "$0.a" "$0.b"' "${TMPDIR:-/tmp}/place.$$" 2>/dev/null \
            || { rm -f "${TMPDIR:-/tmp}/place.$$".?; ROWCAST_PLACE=mount exec $unshare sh "$0" "$@"; }
    done
    rm -f "${TMPDIR:-/tmp}/place.$$".?
fi
# shellcheck source=tests/fault/fault.sh
. "${top_srcdir:?}/tests/fault/fault.sh"
echo "# points: $points of each kind; seed $seed"
plan 39

for i in 1 2; do
    matrix "m$i" uniform:n=$((40 + 30 * i))
done
first="-C $tmp/col $quick -k 2 --kernels null --take-over 2 -p csr"
all="$first,lpt,warp"
said=$(echo "$all" | sed "s/ -q / /") # not quiet
case $(stat -c %a . 2>/dev/null) in '') skip_all "no stat -c" ;; esac

# what there is before, its journals, and what a fold makes of them
mkdir "$tmp/old"
# shellcheck disable=SC2086
ok "a store" alone sweep -s "$tmp/old/s.h5" $first
cp "$tmp/old/s.h5" "$tmp/first.h5"
# shellcheck disable=SC2086 # its copy may not grow, so nothing is committed
faulty "$tmp/old/s.h5" $(($(wc -c <"$tmp/old/s.h5") - 1)) limit sweep -s "$tmp/old/s.h5" $all >"$tmp/out" 2>&1
rm -f "$tmp/old/s.h5-log" "$tmp/old/s.h5.journal/"*.lock
cp -r "$tmp/old" "$tmp/new"
ok "journals beside it are folded" alone fold -q "$tmp/new/s.h5"
not_ok "and change it" cmp -s "$tmp/old/s.h5" "$tmp/new/s.h5"
ids "$tmp/old/s.h5" >"$tmp/before.ids"

# begin NAME: a copy of what there is before, in $dir
begin()
{
    dir=$tmp/$1
    cp -r "$tmp/old" "$dir"
    inode=$(stat -c %i "$dir/s.h5")
}

# in_place NAME: the store has what it should have, in the file that was there, and nothing else is left
in_place()
{
    is "$1: it was written in place" "$(stat -c %i "$dir/s.h5")" "$inode"
    ok "$1: and is what a fold makes" cmp "$dir/s.h5" "$tmp/new/s.h5"
    is "$1: nothing is left beside it" "$(find "$dir" -name '*.whole' -o -name '*tmp' -o -name '*.rcj')" ""
}

begin link
ln "$dir/s.h5" "$dir/other.h5"
code "a store with two names" 0 alone fold "$dir/s.h5"
in_place "a store with two names"
ok "its other name has it too" cmp "$dir/other.h5" "$tmp/new/s.h5"
ok "a line says why" grep -q 'hard links.*written in place.*s.h5.whole' "$tmp/err"

if [ "$ROWCAST_PLACE" = mount ]; then
    begin mount
    mv "$dir/s.h5" "$tmp/elsewhere.h5"
    : >"$dir/s.h5"
    mount --bind "$tmp/elsewhere.h5" "$dir/s.h5"
    inode=$(stat -c %i "$dir/s.h5")
    code "a store that is a mount of its own" 0 alone fold -q "$dir/s.h5"
    in_place "a mount"
    cat "$tmp/first.h5" >"$dir/s.h5"
    # shellcheck disable=SC2086
    code "a sweep into it" 0 alone sweep -s "$dir/s.h5" $said
    ok "says so before it measures" awk '/a mount of its own.*written in place/ { said = 1 } /matri/ && !said { exit } END { exit !said }' "$tmp/err"
    ok "and the store verifies" alone verify -q "$dir/s.h5"
    umount "$dir/s.h5"
else
    for i in 1 2 3 4 5 6 7; do skip "a store that is a mount of its own" "no file may be mounted here"; done
fi

# a file system that sets no permissions: where they are right nothing is to be set
begin plain
code "permissions cannot be set, and are right" 0 faulty "$dir/s.h5" 0 refuse fold -q "$dir/s.h5"
ok "it is replaced" test "$(stat -c %i "$dir/s.h5")" != "$inode"
begin other
chmod 640 "$dir/s.h5"
code "they cannot be set, and are others" 0 faulty "$dir/s.h5" 0 refuse fold -q "$dir/s.h5"
rm -f "$dir/s.h5-log"
in_place "others"
is "and they stay" "$(stat -c %a "$dir/s.h5")" 640

if [ "$(id -u)" -eq 0 ] && chown 1000:1000 "$tmp/out" 2>/dev/null; then
    begin owner
    chown 1000:1001 "$dir/s.h5"
    chmod 664 "$dir/s.h5"
    code "a store of somebody else" 0 alone fold -q "$dir/s.h5"
    is "stays theirs" "$(stat -c '%u:%g %a' "$dir/s.h5")" "1000:1001 664"
    code "also when it is merged into" 0 alone merge "$dir/s.h5" "$tmp/first.h5"
    is "and stays theirs" "$(stat -c '%u:%g %a' "$dir/s.h5")" "1000:1001 664"
    code "or is the copy of an archive" 0 alone archive -q "$tmp/first.h5" "$dir/s.h5"
    is "and then too" "$(stat -c '%u:%g %a' "$dir/s.h5")" "1000:1001 664"
else
    for i in 1 2 3 4 5 6; do skip "a store of somebody else" "not the superuser"; done
fi

# a copy that another user planted is not believed
begin planted
ln -s "$tmp/first.h5" "$dir/s.h5.whole"
ok "a link under the name of the copy is not followed" alone fold -q "$dir/s.h5"
ok "and does no harm" cmp "$dir/s.h5" "$tmp/new/s.h5"

# nor is a file of that name that somebody has
begin taken
cp "$tmp/new/s.h5" "$dir/s.h5.whole"
is "a store of that name is not read for another" "$(alone query -q -f csv "$dir/s.h5" | wc -l)" "$(alone query -q -f csv "$tmp/first.h5" | wc -l)"
ok "nor removed" alone fold -q "$dir/s.h5"
ok "or changed" cmp "$dir/s.h5.whole" "$tmp/new/s.h5"
ln "$dir/s.h5" "$dir/other.h5"
# shellcheck disable=SC2086
code "where it is in the way, that is said before anything is measured" 3 alone sweep -s "$dir/s.h5" $all,random:seed=3

# killed KIND HOW AT: at that call of a fold in place
killed()
{
    at="$1 $2"
    dir=$tmp/killed.$1.$2
    cp -r "$tmp/old" "$dir"
    ln "$dir/s.h5" "$dir/other.h5"
    faulty "$dir/s.h5" "$2" "$1" fold -q "$dir/s.h5" >"$dir/out" 2>"$dir/err"
    killed_code=$?
    grep -v ' total' "$dir/s.h5-log" | sed "s|[^ ]* \([a-z]*\).*|$1 \1|" >>"$tmp/injected"
    at="$at ($(sed -n '1s|/[^ ]*/||p' "$dir/s.h5-log")) exit code $killed_code"
    alone verify -q "$dir/s.h5" >"$dir/verify" 2>&1 || fault "verify: $(head -n 3 "$dir/verify")"
    ids "$dir/s.h5" >"$dir/ids"
    comm -23 "$tmp/before.ids" "$dir/ids" >"$dir/lost"
    [ ! -s "$dir/lost" ] || fault "lost from the store: $(wc -l <"$dir/lost")"
    alone fold -q --take-over 2 "$dir/s.h5" >"$dir/out" 2>"$dir/err" || fault "again: exit code $?: $(cat "$dir/err")"
    cmp -s "$dir/s.h5" "$tmp/new/s.h5" || fault "again: something else was written"
    cmp -s "$dir/other.h5" "$tmp/new/s.h5" || fault "again: its other name has something else"
    find "$dir" -name '*tmp' -o -name '*.rcj' -o -name '*.whole' >"$dir/left"
    [ ! -s "$dir/left" ] || fault "left behind: $(cat "$dir/left")"
    rm -rf "$dir"
}
begin count
ln "$dir/s.h5" "$dir/other.h5"
faulty "$dir/s.h5" 0 count fold -q "$dir/s.h5" >"$tmp/out" 2>&1
calls=$(calls "$dir/s.h5")
workers=3
for how in kill torn io full; do
    : >"$tmp/faults"
    # the calls of the writing itself are the last ones
    { spread "$calls"; seq $((calls - 11)) "$calls"; } | sort -nu | in_turns killed "$how"
    is "a fold in place, $how" "$(cat "$tmp/faults")" ""
done
counted "$(wc -l <"$tmp/injected")" "faults while writing in place"
