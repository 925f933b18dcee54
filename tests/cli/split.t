#!/bin/sh
# rowcast split: figures and arrays of the example of the paper, hard and bad input.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 40

# Hong et al. 2018, figure 5
{
    echo '%%MatrixMarket matrix coordinate real general'
    echo '8 8 32'
    row=1
    for columns in "0 1 3 7" "2 5" "3 6" "0 1 2 3 4 5 7" "0 6 7" "1 2 3 4" "1 2 3 4 5" "2 3 4 5 6"; do
        for c in $columns; do
            echo "$row $((c + 1)) $row.5"
        done
        row=$((row + 1))
    done
} >"$tmp/a.mtx"
members='w t panels segments heavy_segments heavy_panels nnz_heavy nnz_light light_rows heavy_ratio'

split() # split OPTION...: of the paper's example
{
    "$ROWCAST" split "$tmp/a.mtx" "$@"
}
last() # the last line of the output
{
    tail -n 1 "$tmp/out" | tr -d '\r'
}
array() # array NAME: the numbers of a file in one line
{
    tr '\n' ' ' <"$tmp/dump/$1.txt" | sed 's/ $//'
}

code "the example" 0 split --w 4 --t 2 -f csv
is "has 19 of 32 entries in heavy segments" "$(last)" "4,2,2,16,6,2,19,13,7,0.59375"
is "under the names of the figures" "$(head -n 1 "$tmp/out" | tr -d '\r')" "$(echo "$members" | tr ' ' ,)"
code "json" 0 split --w 4 --t 2 -f json
is "has exactly these members" "$(tail -n 2 "$tmp/out" | grep -o '"[a-z_0-9]*":' | tr -d '":' | tr '\n' ' ')" "$members "
code "a table" 0 split
ok "too" grep -q 'heavy_ratio' "$tmp/out"
code "the arrays" 0 split --w 4 --t 2 --dump "$tmp/dump" -f csv --threads 3
is "come with the same figures" "$(last)" "4,2,2,16,6,2,19,13,7,0.59375"
is "panels" "$(array panel_ptr)" "0 4 6"
is "rows of heavy segments" "$(array seg_row)" "0 3 5 6 3 7"
is "where they begin" "$(array seg_ptr)" "0 3 7 10 13 16 19"
is "columns within the panel" "$(array heavy_col)" "0 1 3 0 1 2 3 1 2 3 1 2 3 0 1 3 0 1 2"
is "their values" "$(array heavy_val | cut -d' ' -f1-8)" "1.5 1.5 1.5 4.5 4.5 4.5 4.5 6.5"
is "light rows" "$(array light_ptr)" "0 1 3 5 5 8 9 11 13"
is "light columns" "$(array light_col)" "7 2 5 3 6 0 6 7 4 4 5 2 3"
is "light values" "$(array light_val | cut -d' ' -f1-3)" "1.5 2.5 2.5"

code "T = 0" 0 split --w 4 --t 0 -f csv
is "makes all heavy" "$(last)" "4,0,2,16,16,2,32,0,0,1"
code "T = W" 0 split --w 4 --t 4 -f csv
is "makes all light" "$(last)" "4,4,2,16,0,0,0,32,8,0"
code "T = 16 at W = 16" 0 split --w 16 --t 16 -f csv
is "too" "$(last)" "16,16,1,8,0,0,0,32,8,0"
code "a panel of one column" 0 split --w 1 --t 0 -f csv
is "has as many segments as entries" "$(last)" "1,0,8,32,32,8,32,0,0,1"

printf '%%%%MatrixMarket matrix coordinate real general\n0 0 0\n' >"$tmp/none.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n3 9 0\n' >"$tmp/empty.mtx"
code "0 x 0" 0 "$ROWCAST" split "$tmp/none.mtx" --w 4 --t 2 --dump "$tmp/dump" -f csv
is "is nothing" "$(last)" "4,2,0,0,0,0,0,0,0,0"
is "with one pointer" "$(array panel_ptr)$(array light_ptr)$(array seg_ptr)" "000"
code "no entries" 0 "$ROWCAST" split "$tmp/empty.mtx" --w 4 --t 2 -f csv
is "are no segments" "$(last)" "4,2,3,0,0,0,0,0,0,0"

for bad in "--w 0" "--w -4" "--w 3" "--w x" "--t -1" "--w 2147483648"; do
    # shellcheck disable=SC2086  # two words
    code "$bad is a usage error" 2 split $bad
done
code "a panel of 3 columns" 2 split --w 3
ok "is told what is expected" grep -q 'expected a power of two from 1 to 1073741824, found 3' "$tmp/err"
: >"$tmp/file"
code "a folder that is a file" 3 split --dump "$tmp/file"
code "a matrix that is not there" 3 "$ROWCAST" split "$tmp/nothing.mtx"
