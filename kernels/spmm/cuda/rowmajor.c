#include "config.h"
#include "kernels/spmm/cuda/rowmajor.h"
#include "base/error.h"

#include <inttypes.h>

int rc_cuda_aligned(const rc_operands_t *o, size_t bytes)
{
    const rc_dense_t *b = &o->in[0];
    const rc_dense_t *c = &o->out;
    const size_t value = rc_precision_bytes(b->precision);
    const size_t value_c = rc_precision_bytes(c->precision);
    size_t bytes_c = bytes / value * value_c;
    while (bytes_c > bytes && bytes_c > RC_CUDA_VECTOR_BYTES)
        bytes_c /= 2; /* wider sums are stored in pieces */
    return ((uintptr_t)b->data | (uintptr_t)b->ld * value) % bytes == 0 &&
           ((uintptr_t)c->data | (uintptr_t)c->ld * value_c) % bytes_c == 0;
}

rc_status_t rc_cuda_leading(const rc_operands_t *o, uint32_t *ldb, uint32_t *ldc, rc_err_t *err)
{
    int64_t ld = o->in[0].ld > o->out.ld ? o->in[0].ld : o->out.ld;
    if (ld > UINT32_MAX)
        return rc_fail(err, RC_ENOTSUP, "shape: leading dimension %" PRId64 ", at most %" PRIu32,
            ld, UINT32_MAX);
    *ldb = (uint32_t)o->in[0].ld;
    *ldc = (uint32_t)o->out.ld;
    return RC_OK;
}
