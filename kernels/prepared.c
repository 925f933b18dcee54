#include "config.h"
#include "kernels/prepared.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"

#include <inttypes.h>
#include <stdlib.h>

/* A state of zeros, or of the matrix of another. */
static rc_status_t new_state(const rc_kernel_t *kernel, rc_executor_t *x, const rc_problem_t *p,
    const rc_prepared_t *of, rc_prepared_t **out, rc_err_t *err)
{
    *out = NULL;
    if (kernel->k_max > 0 && p->k > kernel->k_max)
        return rc_fail(
            err, RC_ENOTSUP, "shape: K = %" PRId64 ", at most %" PRId64, p->k, kernel->k_max);
    rc_prepared_t *s = rc_alloc0(1, kernel->state_bytes, "kernel state", err);
    RC_PASS(s ? RC_OK : RC_ENOMEM);
    if (of)
        memcpy(s, of, kernel->shares);
    s->memory = (rc_memory_t){.x = x};
    s->p = *p;
    s->p.kernel = kernel;
    s->value_bytes = rc_precision_bytes(p->precision);
    s->sum_bytes = rc_sum_bytes(p->precision);
    *out = s;
    return RC_OK;
}

/* What is there while a matrix is prepared goes; what a state has for itself comes. */
static rc_status_t complete(const rc_kernel_t *kernel, rc_prepared_t *s, rc_err_t *err)
{
    s->p.val = NULL;
    s->p.resident = NULL;
    s->p.places = NULL;
    s->p.handover = NULL;
    s->p.rows_there = NULL;
    s->p.text = s->p.named = NULL;
    rc_status_t st = kernel->own ? kernel->own(s, err) : RC_OK;
    return st == RC_OK && kernel->fit ? kernel->fit(s, s->p.k, err) : st;
}

rc_status_t rc_kernel_prepare(const rc_kernel_t *kernel, rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, void **state, rc_err_t *err)
{
    rc_prepared_t *s = NULL;
    RC_PASS(new_state(kernel, x, p, NULL, &s, err));
    rc_status_t st = RC_OK;
    const rc_problem_t asked = s->p; /* which knows the kernel */
    if (kernel->build)
        st = kernel->build(s, &asked, analysis, err);
    rc_memory_seal(&s->memory);
    if (st == RC_OK)
        st = complete(kernel, s, err);
    if (st < 0)
        rc_kernel_release(kernel, s);
    else
        *state = s;
    return st;
}

rc_status_t rc_kernel_share(const rc_kernel_t *kernel, rc_executor_t *x, const rc_problem_t *p,
    void *of, void **state, rc_err_t *err)
{
    rc_prepared_t *from = of;
    rc_prepared_t *s = NULL;
    RC_PASS(new_state(kernel, x, p, from, &s, err));
    rc_status_t st = rc_memory_share(&from->memory, x, &s->memory, err);
    if (st < 0) {
        free(s); /* nothing of the matrix is its own yet */
        return st;
    }
    st = complete(kernel, s, err);
    if (st < 0)
        rc_kernel_release(kernel, s);
    else
        *state = s;
    return st;
}

/* Launches for another number of columns stay for the next run, which may have as many. */
static rc_status_t fit_to(const rc_kernel_t *kernel, rc_prepared_t *s, int64_t k, rc_err_t *err)
{
    rc_status_t st = kernel->fit(s, k, err);
    if (st < 0)
        s->p.k = 0; /* what there is fits no K */
    return st;
}

rc_status_t rc_kernel_run(const rc_kernel_t *kernel, void *state, const rc_operands_t *o,
    double alpha, double beta, rc_err_t *err)
{
    rc_prepared_t *s = state;
    const rc_precision_t sum = rc_type(o->out.precision)->sum;
    const double by[2] = {beta, o->beta_im};
    if (rc_precision_round(sum, alpha) == 0 && rc_precision_round(sum, o->alpha_im) == 0)
        return s->memory.x->scale(s->memory.x, &o->out, by, err);
    if (kernel->fit && o->in[0].cols != s->p.k)
        RC_PASS(fit_to(kernel, s, o->in[0].cols, err));
    return kernel->run(state, o, alpha, beta, err);
}

int64_t rc_kernel_values(const void *state, void **array)
{
    const rc_prepared_t *s = state;
    *array = s->val;
    return s->val ? s->stored : 0;
}

void rc_kernel_release(const rc_kernel_t *kernel, void *state)
{
    rc_prepared_t *s = state;
    if (!s)
        return;
    if (kernel->release)
        kernel->release(s);
    if (rc_memory_free(&s->memory) && kernel->drop)
        kernel->drop(s);
    free(s);
}

void *rc_prepared_array(
    rc_prepared_t *s, size_t count, size_t bytes, const char *what, rc_err_t *err)
{
    void *array = rc_alloc(count, bytes, what, err);
    if (!array || rc_memory_take(&s->memory, array, count * bytes, err) == RC_OK)
        return array;
    free(array);
    return NULL;
}
