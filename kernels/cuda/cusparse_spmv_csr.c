/* cuSPARSE's SpMV with A in CSR, every algorithm that it offers. */
#include "config.h"
#include "kernels/cuda/cusparse_common.h"

enum { PARAM_ALG, PARAM_PRE };

static const int algorithms[] = {
    CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2};

static rc_status_t describe(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    return rc_cusparse_csr(s, p, rc_cuda_slots_wide(p), err);
}

/* NVIDIA promises equal bits of this algorithm alone. */
static int deterministic(const int64_t *param)
{
    return algorithms[param[PARAM_ALG]] == CUSPARSE_SPMV_CSR_ALG2;
}

static const rc_cusparse_kind_t kind = {.op = RC_OP_SPMV,
    .call_name = "this SpMV",
    .call = rc_cusparse_spmv,
    .describe = describe,
    .alg_param = PARAM_ALG,
    .algorithm = algorithms,
    .pre_param = PARAM_PRE};

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_cusparse_spmv_supports(p->param[PARAM_PRE], err);
    if (st == RC_OK)
        st = rc_cusparse_analyse(p, &kind, p->schedule->slots, out, err);
    if (st == RC_OK)
        out->bytes = rc_sat_add(out->bytes, rc_cusparse_csr_bytes(p, rc_cuda_slots_wide(p)));
    return st;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    return rc_cusparse_prepare(x, p, analysis, &kind, RC_COL_MAJOR, state, err);
}

const rc_kernel_t rc_kernel_cusparse_spmv_csr = {
    .name = "cusparse-spmv-csr",
    .summary = "cuSPARSE SpMV of A in CSR",
    .source = "NVIDIA cuSPARSE documentation, cusparseSpMV",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .builds = 1,
    .deterministic = deterministic,
    .param =
        {
            {"alg", "0: CUSPARSE_SPMV_ALG_DEFAULT, 1 and 2: CUSPARSE_SPMV_CSR_ALG1 and 2",
                .max = 2},
            {"pre", "1: cusparseSpMV_preprocess once before the first product (CUDA 12.4)",
                .max = 1},
        },
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .preprocess = rc_cusparse_preprocess,
    .run = rc_cusparse_run,
    .release = rc_cusparse_release,
    .values = rc_cusparse_values,
};
