#!/bin/sh
# Stores of schema 1.0 (tests/store/v1.h5, written by commit 19b2cf7, and the published one) under this
# program: read, verified, compared, exported, archived, merged, folded into and swept into, with the
# values of before; and stores of a schema that is newer than this program.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
python=/usr/bin/python3 # of the distribution: the one that has h5py
$python -c 'import ctypes.util, h5py, sys; sys.exit(not ctypes.util.find_library("xxhash"))' 2>/dev/null ||
    skip_all "no python3 with h5py, or no libxxhash"
plan 63

dir=$top_srcdir/tests/store
journal=$(cd "$dir" && ls ./*.rcj)
policies=csr,dcsr,plain,flipped,lpt,warp,cta,hybrid1,hybrid2.1,hybrid2.2,hybrid2.3
quick="--device cpu --share-device --timing shared --case-time 0.0005 --max-reps 5"

# sweep STORE OPTION...: over the matrices, kernels and orders that the store of before has
sweep()
{
    # the machine of the old store: one of other vectors schedules otherwise
    sweep_store=$1
    shift
    # shellcheck disable=SC2086 # a list of options
    "$ROWCAST" sweep -s "$sweep_store" -w 'rows < 4100 && nnz < 200000' $quick -p "$policies" \
        -x cstat:strip=4,rowsplit --nw 1 --nt 16 --line 16 "$@"
}

# left STORE OPTION...: cases pending and done, of a dry run
left()
{
    sweep "$@" --dry-run 2>&1 >/dev/null |
        sed -n 's/.*left: \([0-9]*\) cases pending, \([0-9]*\) done.*/\1 \2/p'
}

# grown BEFORE AFTER: new result rows; fails when a value of before is another one
grown()
{
    $python "$dir/compare.py" "$1" "$2"
}

# version STORE: of its schema
version()
{
    $python -c 'import h5py, sys
a = h5py.File(sys.argv[1], "r").attrs
print("%d.%d" % (a["schema_major"], a["schema_minor"]))' "$1"
}

# values STORE: identity and times of each row, by another reader
values()
{
    $python -c 'import h5py, sys
for r in h5py.File(sys.argv[1], "r")["results"][:]:
    print("%s %.9g %.9g" % (r["case_id"].decode(), r["median_ns"], r["error_rel"]))' "$1" | sort
}

# ------------------------------------------------------------------------------ reading
old=$tmp/old.h5
cp "$dir/v1.h5" "$old"
is "the fixture is of schema 1.0" "$(version "$old")" 1.0
for store in "$old" "$top_srcdir/data/results/h200.h5"; do
    name=$(basename "$store")
    sum=$(cksum <"$store")
    code "$name is sound" 0 "$ROWCAST" verify "$store"
    "$ROWCAST" query "$store" -a -f csv --columns case,median_ns,error_rel | tail -n +2 |
        $python -c 'import csv, sys
for c, m, e in csv.reader(sys.stdin):
    print("%s %.9g %.9g" % (c, float(m or "nan"), float(e or "nan")))' | sort >"$tmp/query"
    values "$store" >"$tmp/values"
    ok "$name says what another reader finds" cmp "$tmp/values" "$tmp/query"
    code "$name is summed up" 0 "$ROWCAST" query "$store" --summary speedup
    code "$name is compared" 0 "$ROWCAST" compare "$store" "$store"
    code "$name is exported" 0 "$ROWCAST" export "$store" --csv "$tmp/csv-$name"
    code "$name is archived" 0 "$ROWCAST" archive "$store" "$tmp/copy-$name"
    is "its archive adds nothing" "$(grown "$store" "$tmp/copy-$name" 2>&1)" 0
    is "and has this schema" "$(version "$tmp/copy-$name")" 2.7
    code "the archive is sound" 0 "$ROWCAST" verify "$tmp/copy-$name"
    code "a part of $name is archived" 0 "$ROWCAST" archive "$store" "$tmp/part-$name" \
        -w 'policy == csr || policy == lpt'
    code "which is sound" 0 "$ROWCAST" verify "$tmp/part-$name"
    is "$name itself is as it was" "$(cksum <"$store")" "$sum"
done

# ------------------------------------------------------------------------------ sweeping
# the class that this machine has, for the store of before is of another one
"$ROWCAST" generate uniform:n=40 -o "$tmp/one.mtx" >/dev/null
mkdir -p "$tmp/col/G" && mv "$tmp/one.mtx" "$tmp/col/G/one.mtx"
# shellcheck disable=SC2086 # a list of options
"$ROWCAST" sweep -s "$tmp/class.h5" -C "$tmp/col" $quick --threads 1 -k 2 -p csr -x null -q >/dev/null 2>&1
class=$("$ROWCAST" query "$tmp/class.h5" -f csv --columns device | sed '1d;s/"//g')
is "a device class is known" "${class%%:*}" cpu
here=$tmp/here.h5
cp "$old" "$here"
ok "the cases have the identities of schema 1.0" $python "$dir/rehome.py" "$here" "$class"
code "the store is still sound" 0 "$ROWCAST" verify --unsealed "$here"
is "the same sweep has nothing left" "$(left "$here" --threads 1 -k 8)" "0 66"
same=$tmp/same.h5
cp "$here" "$same"
code "the same sweep" 0 sweep "$same" --threads 1 -k 8
is "adds the feature sets of later, and measures nothing" "$(grown "$here" "$same" 2>&1)" 0
sum=$(cksum <"$same")
code "once more" 0 sweep "$same" --threads 1 -k 8
ok "there is nothing to do" grep -q "nothing to do: all 66 cases of 3 matrices are done" "$tmp/err"
is "and the store stays as it is" "$(cksum <"$same")" "$sum"
is "another K is what is new" "$(left "$here" --threads 1 -k 8,3)" "66 66"

sweep "$here" --threads 2 -k 8 --dry-run >/dev/null 2>"$tmp/err"
is "other threads are told before anything is measured" \
    "$(grep -c "all 66 cases are new: .* holds 66 of this selection, .*:1t:.*:2t:.*; --threads 1 matches it$" "$tmp/err")" 1
sweep "$here" --threads 1 -k 8,3 --dry-run >/dev/null 2>"$tmp/err"
is "the same threads need no such line" "$(grep -c 'cases are new' "$tmp/err")" 0

cp "$here" "$tmp/before.h5"
code "a sweep with more" 0 sweep "$here" --threads 1 -k 8,3 -p csr,lpt -q
is "adds exactly that, and every value of before stays" "$(grown "$tmp/before.h5" "$here" 2>&1)" 12
is "the store has this schema now" "$(version "$here")" 2.7
code "and is sound" 0 "$ROWCAST" verify --deep "$here"
is "nothing of before is left to do" "$(left "$here" --threads 1 -k 8)" "0 66"

if command -v h5repack >/dev/null && h5repack -f NONE "$tmp/before.h5" "$tmp/plain.h5" 2>/dev/null; then
    cp "$tmp/plain.h5" "$tmp/plain-before.h5"
    code "a store without filters grows too" 0 sweep "$tmp/plain.h5" --threads 1 -k 8,3 -p csr,lpt -q
    is "in the same way" "$(grown "$tmp/plain-before.h5" "$tmp/plain.h5" 2>&1)" 12
else
    skip "a store without filters grows too" "no h5repack"
    skip "in the same way" "no h5repack"
fi

cp "$top_srcdir/data/results/h200.h5" "$tmp/h200.h5"
# shellcheck disable=SC2086 # a list of options
code "the published store is swept into" 0 "$ROWCAST" sweep -s "$tmp/h200.h5" -C "$tmp/col" $quick --threads 1 \
    -k 2 -p csr,lpt -x null -q
is "and grows by that" "$(grown "$top_srcdir/data/results/h200.h5" "$tmp/h200.h5" 2>&1)" 2

# ------------------------------------------------------------------------------ journals
store=$tmp/left.h5
cp "$old" "$store"
mkdir "$store.journal"
cp "$dir/$journal" "$store.journal/"
code "a journal of before is understood" 0 "$ROWCAST" verify --deep "$store"
code "a merge asks to fold it first" 3 "$ROWCAST" merge "$tmp/none.h5" "$store"
code "it is folded" 0 "$ROWCAST" fold "$store"
is "what it holds is in the store" "$(grown "$old" "$store" 2>&1)" 3
is "and what was in flight" \
    "$($python -c 'import h5py, sys; print(len(h5py.File(sys.argv[1], "r")["inflight"]))' "$store")" 3
code "which is sound" 0 "$ROWCAST" verify --deep "$store"
ok "the journal is gone" test ! -e "$store.journal"

# ------------------------------------------------------------------------------ merging
code "the older one with the grown one" 0 "$ROWCAST" merge --unsealed "$tmp/a.h5" "$tmp/before.h5" "$here"
code "the grown one with the older one" 0 "$ROWCAST" merge --unsealed "$tmp/b.h5" "$here" "$tmp/before.h5"
ok "are one store" cmp "$tmp/a.h5" "$tmp/b.h5"
is "with the rows of the grown one" "$("$ROWCAST" query "$tmp/a.h5" -a -f csv --columns case | sort | cksum)" \
    "$("$ROWCAST" query "$here" -a -f csv --columns case | sort | cksum)"
code "it is sound" 0 "$ROWCAST" verify "$tmp/a.h5"

# ------------------------------------------------------------------------------ newer than this
# refused NAME STORE COMMAND...: in one line that says why, and the store stays
refused()
{
    refused_sum=$(cksum <"$2")
    refused_name=$1
    refused_store=$2
    shift 2
    "$ROWCAST" "$@" >"$tmp/out" 2>"$tmp/err"
    is "$refused_name" "$? $(wc -l <"$tmp/err") $(grep -c "expected schema version 2.7 or older, found" "$tmp/err")" \
        "3 1 1"
    [ "$(cksum <"$refused_store")" = "$refused_sum" ] || echo "# the store was changed"
}
newer=$tmp/newer.h5
for attribute in schema_minor schema_major; do
    cp "$here" "$newer"
    $python -c 'import h5py, sys
f = h5py.File(sys.argv[1], "r+")
f.attrs.modify(sys.argv[2], f.attrs[sys.argv[2]] + 1)' "$newer" $attribute
    refused "a newer $attribute is not read" "$newer" query --unsealed "$newer"
    refused "nor merged" "$newer" merge --unsealed "$tmp/none.h5" "$newer"
done
# shellcheck disable=SC2086 # a list of options
refused "nor swept into" "$newer" sweep -s "$newer" -C "$tmp/col" $quick -k 2 -p csr -x null
