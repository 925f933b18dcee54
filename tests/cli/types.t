#!/bin/sh
# Value types from the sweep to the store: a CPU's kernels have all of them, and what has no instance is skipped and says so; with
# ROWCAST_GPU the 16-bit type of a GPU's kernels is verified, stored, queried and not measured again.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 29
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
code "a CPU measures every type" 0 "$ROWCAST" sweep -s cpu.h5 $quick -d cpu -k 8,33 --threads 2 --share-device \
    --kernels rowsplit,cstat,serial-row,null --precision fp32,fp64,bf16,fp16
for type in fp32 fp64 bf16 fp16; do
    is "$type is right" "$(counted cpu.h5 "kernel != null && precision == $type && (status == ok || status == noisy)")" 36
done
is "what has no instance is skipped" "$(counted cpu.h5 'kernel == null && status == skipped')" 24
is "and each says why" "$("$ROWCAST" query cpu.h5 -f csv --columns precision,message -w 'status == skipped' | sort -u | tr '\n' ';')" \
    "bf16,no instance for bf16;fp16,no instance for fp16;precision,message;"
for type in bf16 fp16; do
    code "a plan in $type" 0 "$ROWCAST" plan col/G/rmat_scale_9.mtx -d cpu -k 8 --precision $type
    ok "says so" grep -q "^product spmm, $type" "$tmp/out"
done
# shellcheck disable=SC2086
code "an unknown type is refused" 2 "$ROWCAST" sweep -s x.h5 $quick --precision fp12
ok "in a line that names those that there are" grep -q "'fp12'.*; known: fp32, fp64, bf16, fp16" "$tmp/err"
# complex values of files, and made ones beside those that are made
mkdir -p complex/G
printf '%%%%MatrixMarket matrix coordinate complex hermitian\n4 4 6\n1 1 2 0\n2 1 1 2\n3 2 .5 -4\n4 3 1 1\n4 1 -1 .25\n3 3 7 0\n' \
    >complex/G/hermitian.mtx
printf '%%%%MatrixMarket matrix coordinate complex hermitian\n3 3 2\n1 1 2 1\n2 1 1 2\n' >complex/G/diagonal.mtx
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 1\n2 1\n3 2\n2 3\n' >complex/G/pattern.mtx
"$ROWCAST" generate uniform:n=300,mean=9 -o complex/G/real.mtx >/dev/null
for op in spmm spmv spmm_t sddmm; do
    "$ROWCAST" sweep -s complex.h5 -C complex -p csr,rcm --timing shared --case-time 0.0005 --max-reps 5 -d cpu -k 5 \
        --threads 2 --share-device --op $op --precision c64,c128 >out.$op 2>&1
    is "$op of complex numbers is right" "$(counted complex.h5 "op == $op && status != ok && status != noisy && status != skipped")
$(counted complex.h5 "op == $op && error_max <= 1" | sed 's/^0$/none/')" "0
$(counted complex.h5 "op == $op && status != skipped")"
done
is "a diagonal that is not real is refused by its line" \
    "$(grep -c 'diagonal.mtx:3: expected an imaginary part of 0' out.spmm)" 1
is "nothing is said of values that are taken" "$(grep -c 'only the pattern' out.spmm)" 0
ok "a query knows them" "$ROWCAST" query complex.h5 --precision c64,c128 --summary errors
"$ROWCAST" sweep -s real.h5 complex/G/hermitian.mtx -p csr --timing shared --case-time 0.0005 -d cpu -k 5 --threads 1 \
    --share-device --precision fp64,c128 >out.real 2>&1
is "a sweep of real numbers says once that it has none of them" "$(grep -c 'only the pattern' out.real)" 1
# files of one pattern and the same real parts
mkdir -p pair/G
for part in 1 2; do
    printf '%%%%MatrixMarket matrix coordinate complex general\n3 3 3\n1 1 1 %d\n2 3 2 0\n3 1 .5 -4\n' $part >pair/G/t$part.mtx
done
for type in c128 fp64; do
    "$ROWCAST" sweep -s $type.h5 -C pair -p csr --kernels rowsplit --timing shared --case-time 0.0005 --max-reps 5 -q -d cpu \
        -k 5 --threads 1 --share-device --precision $type >/dev/null 2>&1
done
is "imaginary parts make another matrix, where they are measured" \
    "$("$ROWCAST" query c128.h5 -f csv --columns digest | tail -n +2 | sort -u | wc -l)
$("$ROWCAST" query fp64.h5 -f csv --columns digest | tail -n +2 | sort -u | wc -l)" "2
1"
# shellcheck disable=SC2086
code "a plan of a file has no complex numbers" 2 "$ROWCAST" plan col/G/rmat_scale_9.mtx -d cpu -k 8 --precision c128

[ -n "${ROWCAST_GPU:-}" ] || {
    for n in 24 25 26 27 28 29; do echo "ok $n # SKIP no GPU"; done
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
for op in spmm spmv spmm_t sddmm; do
    "$ROWCAST" sweep -s gpuc.h5 -C complex -p csr,rcm --timing shared --case-time 0.0005 --max-reps 5 -q -d cuda -k 5 \
        --op $op --precision c64,c128 >/dev/null 2>&1
done
is "complex numbers of a GPU are right" "$(counted gpuc.h5 'status != ok && status != noisy && status != skipped')" 0
ok "in every operation" test "$("$ROWCAST" query gpuc.h5 -f csv --columns op -w 'error_max <= 1' | tail -n +2 | sort -u | wc -l)" -eq 4
