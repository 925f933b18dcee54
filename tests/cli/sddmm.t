#!/bin/sh
# O = A .* (Y X') on a CPU: sweep, store, query.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 21

mkdir -p "$tmp/col/G"
for spec in mesh2d:n=20 arrow:n=700 manyempty:n=400; do
    "$ROWCAST" generate "$spec" -o "$tmp/col/G/${spec%%:*}.mtx" >/dev/null || exit 99
done
# explicit zeros are entries; rows 2 and 4 are empty
cat >"$tmp/col/G/zeros.mtx" <<'END'
%%MatrixMarket matrix coordinate real general
5 4 4
1 1 0
1 3 2
3 2 0
5 4 -1
END
cat >"$tmp/col/G/nothing.mtx" <<'END'
%%MatrixMarket matrix coordinate real general
4 3 0
END

sweep()
{
    "$ROWCAST" sweep -s "$tmp/s.h5" -C "$tmp/col" --op sddmm --threads 2 --share-device --timing shared \
        -d cpu --case-time 0.0002 --max-reps 3 -q "$@"
}

# rows CONDITION COLUMNS: of the store, sorted, in one line
rows()
{
    "$ROWCAST" query "$tmp/s.h5" -w "$1" --columns "$2" -f csv | tr -d '\r' | tail -n +2 | sort -u | paste -sd ' ' -
}

count()
{
    "$ROWCAST" query "$tmp/s.h5" -w "$1" --columns case -f csv | tail -n +2 | wc -l | tr -d ' '
}

code "the operation is swept" 0 sweep -p csr,lpt,dcsr,bandk -k 1,5,32 --precision fp32,fp64 -x plain-sddmm
is "every matrix, K, order and precision" "$(count '!(policy ~ bandk*)')" 90
is "every value is right" "$(rows '!(policy ~ bandk*)' status)" ok
is "orders that number columns, too, are skipped" "$(rows 'policy ~ bandk*' status)" skipped
is "with the reason" "$(rows 'policy ~ bandk* && name == mesh2d' message)" \
    "symmetric orders are not measured for sddmm"
is "explicit zeros are entries" "$(rows 'name == zeros' nnz)" 4
is "the traffic is A, both inputs and a value an entry" \
    "$(rows 'name == zeros && k == 32 && precision == fp32 && policy == csr' bytes_min)" \
    "$((4 * (4 + 4) + 6 * 8 + 5 * 8 + 4 * 32 * (5 + 4) + 4 * 4))"
is "the floor of a CPU is not known" "$(rows 'name == zeros' of_floor)" ""
is "nothing is left to do" "$(sweep -p csr,lpt,dcsr,bandk -k 1,5,32 --precision fp32,fp64 -x plain-sddmm --dry-run 2>&1 \
    | grep -c '0 cases pending')" 1

code "cold caches" 0 sweep -p csr -k 5 -x plain-sddmm --cache-mode cold
is "are cases of their own" "$(rows 'cache == cold' name,status)" \
    "arrow,ok manyempty,ok mesh2d,ok nothing,ok zeros,ok"

code "another operation goes into the same store" 0 "$ROWCAST" sweep -s "$tmp/s.h5" -C "$tmp/col" --op spmm --threads 2 \
    --share-device --timing shared -d cpu --case-time 0.0002 --max-reps 3 -q -p csr,lpt -k 5 -x rowsplit
code "tables are of one" 0 "$ROWCAST" query "$tmp/s.h5" --op sddmm -S speedup -f csv
is "that was asked for" "$(tail -n +2 "$tmp/out" | cut -d, -f1,2 | sort -u)" sddmm,plain-sddmm
code "the other" 0 "$ROWCAST" query "$tmp/s.h5" --op spmm -S speedup -f csv
is "too" "$(tail -n +2 "$tmp/out" | cut -d, -f1 | sort -u)" rowsplit

code "a kernel of another operation" 2 sweep -p csr -k 5 -x rowsplit
ok "is refused in one line" grep -q 'rowsplit.*spmm' "$tmp/err"
code "a width that is none" 2 sweep -p csr -k 0 -x plain-sddmm
code "it is planned" 0 "$ROWCAST" plan "$tmp/col/G/mesh2d.mtx" --op sddmm -k 5 -d cpu --threads 2
code "with a kernel that keeps values as they are" 0 "$ROWCAST" plan "$tmp/col/G/mesh2d.mtx" --op sddmm \
    -k 5 -d cpu --threads 2 --kernels aspt-sddmm
