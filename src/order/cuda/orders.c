#include "config.h"
#include "order/cuda/orders.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "format/cuda/indices.h"
#include "order/cuda/sample.h"
#include "order/policy.h"

#include <inttypes.h>
#include <string.h>

#define RC_CUDA_ORDER(id) extern const rc_cuda_order_t rc_cuda_order_##id;
#include "order/cuda/orders.def"

#define RC_CUDA_ORDER(id) &rc_cuda_order_##id,
const rc_cuda_order_t *const rc_cuda_orders[] = {
#include "order/cuda/orders.def"
    NULL};

static rc_status_t find(const char *policy, const rc_cuda_pattern_t *a, rc_policy_spec_t *spec,
    const rc_cuda_order_t **out, rc_err_t *err)
{
    RC_PASS(rc_policy_spec_parse(policy, spec, err));
    if (a->rows > INT32_MAX || a->cols > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP,
            "matrix of %" PRId64 " x %" PRId64 ": expected at most %" PRId32 " each way", a->rows,
            a->cols, INT32_MAX);
    for (int i = 0; rc_cuda_orders[i]; i++)
        if (strcmp(rc_cuda_orders[i]->policy, spec->policy->name) == 0) {
            *out = rc_cuda_orders[i];
            return RC_OK;
        }
    return rc_fail(err, RC_ENOTSUP, "order %s is not built on a GPU", spec->policy->name);
}

static rc_status_t ask(rc_executor_t *x, const rc_cuda_order_t *order, const rc_policy_spec_t *spec,
    const rc_cuda_pattern_t *a, void *work, int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    int before = rc_cuda_enter(x);
    rc_status_t st = order->build(x, a, &spec->value, work, bytes, slots, err);
    rc_cuda_leave(x, before);
    if (st < 0)
        rc_err_context(err, "order %s", spec->policy->name);
    return st;
}

rc_status_t rc_cuda_order_defaults(const char *policy, rc_params_t *out, rc_err_t *err)
{
    rc_policy_spec_t spec;
    rc_status_t st = rc_policy_spec_parse(policy, &spec, err);
    if (st == RC_OK)
        *out = spec.value;
    return st;
}

rc_status_t rc_cuda_order(
    rc_executor_t *x, const char *policy, const rc_cuda_pattern_t *a, int32_t *slots, rc_err_t *err)
{
    rc_policy_spec_t spec;
    const rc_cuda_order_t *order = NULL;
    int64_t bytes = 0;
    void *work = NULL;
    rc_status_t st = find(policy, a, &spec, &order, err);
    if (st < 0 || a->rows == 0)
        return st;
    st = ask(x, order, &spec, a, NULL, &bytes, NULL, err);
    if (st == RC_OK)
        st = x->alloc(x, (size_t)bytes, &work, err);
    if (st == RC_OK)
        st = ask(x, order, &spec, a, work, &bytes, slots, err);
    x->release(x, work);
    return st;
}

/* The pattern with row pointers of 64 bits.  \param[out] wide  released by the caller */
static rc_status_t widened(
    rc_executor_t *x, const rc_resident_t *m, rc_cuda_pattern_t *p, void **wide, rc_err_t *err)
{
    const int64_t n = p->rows + 1;
    p->row_ptr = m->row_ptr;
    p->col_idx = m->col_idx;
    if (m->row_ptr_bytes == (int)sizeof *p->row_ptr)
        return RC_OK;
    RC_PASS(x->alloc(x, (size_t)n * sizeof *p->row_ptr, wide, err));
    p->row_ptr = *wide;
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_cuda_widen(x, m->row_ptr, *wide, n, err);
    rc_cuda_leave(x, before);
    return st;
}

rc_status_t rc_cuda_order_there(rc_executor_t *x, const char *order, const rc_csr_t *a,
    const rc_resident_t *m, rc_resident_rows_t *out, rc_err_t *err)
{
    rc_cuda_pattern_t p = {.rows = a->rows, .cols = a->cols, .nnz = a->nnz};
    rc_policy_spec_t spec;
    const rc_cuda_order_t *of = NULL;
    void *wide = NULL;
    rc_status_t st = find(order, &p, &spec, &of, err);
    if (st < 0 || !m)
        return st;
    st = widened(x, m, &p, &wide, err);
    if (st == RC_OK)
        st = rc_cuda_order(x, order, &p, out->row, err);
    if (st == RC_OK)
        st = rc_cuda_order_check(x, out->row, a->rows, &out->identity, err);
    x->release(x, wide);
    return st < 0 ? rc_err_context(err, "order %s", order) : st;
}

rc_status_t rc_cuda_order_runs_there(rc_executor_t *x, const rc_csr_t *a, const rc_resident_t *m,
    const int32_t *slots, rc_sharing_t out[2], rc_err_t *err)
{
    rc_cuda_pattern_t p = {.rows = a->rows, .cols = a->cols, .nnz = a->nnz};
    const size_t bytes = 2 * sizeof *out;
    void *wide = NULL;
    void *found = NULL;
    int before;
    rc_status_t st;
    memset(out, 0, bytes);
    if (a->rows == 0)
        return RC_OK;
    RC_TRY(widened(x, m, &p, &wide, err));
    RC_TRY(x->alloc(x, bytes, &found, err));
    before = rc_cuda_enter(x);
    st = rc_cuda_sample_runs(x, &p, NULL, found, err);
    if (st == RC_OK)
        st = rc_cuda_sample_runs(x, &p, slots, (rc_sharing_t *)found + 1, err);
    rc_cuda_leave(x, before);
    if (st == RC_OK)
        st = x->download(x, out, found, bytes, err);
done:
    x->release(x, found);
    x->release(x, wide);
    return st;
}
