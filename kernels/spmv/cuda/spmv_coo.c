/* y = A x of coordinates on a GPU: all products first, then a segmented sum across threads. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/slots.h"
#include "kernels/kernel.h"
#include "kernels/spmv/cuda/spmv.h"

typedef struct coo {
    rc_spmv_t s;
    rc_spmv_coo_args_t args;
} coo_t;

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t nnz = p->a->nnz;
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    rc_status_t st;
    RC_TRY(rc_spmv_limits(p, rc_spmv_coo_shares(nnz), err));
    RC_TRY(rc_spmv_count(p, RC_SPMV_LOOK, 0, out->chosen, err));
    int64_t bytes = rc_spmv_coo_bytes(nnz, out->chosen[RC_SPMV_BEYOND], value);
    bytes = rc_sat_add(bytes, rc_sat_mul(nnz, value));
    out->bytes = rc_sat_add(bytes, rc_spmv_places_bytes(p, out->chosen[RC_SPMV_FILLED]));
    out->traffic = rc_sat_mul(nnz, 2 * (int64_t)sizeof(int32_t) + value);
    out->stored_rows = rc_stored_rows(p);
    out->fill = 1;
done:
    return st;
}

static rc_status_t build(rc_spmv_t *s, const rc_problem_t *p, const rc_analysis_t *analysis,
    const rc_spmv_source_t *from, rc_err_t *err)
{
    coo_t *c = (coo_t *)s;
    int64_t nnz = p->a->nnz;
    rc_status_t st;
    RC_TRY(rc_spmv_places(p, from, analysis->chosen[RC_SPMV_FILLED], s, err));
    RC_TRY(rc_spmv_room(p, nnz, s, err));
    st = rc_spmv_coo_build(
        p, from, 0, nnz, analysis->chosen[RC_SPMV_BEYOND], 0, s, &c->args, err);
done:
    return st;
}

static rc_status_t launch(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const coo_t *c = (const coo_t *)s;
    const rc_spmv_vectors_t v = rc_spmv_vectors(s, o, alpha, beta);
    return rc_spmv_coo_run(s, &c->args, s->values, &v, err);
}

static const rc_spmv_kind_t kind = {sizeof(coo_t), build, launch};

static rc_status_t share(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void *of, void **state, rc_err_t *err)
{
    return rc_spmv_prepare(x, p, analysis, &kind, of, state, err);
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    return share(x, p, analysis, NULL, state, err);
}

const rc_kernel_t rc_kernel_cuda_coo = {
    .name = "coo",
    .summary = "y = A x on a GPU of coordinates: products, then a segmented sum; no atomics on y",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .format = "coo",
    .version = 4, /* 1: rows of several shares in a second launch; built on the host; 2: a fence in every CTA of such rows.
                      3: in the last one */
    .analyse = analyse,
    .prepare = prepare,
    .share = share,
    RC_SPMV_MEMBERS,
};
