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
    size_t sums = (size_t)f->shares * rc_spmv_parcel_bytes(s->base.p.precision);
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

/* One launch; with the places that no entry is for, which become beta times what they were. */
static rc_status_t launch(const rc_spmv_t *s, const rc_spmv_launch_t *of, const rc_operands_t *o,
    rc_cuda_scalars_t scalars, rc_err_t *err)
{
    rc_spmv_launch_t l = *of;
    l.args.v = (rc_spmv_vectors_t){.row = s->slots.row,
        .x = o->in[0].data,
        .y = o->out.data,
        .scalars = scalars,
        .spans = s->spans};
    if (s->tail)
        l.args.csr5.tail.v = l.args.v;
    return rc_cuda_launch_overlapping(s->base.memory.x, &l.of, &l.args, l.what, err);
}

rc_status_t rc_spmv_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_spmv_t *s = state;
    rc_executor_t *x = s->base.memory.x;
    RC_PASS(launch(s, &s->launch[0], o, rc_cuda_scalars(o, alpha, beta), err));
    if (s->launch[1].of.ctas > 0) {
        rc_operands_t more = *o;
        more.beta_im = 0;
        RC_PASS(launch(s, &s->launch[1], o, rc_cuda_scalars(&more, alpha, 1), err));
    }
    if (s->slots.absents == 0)
        return RC_OK;
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_cuda_slots_absent(x, &s->slots, o, beta, err);
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

/* ---------------------------------------------------- launches of a format */

void rc_spmv_set(rc_spmv_launch_t *l, const void *entry, int64_t ctas, const char *what)
{
    l->of = (rc_cuda_launch_t){
        .entry = entry, .ctas = (unsigned)ctas, .rows = 1, .threads = RC_SPMV_THREADS};
    l->what = what;
}

void rc_spmv_take_coo(rc_spmv_form_t *f, const rc_spmv_coo_size_t *size, rc_spmv_launch_t *l)
{
    rc_spmv_keep_coo(f, size, &l->args.coo.m);
    rc_spmv_set(l, rc_spmv_coo_entry(f->k.p->precision), rc_spmv_coo_shares(size->entries),
        "launch of coo");
}

void rc_spmv_take_ell(rc_spmv_form_t *f, int64_t width, rc_spmv_launch_t *l)
{
    rc_ell_t e;
    rc_spmv_keep_ell(f, width, &e);
    l->args.ell.col = e.col;
    l->args.ell.val = f->k.val;
    l->args.ell.pitch = e.pitch;
    l->args.ell.slots = (int32_t)e.rows;
    l->args.ell.width = (int32_t)e.width;
    rc_spmv_set(l, rc_spmv_ell_entry(f->k.p->precision),
        (e.rows + RC_SPMV_THREADS - 1) / RC_SPMV_THREADS, "launch of ell");
}
