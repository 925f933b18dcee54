#include "config.h"
#include "kernels/vendor/library.h"
#include "base/error.h"

#include <inttypes.h>

rc_status_t rc_library_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    if (p->schedule->slots >= INT32_MAX || p->a->nnz > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP,
            "shape: %" PRId64 " slots and %" PRId64 " entries, the library counts up to %d",
            p->schedule->slots, p->a->nnz, INT32_MAX);
    rc_status_t st = rc_slots_analyse(p, out, err);
    const int64_t slots = p->schedule->slots;
    const int64_t value = (int64_t)rc_precision_bytes(p->precision);
    int64_t own = rc_sat_mul(slots + 1, (int64_t)sizeof(int32_t));
    if (rc_slots_row_bytes(p) > 0) /* y by slots */
        out->bytes_per_column = rc_sat_add(out->bytes_per_column, rc_sat_mul(slots, value));
    /* the library's matrix beside ours, while it is made: entries with both numbers, and a
     * pointer a row */
    own = rc_sat_add(own, rc_sat_mul(p->a->nnz, value + 2 * (int64_t)sizeof(int32_t)));
    own = rc_sat_add(own, rc_sat_mul(slots + 1, (int64_t)sizeof(int64_t)));
    out->bytes = rc_sat_add(out->bytes, own);
    return st;
}

rc_status_t rc_library_build(rc_library_t *l, const rc_problem_t *p, rc_err_t *err)
{
    const size_t slots = (size_t)p->schedule->slots;
    RC_PASS(rc_slots_fill(l->base.memory.x, p, &l->slots, err));
    l->ptr = rc_prepared_array(&l->base, slots + 1, sizeof *l->ptr, "slot pointers", err);
    if (l->slots.row)
        l->y = rc_prepared_array(
            &l->base, slots * (size_t)p->k, l->base.value_bytes, "y by slots", err);
    if (!l->ptr || (l->slots.row && !l->y))
        return RC_ENOMEM;
    for (int64_t i = 0; i <= l->slots.slots; i++)
        l->ptr[i] = (int32_t)l->slots.ptr[i];
    return RC_OK;
}

void rc_library_release(void *state)
{
    rc_slots_free(&((rc_library_t *)state)->slots);
}

#define INSTANCES "kernels/vendor/library.inc"
#include "device/cpu/instances.inc"

/* Where y of the library is, by slots; its beta is 0 where what it stores goes to other places
 * later. */
static rc_dense_t target(const rc_library_t *l, const rc_dense_t *y, double *beta)
{
    rc_dense_t by_slots = *y;
    by_slots.rows = l->slots.slots;
    if (!l->y)
        return by_slots;
    *beta = 0;
    by_slots.data = l->y;
    by_slots.ld = y->layout == RC_ROW_MAJOR ? y->cols : by_slots.rows;
    return by_slots;
}

rc_status_t rc_library_scale(const rc_library_t *l, const rc_dense_t *y, double beta, rc_err_t *err)
{
    return l->base.memory.x->scale(l->base.memory.x, y, (const double[]){beta, 0}, err);
}

/* Put y where it belongs, and see to rows without a slot. */
static void finish(const rc_library_t *l, const rc_dense_t *from, const rc_dense_t *y, double beta)
{
    static void (*const place[])(
        const rc_library_t *, const rc_dense_t *, const rc_dense_t *, double) = RC_INSTANCES(place);
    if (l->y)
        place[l->base.p.precision](l, from, y, beta);
    rc_slots_scale_absent(&l->slots, y, (const double[]){beta, 0});
}

rc_status_t rc_library_run(const rc_library_t *l, const rc_operands_t *o, double alpha, double beta,
    rc_library_multiply_fn *multiply, rc_err_t *err)
{
    double own = beta;
    rc_dense_t y = target(l, &o->out, &own);
    RC_PASS(l->matrix ? multiply(l, alpha, &o->in[0], own, &y, err)
                      : rc_library_scale(l, &y, own, err));
    finish(l, &y, &o->out, beta);
    return RC_OK;
}
