/* cuSPARSE's SpMM of the transpose of A, which is given in CSR: opA = TRANSPOSE.  Algorithms that
 * take no transpose are refused by the library, and become skipped cases. */
#include "config.h"
#include "kernels/cuda/cusparse_common.h"

enum { PARAM_ALG, PARAM_PRE };

static const int algorithms[] = {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1,
    CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3};

static rc_status_t describe(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    return rc_cusparse_csr(s, p, rc_cuda_slots_wide(p), err);
}

static const rc_cusparse_kind_t kind = {.op = RC_OP_SPMM_T,
    .call_name = "this transposed SpMM",
    .call = rc_cusparse_spmm,
    .describe = describe,
    .alg_param = PARAM_ALG,
    .algorithm = algorithms,
    .pre_param = PARAM_PRE};

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_cuda_identity_only(p, "cuSPARSE's transposed SpMM", err);
    if (st == RC_OK)
        st = rc_cusparse_analyse(p, &kind, p->schedule->slots, out, err);
    if (st == RC_OK)
        out->bytes = rc_sat_add(out->bytes, rc_cusparse_csr_bytes(p, rc_cuda_slots_wide(p)));
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
    .source = "NVIDIA cuSPARSE documentation, cusparseSpMM", .version = 1,                         \
    .device = RC_DEVICE_CUDA, .op = RC_OP_SPMM_T, .c_orders = RC_STORES_ORIGINAL, .computes = 1,   \
    .param =                                                                                       \
        {                                                                                          \
            {"alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1 to 3: CUSPARSE_SPMM_CSR_ALG1 to 3",           \
                .max = 3},                                                                         \
            {"pre", "1: cusparseSpMM_preprocess once before the first product", .max = 1},         \
    },                                                                                             \
    .analyse = analyse, .geometry = rc_cuda_geometry, .preprocess = rc_cusparse_preprocess,        \
    .run = rc_cusparse_run, .release = rc_cusparse_release, .values = rc_cusparse_values

const rc_kernel_t rc_kernel_cusparse_spmm_t_csr_col = {
    .name = "cusparse-spmm_t-csr-col",
    .summary = "cuSPARSE SpMM of the transpose of A in CSR, column-major B and C",
    .layout = RC_COL_MAJOR,
    .prepare = prepare_col,
    SHARED,
};

const rc_kernel_t rc_kernel_cusparse_spmm_t_csr_row = {
    .name = "cusparse-spmm_t-csr-row",
    .summary = "cuSPARSE SpMM of the transpose of A in CSR, row-major B and C",
    .layout = RC_ROW_MAJOR,
    .prepare = prepare_row,
    SHARED,
};
