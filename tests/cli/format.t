#!/bin/sh
# rowcast format: bytes and decisions of every storage format, its arrays, and errors.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 79

# rows {0 1 2}, {}, {1 4}, {5}, {} of 5 x 6
cat >"$tmp/a.mtx" <<'END'
%%MatrixMarket matrix coordinate real general
5 6 6
1 1 1.0
1 2 2.0
1 3 3.0
3 2 4.0
3 5 5.0
4 6 6.0
END

# field NAME: of the csv in $tmp/out
field()
{
    tr -d '\r' <"$tmp/out" | awk -F, -v name="$1" \
        'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 && at { print $at }'
}

# fields NAME...: their values in one line
fields()
{
    for name in "$@"; do field "$name"; done | paste -sd ' ' -
}

# array NAME: of the dump, in one line
array()
{
    paste -sd ' ' - <"$tmp/dump/$1.txt"
}

# look SPEC [ARGUMENT...]: sizes as csv and the arrays
look()
{
    look_spec=$1
    shift
    rm -rf "$tmp/dump"
    code "$look_spec $*" 0 "$ROWCAST" format "$tmp/a.mtx" -x "$look_spec" -f csv --dump "$tmp/dump" "$@"
}

# the figures are worked out by hand
look coo
is "three numbers an entry" "$(fields nnz places fill bytes_row bytes_col bytes_val bytes)" "6 6 1 24 24 24 72"
is "rows" "$(array row)" "0 0 0 2 2 3"
is "columns" "$(array col)" "0 1 2 1 4 5"
look coo --precision fp64
is "values of 8 bytes" "$(fields precision bytes_val bytes)" "fp64 48 96"

look csr
is "a pointer a row and one" "$(fields kernel lanes bytes_row_ptr bytes)" "csr:lanes=auto 2 24 72"
is "the pointers" "$(array row_ptr)" "0 3 3 5 6 6"
look csr:lanes=8
is "lanes as told" "$(fields kernel lanes)" "csr:lanes=8 8"

look ell
is "as wide as the longest row" "$(fields width pitch places fill bytes_col bytes_val bytes)" "3 32 96 16 384 384 768"
is "a file of the width" "$(array width) $(array pitch)" "3 32"
is "a place is a line" "$(grep -c . "$tmp/dump/col.txt")" 96
is "column after column" "$(array col | cut -d' ' -f1-6,33-38,65-70)" "0 -1 1 5 -1 -1 1 -1 4 -1 -1 -1 2 -1 -1 -1 -1 -1"

look hyb
is "the mean row, rounded up" "$(fields kernel width over places bytes_coo_row bytes)" "hyb:width=mu 2 1 65 4 524"
is "what is over" "$(array coo_row) $(array coo_col)" "0 2"
is "the others" "$(array col | cut -d' ' -f1-5,33-37)" "0 -1 1 5 -1 1 -1 4 -1 -1"
look hyb:width=bell
is "no width for few rows" "$(fields width over bytes)" "0 6 72"
look hyb:width=1
is "a width as told" "$(fields width over bytes)" "1 3 292"
is "entries in the order of rows" "$(array coo_row) $(array coo_col)" "0 0 2 1 2 4"

look merge:items=4
is "eleven steps in fours" "$(fields items parts bytes)" "4 3 72"
is "rows of the points" "$(array row)" "0 1 3 5"
is "entries of the points" "$(array entry)" "0 3 5 6"
look merge
is "128 threads of 7" "$(fields items parts)" "896 1"

look csr5
is "a tile that is not full" "$(fields kernel omega sigma tiles words dirty bytes)" "csr5:sigma=auto 32 4 1 1 1 208"
is "it has rows" "$(array tile_ptr)" "0 5"
is "and no descriptor" "$(cat "$tmp/dump/bit_flag.txt" "$tmp/dump/y_offset.txt" "$tmp/dump/seg_offset.txt" "$tmp/dump/empty_offset.txt")" ""

# 66 entries in tiles of 2 x 32: rows of 1, 5, 0, 57, 3 and 0
awk 'BEGIN {
    n = split("1 5 0 57 3 0", length_of)
    print "%%MatrixMarket matrix coordinate pattern general\n" n, 60, 66
    for (r = 1; r <= n; r++)
        for (c = 1; c <= length_of[r]; c++)
            print r, c
}' >"$tmp/a.mtx"
look csr5:sigma=2
is "two tiles" "$(fields sigma tiles dirty empty_offsets bytes_tile_ptr bytes_tile_desc)" "2 2 2 3 12 256"
is "the last row that begins by then" "$(array tile_ptr)" "0 4 6"
is "with empty rows" "$(array tile_dirty)" "1 1"
is "rows begin at 0, 1, 6 and 63" "$(grep -n 1 "$tmp/dump/bit_flag.txt" | cut -d: -f1 | paste -sd ' ' -)" "1 2 7 64"
is "flags before a column" "$(array y_offset | cut -d' ' -f1-5,31,32)" "0 1 1 1 2 2 2"
is "columns that follow" "$(array seg_offset | cut -d' ' -f1-5,31,32)" "2 0 0 27 0 0 0"
is "where the rows are" "$(array empty_ptr) $(array empty_offset)" "0 3 3 0 2 3"
is "entries in stored order" "$(array col | cut -d' ' -f1-5,33-36,64-66)" "0 1 3 0 2 0 2 4 1 0 1 2"

# formats of what is printed
code "a table" 0 "$ROWCAST" format "$tmp/a.mtx" -x hyb:width=3
ok "has a line a size" grep -Eq '^over +[0-9]+ +entries beyond the width' "$tmp/out"
ok "and the bytes" grep -Eq '^bytes +[0-9]+ +bytes +of all arrays' "$tmp/out"
code "json" 0 "$ROWCAST" format "$tmp/a.mtx" -x csr5:sigma=2 -f json
ok "has the sizes as numbers" grep -Eq '"sigma": 2, "tiles": 2,.*"bytes_tile_ptr": 12,' "$tmp/out"

# nothing, and too much
code "a matrix without entries" 0 "$ROWCAST" format manyempty:n=10,empty=1 -x csr5 -f csv
is "has no tiles" "$(fields nnz tiles fill bytes)" "0 0 1 48"
printf '%%%%MatrixMarket matrix coordinate real general\n0 0 0\n' >"$tmp/a.mtx"
for spec in coo csr ell hyb csr5 merge; do look $spec; done
is "no rows have no end but the beginning" "$(array row) $(array entry)" "0 0"
code "a format that fits nowhere is measured" 0 "$ROWCAST" format arrow:n=1000000 -x ell -f csv
is "in 64 bits" "$(fields width places bytes)" "1000000 1000000000000 8000000000000"
code "but not built" 3 "$ROWCAST" format arrow:n=1000000 -x ell --dump "$tmp/none"
ok "with the figures" grep -Eq 'format ell: needs 8000000000000 bytes, [0-9]+ free$' "$tmp/err"
code "a limit is a reason" 3 "$ROWCAST" format arrow:n=100000 -x ell:limit=cusp
ok "that is said" grep -q 'limit=cusp: 10000000000 places for 299998 entries' "$tmp/err"

code "a format is needed" 2 "$ROWCAST" format "$tmp/a.mtx"
code "an unknown one is a usage error" 2 "$ROWCAST" format "$tmp/a.mtx" -x csr6
ok "with the nearest name" grep -q "did you mean 'csr" "$tmp/err"
for bad in csr5:sigma=0 hyb:width=-1 csr:lanes=3 merge:items=0 coo:lanes=1; do
    code "$bad is one" 2 "$ROWCAST" format "$tmp/a.mtx" -x $bad
done
code "so is a precision that is none" 2 "$ROWCAST" format "$tmp/a.mtx" -x coo --precision fp12
code "a folder that cannot be made is an error" 3 "$ROWCAST" format "$tmp/a.mtx" -x coo --dump "$tmp/no/where"
touch "$tmp/file"
code "a file in its place is one" 3 "$ROWCAST" format "$tmp/a.mtx" -x coo --dump "$tmp/file"
ok "with what was expected" grep -q 'file: expected a folder, found a file' "$tmp/err"
rm -rf "$tmp/dump"
mkdir -p "$tmp/dump/col.txt"
code "and a folder in place of an array" 3 "$ROWCAST" format "$tmp/a.mtx" -x coo --dump "$tmp/dump"
ok "the other way round" grep -q 'col.txt: expected a file, found a folder' "$tmp/err"
code "so is a file that is not there" 3 "$ROWCAST" format "$tmp/none.mtx" -x coo
