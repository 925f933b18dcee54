#!/bin/sh
# Value types from the sweep to the store: a CPU's kernels have all of them, and what has no instance is skipped and says so; with
# ROWCAST_GPU the 16-bit type of a GPU's kernels is verified, stored, queried and not measured again.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 20
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
# complex numbers are of plans in programs
# shellcheck disable=SC2086
code "a sweep of complex numbers is refused" 2 "$ROWCAST" sweep -s x.h5 $quick --precision c64
code "so is a plan of a file" 2 "$ROWCAST" plan col/G/rmat_scale_9.mtx -d cpu -k 8 --precision c128
code "and a query" 2 "$ROWCAST" query cpu.h5 --precision c64

[ -n "${ROWCAST_GPU:-}" ] || {
    for n in 17 18 19 20; do echo "ok $n # SKIP no GPU"; done
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
