#!/bin/sh
# Value types from the sweep to the store: what a kernel has no instance for is skipped and says so; with
# ROWCAST_GPU the 16-bit type of a GPU's kernels is verified, stored, queried and not measured again.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 12
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

[ -n "${ROWCAST_GPU:-}" ] || {
    for n in 9 10 11 12; do echo "ok $n # SKIP no GPU"; done
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
