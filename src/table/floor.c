#include "config.h"
#include "table/floor.h"
#include "base/glob.h"
#include "base/type.h"

#include <math.h>

const rc_floor_device_t rc_floor_h200 = {"*H200*", 3500, 4e6, 900, 16e6, 2700, 4700};

const rc_floor_device_t *rc_floor_device(const char *device_class)
{
    return rc_glob_match(rc_floor_h200.pattern, device_class) ? &rc_floor_h200 : NULL;
}

double rc_floor_bytes(rc_op_t op, int64_t rows, int64_t cols, int64_t nnz, int64_t k, int value)
{
    double index = nnz >= (INT64_C(1) << 31) ? 8 : 4;
    double dense = ((double)rows + (double)cols) * (op == RC_OP_SPMV ? 1 : (double)k);
    if (op == RC_OP_SDDMM)
        dense += (double)nnz;
    return (double)nnz * (index + value) + index * ((double)rows + 1) + value * dense;
}

double rc_floor_ns(const rc_floor_device_t *d, double bytes)
{
    if (!d)
        return NAN;
    double power = log(d->far_rate / d->near_rate) / log(d->far_bytes / d->near_bytes);
    double rate = fmin(d->memory_rate, d->near_rate * pow(bytes / d->near_bytes, power));
    return bytes > 0 ? fmax(d->launch_ns, bytes / rate) : d->launch_ns;
}

double rc_floor_of(const rc_view_t *v, int64_t i)
{
    const rc_row_result_t *r = rc_view_result(v, i);
    const rc_row_matrix_t *m = rc_view_matrix(v, r->matrix);
    if (r->op >= RC_OPS || !m)
        return NAN;
    return rc_floor_ns(rc_floor_device(rc_view_device(v, r->device)),
        rc_floor_bytes(
            (rc_op_t)r->op, m->rows, m->cols, m->nnz, r->k, rc_type(r->precision)->bytes));
}

double rc_roofline_bound(
    int64_t rows, int64_t cols, int64_t nnz, int64_t k, int64_t value_bytes, double gbs)
{
    const double index = 4;
    double n = (double)nnz;
    double columns = (double)k;
    double value = (double)value_bytes;
    double bytes = (index + value) * n + index * ((double)rows + 1) +
                   value * columns * ((double)rows + (double)cols);
    return 2 * columns * n * gbs / bytes;
}
