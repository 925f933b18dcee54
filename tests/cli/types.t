#!/bin/sh
# Value types from the sweep to the store: a CPU's kernels have all of them, and what has no instance is skipped and says so; with
# ROWCAST_GPU the 16-bit type of a GPU's kernels is verified, stored, queried and not measured again.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 39
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
# plans of complex values, which check themselves: of a file, of one without imaginary parts, and of made ones
for a in complex/G/hermitian.mtx complex/G/pattern.mtx complex/G/real.mtx rmat:scale=7; do
    for op in "spmm -k 1,6 --transposed" "spmm -k 3 --layout col" "spmv --transposed" "spmm_t -k 5" "sddmm -k 4"; do
        for type in c64 c128; do
            # shellcheck disable=SC2086
            "$ROWCAST" plan "$a" --op $op --precision $type -d cpu --threads 2 --tune 2 >out.plan 2>&1 ||
                echo "$a $op $type"
            grep -q "^product .*, $type" out.plan || echo "$a $op $type: $(head -1 out.plan)"
        done
    done
done >plans.wrong
is "plans of complex numbers are right" "$(cat plans.wrong)" ""
code "one is kept" 0 "$ROWCAST" plan complex/G/hermitian.mtx -k 6 --precision c64 -d cpu --threads 2 --tune 1 --transposed --save c.plan
is "nothing is said of its values" "$(grep -c 'only the pattern' "$tmp/err")" 0
code "and comes back" 0 "$ROWCAST" plan complex/G/hermitian.mtx -k 6 --precision c64 -d cpu --threads 2 --load c.plan
code "as what it was" 3 "$ROWCAST" plan complex/G/hermitian.mtx -k 6 --precision c128 -d cpu --threads 2 --load c.plan
"$ROWCAST" plan complex/G/hermitian.mtx -k 6 --precision fp32 -d cpu --tune 0 >out.plan 2>&1
is "a plan of real numbers says that it has others" "$(grep -c 'only the pattern' out.plan)" 1
printf '%%%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 1e300\n2 2 1e300 -1e300\n' >large.mtx
"$ROWCAST" plan large.mtx -k 1 --precision c64 -d cpu --tune 0 >out.plan 2>&1
is "values beyond the type are counted once" "$(grep -o '2 of 2 values are beyond c64' out.plan)" "2 of 2 values are beyond c64"
for type in fp32 fp64 c64 c128; do
    "$ROWCAST" format complex/G/real.mtx -x csr --precision $type -f csv |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["bytes_val"] / $at["nnz"] }'
done >sizes
is "a form of complex numbers has their size" "$(tr '\n' ' ' <sizes)" "4 8 8 16 "
code "what has no complex numbers says what it has" 2 "$ROWCAST" calibrate --kernel rs -d cpu --k 8 --n 64 --precision c64
is "in a line" "$(grep -c "'c64'.*; known: fp32, fp64, bf16, fp16$" "$tmp/err")" 1

[ -n "${ROWCAST_GPU:-}" ] || {
    for n in 33 34 35 36 37 38 39; do echo "ok $n # SKIP no GPU"; done
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
ok "a plan of complex numbers checks itself there" "$ROWCAST" plan complex/G/hermitian.mtx -k 5 --precision c128 -d cuda --tune 2 --transposed
