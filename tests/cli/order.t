#!/bin/sh
# rowcast order: the summary, the files and in which direction they map, and errors.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 78

# 5 rows of 2, 1, 0, 2 and 1 entries; values name (row, column)
cat >"$tmp/a.mtx" <<END
%%MatrixMarket matrix coordinate real general
5 4 6
1 1 11
1 4 14
2 2 22
4 1 41
4 4 44
5 2 52
END

rows() # rows FILE: the slots in one line
{
    grep -v '^#' "$1" | tr '\n' ' '
}

order() # order POLICY OPTION...
{
    policy=$1
    shift
    "$ROWCAST" order "$tmp/a.mtx" --order "$policy" --nw 2 --nt 1 --line 1 --threads 1 \
        --rows "$tmp/rows" -o "$tmp/b.mtx" "$@" >"$tmp/out"
}

ok "cta runs" order cta
is "cta takes the closest row next" "$(rows "$tmp/rows")" "2 1 4 0 3 "
ok "the rows file names the order" grep -qx '# order: cta@[0-9]*' "$tmp/rows"
ok "and the direction" grep -q 'slot (new position) -> original row' "$tmp/rows"
ok "and the geometry" grep -qx '# nw: 2  nt: 1  line: 1' "$tmp/rows"
is "the matrix has its rows in slot order" "$(grep -v '^%' "$tmp/b.mtx" | tr '\n' ';')" \
    "5 4 6;2 2 22;3 2 52;4 1 11;4 4 14;5 1 41;5 4 44;"
ok "lpt runs" order lpt
is "lpt balances" "$(rows "$tmp/rows")" "0 3 1 4 2 -1 "
ok "pads are counted" grep -q 'pads: 1 ' "$tmp/rows"
is "pads are not in the matrix" "$(grep -v '^%' "$tmp/b.mtx" | head -n 1)" "5 4 6"
ok "dcsr runs" order dcsr
is "dcsr leaves the empty row out" "$(rows "$tmp/rows")" "0 1 3 4 "
is "and so does the matrix" "$(grep -v '^%' "$tmp/b.mtx" | tr '\n' ';')" \
    "4 4 6;1 1 11;1 4 14;2 2 22;3 1 41;3 4 44;4 2 52;"
ok "csv runs" order lpt --format csv
is "csv has both orders" "$(cut -d, -f1,3,4,5,7 "$tmp/out" | tr '\n' ';')" \
    "order,slots,pads,left_out,load_max;csr,5,0,0,3;lpt,6,1,0,3;"
code "a built-in matrix can be named" 0 "$ROWCAST" order mesh3d:n=4 -p warp --format json
code "also one of the built-in set" 0 "$ROWCAST" order mesh2d-100 -p dcsr -f csv
cut -d, -f1-8 "$tmp/out" >"$tmp/short"
code "and by the name that sweeps give it" 0 "$ROWCAST" order builtin/mesh2d-100 -p dcsr -f csv
is "which is the same matrix" "$(cut -d, -f1-8 "$tmp/out")" "$(cat "$tmp/short")"
code "an unknown policy is a usage error" 2 "$ROWCAST" order "$tmp/a.mtx" -p hybrid2-1
ok "that suggests the nearest" grep -q "did you mean 'hybrid2.1'" "$tmp/err"
code "a missing policy is a usage error" 2 "$ROWCAST" order "$tmp/a.mtx"
code "a geometry out of range is a usage error" 2 "$ROWCAST" order "$tmp/a.mtx" -p csr --nw 0
code "a missing file is an input error" 3 "$ROWCAST" order "$tmp/none.mtx" -p csr
code "a file that cannot be written is an error" 3 \
    "$ROWCAST" order "$tmp/a.mtx" -p csr --rows "$tmp/none/rows"
code "an unknown format is a usage error" 2 "$ROWCAST" order "$tmp/a.mtx" -p csr --format xml

# orders with parameters, columns and groups; s is a path 3 - 0 - 2 - 1 with its diagonal, 4 alone
cat >"$tmp/s.mtx" <<END
%%MatrixMarket matrix coordinate real symmetric
5 5 7
1 1 11
2 2 22
3 3 33
4 4 44
3 1 31
4 1 41
3 2 32
END
square() # square POLICY OPTION...
{
    policy=$1
    shift
    "$ROWCAST" order "$tmp/s.mtx" --order "$policy" --rows "$tmp/rows" -o "$tmp/b.mtx" "$@" >"$tmp/out"
}
ok "rcm runs" square rcm --columns "$tmp/cols" --inverse "$tmp/inverse"
is "a path comes out in its order" "$(rows "$tmp/rows")" "4 3 0 2 1 "
is "with its columns" "$(rows "$tmp/cols")" "4 3 0 2 1 "
is "and where each row went" "$(rows "$tmp/inverse")" "2 4 3 1 0 "
is "the matrix is renumbered both ways" "$(grep -v '^%' "$tmp/b.mtx" | tr '\n' ';')" \
    "5 5 10;2 2 44;2 3 41;3 2 41;3 3 11;3 4 31;4 3 31;4 4 33;4 5 32;5 4 32;5 5 22;"
code "not for other shapes" 3 "$ROWCAST" order "$tmp/a.mtx" -p rcm
ok "with the file and the reason" grep -q "order: $tmp/a.mtx: .*needs a square matrix, this one is 5 x 4" "$tmp/err"
code "spy of it" 3 "$ROWCAST" spy "$tmp/a.mtx" -p rcm -o "$tmp/spy.png"
ok "names the file too" grep -q "spy: $tmp/a.mtx: .*needs a square matrix" "$tmp/err"
code "a plan of it" 2 "$ROWCAST" plan "$tmp/a.mtx" --orders rcm -k 4 --device cpu
ok "does too" grep -q "plan: $tmp/a.mtx: .*needs a square matrix" "$tmp/err"
printf '%s\n0 0 0\n' '%%MatrixMarket matrix coordinate real general' >"$tmp/nothing.mtx"
for policy in rcm amd bandk; do
    code "$policy of a matrix of nothing" 0 "$ROWCAST" order "$tmp/nothing.mtx" -p "$policy" --rows "$tmp/rows" \
        --columns "$tmp/cols" --inverse "$tmp/inverse" -o "$tmp/b.mtx"
    is "$policy: files of nothing" "$(rows "$tmp/rows")$(rows "$tmp/cols")$(rows "$tmp/inverse")$(sed -n '$p' "$tmp/b.mtx")" \
        "0 0 0"
done
code "csr has no columns to write" 2 square csr --columns "$tmp/cols"
code "nor groups" 2 square csr --groups "$tmp/groups"
ok "random takes a seed" square random:seed=7
cp "$tmp/rows" "$tmp/seven"
ok "named with its parameters" grep -q '^random:seed=7 ' "$tmp/out"
ok "a file is an order" square "file:$tmp/seven"
is "the same one" "$(rows "$tmp/rows")" "$(rows "$tmp/seven")"
code "an unknown parameter is a usage error" 2 square random:sead=7
ok "that suggests the nearest one" grep -q "did you mean 'seed'" "$tmp/err"
code "a value out of range is one" 2 square random:seed=-7
code "a file that is not there is an error of the input" 3 square "file:$tmp/none"
printf '0\n1\n2\nx\n' >"$tmp/bad"
code "a line that is no row is an error" 3 square "file:$tmp/bad"
ok "that names it" grep -q 'bad:4: expected a row from 0, or -1 for a pad, found .x' "$tmp/err"

# six rows, 0 2 4 and 1 5 alike
cat >"$tmp/l.mtx" <<END
%%MatrixMarket matrix coordinate pattern general
6 7 13
1 1
1 5
2 2
2 3
3 1
3 5
4 6
5 1
5 4
5 5
6 2
6 3
6 7
END
similar() # similar POLICY OPTION...
{
    policy=$1
    shift
    "$ROWCAST" order "$tmp/l.mtx" --order "$policy" --rows "$tmp/rows" -f csv "$@" >"$tmp/out"
}
ok "lsh runs" similar lsh --explain --groups "$tmp/clusters"
is "similar rows are side by side" "$(rows "$tmp/rows")" "0 2 4 1 5 3 "
is "in clusters" "$(rows "$tmp/clusters/cluster_ptr.txt")" "0 3 5 6 "
is "it says how many" "$(cut -d, -f11- "$tmp/out" | tr -d '\r' | sed 2d | cut -d, -f1,3- | tr '\n' ';')" \
    "units,pairs,bands_used,clusters,largest_cluster;5,2,64,3,3;"
ok "blk runs" similar blk:cols=3 --explain
is "it says its blocks and their columns" "$(cut -d, -f11- "$tmp/out" | tr -d '\r' | sed 2d | tr '\n' ';')" \
    "blocks,columns;3,7;"
ok "jiang runs" similar jiang:skip_dense=0.5:panel=3:col_min=2:tile_min=1 --explain
ok "and says what the rule says" grep -q 'lsh: dense_ratio 0.[0-9]* <= 0.5,' "$tmp/out"
ok "of both rounds" grep -q '^order,.*,round_1,round_2' "$tmp/out"
code "a signature that is no whole number of bands is a usage error" 2 similar lsh:siglen=7
code "a similarity that is no number is one" 2 similar lsh:sim_min=nan
{
    printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n9 9 8\n'
    for r in 2 3 4 5 6 7 8 9; do echo "$r $((r - 1))"; done
} >"$tmp/path.mtx"
ok "bandk runs" "$ROWCAST" order "$tmp/path.mtx" -p bandk:srs=2:ssrs=2 --rows "$tmp/rows" --groups "$tmp/csrk" -o "$tmp/b.mtx"
is "a path stays one" "$(rows "$tmp/rows")" "8 7 6 5 4 3 2 1 0 "
is "with its super-rows" "$(rows "$tmp/csrk/sr_ptr.txt")" "0 1 3 5 7 9 "
is "and super-super-rows" "$(rows "$tmp/csrk/ssr_ptr.txt")" "0 1 3 5 "
echo mine >"$tmp/csrk/my_ptr.txt"
ok "groups of another order" "$ROWCAST" order "$tmp/path.mtx" -p blk --groups "$tmp/csrk"
code "take the place of earlier ones" 1 test -e "$tmp/csrk/ssr_ptr.txt"
is "other files stay" "$(cat "$tmp/csrk/my_ptr.txt")" mine
code "a file is no folder of groups" 3 "$ROWCAST" order "$tmp/path.mtx" -p bandk:srs=4 --groups "$tmp/path.mtx"
ok "which the error says" grep -q "path.mtx: expected a folder, found a file" "$tmp/err"
is "rows and columns move together" "$(awk '!/^%/ && NF == 3 && ($1 - $2) ^ 2 != 1' "$tmp/b.mtx" | tail -n +2)" ""
if "$ROWCAST" info --format csv | grep -q '^policy,metis,'; then
    ok "metis gives groups" square metis:part=4 --groups "$tmp/groups"
    is "of all slots" "$(rows "$tmp/groups/part_ptr.txt" | awk '{ print $1, $NF }')" "0 5"
else
    code "this build says that it has no METIS" 3 square metis
    ok "in words" grep -q 'this build has no METIS' "$tmp/err"
fi
