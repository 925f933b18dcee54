#!/bin/sh
# A disk that is really full: a small tmpfs, where one may be mounted, and files that may not grow
# (RLIMIT_FSIZE); and on two ranks also the calls that a full disk fails, the rename among them.  A sweep
# into a new store, one into a store, and a fold, on one rank and on two: each ends with exit code 3 and
# one line that says why, nothing finished is lost, and with room again the same command brings exactly
# what an uninterrupted run has.
# ROWCAST_FAULT_POINTS: twice as many as sizes of the disk or limit for each of them ("all": 6 sizes); and
# calls of each rank ("all": 20).
if [ -z "${ROWCAST_FULL:-}" ]; then # with mounts of its own, which end with it
    for unshare in 'unshare -m' 'unshare -rm'; do
        # shellcheck disable=SC2016  # for that shell
        ! $unshare sh -c 'mount -t tmpfs -o size=64k full "$0"' "${TMPDIR:-/tmp}" 2>/dev/null \
            || ROWCAST_FULL=mount exec $unshare env ROWCAST_FULL=mount sh "$0" "$@"
    done
    ROWCAST_FULL=none
fi
# shellcheck source=tests/fault/fault.sh
. "${top_srcdir:?}/tests/fault/fault.sh"
case $points in
all) sizes=6 ;;
*) sizes=$(((points + 1) / 2)) ;;
esac
echo "# points: $points; seed $seed"
plan 26

for i in 1 2 3; do
    matrix "m$i" uniform:n=$((40 + 30 * i))
done
first="-C $tmp/col $quick -k 2 --kernels null -p csr"
all="$first,lpt,warp"

# on RANKS ARGUMENT...: rowcast on that many ranks, one without a launcher; the shim is in $preload
cat >"$tmp/preloaded" <<'END'
#!/bin/sh
LD_PRELOAD=${PRELOAD-} exec "$ROWCAST" "$@"
END
chmod +x "$tmp/preloaded"
on()
{
    on_ranks=$1
    shift
    if [ "$on_ranks" -eq 1 ]; then
        sh "$top_srcdir/tests/bound.sh" "$limit" "$tmp/preloaded" "$@"
    else
        launched=$tmp/preloaded launch "$on_ranks" "$@"
    fi
}

# what is there before, what there is to be, and journals that are not folded
# shellcheck disable=SC2086
ok "a store" alone sweep -s "$tmp/before.h5" $first
cp "$tmp/before.h5" "$tmp/whole.h5"
# shellcheck disable=SC2086
code "an uninterrupted run" 0 alone sweep -s "$tmp/whole.h5" $all
cases "$tmp/whole.h5" >"$tmp/cases"
mkdir "$tmp/fold"
cp "$tmp/before.h5" "$tmp/fold/s.h5"
# a fault in the second commit leaves the journals of two ranks
export FAULT_MATCH="$tmp/fold/s.h5" FAULT_AT=1 FAULT_HOW=limit FAULT_LOG="$tmp/fold.log"
FAULT_AT=$(($(wc -c <"$tmp/before.h5") - 1))
# shellcheck disable=SC2086
PRELOAD=$shims/shim_io.so code "a sweep that could not commit" 3 on 2 sweep -s "$tmp/fold/s.h5" $all
unset FAULT_AT FAULT_HOW FAULT_MATCH FAULT_LOG
bytes=$(cat "$tmp/fold/s.h5.journal"/*.rcj | wc -c)
whole=$(wc -c <"$tmp/whole.h5")
before=$(wc -c <"$tmp/before.h5")
rm -f "$tmp/fold/s.h5.journal/"*.lock
cp -r "$tmp/fold" "$tmp/folded"
ok "its journals have the rest" alone fold -q "$tmp/folded/s.h5"
is "and give all" "$(cases "$tmp/folded/s.h5")" "$(cat "$tmp/cases")"
ids "$tmp/folded/s.h5" >"$tmp/left.ids"
ids "$tmp/before.h5" >"$tmp/before.ids"
: >"$tmp/none"

# rooms KIND: bytes of room, half of them about as much as the journals take, half as a copy does too
rooms()
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    awk -v p="$sizes" -v j="$bytes" -v s="$whole" -v r="$((seed / 65536))" -v kind="$1" 'BEGIN {
        srand(r)
        small = kind == "fold" ? 0 : p == 1 ? rand() < 0.5 : int((p + 1) / 2)
        for (i = 0; i < small; i++) print int(1 + j * (i + rand()) / small)
        for (i = 0; i < p - small; i++) print int(j + (s - j) * (i + rand()) / (p - small)) }'
}

# one KIND RANKS WAY ROOM: ROOM is bytes, or the number of a call of rank WAY
one()
{
    at="$1 on $2, $3 $4"
    kind=$1
    ranks=$2
    dir=$tmp/$1.$2.$3.$4
    said=$dir-said
    earlier=$tmp/before.ids
    mkdir "$dir" "$said"
    preload=$shims/shim_io.so
    export FAULT_MATCH="$dir/s.h5" FAULT_LOG="$said/log" FAULT_AT="$4" FAULT_HOW=limit
    case $3 in
    tmpfs)
        preload=
        there=0
        case $1 in
        sweep) there=$((before + 4096)) ;;
        fold) there=$((before + bytes + 3 * 4096)) ;; # a page is 4 KiB
        esac
        # in whole pages; a size of 0 would be no limit
        mount -t tmpfs -o size=$((there + $4 < 4096 ? 4 : (there + $4) / 1024))k full "$dir" || fault "mount"
        ;;
    [0-9]) export FAULT_RANK="$3" FAULT_HOW=full ;;
    esac
    # shellcheck disable=SC2086
    case $1 in
    fresh)
        earlier=$tmp/none
        set -- sweep -s "$dir/s.h5" $all
        ;;
    sweep)
        cp "$tmp/before.h5" "$dir/s.h5"
        set -- sweep -s "$dir/s.h5" $all
        ;;
    fold)
        cp -r "$tmp/fold/." "$dir"
        set -- fold -q "$dir/s.h5"
        ;;
    esac
    PRELOAD=$preload on "$ranks" "$@" >"$said/out" 2>"$said/err"
    one_code=$?
    [ -n "$preload" ] || mount -o remount,size=64m "$dir" || fault "remount"
    if [ "$one_code" -ne 0 ]; then
        echo "$at" >>"$tmp/injected"
        [ "$one_code" -eq 3 ] || fault "exit code $one_code: $(cat "$said/err")"
        grep -q -e 'No space left on device' -e 'File too large' "$said/err" || fault "no reason: $(cat "$said/err")"
    fi
    cp "$said/err" "$dir/err"
    held "$dir" "$one_code" full "$earlier"
    [ "$kind" != fold ] || cmp -s "$tmp/left.ids" "$dir/had" || fault "a fold lost or doubled: $(wc -l <"$dir/had")"
    PRELOAD='' on "$ranks" "$@" >"$said/out" 2>"$said/err" || fault "again: exit code $?: $(cat "$said/err")"
    healed "$dir"
    [ -n "$preload" ] || umount "$dir"
    rm -rf "$dir" "$said"
}

# calls_of RANK: that change files, of one of two ranks that fold
calls_of()
{
    at="calls"
    dir=$tmp/calls.$1
    mkdir "$dir"
    export FAULT_MATCH="$dir/s.h5" FAULT_LOG="$dir.log" FAULT_AT=0 FAULT_HOW=full FAULT_RANK="$1"
    cp -r "$tmp/fold/." "$dir"
    PRELOAD=$shims/shim_io.so on 2 fold -q "$dir/s.h5" >"$tmp/out" 2>&1 || fault "$(cat "$tmp/out")"
    sed -n 's/ total.*//p' "$dir.log"
}

for ranks in 1 2; do
    workers=$((5 - 2 * ranks))
    for kind in fresh sweep fold; do
        for way in limit tmpfs; do
            if [ "$way" = tmpfs ] && [ "$ROWCAST_FULL" != mount ]; then
                skip "$kind on $ranks, $way" "no tmpfs may be mounted"
                continue
            fi
            : >"$tmp/faults"
            rooms "$kind" | in_turns one "$kind" "$ranks" "$way"
            is "$kind on $ranks, $way" "$(cat "$tmp/faults")" ""
        done
    done
done

# each call of a rank, the rename among them; what the other one does meanwhile may not hang
workers=2
[ "$points" != all ] || points=20
for rank in 0 1; do
    : >"$tmp/faults"
    n=$(calls_of "$rank")
    echo "# calls of rank $rank in a fold: ${n:-0}"
    [ -z "$n" ] || spread "$n" | in_turns one fold 2 "$rank"
    is "fold on 2, calls of rank $rank" "$(cat "$tmp/faults")" ""
done
# a disk that is mounted read-only
if [ "$ROWCAST_FULL" = mount ]; then
    mkdir "$tmp/fixed"
    mount -t tmpfs -o size=16m fixed "$tmp/fixed"
    cp -r "$tmp/fold/." "$tmp/fixed"
    mount -o remount,ro "$tmp/fixed"
    for ranks in 1 2; do
        # shellcheck disable=SC2086
        PRELOAD='' code "a sweep into a store on a read-only disk, on $ranks" 3 on "$ranks" sweep -s "$tmp/fixed/s.h5" $all
        is "in one line that says so" "$(grep -e '^rowcast ' -e ' error [a-z]*: ' "$tmp/err" | grep -c 'Read-only file system')" 1
    done
    code "and a fold" 3 alone fold -q "$tmp/fixed/s.h5"
    ok "a query reads it" alone query "$tmp/fixed/s.h5"
    umount "$tmp/fixed"
else
    for i in 1 2 3 4 5 6; do skip "a read-only disk" "no tmpfs may be mounted"; done
fi
ok "disks were full" test -s "$tmp/injected"
counted "$(wc -l <"$tmp/injected")" "disks full"
