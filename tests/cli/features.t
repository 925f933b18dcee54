#!/bin/sh
# rowcast features: values, formats, errors.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 26

json_is_right()
{
    grep -q '"n_row": *3' "$tmp/out" && grep -q '"nnz_per_row_max": *3' "$tmp/out"
}

# rows {0 1 2}, {}, {1 4} of 3 x 5; worked out by hand in tests/unit/test_feature.c
cat >"$tmp/a.mtx" <<'END'
%%MatrixMarket matrix coordinate real general
3 5 5
1 1 1.0
1 2 1.0
1 3 1.0
3 2 1.0
3 5 1.0
END
names='n_row,n_col,density'
for stem in nnz_per_row nnz_blocks_per_row warp_load same_cache_lines \
    distinct_cache_lines_per_warp total_cache_lines_per_warp adjacent_vector_distance; do
    names="$names,${stem}_min,${stem}_mean,${stem}_max"
done

code "csv works" 0 "$ROWCAST" features "$tmp/a.mtx" --nw 2 --nt 2 --line 2 --format csv
is "the header names the features in the order of the table" "$(sed -n 1p "$tmp/out" | tr -d '\r')" "$names"
third=0.33333333333333331
is "the values are those worked out by hand" "$(sed -n 2p "$tmp/out" | tr -d '\r')" \
    "3,5,$third,0,1.6666666666666667,3,0,1.3333333333333333,2,0,1.5,3,1,1.3333333333333333,2,0,1.5,3,0,2,4,2,2,2"
is "there are two lines" "$(wc -l <"$tmp/out" | tr -d ' ')" 2
cp "$tmp/out" "$tmp/csv"
code "threads are accepted" 0 "$ROWCAST" features --nw 2 --nt 2 --line 2 --format csv --threads 3 "$tmp/a.mtx"
ok "they change nothing" cmp "$tmp/csv" "$tmp/out"

code "the table works" 0 "$ROWCAST" features "$tmp/a.mtx"
is "it has a line per feature" "$(grep -c '_mean' "$tmp/out")" 7
ok "with its meaning" grep -q 'nnz_per_row_max .*3 .*entries.*largest number' "$tmp/out"

code "json works" 0 "$ROWCAST" features "$tmp/a.mtx" --format json
ok "it has the values under their names" json_is_right
code "the default geometry is the paper's" 0 "$ROWCAST" features "$tmp/a.mtx" --format csv
cp "$tmp/out" "$tmp/default"
"$ROWCAST" features "$tmp/a.mtx" --format csv --nw 32 --nt 32 --line 32 >"$tmp/paper"
ok "32, 32, 32" cmp "$tmp/default" "$tmp/paper"

code "a generator spec is a matrix" 0 "$ROWCAST" features banded:n=1000 --format csv
ok "of that size" grep -q '^1000,1000,' "$tmp/out"

"$ROWCAST" features "$tmp/a.mtx" --set nisa --format csv >"$tmp/out"
is "the set of Nisa et al. has 17 features" "$(sed -n 2p "$tmp/out" | tr -d '\r' | tr , '\n' | wc -l | tr -d ' ')" 17
"$ROWCAST" features "$tmp/a.mtx" --set hong --format csv >"$tmp/out"
is "that of Hong et al. counts the distances" "$(sed -n 2p "$tmp/out" | tr -d '\r')" "2,1,0,0,0,0,0,0,0,0,0,0"
"$ROWCAST" features "$tmp/a.mtx" --set segments --format csv >"$tmp/out"
is "and its accumulations are a set of their own" "$(tr -d '\r' <"$tmp/out" | tr '\n' ' ')" "accumulations 2 "
"$ROWCAST" features banded:n=1000 --set heavy --format csv >"$tmp/out"
is "and so is the share of heavy segments" "$(tr -d '\r' <"$tmp/out" | tr '\n' ' ')" "heavy_ratio,heavy_reuse 0.99453053783044665,10.654296875 "
"$ROWCAST" features "$tmp/a.mtx" --set jiang --format csv >"$tmp/out"
is "that of Jiang et al. has the similarity and the reuse" "$(tr -d '\r' <"$tmp/out" | tr '\n' ' ')" \
    "dense_ratio,similarity,rest_similarity,panel_reuse_8,panel_reuse_128 0,0.25,0.25,1.25,1.25 "

"$ROWCAST" features mesh2d:n=40,shuffle=both --set regime --format csv >"$tmp/out"
# shellcheck disable=SC2016 # of awk
ok "that of the regime finds the locality that a numbering has lost" \
    awk -F, 'NR == 2 { good = $1 < 1.25 && $2 > 1.5 && $3 > 1.25 && $4 > 0.9 && $6 == 6400 } END { exit !good }' "$tmp/out"

code "an unknown set is a usage error" 2 "$ROWCAST" features "$tmp/a.mtx" --set nothing
ok "that names the sets" grep -q mehrabi "$tmp/err"
code "so is a geometry of zero" 2 "$ROWCAST" features "$tmp/a.mtx" --nw 0
code "a missing file is an error of the input" 3 "$ROWCAST" features "$tmp/missing.mtx"
code "a missing operand is a usage error" 2 "$ROWCAST" features
