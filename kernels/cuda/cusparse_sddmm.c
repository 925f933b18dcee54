/* cuSPARSE's SDDMM.  It takes the pattern of its sparse matrix but not the values: what it stores are
 * dot products, so they go to memory of the state, and a second launch multiplies them by the values
 * of A, both within `run`. */
#include "config.h"
#include "base/error.h"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/cusparse_common.h"
#include "kernels/cuda/sampled.h"

enum { PARAM_PRE };

static const int algorithms[] = {CUSPARSE_SDDMM_ALG_DEFAULT};

static cusparseStatus_t call(rc_cusparse_t *s, rc_cusparse_step_t step,
    const rc_cusparse_scalar_t *alpha, const rc_cusparse_scalar_t *beta, size_t *bytes)
{
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseOperation_t turned = CUSPARSE_OPERATION_TRANSPOSE;
    const cusparseSDDMMAlg_t alg = (cusparseSDDMMAlg_t)s->algorithm;
    cusparseDnMatDescr_t y = s->operand[0].matrix;
    cusparseDnMatDescr_t x = s->operand[1].matrix;
    switch (step) {
    case RC_CUSPARSE_SIZE:
        return cusparseSDDMM_bufferSize(
            s->handle, plain, turned, alpha, y, x, beta, s->a, s->type, alg, bytes);
    case RC_CUSPARSE_PREPROCESS:
        return cusparseSDDMM_preprocess(
            s->handle, plain, turned, alpha, y, x, beta, s->a, s->type, alg, s->workspace);
    default:
        return cusparseSDDMM(
            s->handle, plain, turned, alpha, y, x, beta, s->a, s->type, alg, s->workspace);
    }
}

/* A with the dot products in place of its values. */
static rc_status_t describe(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    rc_status_t st = RC_OK;
    int64_t bytes = rc_sat_mul(p->a->nnz, (int64_t)rc_precision_bytes(p->precision));
    RC_TRY(rc_cusparse_csr(s, p, rc_cuda_slots_wide(p), err));
    RC_TRY(rc_cusparse_own(s, bytes, &s->product, err));
    RC_TRY(rc_cusparse_check(
        cusparseSpMatSetValues(s->a, s->product), "the pattern of A in CSR", err));
done:
    return st;
}

static const rc_cusparse_kind_t kind = {.op = RC_OP_SDDMM,
    .call_name = "this SDDMM",
    .call = call,
    .describe = describe,
    .alg_param = -1,
    .algorithm = algorithms,
    .pre_param = PARAM_PRE};

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    rc_status_t st = rc_cuda_identity_only(p, "cuSPARSE's SDDMM", err);
    if (st == RC_OK)
        st = rc_cusparse_analyse(p, &kind, p->schedule->slots, out, err);
    if (st < 0)
        return st;
    out->bytes = rc_sat_add(out->bytes, rc_cusparse_csr_bytes(p, rc_cuda_slots_wide(p)));
    out->bytes = rc_sat_add(out->bytes, rc_sat_mul(p->a->nnz, value));
    return RC_OK;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    rc_cusparse_t *s = state;
    rc_status_t st = RC_OK;
    int before = rc_cuda_enter(s->x);
    if (!s->a)
        goto done; /* no entries, no output */
    RC_TRY(rc_cusparse_bind(s, o, err));
    RC_TRY(rc_cusparse_call(s, RC_CUSPARSE_RUN, 1, 0, err));
    RC_TRY(rc_cuda_sampled(s->x, s->slots.val, s->product, &o->out, alpha, beta, err));
done:
    rc_cuda_leave(s->x, before);
    return st;
}

static rc_status_t prepare_col(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, void **state, rc_err_t *err)
{
    return rc_cusparse_prepare(x, p, analysis, &kind, RC_COL_MAJOR, state, err);
}

static rc_status_t prepare_row(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, void **state, rc_err_t *err)
{
    return rc_cusparse_prepare(x, p, analysis, &kind, RC_ROW_MAJOR, state, err);
}

/* What both descriptors say. */
#define SHARED                                                                                     \
    .source = "NVIDIA cuSPARSE documentation, cusparseSDDMM", .version = 1,                        \
    .device = RC_DEVICE_CUDA, .op = RC_OP_SDDMM, .c_orders = RC_STORES_ORIGINAL, .computes = 1,    \
    .deterministic = rc_kernel_always,                                                             \
    .param = {{"pre", "1: cusparseSDDMM_preprocess once before the first product", .max = 1}},     \
    .analyse = analyse, .geometry = rc_cuda_geometry, .preprocess = rc_cusparse_preprocess,        \
    .run = run, .release = rc_cusparse_release

const rc_kernel_t rc_kernel_cusparse_sddmm_col = {
    .name = "cusparse-sddmm-col",
    .summary = "cuSPARSE SDDMM, column-major Y and X, then times the values of A",
    .layout = RC_COL_MAJOR,
    .prepare = prepare_col,
    SHARED,
};

const rc_kernel_t rc_kernel_cusparse_sddmm_row = {
    .name = "cusparse-sddmm-row",
    .summary = "cuSPARSE SDDMM, row-major Y and X, then times the values of A",
    .layout = RC_ROW_MAJOR,
    .prepare = prepare_row,
    SHARED,
};
