#!/bin/sh
# A store that another sweep has, that is read-only, or whose bytes were changed: it is refused before
# anything is touched, and no command dies of it.
# ROWCAST_FAULT_POINTS: how many bytes are flipped ("all": 200).
# shellcheck source=tests/fault/fault.sh
. "${top_srcdir:?}/tests/fault/fault.sh"
plan 17

for i in 1 2; do
    matrix "m$i" uniform:n=$((40 + 30 * i))
done
list="-C $tmp/col $quick -k 2 --kernels null"
store=$tmp/s.h5
# shellcheck disable=SC2086
code "a store" 0 alone sweep -s "$store" $list -p csr
cp "$store" "$tmp/same.h5"
alone query "$store" -a -f csv >"$tmp/rows"

# a sweep holds it
mkdir -p "$store.journal"
if command -v flock >/dev/null; then
    # shellcheck disable=SC2086
    code "a sweep has it: another is refused" 3 flock "$store.journal/sweep.lock" "$ROWCAST" sweep -s "$store" $list -p csr,lpt
    ok "in one line" grep -q '^rowcast sweep: .*held by' "$tmp/err"
else
    skip "a sweep has it: another is refused" "no flock"
    skip "in one line" "no flock"
fi
ok "and the store is as it was" cmp "$store" "$tmp/same.h5"
rm -rf "$store.journal"

# nothing can be written from the first call on
# shellcheck disable=SC2086
code "a read-only disk is refused" 3 faulty "$store" 1 readonly sweep -s "$store" $list -p csr,lpt
ok "in a line that says so" grep -q 'Read-only file system' "$tmp/err"
ok "and the store is as it was" cmp "$store" "$tmp/same.h5"
rm -rf "$store.journal"

# a flipped bit, anywhere
case $points in all) flips=200 ;; *) flips=$((points * 6)) ;; esac
size=$(wc -c <"$store")
echo "# $flips flipped bits in $size bytes"
: >"$tmp/faults"
believed=0
for i in $(seq "$flips"); do
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    place=$(((seed / 7) % size))
    at="byte $place"
    bad=$tmp/bad.h5
    cp "$tmp/same.h5" "$bad"
    byte=$(od -An -tu1 -j "$place" -N 1 "$bad" | tr -d ' ')
    # shellcheck disable=SC2059
    printf "\\$(printf %o $((byte ^ (1 << (i % 8)))))" | dd of="$bad" bs=1 seek="$place" conv=notrunc 2>/dev/null
    cp "$bad" "$tmp/changed.h5"
    alone query "$bad" -a -f csv >"$tmp/found" 2>"$tmp/err"
    query=$?
    [ "$query" -le 3 ] || fault "query: exit code $query"
    if [ "$query" -eq 0 ]; then
        believed=$((believed + 1))
        cmp -s "$tmp/rows" "$tmp/found" || fault "query believes other rows"
        # without the mark of its digests, the last 64 bytes, a store is one of before there were any
        [ "$place" -ge $((size - 64)) ] || fault "not detected"
        continue
    fi
    [ -s "$tmp/err" ] || fault "query says nothing"
    alone verify -q "$bad" >/dev/null 2>&1
    [ "$?" -eq 1 ] || fault "verify: exit code"
    # shellcheck disable=SC2086
    [ $((i % 4)) -ne 0 ] || {
        alone sweep -s "$bad" $list -p csr,lpt >/dev/null 2>"$tmp/err"
        [ "$?" -eq 3 ] || fault "sweep: exit code"
        alone fold -q "$bad" >/dev/null 2>"$tmp/err"
        [ "$?" -eq 3 ] || fault "fold: exit code"
    }
    cmp -s "$bad" "$tmp/changed.h5" || fault "was changed"
    rm -rf "$bad.journal"
done
is "each is detected, or hides the digests and changes nothing else" "$(cat "$tmp/faults")" ""

# a disk that does not answer: only the reader of a store without a seal has a limit
head -c $((size - 80)) "$tmp/same.h5" >"$tmp/bare.h5" # one digest of 16 bytes, a footer of 64
export ROWCAST_UNSEALED_SECONDS=1
for at in 3 9; do
    code "a read that never returns, number $at" 3 faulty "$tmp/bare.h5" "$at" hang query --unsealed "$tmp/bare.h5"
    ok "is ended, in a line" grep -q 'bare.h5: has no seal, .* no further for 1 s (ROWCAST_UNSEALED_SECONDS): .*' "$tmp/err"
done
ROWCAST_UNSEALED_SECONDS=30
code "one that returns is read" 0 faulty "$tmp/bare.h5" 1000000 hang query --unsealed "$tmp/bare.h5" -f csv
unset ROWCAST_UNSEALED_SECONDS

# cut off
head -c $((size / 2)) "$tmp/same.h5" >"$tmp/cut.h5"
for command in query verify fold; do
    alone "$command" "$tmp/cut.h5" >/dev/null 2>"$tmp/err"
    ok "a store that was cut off: $command" test "$?" -eq 3 -o "$?" -eq 1
done
# shellcheck disable=SC2086
code "a store that was cut off: sweep" 3 alone sweep -s "$tmp/cut.h5" $list -p csr,lpt
[ -s "$tmp/faults" ] || counted $((flips - believed)) "flipped bits detected"
