#include "config.h"
#include "format/cuda/parts.h"
#include "base/error.h"
#include "base/type.h"

rc_status_t rc_cuda_parts_sums(rc_memory_t *m, int64_t parts, int64_t longs, int64_t k,
    rc_precision_t precision, rc_cuda_parts_t *out, rc_err_t *err)
{
    size_t columns = (size_t)k;
    void *to;
    RC_PASS(rc_memory_keep(m, NULL,
        (size_t)parts * columns * rc_precision_bytes(rc_type(precision)->sum), &out->partial, err));
    RC_PASS(rc_memory_keep(m, NULL, (size_t)longs * columns * sizeof *out->arrived, &to, err));
    out->arrived = to;
    return RC_OK;
}

int64_t rc_cuda_parts_bytes(int64_t parts, int64_t longs)
{
    return parts * (int64_t)sizeof(int32_t) + longs * (int64_t)sizeof(rc_long_row_t);
}

int64_t rc_cuda_parts_column_bytes(int64_t parts, int64_t longs, rc_precision_t precision)
{
    return parts * (int64_t)rc_precision_bytes(rc_type(precision)->sum) +
           longs * (int64_t)sizeof(int32_t);
}
