#!/bin/sh
# compute-sanitizer finds nothing in a sample of the runs of the kernel tests.
# ROWCAST_GPU_TEST: the test program; ROWCAST_GPU_SAMPLE: one run in so many, default 5003, of kernels with many
# parameters fewer.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
program=${ROWCAST_GPU_TEST:-${top_builddir:-.}/tests/gpu/test_gpu_kernels}
[ -x "$program" ] || skip_all "there is no $program"

PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin:/opt/cuda/bin
command -v compute-sanitizer >/dev/null || skip_all "compute-sanitizer not found"

# as few runs as can be: is there a GPU?
ROWCAST_GPU_SAMPLE=1000000 "$program" >"$tmp/probe" 2>&1
! grep -qi skip "$tmp/probe" || skip_all "no GPU"

ROWCAST_GPU_SAMPLE=${ROWCAST_GPU_SAMPLE:-5003}
export ROWCAST_GPU_SAMPLE
plan 21
ok "memcheck finds nothing" compute-sanitizer --tool memcheck --error-exitcode 1 "$program"
# of ours only: cuSPARSE 12.6.3 has a race and an uninitialised read of its own (COO_ALG3, COO_ALG2)
sample=$ROWCAST_GPU_SAMPLE
races() # races FACTOR KERNELS: one run in FACTOR times as many
{
    ROWCAST_GPU_SAMPLE=$(($1 * sample + 1))
    ROWCAST_GPU_KERNEL=$2
    export ROWCAST_GPU_KERNEL
    for tool in racecheck initcheck; do
        ok "$tool finds nothing in $2" compute-sanitizer --tool "$tool" --error-exitcode 1 "$program"
    done
}
races 1 gstat,gsub,growmajor,growmajor-spmm_t,gplain-spmv,gplain-spmm_t,gplain-sddmm,row-sddmm,merge,hyb,csr,ell,coo,csr5
races 1 csr2,csr3,csr35,csrk-split,rs,rs-spmm_t,aspt,aspt-sddmm
races 4 gchunk,gslice,gmma
races 12 gchunk-col,gchunk-brow-ccol,gchunk-bcol-crow,gchunk-rows-col,gpanel,gpanel-col,gpanel-bcol-crow,gpanel-brow-ccol
races 12 gstage,gstage-col,gstage-bcol-crow,gstage-brow-ccol
unset ROWCAST_GPU_KERNEL
ROWCAST_GPU_PLANS=50
export ROWCAST_GPU_PLANS
ok "memcheck finds nothing in plans" compute-sanitizer --tool memcheck --leak-check full \
    --error-exitcode 1 "${top_builddir:-.}/tests/gpu/test_gpu_plan"
for tool in memcheck racecheck; do
    ok "$tool finds nothing in reading matrices" compute-sanitizer --tool "$tool" \
        --error-exitcode 1 "${top_builddir:-.}/tests/gpu/test_gpu_read"
done
ROWCAST_GPU_SAMPLE=40
ROWCAST_GPU_BUILDS=40
export ROWCAST_GPU_SAMPLE ROWCAST_GPU_BUILDS
ok "memcheck finds nothing in orders" compute-sanitizer --tool memcheck --leak-check full \
    --error-exitcode 1 "${top_builddir:-.}/tests/gpu/test_gpu_orders"
ok "memcheck finds nothing in builds" compute-sanitizer --tool memcheck --leak-check full \
    --error-exitcode 1 "${top_builddir:-.}/tests/gpu/test_gpu_builds"
for tool in memcheck racecheck; do
    ok "$tool finds nothing in both products of rs" compute-sanitizer --tool "$tool" \
        --error-exitcode 1 "${top_builddir:-.}/tests/gpu/test_gpu_rs"
done
ROWCAST_GPU_SAMPLE=29
for tool in memcheck racecheck; do
    ok "$tool finds nothing where parts of aspt meet" compute-sanitizer --tool "$tool" \
        --error-exitcode 1 "${top_builddir:-.}/tests/gpu/test_gpu_aspt"
done
ok "racecheck finds nothing in builds" compute-sanitizer --tool racecheck \
    --error-exitcode 1 "${top_builddir:-.}/tests/gpu/test_gpu_builds"
