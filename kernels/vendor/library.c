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
    if (rc_slots_row_bytes(p) > 0)
        own = rc_sat_add(own, rc_sat_mul(slots, value)); /* y by slots */
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
        l->y = rc_prepared_array(&l->base, slots, l->base.value_bytes, "y by slots", err);
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

/* Where y of the library is, [slots]; its beta is 0 where what it stores goes to other places
 * later. */
static void *target(const rc_library_t *l, const rc_dense_t *y, double *beta)
{
    if (!l->y)
        return y->data;
    *beta = 0;
    return l->y;
}

void rc_library_scale(const rc_library_t *l, void *y, double beta)
{
    static void (*const scale[])(const rc_library_t *, void *, double) = RC_INSTANCES(scale);
    scale[l->base.p.precision](l, y, beta);
}

/* Put y where it belongs, and see to rows without a slot. */
static void finish(const rc_library_t *l, const rc_dense_t *y, double beta)
{
    static void (*const place[])(const rc_library_t *, void *, double) = RC_INSTANCES(place);
    if (l->y)
        place[l->base.p.precision](l, y->data, beta);
    rc_slots_scale_absent(&l->slots, y, beta);
}

rc_status_t rc_library_run(const rc_library_t *l, const rc_operands_t *o, double alpha, double beta,
    rc_library_multiply_fn *multiply, rc_err_t *err)
{
    double own = beta;
    void *y = target(l, &o->out, &own);
    rc_status_t st = RC_OK;
    if (l->matrix)
        st = multiply(l, alpha, o->in[0].data, own, y, err);
    else
        rc_library_scale(l, y, own);
    finish(l, &o->out, beta);
    return st;
}
