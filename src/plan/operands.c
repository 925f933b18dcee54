/* Dense operands: what a plan takes, and zeros for timing. */
#include "config.h"
#include "base/error.h"
#include "base/type.h"
#include "plan/plan_private.h"

#include <inttypes.h>

/* Operands of one column are contiguous, whatever the caller says. */
static rc_dense_t shaped(
    const rc_plan_t *plan, const rc_shape_t *s, rc_layout_t layout, int64_t k, const rc_dense_t *d)
{
    int64_t rows = rc_shape_rows(s, &plan->a);
    return (rc_dense_t){.data = d->data,
        .rows = rows,
        .cols = rc_shape_cols(s, k),
        .ld = s->wide ? d->ld : rows,
        .precision = plan->precision,
        .layout = s->wide ? layout : RC_COL_MAJOR};
}

rc_operands_t rc_plan_operands(const rc_plan_t *plan, rc_op_t of, int64_t k, const rc_operands_t *o)
{
    const rc_operation_t *op = rc_operation_of(of);
    rc_operands_t shaped_ones = {
        .out = shaped(plan, &op->out, rc_layout_out(plan->layout), k, &o->out),
        .alpha_im = o->alpha_im,
        .beta_im = o->beta_im};
    shaped_ones.out.precision = rc_type_out(plan->precision, plan->out_sums);
    for (int i = 0; i < rc_operation_inputs(op); i++)
        shaped_ones.in[i] = shaped(plan, &op->in[i], rc_layout_in(plan->layout), k, &o->in[i]);
    return shaped_ones;
}

static int64_t least_ld(const rc_dense_t *m)
{
    return m->layout == RC_ROW_MAJOR ? m->cols : m->rows;
}

/* Values from the first to behind the last one of an operand; INT64_MAX when that overflows. */
static int64_t extent(const rc_dense_t *m)
{
    int64_t lines = m->layout == RC_ROW_MAJOR ? m->rows : m->cols;
    int64_t length = least_ld(m);
    return lines > 0 && length > 0 ? rc_sat_add(rc_sat_mul(lines - 1, m->ld), length) : 0;
}

rc_status_t rc_plan_dense_check(
    const rc_executor_t *x, const rc_dense_t *m, const char *name, rc_err_t *err)
{
    int64_t least = least_ld(m);
    size_t bytes = (size_t)rc_executor_aligned(x, m->precision);
    if (m->ld < least)
        return rc_fail(err, RC_EINVAL,
            "%s: expected a leading dimension of at least %" PRId64 ", found %" PRId64, name, least,
            m->ld);
    if (extent(m) > 0 && !m->data)
        return rc_fail(err, RC_EINVAL, "%s: expected %" PRId64 " x %" PRId64 " values, found NULL",
            name, m->rows, m->cols);
    if ((uintptr_t)m->data % bytes != 0)
        return rc_fail(err, RC_EINVAL, "%s: expected memory aligned to %zu bytes, found %p", name,
            bytes, m->data);
    return RC_OK;
}

int rc_plan_dense_overlap(const rc_dense_t *a, const rc_dense_t *b)
{
    uintptr_t x = (uintptr_t)a->data;
    uintptr_t y = (uintptr_t)b->data;
    int64_t of_a = rc_sat_mul(extent(a), (int64_t)rc_precision_bytes(a->precision));
    int64_t of_b = rc_sat_mul(extent(b), (int64_t)rc_precision_bytes(b->precision));
    if (of_a == 0 || of_b == 0)
        return 0;
    return x < y ? (uint64_t)of_a > y - x : (uint64_t)of_b > x - y;
}

rc_status_t rc_plan_operands_check(
    const rc_executor_t *x, rc_op_t of, const rc_operands_t *o, rc_err_t *err)
{
    const rc_operation_t *op = rc_operation_of(of);
    rc_status_t st = rc_plan_dense_check(x, &o->out, op->out.name, err);
    for (int i = 0; st == RC_OK && i < rc_operation_inputs(op); i++) {
        st = rc_plan_dense_check(x, &o->in[i], op->in[i].name, err);
        if (st == RC_OK && rc_plan_dense_overlap(&o->in[i], &o->out))
            st = rc_fail(err, RC_EINVAL, "%s and %s: expected memory apart, found an overlap",
                op->in[i].name, op->out.name);
    }
    return st;
}

int64_t rc_plan_dense_bytes(const rc_plan_t *plan, int64_t k)
{
    const rc_operation_t *op = rc_operation_of(plan->op);
    return rc_operation_dense_bytes(op, &plan->a, rc_shape_rows(&op->out, &plan->a), k,
        plan->precision, rc_type_out(plan->precision, plan->out_sums));
}

static rc_status_t check_stride(const rc_shape_t *s, const rc_dense_t *m, int64_t ld, rc_err_t *err)
{
    if (ld == 0 || (s->wide && ld >= least_ld(m)))
        return RC_OK;
    if (!s->wide)
        return rc_fail(err, RC_EINVAL, "%s: has no leading dimension, found %" PRId64, s->name, ld);
    return rc_fail(err, RC_EINVAL,
        "%s: expected a leading dimension of at least %" PRId64 ", found %" PRId64, s->name,
        least_ld(m), ld);
}

rc_status_t rc_plan_strides_check(const rc_plan_t *plan, int64_t k, rc_err_t *err)
{
    const rc_operands_t none = {0};
    const rc_operation_t *op = rc_operation_of(plan->op);
    rc_operands_t o = rc_plan_operands(plan, plan->op, k, &none);
    rc_status_t st = check_stride(&op->out, &o.out, plan->ld_out, err);
    for (int i = 0; st == RC_OK && i < rc_operation_inputs(op); i++)
        st = check_stride(&op->in[i], &o.in[i], plan->ld_in[i], err);
    return st;
}

/* \param[in] ld  of the problem */
static rc_status_t alloc_one(const rc_plan_t *plan, rc_dense_t *m, int64_t ld, rc_err_t *err)
{
    rc_executor_t *x = plan->place.x;
    int64_t least = least_ld(m);
    m->ld = ld > least ? ld : least > 1 ? least : 1;
    m->data = NULL;
    int64_t bytes = rc_sat_mul(extent(m), (int64_t)rc_precision_bytes(m->precision));
    if (bytes == INT64_MAX)
        return rc_fail(err, RC_ENOMEM, "operands of more than 2^63 bytes");
    RC_PASS(x->alloc(x, (size_t)bytes, &m->data, err));
    return x->fill(x, m->data, 0, (size_t)bytes, err);
}

rc_status_t rc_plan_scratch_new(
    const rc_plan_t *plan, int64_t k, rc_plan_scratch_t *out, rc_err_t *err)
{
    const rc_operands_t none = {0};
    int inputs = rc_operation_inputs(rc_operation_of(plan->op));
    *out = (rc_plan_scratch_t){.o = rc_plan_operands(plan, plan->op, k, &none), .held = 1};
    rc_status_t st = alloc_one(plan, &out->o.out, plan->ld_out, err);
    for (int i = 0; st == RC_OK && i < inputs; i++)
        st = alloc_one(plan, &out->o.in[i], plan->ld_in[i], err);
    if (st < 0)
        rc_plan_scratch_free(plan, out);
    return st;
}

void rc_plan_scratch_free(const rc_plan_t *plan, rc_plan_scratch_t *s)
{
    rc_executor_t *x = plan->place.x;
    if (!s->held)
        return;
    for (int i = 0; i < RC_INPUTS_MAX; i++)
        x->release(x, s->o.in[i].data);
    x->release(x, s->o.out.data);
    *s = (rc_plan_scratch_t){0};
}
