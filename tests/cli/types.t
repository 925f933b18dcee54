#!/bin/sh
# Value types from the sweep to the store: what a kernel has no instance for is skipped and says so; with
# ROWCAST_GPU the 16-bit type of a GPU's kernels is verified, stored, queried and not measured again.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 15
cd "$tmp" || exit 99
mkdir -p col/G
for spec in uniform:n=500,mean=8 rmat:scale=9 circuit:n=800; do
    "$ROWCAST" generate "$spec" -o "col/G/$(echo "$spec" | tr ':=,' '___').mtx" >/dev/null
done
quick="-C col -p csr,lpt --timing shared --case-time 0.0005 --max-reps 7 -q"

# counted STORE WHERE: rows of the store
counted()
{
    "$ROWCAST" query "$1" -f csv --columns case -w "$2" | tail -n +2 | wc -l
}

# shellcheck disable=SC2086
code "a CPU measures what it has" 0 "$ROWCAST" sweep -s cpu.h5 $quick -d cpu -k 8 --threads 1 --share-device \
    --kernels rowsplit,cstat --precision fp32,bf16
is "fp32 is ok" "$(counted cpu.h5 'precision == fp32 && status == ok')" 12
is "bf16 is skipped" "$(counted cpu.h5 'precision == bf16 && status == skipped')" 12
is "and each says why" "$("$ROWCAST" query cpu.h5 -f csv --columns message -w 'precision == bf16' | sort -u | tr '\n' ';')" \
    "message;no instance for bf16;"
code "a plan of it is refused" 2 "$ROWCAST" plan col/G/rmat_scale_9.mtx -d cpu -k 8 --precision bf16
ok "with that reason" grep -q "no instance for bf16" "$tmp/err"
# shellcheck disable=SC2086
code "an unknown type is refused" 2 "$ROWCAST" sweep -s x.h5 $quick --precision fp12
ok "in a line that names those that there are" grep -q "'fp12'.*; known: fp32, fp64, bf16, fp16" "$tmp/err"

# What a file has and fp16 has not: 65,504 is its largest number, from 65,520 on it has infinity.
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 4 6' '1 1 65504' '1 2 65519' '2 2 65520' '3 3 -1e30' \
    '4 1 1e39' '4 4 inf' >big.mtx
code "a sweep says what overflows" 0 "$ROWCAST" sweep big.mtx -s big.h5 -d cpu -k 8 --threads 1 --share-device \
    --kernels rowsplit -p csr --timing shared --case-time 0.0005 --max-reps 7 --precision fp32,fp16
is "once, for each precision" "$(grep -o 'big: .* infinity$' "$tmp/err" | tr '\n' ';')" \
    "big: 1 of 6 values is beyond fp32 (3.4e+38) and became infinity;big: 3 of 6 values are beyond fp16 (65,504) and became infinity;"
"$ROWCAST" plan big.mtx -d cpu -k 8 --precision fp16 >plan.out 2>plan.err
ok "so does a plan" grep -q '^rowcast plan: big.mtx: 3 of 6 values are beyond fp16 (65,504) and became infinity$' plan.err

[ -n "${ROWCAST_GPU:-}" ] || {
    for n in 12 13 14 15; do echo "ok $n # SKIP no GPU"; done
    exit
}
kernels="growmajor,gchunk,gchunk:rounds=4"
# shellcheck disable=SC2086
code "a GPU measures 16 bits" 0 "$ROWCAST" sweep -s gpu.h5 $quick -k 1,8,33,128 --kernels "$kernels" --precision bf16
is "every case is right" "$(counted gpu.h5 'precision == bf16 && status == ok')" 72
# shellcheck disable=SC2086
"$ROWCAST" sweep -s gpu.h5 $quick -k 1,8,33,128 --kernels "$kernels" --precision bf16 --dry-run >again.out 2>&1
is "and is not measured again" "$(counted gpu.h5 'precision == bf16')" 72
ok "the store is sound" "$ROWCAST" verify gpu.h5
