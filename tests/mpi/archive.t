#!/bin/sh
# rowcast archive: the copy says the same, is smaller, and can be swept into by several ranks.
# shellcheck source=tests/mpi/mpi.sh
. "${top_srcdir:?}/tests/mpi/mpi.sh"
plan 21

matrix a uniform:n=300,mean=5
matrix b banded:n=400
store=$tmp/x.h5
sweep 2 "$store" --k 8 --orders csr,lpt >"$tmp/sweep" 2>&1 || { cat "$tmp/sweep"; exit 99; }

# fields STORE: all of every row
fields()
{
    alone query "$1" --all -f csv --columns all
    alone query "$1" --matrices -f csv --columns all
}

code "a store is copied" 0 alone archive "$store" "$tmp/copy.h5"
is "both sizes are said" "$(sed 's/[0-9.]* [kM]*B/N/g' "$tmp/out")" "$tmp/copy.h5: N, from N"
is "the copy has the same rows" "$(fields "$tmp/copy.h5")" "$(fields "$store")"
ok "and is smaller" test "$(wc -c <"$tmp/copy.h5")" -lt "$(($(wc -c <"$store") / 2))"
code "a copy without raw times" 0 alone archive -q --no-samples "$store" "$tmp/small.h5"
is "is made quietly" "$(cat "$tmp/out")" ""
is "has the same rows" "$(fields "$tmp/small.h5")" "$(fields "$store")"
ok "and is smaller still" test "$(wc -c <"$tmp/small.h5")" -lt "$(wc -c <"$tmp/copy.h5")"
code "a copy of a copy is no larger" 0 alone archive "$tmp/copy.h5" "$tmp/again.h5"
is "by a byte" "$(wc -c <"$tmp/again.h5")" "$(wc -c <"$tmp/copy.h5")"

if command -v h5diff >/dev/null; then
    ok "every table is as it was" h5diff "$store" "$tmp/copy.h5"
else
    skip "every table is as it was" "no h5diff"
fi
python=/usr/bin/python3 # of the distribution: the one that has h5py
if $python -c 'import h5py' 2>/dev/null; then
    ok "without raw times no row points to any" $python -c '
import h5py, sys
with h5py.File(sys.argv[1]) as old, h5py.File(sys.argv[2]) as new:
    a, b = old["results"][:], new["results"][:]
    assert len(new["samples"]) == 0 and len(old["samples"]) > 0
    assert (b["sample_offset"] == -1).all() and (a["sample_offset"] >= 0).all()
    for name in a.dtype.names:
        assert name == "sample_offset" or a[name].tobytes() == b[name].tobytes(), name
    for path in ("/", "results", "samples", "features/mehrabi/values"):
        assert {k: str(v) for k, v in old[path].attrs.items()} == {k: str(v) for k, v in new[path].attrs.items()}, path
    ' "$store" "$tmp/small.h5"
else
    skip "without raw times no row points to any" "no h5py"
fi

for name in copy small; do
    code "sweeping into the $name repeats nothing" 0 sweep 2 "$tmp/$name.h5" --k 8 --orders csr,lpt
    is "and adds nothing" "$(rows "$tmp/$name.h5" -a)" "$(rows "$store")"
    sweep 2 "$tmp/$name.h5" --k 8,16 --orders csr,lpt,warp >"$tmp/out" 2>&1
    is "new cases are added to the $name" "$(rows "$tmp/$name.h5")" "$(($(rows "$store") * 3))"
done
code "a store is not copied onto itself" 2 alone archive "$store" "$store"
code "a store that is not there" 3 alone archive "$tmp/nowhere.h5" "$tmp/y.h5"
is "leaves nothing behind" "$(find "$tmp" -name '*tmp' -o -name y.h5)" ""
