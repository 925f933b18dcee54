#!/bin/sh
# compute-sanitizer finds nothing in a sample of the runs of the kernel tests.
# ROWCAST_GPU_TEST: the test program; ROWCAST_GPU_SAMPLE: one run in so many, default 1999, of kernels with many
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

ROWCAST_GPU_SAMPLE=${ROWCAST_GPU_SAMPLE:-1999}
export ROWCAST_GPU_SAMPLE
plan 75
ok "memcheck finds nothing" compute-sanitizer --tool memcheck --error-exitcode 1 "$program"
# of ours only: cuSPARSE 12.6.3 has a race and an uninitialised read of its own (COO_ALG3, COO_ALG2)
sample=$ROWCAST_GPU_SAMPLE
for kernel in gstat gsub growmajor gplain-spmv gplain-spmm_t gplain-sddmm row-sddmm merge hyb csr ell coo csr5 csr2 csr3 csr35 csrk-split gchunk gchunk-col gchunk-brow-ccol gchunk-bcol-crow gpanel gslice \
    gstage gchunk-rows-col gpanel-col gstage-brow-ccol gpanel-bcol-crow rs rs-spmm_t aspt aspt-sddmm; do
    ROWCAST_GPU_KERNEL=$kernel
    case $kernel in
    gchunk-*col* | gpanel* | gstage*) ROWCAST_GPU_SAMPLE=$((12 * sample + 1)) ;;
    gchunk | gslice) ROWCAST_GPU_SAMPLE=$((4 * sample + 1)) ;;
    esac
    export ROWCAST_GPU_KERNEL
    for tool in racecheck initcheck; do
        ok "$tool finds nothing in $kernel" compute-sanitizer --tool "$tool" --error-exitcode 1 "$program"
    done
done
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
