/* cuSPARSE's SpMM with A as coordinates in the order of the slots, every algorithm that it offers.
 * Rows that hold nothing cost no index here.  By NVIDIA's account algorithms 1 to 3 are meant for
 * column-major and 4 for row-major dense matrices, and preprocessing has no effect; a library that
 * refuses to preprocess coordinates makes pre=1 a skipped case. */
#include "config.h"
#include "kernels/cuda/cusparse_common.h"

enum { PARAM_ALG, PARAM_PRE, PARAM_INDEX };

static const int algorithms[] = {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_COO_ALG1,
    CUSPARSE_SPMM_COO_ALG2, CUSPARSE_SPMM_COO_ALG3, CUSPARSE_SPMM_COO_ALG4};

static rc_status_t describe(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    return rc_cusparse_coo(s, p, rc_cusparse_wide(p, p->param[PARAM_INDEX]), err);
}

/* NVIDIA promises equal bits of this algorithm alone. */
static int deterministic(const int64_t *param)
{
    return algorithms[param[PARAM_ALG]] == CUSPARSE_SPMM_COO_ALG2;
}

static const rc_cusparse_kind_t kind = {.op = RC_OP_SPMM,
    .call_name = "this SpMM",
    .call = rc_cusparse_spmm,
    .describe = describe,
    .alg_param = PARAM_ALG,
    .algorithm = algorithms,
    .pre_param = PARAM_PRE};

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_cusparse_analyse(p, &kind, p->schedule->slots, out, err);
    int wide = rc_cusparse_wide(p, p->param[PARAM_INDEX]);
    if (st == RC_OK)
        out->bytes = rc_sat_add(out->bytes, rc_cusparse_coo_bytes(p, wide));
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
    .device = RC_DEVICE_CUDA, .op = RC_OP_SPMM, .c_orders = RC_STORES_ANY, .computes = 1,          \
    .builds = 1, .any_k = 1, .deterministic = deterministic,                                       \
    .param =                                                                                       \
        {                                                                                          \
            {"alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1 to 4: CUSPARSE_SPMM_COO_ALG1 to 4",           \
                .max = 4},                                                                         \
            {"pre", "1: cusparseSpMM_preprocess once before the first product", .max = 1},         \
            {"index", "bits of an index; 64 where 32 are not enough", 32, 32, 64, 1},              \
    },                                                                                             \
    .analyse = analyse, .geometry = rc_cuda_geometry, .preprocess = rc_cusparse_preprocess,        \
    .run = rc_cusparse_run, .release = rc_cusparse_release, .values = rc_cusparse_values,          \
    .share = rc_cusparse_share

const rc_kernel_t rc_kernel_cusparse_coo_col = {
    .name = "cusparse-coo-col",
    .summary = "cuSPARSE SpMM of A in COO, column-major B and C",
    .layout = RC_COL_MAJOR,
    .prepare = prepare_col,
    SHARED,
};

const rc_kernel_t rc_kernel_cusparse_coo_row = {
    .name = "cusparse-coo-row",
    .summary = "cuSPARSE SpMM of A in COO, row-major B and C",
    .layout = RC_ROW_MAJOR,
    .prepare = prepare_row,
    SHARED,
};
