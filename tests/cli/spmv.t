#!/bin/sh
# y = A x in the formats of Nisa et al. on a CPU: sweep, store, query.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 43

mkdir -p "$tmp/col/G"
for spec in mesh2d:n=20 arrow:n=1500 manyempty:n=400; do
    "$ROWCAST" generate "$spec" -o "$tmp/col/G/${spec%%:*}.mtx" >/dev/null || exit 99
    # a comment says who made them; these are to be taken for real
    sed -i '/^% made by/d' "$tmp/col/G/${spec%%:*}.mtx"
done
cat >"$tmp/col/G/nothing.mtx" <<'END'
%%MatrixMarket matrix coordinate real general
4 3 0
END

sweep()
{
    "$ROWCAST" sweep -s "$tmp/s.h5" -C "$tmp/col" --op spmv --threads 2 --share-device --timing shared \
        --case-time 0.0002 --max-reps 3 -q "$@"
}

# rows CONDITION COLUMNS: of the store, sorted, in one line
rows()
{
    "$ROWCAST" query "$tmp/s.h5" -w "$1" --columns "$2" -f csv | tr -d '\r' | tail -n +2 | sort -u | paste -sd ' ' -
}

code "the formats are swept" 0 sweep -d cpu -p csr,lpt,dcsr --precision fp32,fp64 -x csr,merge,ell,plain-spmv
is "in both precisions, three orders, four matrices" \
    "$("$ROWCAST" query "$tmp/s.h5" --columns case -f csv | tail -n +2 | wc -l | tr -d ' ')" 96
is "every product is right" "$(rows 'rows > 0' status)" ok
is "K is missing" "$("$ROWCAST" query "$tmp/s.h5" --columns k -f json | grep -c '"k": null')" 96
is "parameters have their names" "$(rows 'op == spmv' kernel)" \
    "csr:lanes=auto ell:limit=none merge:items=896 plain-spmv"
is "ELLPACK fills" "$(rows 'name == arrow && kernel == "ell:limit=none" && policy == csr' fill)" "501.55624722098713"
is "rows alone do not" "$(rows 'kernel != "ell:limit=none"' fill)" 1
is "nothing is left to do" "$(sweep -d cpu -p csr,lpt,dcsr --precision fp32,fp64 -x csr,merge,ell,plain-spmv --dry-run 2>&1 \
    | grep -c '0 cases pending')" 1
code "parameters are swept" 0 sweep -d cpu -p csr -x 'csr:lanes=1..32,csr:lanes=auto,merge:items=1,merge:items=50,ell:limit=cusp'
is "all right, or skipped with a reason" "$(rows 'rows > 0' status)" "ok skipped"
is "that of CUSP" "$(rows 'status == skipped' name,kernel)" "arrow,ell:limit=cusp"
ok "with the figures" sh -c "'$ROWCAST' query '$tmp/s.h5' -w 'status == skipped' --columns message | grep -q 'limit=cusp: 2256000 places for 4498 entries'"
code "rates" 0 "$ROWCAST" query "$tmp/s.h5" -S rate -f csv
is "of every kernel" "$(cut -d, -f8 "$tmp/out" | sort -u | grep -c '^merge:items=')" 3

# tables of the study: by entries, by matrix, of six formats
code "matrices by their entries" 0 "$ROWCAST" query "$tmp/s.h5" --op spmv -S ranges -f csv
is "are as many as were swept, with the deviation of the rows" \
    "$(tr -d '\r' <"$tmp/out" | awk -F, '$2 == "0-10K" { print $1, $3, $9, $10 }')" "real 4 4 747"
code "rates by matrix" 0 "$ROWCAST" query "$tmp/s.h5" --op spmv -S rate -M -f csv
is "one is best in each precision" "$(tr -d '\r' <"$tmp/out" | awk -F, '$1 == "G/arrow" && $15 == 1' | wc -l)" 2
code "a standing of each format" 0 "$ROWCAST" query "$tmp/s.h5" --op spmv -S formats -f csv
is "COO was not measured" "$(tr -d '\r' <"$tmp/out" | awk -F, '$1 == "fp32" { print $5, $7, $11, $12 }' | head -3 | paste -sd: -)" \
    "coo 0 4 0:ell 4 0 0:csr 4 0 0"
is "so no matrix has all" "$("$ROWCAST" query "$tmp/s.h5" --op spmv -S coo -f csv | tr -d '\r' | cut -d, -f6 | tail -n +2 | sort -u)" 0
is "matrices that files hold can be called generated" "$("$ROWCAST" query "$tmp/s.h5" --op spmv -S ranges \
    --generated 'name == arrow' -f csv | tr -d '\r' | awk -F, '$2 == "0-10K" { print $1 $3 }' | paste -sd ' ' -)" "real3 all4"
code "by an expression" 2 "$ROWCAST" query "$tmp/s.h5" --op spmv -S ranges --generated 'nme == arrow'
code "an operation that is none" 2 "$ROWCAST" query "$tmp/s.h5" --op spmw -S coo
ok "is said so" grep -q -e '--op:.*spmw' "$tmp/err"

code "lanes are a power of two" 2 sweep -d cpu -x csr:lanes=3
ok "that is said" grep -q 'lanes: expected a power of two, found 3' "$tmp/err"
code "items are at least one" 2 sweep -d cpu -x merge:items=0

code "CSR-k is swept" 0 sweep -d cpu -p csr,rcm,bandk,bandk:srs=16:ssrs=0 --precision fp32,fp64 -x csr2,csr3,csr2:srs=16
is "all right, in the numbering of the order, or skipped" "$(rows 'kernel ~ csr2* || kernel ~ csr3*' c_order,status)" \
    "original,ok symmetric,ok symmetric,skipped"
is "which is that of the shape" "$(rows 'status == skipped && kernel ~ csr2*' name,policy | tr ' ' '\n' | cut -d: -f1 | sort -u | paste -sd ' ' -)" \
    "nothing,bandk nothing,rcm"
ok "and is said" sh -c "'$ROWCAST' query '$tmp/s.h5' -w 'status == skipped && policy ~ bandk*' --columns message | grep -q 'this one is 4 x 3'"
is "regular matrices and symmetric ones are told apart" "$(rows 'regular && pattern_symmetric' name)" "mesh2d"
is "from the others" "$(rows '!regular' name)" "arrow manyempty"
code "no empty super-rows" 2 sweep -d cpu -x csr2:srs=0
code "nor super-super-rows of CSR-2" 2 sweep -d cpu -x csr2:ssrs=8

# an ELLPACK of 12 TB beside a product in CSR
rm -rf "$tmp/col/G"
mkdir "$tmp/col/G"
"$ROWCAST" generate arrow:n=100000 -o "$tmp/col/G/arrow.mtx" >/dev/null || exit 99
is "what a file says of who made it is known" "$(sed -n '2s/generate .*/generate/p' "$tmp/col/G/arrow.mtx")" "% made by: rowcast generate"
code "what does not fit is skipped" 1 sweep -d cpu -p csr -x csr,ell --device-memory 64M
is "by kernel" "$(rows 'rows == 100000' kernel,status)" "csr:lanes=auto,ok ell:limit=none,skipped"
ok "with the figures" sh -c "'$ROWCAST' query '$tmp/s.h5' -w 'rows == 100000' --columns message | grep -q 80000"
is "is in the store" "$(rows 'op == spmv' name,generated | tr ' ' '\n' | sort -u | paste -sd ' ' -)" \
    "arrow,0 arrow,1 manyempty,0 mesh2d,0 nothing,0"
is "and in the tables" "$("$ROWCAST" query "$tmp/s.h5" -S ranges -f csv | tr -d '\r' | awk -F, 'NR > 1 && $3 { print $1 $2 ":" $3 }' | paste -sd ' ' -)" \
    "real0-10K:4 all0-10K:4 all100-500K:1"

# a matrix of another operation is none of theirs
rm -rf "$tmp/col/G"
mkdir "$tmp/col/G"
"$ROWCAST" generate mesh2d:n=30 -o "$tmp/col/G/other.mtx" >/dev/null || exit 99
"$ROWCAST" sweep -s "$tmp/s.h5" -C "$tmp/col" -k 2 -x rowsplit -d cpu -p csr --threads 2 --share-device --timing shared \
    --case-time 0.0002 --max-reps 3 -q || exit 99
is "matrices of other operations are not counted" "$("$ROWCAST" query "$tmp/s.h5" -S ranges -f csv | tr -d '\r' \
    | awk -F, '$2 == "0-10K" { print $1 $3 }' | paste -sd ' ' -)" "real4 all4"
