#!/bin/sh
# rowcast verify: what is said of sound, damaged and changed stores.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
python=/usr/bin/python3 # of the distribution: the one that has h5py
plan 44

mkdir -p "$tmp/col/G"
for n in 60 70; do
    "$ROWCAST" generate "uniform:n=$n,mean=4,seed=$n" -o "$tmp/col/G/m$n.mtx" >/dev/null
done
store=$tmp/x.h5
"$ROWCAST" sweep --device cpu --threads 1 --share-device --timing shared --case-time 0.0005 --max-reps 7 -q \
    --store "$store" --collection "$tmp/col" --k 8,16 --orders csr,lpt --kernels cstat:strip=1,null \
    >"$tmp/sweep" 2>&1 || { cat "$tmp/sweep"; exit 99; }

code "a store is sound" 0 "$ROWCAST" verify "$store"
is "of which nothing is printed" "$(cat "$tmp/out")" ""
is "but a line on stderr" "$(cat "$tmp/err")" \
    "$store: sound: 16 result rows, 16 of them with raw times that give their statistics; 0 journals"
code "quietly" 0 "$ROWCAST" verify -q --deep "$store"
is "nothing at all" "$(cat "$tmp/out" "$tmp/err")" ""
code "as CSV" 0 "$ROWCAST" verify -q -f csv "$store"
is "a header" "$(cat "$tmp/out")" "path,row,expected,found"
published=$top_srcdir/data/results/h200.h5
if [ -f "$published" ]; then
    code "the published store is sound" 0 "$ROWCAST" verify "$published"
    ok "which is counted" grep -q 'sound: 166599 result rows' "$tmp/err"
else
    skip "the published store is sound" "no data/results/h200.h5"
    skip "which is counted" "no data/results/h200.h5"
fi
if command -v h5dump >/dev/null; then
    ok "other programs read a store with digests" h5dump -d /dict/policy "$store"
else
    skip "other programs read a store with digests" "no h5dump"
fi

# flip FILE OFFSET: the lowest bit of a byte
flip()
{
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    # shellcheck disable=SC2059  # the escape is the format
    printf "\\$(printf %03o $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
size=$(wc -c <"$store")
bad=$tmp/bad.h5
for at in 0 9 600 5000 $((size / 3)) $((size / 2)) $((size - 200)); do
    cp "$store" "$bad"
    flip "$bad" "$at"
    code "a flipped bit at $at" 1 "$ROWCAST" verify -f csv "$bad"
    ok "is said to be in a block of bytes" grep -q '^"*bytes"*,[0-9]*,' "$tmp/out"
    code "and not believed" 3 "$ROWCAST" query "$bad"
done
is "in one line" "$(wc -l <"$tmp/err" | tr -d ' ')" 1
ok "that says what to do" grep -q 'bytes .* are not what was written: the file is damaged; use a copy' "$tmp/err"
flip "$bad" 5000
code "every block is listed" 1 "$ROWCAST" verify "$bad"
ok "and the rest left alone" grep -q 'problems*; the rest was not looked at' "$tmp/err"
cp "$store" "$bad"
flip "$bad" "$((size - 30))"
code "a flipped bit in the digests" 1 "$ROWCAST" verify "$bad"
head -c "$((size / 2))" "$store" >"$bad"
code "half of a store cannot be read" 3 "$ROWCAST" verify "$bad"

if $python -c 'import h5py' 2>/dev/null; then
    cp "$store" "$bad"
    $python -c 'import h5py, sys
with h5py.File(sys.argv[1], "r+") as f:
    r = f["results"][:]
    r["median_ns"] *= 1.01
    f["results"][:] = r' "$bad"
    code "statistics that raw times do not give" 1 "$ROWCAST" verify --unsealed --limit 3 -f json "$bad"
    ok "are problems for a script" $python -c 'import json, sys
t = json.load(open(sys.argv[1]))
assert [c["name"] for c in t["columns"]] == ["path", "row", "expected", "found"]
rows = t["rows"]
assert len(rows) == 4 and rows[0]["path"] == "/results" and rows[0]["row"] == 0, rows
assert rows[0]["expected"].startswith("median_ns ") and "of its raw times" in rows[0]["expected"]
assert rows[3]["found"] == "13 more problems", rows[3]' "$tmp/out"
    ok "counted" grep -q ': 16 problems' "$tmp/err"
    ok "and it is seen that the digests are gone" grep -q 'has no digests' "$tmp/err"
else
    for i in 1 2 3 4; do skip "statistics that raw times do not give ($i)" "no h5py"; done
fi
code "no such store" 3 "$ROWCAST" verify "$tmp/none.h5"
code "a folder" 3 "$ROWCAST" verify "$tmp"
code "no operand" 2 "$ROWCAST" verify
