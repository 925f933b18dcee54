#!/bin/sh
# Stores without a seal: they are refused before HDF5 parses them, and read on request in a process whose
# crash is one line.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 51

sealed=$top_srcdir/tests/store/v1.h5
bare=$tmp/bare.h5
head -c "$(($(wc -c <"$sealed") - 80))" "$sealed" >"$bare" # one digest of 16 bytes, a footer of 64
sum=$(cksum <"$bare")

# refused COMMAND...: in one line that says why and what to do
refused()
{
    code "$1 of a store without a seal" 3 "$ROWCAST" "$@"
    is "is refused in a line" "$(wc -l <"$tmp/err" | tr -d ' ') $(grep -c 'has no seal: .* --unsealed ' "$tmp/err")" "1 1"
}
refused verify "$bare"
refused query "$bare"
refused status "$bare"
refused export "$bare" --csv "$tmp/csv"
refused compare "$sealed" "$bare"
refused merge "$tmp/out.h5" "$sealed" "$bare"
refused archive "$bare" "$tmp/out.h5"
cp "$bare" "$tmp/old.h5"
refused archive "$sealed" "$tmp/old.h5"
refused report "$bare" -o "$tmp/page"
refused train "$bare" -o "$tmp/model.json"
refused evaluate "$bare" --compare
is "nothing was made of it" "$(find "$tmp" -name 'out.h5*' -o -name csv -o -name page -o -name model.json)" ""
is "nor was it changed" "$(cksum <"$bare"; cksum <"$tmp/old.h5")" "$sum
$sum"

code "with --unsealed it is read" 0 "$ROWCAST" query --unsealed "$bare" -f csv --columns all
mv "$tmp/out" "$tmp/read"
"$ROWCAST" query "$sealed" -f csv --columns all >"$tmp/expected"
ok "as it was with its seal" cmp "$tmp/read" "$tmp/expected"
code "asked for its status" 0 "$ROWCAST" status --unsealed "$bare"
code "verified" 0 "$ROWCAST" verify --unsealed "$bare"
ok "and said to have no digests" grep -q 'has no digests' "$tmp/err"
code "an exit code of the child is that of the command" 2 "$ROWCAST" query --unsealed "$bare" -w 'policy == lpd'
# 141: what a shell says of a command whose reader has gone
is "a reader that goes away says nothing of the file" "$({ "$ROWCAST" query --unsealed "$bare" -f csv --columns all -a 2>"$tmp/err"; echo $? >"$tmp/code"; } | true; cat "$tmp/code" "$tmp/err")" "141"
code "its archive" 0 "$ROWCAST" archive --unsealed -q "$bare" "$tmp/again.h5"
code "has a seal" 0 "$ROWCAST" compare -q "$sealed" "$tmp/again.h5"
code "the option changes nothing for a sealed store" 0 "$ROWCAST" verify --unsealed -q "$sealed"

# HDF5 1.10.8 dies of these bytes; one that does not may find anything in them, and say it
bad=$tmp/bad.h5
cp "$bare" "$bad"
printf '\377' | dd of="$bad" bs=1 seek=62962 conv=notrunc 2>/dev/null
"$ROWCAST" query --unsealed "$bad" >"$tmp/out" 2>"$tmp/err"
crashed=$?
ok "a crash of the reader is an exit code of ours" test "$crashed" -le 3
ok "and one line at most" test "$(wc -l <"$tmp/err")" -le 1
"$ROWCAST" archive --unsealed "$bad" "$tmp/new.h5" >"$tmp/out" 2>"$tmp/err"
ok "so it is for an archive" test "$?" -le 3

# a store that another program opened for writing has lost its seal: every command says so, also where there is
# nothing to do
mkdir -p "$tmp/col/G"
"$ROWCAST" generate uniform:n=40 -o "$tmp/col/G/a.mtx" >"$tmp/out"
set -- -C "$tmp/col" --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 5 -q -k 2 --kernels null -p csr
lost=$tmp/lost.h5
code "a store" 0 "$ROWCAST" sweep -s "$lost" "$@"
cp "$lost" "$tmp/kept.h5"
# shellcheck disable=SC2094 # its size is read before
head -c "$(($(wc -c <"$lost") - 80))" "$tmp/kept.h5" >"$lost"
for words in "sweep -s $lost" "sweep --dry-run -s $lost"; do
    # shellcheck disable=SC2086
    code "${words%% -s*} into a store that lost its seal" 3 "$ROWCAST" $words "$@"
    is "is refused in a line that says what to do" "$(grep -c 'has no seal: .*archive --unsealed' "$tmp/err") $(wc -l <"$tmp/err" | tr -d ' ')" "1 1"
done
code "so is a fold" 3 "$ROWCAST" fold "$lost"
is "in such a line" "$(grep -c 'has no seal: .*archive --unsealed' "$tmp/err") $(wc -l <"$tmp/err" | tr -d ' ')" "1 1"
code "what to do" 0 "$ROWCAST" archive -q --unsealed "$lost" "$tmp/sealed.h5"
mv "$tmp/sealed.h5" "$lost"
code "helps" 0 "$ROWCAST" sweep -s "$lost" "$@"
code "and the store is sound" 0 "$ROWCAST" verify -q "$lost"
cp "$bare" "$tmp/old.h5"
code "one of before there were seals gets one" 0 "$ROWCAST" fold -q "$tmp/old.h5"
code "and is read like any other" 0 "$ROWCAST" query "$tmp/old.h5"

# a file whose writer died says so in its head (superblock 3: version at byte 8, flags at byte 11)
printf '\003' | dd of="$bare" bs=1 seek=8 conv=notrunc 2>/dev/null
printf '\001' | dd of="$bare" bs=1 seek=11 conv=notrunc 2>/dev/null
code "a file whose writer died" 3 "$ROWCAST" query --unsealed "$bare"
is "is refused in a line that says what to do" "$(grep -c 'died: .h5clear --status.*archive --unsealed' "$tmp/err") $(wc -l <"$tmp/err" | tr -d ' ')" "1 1"
