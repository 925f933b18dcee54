#!/bin/sh
# rowcast tiles: the figures of an order, from a policy and from a file; errors.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 21

# Jiang et al. 2020, figure 1: rows {0 4} {2 3 5} {1 4} {5} {0 3 4} {1 2}
cat >"$tmp/a.mtx" <<'END'
%%MatrixMarket matrix coordinate pattern general
6 6 13
1 1
1 5
2 3
2 4
2 6
3 2
3 5
4 6
5 1
5 4
5 5
6 2
6 3
END
printf '0\n2\n4\n1\n3\n5\n' >"$tmp/rows"
members='panels tiles dense_columns nnz_dense dense_ratio similarity rest_similarity panel_reuse_8 panel_reuse_128'

tiles() # tiles OPTION...: with the panels and tiles of the paper's example
{
    "$ROWCAST" tiles "$tmp/a.mtx" --panel 3 --col-min 2 --tile-min 1 "$@"
}
last() # the last line of the output
{
    tail -n 1 "$tmp/out" | tr -d '\r'
}

code "the original order" 0 tiles -f csv
is "has 2 of 13 entries in a tile" "$(last)" \
    "2,1,1,2,0.15384615384615385,0,0,2.1666666666666665,2.1666666666666665"
is "under the names of the figures" "$(head -n 1 "$tmp/out" | tr -d '\r')" "$(echo "$members" | tr ' ' ,)"
code "an order from a file" 0 tiles --rows "$tmp/rows" -f csv
is "has 9" "$(last)" \
    "2,2,4,9,0.69230769230769229,0.2233333333333333,0.33333333333333331,2.1666666666666665,2.1666666666666665"
cp "$tmp/out" "$tmp/first"
code "which is a policy too" 0 tiles --order "file:$tmp/rows" -f csv --threads 3
ok "with the same figures" cmp "$tmp/first" "$tmp/out"
code "json" 0 tiles --rows "$tmp/rows" -f json
is "has exactly these members" "$(tail -n 2 "$tmp/out" | grep -o '"[a-z_0-9]*":' | tr -d '":' | tr '\n' ' ')" "$members "
code "a table" 0 tiles
ok "too" grep -q 'rest_similarity' "$tmp/out"
code "another panel" 0 "$ROWCAST" tiles "$tmp/a.mtx" --panel 1 --col-min 1 --tile-cols 2 --tile-min 1 -f csv
is "makes every row its own" "$(last | cut -d, -f1-5)" "6,6,11,11,0.84615384615384615"
code "a generated matrix under a policy" 0 "$ROWCAST" tiles mesh3d:n=5 -p dcsr -f csv
is "is one panel" "$(last | cut -d, -f1)" 1
code "two orders are a usage error" 2 tiles --order csr --rows "$tmp/rows"
code "an unknown policy is one" 2 tiles --order csrr
ok "that suggests the nearest" grep -q "did you mean 'csr'" "$tmp/err"
code "a panel of none is one" 2 tiles --panel 0
code "an order that is not there is one" 3 tiles --rows "$tmp/none"
printf '0\n1\n' >"$tmp/short"
code "an order of other rows is an error of the input" 3 tiles --rows "$tmp/short"
