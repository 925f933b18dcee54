/* The public calls of a plan that was made, wherever it lives. */
#include "config.h"
#include "base/error.h"
#include "base/type.h"
#include "kernels/prepared.h"
#include "plan/plan_private.h"
#include "plan/use.h"

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

/* A run as it is asked for. */
typedef struct asked {
    int64_t k;
    const rc_operands_t *o;
    double alpha;
    double beta;
    int transposed;
} asked_t;

static int same_operand(const rc_dense_t *a, const rc_dense_t *b)
{
    return a->data == b->data && a->ld == b->ld;
}

/* 1: asked for as the last run, of a choice that has not changed since. */
static int is_seen(const rc_plan_seen_t *s, const asked_t *q)
{
    int same = s->own && s->own == s->entry->trial.spec.kernel && s->k == q->k &&
               s->transposed == q->transposed && same_operand(&s->given.out, &q->o->out);
    for (int i = 0; same && i < RC_INPUTS_MAX; i++)
        same = same_operand(&s->given.in[i], &q->o->in[i]);
    return same;
}

static rc_status_t check_factors(const rc_plan_t *plan, const rc_operands_t *o, rc_err_t *err)
{
    if ((o->alpha_im == 0 && o->beta_im == 0) || rc_type(plan->precision)->parts > 1)
        return RC_OK;
    return rc_fail(err, RC_EINVAL,
        "alpha and beta: expected real numbers for a plan of %s, found imaginary parts %g and %g",
        rc_precision_name(plan->precision), o->alpha_im, o->beta_im);
}

/* Whether the plan can, with its own kernel or its twin: both take the prepared matrix. */
static rc_status_t look(rc_plan_t *plan, const asked_t *q, rc_err_t *err)
{
    rc_plan_entry_t *e = NULL;
    if (!plan || !q->o)
        return rc_fail(err, RC_EINVAL, "plan: expected a plan and operands, found NULL");
    RC_PASS(check_factors(plan, q->o, err));
    if (is_seen(&plan->seen, q)) {
        plan->seen.shaped.alpha_im = q->o->alpha_im;
        plan->seen.shaped.beta_im = q->o->beta_im;
        return RC_OK;
    }
    plan->seen.own = NULL;
    RC_PASS(rc_plan_entry_of(plan, q->k, &e, err));
    const rc_kernel_t *own = e->trial.spec.kernel;
    const rc_kernel_t *kernel = own;
    if (q->transposed)
        kernel = own->twin ? rc_kernel_find(own->twin, own->device) : NULL;
    if (!kernel)
        return rc_fail(err, RC_ENOTSUP,
            "kernel %s: has no product with the transposed matrix; a plan made with `transposed` "
            "has",
            own->name);
    rc_operands_t shaped = rc_plan_operands(plan, kernel->op, q->k, q->o);
    RC_PASS(rc_plan_operands_check(plan->place.x, kernel->op, &shaped, err));
    plan->seen = (rc_plan_seen_t){own, kernel, e, q->k, q->transposed, *q->o, shaped};
    return RC_OK;
}

/* The plan whose own product it is.  \param[in,out] q  as that has it */
static rc_plan_t *whose(rc_plan_t *plan, asked_t *q)
{
    if (!plan || !q->transposed || !plan->transpose)
        return plan;
    q->transposed = 0;
    return plan->transpose;
}

static rc_status_t run(rc_plan_t *asked, asked_t q, rc_err_t *err)
{
    rc_plan_t *plan = whose(asked, &q);
    RC_PASS(look(plan, &q, err));
    const rc_plan_seen_t *s = &plan->seen;
    if (plan->use && s->kernel == s->own)
        return rc_plan_use_run(plan, s->entry, &s->shaped, q.alpha, q.beta, err);
    if (plan->use)
        (void)rc_plan_use_captured(plan, s->entry);
    return rc_kernel_run(s->kernel, s->entry->trial.state, &s->shaped, q.alpha, q.beta, err);
}

rc_status_t rc_plan_run(
    rc_plan_t *plan, int64_t k, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const asked_t q = {k, o, alpha, beta, 0};
    return run(plan, q, err);
}

rc_status_t rc_plan_run_transposed(
    rc_plan_t *plan, int64_t k, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const asked_t q = {k, o, alpha, beta, 1};
    return run(plan, q, err);
}

/* A plan that runs may be asked for with so many inputs on a stream. */
static rc_status_t ready(
    const rc_plan_t *plan, int inputs, struct CUstream_st *stream, rc_err_t *err)
{
    RC_PASS(rc_plan_has_home(plan, err));
    int expected = rc_operation_inputs(rc_operation_of(plan->op));
    if (inputs != expected)
        return rc_fail(err, RC_EINVAL, "plan: of %s, which takes %d dense operands, found %d",
            rc_op_name(plan->op), expected, inputs);
    return plan->home->use(plan->home, stream, err);
}

/* On a stream.  \param[in] inputs  that the caller has */
static rc_status_t execute(
    rc_plan_t *plan, const asked_t *q, int inputs, struct CUstream_st *stream, rc_err_t *err)
{
    RC_PASS(ready(plan, inputs, stream, err));
    return run(plan, *q, err);
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
    const rc_operands_t o = {.in = {only_read(b, ldb)}, .out = {.data = c, .ld = ldc}};
    const asked_t q = {k, &o, alpha, beta, 0};
    return execute(plan, &q, 1, stream, err);
}

rc_status_t rc_plan_execute_transposed(rc_plan_t *plan, int64_t k, double alpha, const void *b,
    int64_t ldb, double beta, void *c, int64_t ldc, struct CUstream_st *stream, rc_err_t *err)
{
    const rc_operands_t o = {.in = {only_read(b, ldb)}, .out = {.data = c, .ld = ldc}};
    const asked_t q = {k, &o, alpha, beta, 1};
    return execute(plan, &q, 1, stream, err);
}

/* One of several: it is only looked at, or it runs. */
static rc_status_t one_call(
    const rc_plan_call_t *c, int runs, struct CUstream_st *stream, rc_err_t *err)
{
    const rc_operands_t o = {.in = {only_read(c->b, c->ldb)}, .out = {.data = c->c, .ld = c->ldc}};
    asked_t q = {c->k, &o, c->alpha, c->beta, c->transposed != 0};
    if (runs)
        return run(c->plan, q, err);
    RC_PASS(ready(c->plan, 1, stream, err));
    rc_plan_t *plan = whose(c->plan, &q);
    return look(plan, &q, err);
}

rc_status_t rc_plan_execute_many(
    const rc_plan_call_t *call, int calls, struct CUstream_st *stream, rc_err_t *err)
{
    rc_err_t found = {0};
    if (calls < 0 || (calls > 0 && !call))
        return rc_fail(
            err, RC_EINVAL, "calls: expected some, found %d at %p", calls, (const void *)call);
    for (int runs = 0; runs < 2; runs++)
        for (int i = 0; i < calls; i++) {
            rc_status_t st = one_call(&call[i], runs, stream, &found);
            if (st < 0)
                return rc_fail(err, st, "call %d: %s", i, found.text);
        }
    return RC_OK;
}

rc_status_t rc_plan_execute_sddmm(rc_plan_t *plan, int64_t k, double alpha, const void *y,
    int64_t ldy, const void *x, int64_t ldx, double beta, void *out, struct CUstream_st *stream,
    rc_err_t *err)
{
    const rc_operands_t o = {.in = {only_read(y, ldy), only_read(x, ldx)}, .out = {.data = out}};
    const asked_t q = {k, &o, alpha, beta, 0};
    return execute(plan, &q, 2, stream, err);
}

/* Whether the plan has the product with A' or with A^H. */
static rc_status_t check_turn(const rc_plan_t *plan, const rc_plan_product_t *p, rc_err_t *err)
{
    const int is_complex = rc_type(plan->precision)->parts > 1;
    if (p->conjugated && !p->transposed)
        return rc_fail(err, RC_EINVAL, "conjugated: expected with transposed, found alone");
    if (!p->transposed || !is_complex || (p->conjugated != 0) == plan->adjoint)
        return RC_OK;
    return rc_fail(err, RC_ENOTSUP, "plan: has no product with the %s matrix; one made with %s has",
        p->conjugated ? "conjugated transposed" : "transposed",
        p->conjugated ? "RC_PLAN_ADJOINT" : "RC_PLAN_TRANSPOSED");
}

rc_status_t rc_plan_execute_complex(
    rc_plan_t *plan, const rc_plan_product_t *p, struct CUstream_st *stream, rc_err_t *err)
{
    RC_PASS(rc_plan_has_home(plan, err));
    if (!p)
        return rc_fail(err, RC_EINVAL, "product: expected one, found NULL");
    rc_operands_t o = {
        .out = {.data = p->out, .ld = p->ld_out}, .alpha_im = p->alpha[1], .beta_im = p->beta[1]};
    RC_PASS(check_turn(plan, p, err));
    const int inputs = rc_operation_inputs(rc_operation_of(plan->op));
    for (int i = 0; i < inputs; i++)
        o.in[i] = only_read(p->in[i], p->ld_in[i]);
    const asked_t q = {p->k, &o, p->alpha[0], p->beta[0], p->transposed != 0};
    return execute(plan, &q, inputs, stream, err);
}

rc_status_t rc_plan_update_values(rc_plan_t *plan, int64_t nnz, const void *val,
    rc_precision_t precision, int on_device, struct CUstream_st *stream, rc_err_t *err)
{
    RC_PASS(rc_plan_has_home(plan, err));
    if (nnz != plan->a.nnz)
        return rc_fail(
            err, RC_EINVAL, "values: expected %" PRId64 ", found %" PRId64, plan->a.nnz, nnz);
    RC_PASS(plan->home->takes(plan, val, on_device, stream, err));
    RC_PASS(plan->home->use(plan->home, stream, err));
    RC_PASS(rc_plan_update(plan, val, precision, on_device, err));
    /* what was prepared anew is there for runs on any stream */
    return rc_plan_updates_async(plan) ? RC_OK : plan->place.x->wait(plan->place.x, err);
}
