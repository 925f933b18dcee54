/* y = A x of coordinates on a GPU: all products first, then a segmented sum across threads. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cpu/slots.h"
#include "kernels/cuda/spmv.h"

#include <stdlib.h>

typedef struct coo {
    rc_spmv_t s;
    int64_t entries;
    rc_spmv_coo_args_t args;
    void *val; /* [entries] */
} coo_t;

static void release(void *state)
{
    coo_t *c = state;
    if (!c)
        return;
    rc_spmv_free(&c->s);
    free(c);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t nnz = p->a->nnz;
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    rc_status_t st = rc_spmv_limits(p, rc_spmv_coo_shares(nnz), err);
    if (st < 0)
        return st;
    int64_t bytes = rc_spmv_coo_bytes(nnz, rc_spmv_rows_beyond(p->a, RC_SPMV_LOOK), value);
    bytes = rc_sat_add(bytes, rc_sat_mul(nnz, value));
    out->bytes = rc_sat_add(bytes, rc_spmv_places_bytes(p));
    out->traffic = rc_sat_mul(nnz, 2 * (int64_t)sizeof(int32_t) + value);
    out->stored_rows = rc_stored_rows(p);
    out->fill = 1;
    return RC_OK;
}

static rc_status_t upload(const rc_problem_t *p, const rc_csr_view_t *e, coo_t *c, rc_err_t *err)
{
    rc_coo_t host = {0};
    rc_status_t st;
    RC_TRY(rc_spmv_places(p, e, &c->s, err));
    RC_TRY(rc_coo_build(e, 0, c->s.memory.x->threads, &host, err));
    c->entries = host.entries;
    RC_TRY(rc_spmv_coo_upload(
        p, &host, rc_spmv_rows_beyond(p->a, RC_SPMV_LOOK), &c->s, &c->args, err));
    st = rc_cuda_keep(
        &c->s.memory, host.val, (size_t)host.entries * (size_t)c->s.value_bytes, &c->val, err);
    c->args.val = c->val;
done:
    rc_coo_free(&host);
    return st;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    (void)analysis;
    rc_slots_t slots = {0};
    rc_status_t st;
    coo_t *c = rc_alloc0(1, sizeof *c, "kernel state", err);
    if (!c)
        return RC_ENOMEM;
    RC_TRY(rc_spmv_init(x, p, &c->s, err));
    RC_TRY(rc_slots_build(x, p, &slots, err));
    const rc_csr_view_t e = rc_slots_view(&slots, p->precision);
    RC_TRY(upload(p, &e, c, err));
    *state = c;
done:
    rc_slots_free(&slots);
    if (st < 0)
        release(c);
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const coo_t *c = state;
    const rc_spmv_vectors_t v = rc_spmv_vectors(&c->s, o, alpha, beta);
    rc_status_t st = rc_spmv_coo_run(&c->s, &c->args, c->entries, &v, err);
    return st == RC_OK ? rc_spmv_rest(&c->s, &o->out, beta, err) : st;
}

static int64_t values(void *state, void **array)
{
    const coo_t *c = state;
    *array = c->val;
    return c->entries;
}

const rc_kernel_t rc_kernel_cuda_coo = {
    .name = "coo",
    .summary = "y = A x on a GPU of coordinates: products, then a segmented sum; no atomics",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .run = run,
    .release = release,
    .values = values,
};
