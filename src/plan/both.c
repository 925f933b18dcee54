/* One plan for the products with A and with A'.  Beside what multiplies by A it holds a plan of the
 * same operation for A', of the caller's same arrays and for the same executor, so that each
 * product has the kernels and orders that are best for it.  Kernels that have both products in one
 * prepared matrix need no other. */
#include "config.h"
#include "base/error.h"
#include "plan/plan_private.h"

enum { BOTH = 2 };

/* What is a leading dimension of B is one of C with A', where their layouts are alike. */
static void exchange_strides(rc_plan_problem_t *p)
{
    const int64_t in = p->ld_in[0];
    const int alike = rc_layout_in(p->layout) == rc_layout_out(p->layout);
    p->ld_in[0] = alike ? p->ld_out : 0;
    p->ld_out = alike ? in : 0;
}

/* Of a product with A' that is the plain product of what A' is, whose kernels are faster. */
rc_status_t rc_plan_both_of(
    const rc_plan_request_t *asked, rc_plan_request_t out[BOTH], rc_err_t *err)
{
    RC_PASS(rc_plan_problem_check(&asked->problem, err));
    RC_PASS(rc_given_check(&asked->a, err));
    const rc_operation_t *op = rc_operation_of(asked->problem.op);
    if (!op->project)
        return rc_fail(err, RC_EINVAL, "transposed: %s is no product with A", op->name);
    out[0] = *asked;
    if (op->transposed) {
        out[0].problem.op = op->straight;
        out[0].a = rc_given_transposed(&asked->a);
    }
    out[1] = out[0];
    out[1].a = rc_given_transposed(&out[0].a);
    out[1].place.first_lap += RC_PLAN_LAPS;
    exchange_strides(&out[1].problem);
    return RC_OK;
}

void rc_plan_both_join(rc_plan_t *plan, rc_plan_t *transpose)
{
    plan->both = 1;
    plan->transpose = transpose;
    plan->adjoint = transpose && plan->conjugates != transpose->conjugates;
    for (int i = 0; transpose && i < transpose->entries; i++)
        transpose->entry[i].part.transposed = 1;
}

/* The caller's own form first: what is wrong in it is said in its words.
 * \param[in] forms  2, or 1: the first product has the other one too */
static rc_status_t make_all(const rc_plan_request_t of[BOTH], int forms, int own,
    const rc_plan_options_t *options, rc_plan_t *made[BOTH], rc_err_t *err)
{
    for (int i = 0; i < forms; i++) {
        const int at = forms == BOTH ? (i + own) % BOTH : 0;
        rc_plan_options_t o = *options;
        o.transposed &= RC_PLAN_CONJUGATED;
        if (at == 1 && options->transposed & RC_PLAN_ADJOINT)
            o.transposed ^= RC_PLAN_CONJUGATED;
        RC_PASS(rc_plan_make(&of[at].place, &of[at].problem, &of[at].a, &o, &made[at], err));
    }
    return RC_OK;
}

rc_status_t rc_plan_both_new(const rc_plan_request_t *asked, const rc_plan_options_t *options,
    rc_plan_t **out, rc_err_t *err)
{
    rc_plan_request_t of[BOTH];
    rc_plan_t *made[BOTH] = {NULL, NULL};
    rc_plan_options_t o = *options;
    *out = NULL;
    RC_PASS(rc_plan_both_of(asked, of, err));
    const int own = of[0].problem.op != asked->problem.op;
    const int forms = rc_plan_kernels_serve_both(&of[0], o.kernels) ? 1 : BOTH;
    if (forms == BOTH && o.memory > 1)
        o.memory /= BOTH;
    rc_status_t st = make_all(of, forms, own, &o, made, err);
    if (st == RC_OK) {
        rc_plan_both_join(made[0], made[1]);
        *out = made[0];
        return RC_OK;
    }
    for (int i = 0; i < BOTH; i++)
        rc_plan_free(made[i]);
    return st;
}

const rc_plan_t *rc_plan_of_part(const rc_plan_t *plan, int *index)
{
    if (!plan->transpose || *index < plan->entries)
        return plan;
    *index -= plan->entries;
    return plan->transpose;
}
