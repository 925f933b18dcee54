/* cuSPARSE's SpMM with A in CSR, every algorithm that it offers.  By NVIDIA's account algorithm 1
 * is meant for column-major and 2 for row-major dense matrices, 3 is deterministic, and
 * preprocessing helps 1 and 3; all of that is measured here rather than believed. */
#include "config.h"
#include "kernels/cuda/cusparse_common.h"

enum { PARAM_ALG, PARAM_PRE, PARAM_INDEX };

static const int algorithms[] = {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1,
    CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3};

static rc_status_t describe(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    return rc_cusparse_csr(s, p, rc_cusparse_wide(p, p->param[PARAM_INDEX]), err);
}

/* NVIDIA promises equal bits of this algorithm alone. */
static int deterministic(const int64_t *param)
{
    return algorithms[param[PARAM_ALG]] == CUSPARSE_SPMM_CSR_ALG3;
}

static const rc_cusparse_kind_t kind = {.op = RC_OP_SPMM,
    .call_name = "this SpMM",
    .call = rc_cusparse_spmm,
    .describe = describe,
    .alg_param = PARAM_ALG,
    .algorithm = algorithms,
    .pre_param = PARAM_PRE};

static const rc_cusparse_kind_t turned = {.op = RC_OP_SPMM,
    .call_name = "this SpMM with opB = T",
    .call = rc_cusparse_spmm,
    .describe = describe,
    .alg_param = PARAM_ALG,
    .algorithm = algorithms,
    .pre_param = PARAM_PRE,
    .b_transposed = 1};

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_cusparse_analyse(p, &kind, p->schedule->slots, out, err);
    int wide = rc_cusparse_wide(p, p->param[PARAM_INDEX]);
    if (st == RC_OK)
        out->bytes = rc_sat_add(out->bytes, rc_cusparse_csr_bytes(p, wide));
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

static rc_status_t prepare_col_row(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, void **state, rc_err_t *err)
{
    return rc_cusparse_prepare(x, p, analysis, &kind, RC_COL_ROW, state, err);
}

static rc_status_t prepare_row_col(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, void **state, rc_err_t *err)
{
    return rc_cusparse_prepare(x, p, analysis, &kind, RC_ROW_COL, state, err);
}

static rc_status_t prepare_bt_col(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, void **state, rc_err_t *err)
{
    return rc_cusparse_prepare(x, p, analysis, &turned, RC_ROW_COL, state, err);
}

/* What all descriptors say. */
#define SHARED                                                                                     \
    .source = "NVIDIA cuSPARSE documentation, cusparseSpMM", .version = 1,                         \
    .device = RC_DEVICE_CUDA, .op = RC_OP_SPMM, .c_orders = RC_STORES_ANY, .computes = 1,          \
    .builds = 1, .any_k = 1, .deterministic = deterministic,                                       \
    .param =                                                                                       \
        {                                                                                          \
            {"alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1 to 3: CUSPARSE_SPMM_CSR_ALG1 to 3",           \
                .max = 3},                                                                         \
            {"pre", "1: cusparseSpMM_preprocess once before the first product", .max = 1},         \
            {"index", "bits of an index; 64 where 32 are not enough", 32, 32, 64, 1},              \
    },                                                                                             \
    .analyse = analyse, .geometry = rc_cuda_geometry, .preprocess = rc_cusparse_preprocess,        \
    .run = rc_cusparse_run, .release = rc_cusparse_release, .values = rc_cusparse_values,          \
    .share = rc_cusparse_share

const rc_kernel_t rc_kernel_cusparse_csr_col = {
    .name = "cusparse-csr-col",
    .summary = "cuSPARSE SpMM of A in CSR, column-major B and C",
    .layout = RC_COL_MAJOR,
    .prepare = prepare_col,
    SHARED,
};

const rc_kernel_t rc_kernel_cusparse_csr_row = {
    .name = "cusparse-csr-row",
    .summary = "cuSPARSE SpMM of A in CSR, row-major B and C",
    .layout = RC_ROW_MAJOR,
    .prepare = prepare_row,
    SHARED,
};

const rc_kernel_t rc_kernel_cusparse_csr_col_row = {
    .name = "cusparse-csr-bcol-crow",
    .summary = "cuSPARSE SpMM of A in CSR, column-major B, row-major C",
    .layout = RC_COL_ROW,
    .prepare = prepare_col_row,
    SHARED,
};

const rc_kernel_t rc_kernel_cusparse_csr_row_col = {
    .name = "cusparse-csr-brow-ccol",
    .summary = "cuSPARSE SpMM of A in CSR, row-major B, column-major C",
    .layout = RC_ROW_COL,
    .prepare = prepare_row_col,
    SHARED,
};

/* As Hong et al. 2018 had it: B is given transposed, C is column-major. */
const rc_kernel_t rc_kernel_cusparse_csr_bt_col = {
    .name = "cusparse-csr-bt-ccol",
    .summary = "cuSPARSE SpMM of A in CSR with opB = T: row-major B, column-major C",
    .layout = RC_ROW_COL,
    .prepare = prepare_bt_col,
    SHARED,
};
