#include "config.h"
#include "kernels/spmv/cuda/spmv.h"
#include "base/error.h"
#include "device/cuda/cuda.h"

#include <inttypes.h>

/* Sums of rows that several shares hold. */
rc_status_t rc_spmv_own(void *state, rc_err_t *err)
{
    rc_spmv_t *s = state;
    rc_memory_t *m = &s->base.memory;
    rc_spmv_spans_t *f = &s->spans;
    size_t sums = (size_t)f->shares * RC_SPMV_PARCEL * s->base.value_bytes;
    void *device = NULL;
    if (f->most == 0)
        return RC_OK;
    RC_PASS(rc_memory_keep(m, NULL, sums, &f->in, err));
    RC_PASS(rc_memory_keep(m, NULL, sums, &f->out, err));
    RC_PASS(rc_memory_keep(m, NULL, (size_t)f->most * sizeof *f->arrived, &device, err));
    f->arrived = device;
    return RC_OK;
}

static const rc_spmv_kind_t *kind_of(const rc_problem_t *p)
{
    return p->kernel->kind;
}

rc_status_t rc_spmv_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rc_spmv_t *s = state;
    rc_spmv_form_t f;
    rc_spmv_begin(&s->base.memory, p, &f, err);
    if (f.k.st == RC_OK)
        kind_of(p)->build(s, &f, analysis);
    s->base.val = f.k.val;
    s->base.stored = f.k.stored;
    s->slots = f.slots;
    s->spans = f.spans;
    return rc_spmv_end(&f);
}

rc_spmv_vectors_t rc_spmv_vectors(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta)
{
    return (rc_spmv_vectors_t){.row = s->slots.row,
        .x = o->in[0].data,
        .y = o->out.data,
        .scalars = rc_cuda_scalars(alpha, beta),
        .spans = s->spans};
}

rc_status_t rc_spmv_launch(const rc_spmv_t *s, const void *entry, int64_t ctas, void *args,
    const char *what, rc_err_t *err)
{
    const rc_cuda_launch_t l = {
        .entry = entry, .ctas = (unsigned)ctas, .rows = 1, .threads = RC_SPMV_THREADS};
    return rc_cuda_launch_overlapping(s->base.memory.x, &l, args, what, err);
}

/* The places that no entry is for become beta times what they were. */
rc_status_t rc_spmv_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_spmv_t *s = state;
    rc_executor_t *x = s->base.memory.x;
    RC_PASS(kind_of(&s->base.p)->launch(s, o, alpha, beta, err));
    if (s->slots.absents == 0)
        return RC_OK;
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_cuda_slots_absent(x, &s->slots, &o->out, beta, err);
    rc_cuda_leave(x, before);
    return st;
}

rc_status_t rc_spmv_limits(const rc_problem_t *p, int64_t shares, rc_err_t *err)
{
    enum { spare = 1 << 20 };
    if (p->schedule->slots > INT32_MAX - spare)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " slots, at most %d are implemented",
            p->schedule->slots, INT32_MAX - spare);
    if (shares > INT32_MAX - spare)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " shares, at most %d are implemented",
            shares, INT32_MAX - spare);
    return RC_OK;
}

rc_status_t rc_spmv_coo_run(const rc_spmv_t *s, const rc_spmv_coo_t *a, int64_t entries,
    const rc_spmv_vectors_t *v, rc_err_t *err)
{
    rc_spmv_coo_args_t args = {*v, *a};
    return rc_spmv_launch(s, rc_spmv_coo_entry(s->base.p.precision), rc_spmv_coo_shares(entries),
        &args, "launch of coo", err);
}
