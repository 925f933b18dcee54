/* The public calls of a plan that was made, wherever it lives. */
#include "config.h"
#include "base/error.h"
#include "plan/plan_private.h"

#include <inttypes.h>

rc_status_t rc_plan_has_home(const rc_plan_t *plan, rc_err_t *err)
{
    return plan && plan->home
               ? RC_OK
               : rc_fail(err, RC_EINVAL, "plan: expected one of rc_plan_create, found none");
}

/* What was prepared is there then, so that the plan may run on any stream. */
rc_status_t rc_plan_give_home(
    rc_plan_home_t *home, rc_executor_t *x, rc_status_t st, rc_plan_t **out, rc_err_t *err)
{
    if (st == RC_OK)
        st = x->wait(x, err);
    if (st == RC_OK) {
        (*out)->home = home;
        return RC_OK;
    }
    rc_plan_free(*out);
    *out = NULL;
    home->free(home);
    return st;
}

rc_status_t rc_plan_clone(
    const rc_plan_t *plan, struct CUstream_st *stream, rc_plan_t **out, rc_err_t *err)
{
    if (out)
        *out = NULL;
    RC_PASS(rc_plan_has_home(plan, err));
    if (!out)
        return rc_fail(err, RC_EINVAL, "plan: expected where to put it, found NULL");
    return plan->home->clone(plan, stream, out, err);
}

/* --------------------------------------------------------------------- runs */

typedef rc_status_t run_fn(
    rc_plan_t *plan, int64_t k, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

/* A run as it is asked for. */
typedef struct asked {
    run_fn *run;
    int64_t k;
    double alpha;
    double beta;
    int inputs;
    rc_operands_t o;
} asked_t;

static rc_status_t execute(
    rc_plan_t *plan, const asked_t *q, struct CUstream_st *stream, rc_err_t *err)
{
    RC_PASS(rc_plan_has_home(plan, err));
    int inputs = rc_operation_inputs(rc_operation_of(plan->op));
    if (inputs != q->inputs)
        return rc_fail(err, RC_EINVAL, "plan: of %s, which takes %d dense operands, found %d",
            rc_op_name(plan->op), inputs, q->inputs);
    RC_PASS(plan->home->use(plan->home, stream, err));
    return q->run(plan, q->k, &q->o, q->alpha, q->beta, err);
}

/* What is only read is not const in operands, which serve both. */
static rc_dense_t only_read(const void *data, int64_t ld)
{
    union {
        const void *from;
        void *to;
    } u = {.from = data};
    return (rc_dense_t){.data = u.to, .ld = ld};
}

rc_status_t rc_plan_execute(rc_plan_t *plan, int64_t k, double alpha, const void *b, int64_t ldb,
    double beta, void *c, int64_t ldc, struct CUstream_st *stream, rc_err_t *err)
{
    const asked_t q = {
        rc_plan_run, k, alpha, beta, 1, {.in = {only_read(b, ldb)}, .out = {.data = c, .ld = ldc}}};
    return execute(plan, &q, stream, err);
}

rc_status_t rc_plan_execute_transposed(rc_plan_t *plan, int64_t k, double alpha, const void *b,
    int64_t ldb, double beta, void *c, int64_t ldc, struct CUstream_st *stream, rc_err_t *err)
{
    const asked_t q = {rc_plan_run_transposed, k, alpha, beta, 1,
        {.in = {only_read(b, ldb)}, .out = {.data = c, .ld = ldc}}};
    return execute(plan, &q, stream, err);
}

rc_status_t rc_plan_execute_sddmm(rc_plan_t *plan, int64_t k, double alpha, const void *y,
    int64_t ldy, const void *x, int64_t ldx, double beta, void *out, struct CUstream_st *stream,
    rc_err_t *err)
{
    const asked_t q = {rc_plan_run, k, alpha, beta, 2,
        {.in = {only_read(y, ldy), only_read(x, ldx)}, .out = {.data = out}}};
    return execute(plan, &q, stream, err);
}

rc_status_t rc_plan_update_values(rc_plan_t *plan, int64_t nnz, const void *val, int value_bytes,
    int on_device, struct CUstream_st *stream, rc_err_t *err)
{
    RC_PASS(rc_plan_has_home(plan, err));
    if (nnz != plan->a.nnz)
        return rc_fail(
            err, RC_EINVAL, "values: expected %" PRId64 ", found %" PRId64, plan->a.nnz, nnz);
    RC_PASS(plan->home->takes(plan, val, on_device, stream, err));
    RC_PASS(plan->home->use(plan->home, stream, err));
    RC_PASS(rc_plan_update(plan, val, value_bytes, on_device, err));
    /* what was prepared anew is there for runs on any stream */
    return rc_plan_updates_async(plan) ? RC_OK : plan->place.x->wait(plan->place.x, err);
}
