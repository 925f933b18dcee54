/* cuSPARSE's SpMV with A as square blocks of `block` consecutive slots and columns; what cusparse_bsr.c says
 * of its SpMM goes for it too. */
#include "config.h"
#include "base/error.h"
#include "kernels/cuda/cusparse_common.h"

enum { PARAM_ALG, BLOCK_MAX = 16 };

/* The first header that is known to have it: that of CUDA 12.6.3. */
#if CUSPARSE_VERSION >= 12603
enum { HAVE_BSR = 1, BSR_ALG1 = CUSPARSE_SPMV_BSR_ALG1 };
#else
enum { HAVE_BSR = 0, BSR_ALG1 = CUSPARSE_SPMV_ALG_DEFAULT };
#endif

static const int algorithms[] = {CUSPARSE_SPMV_ALG_DEFAULT, BSR_ALG1};

static const rc_cusparse_kind_t kind = {.op = RC_OP_SPMV,
    .call_name = "this SpMV",
    .call = rc_cusparse_spmv,
    .describe = rc_cusparse_bsr,
    .alg_param = PARAM_ALG,
    .algorithm = algorithms,
    .pre_param = -1};

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    if (!HAVE_BSR)
        return rc_fail(err, RC_ENOTSUP, "cuSPARSE: SpMV of BSR needs CUDA 12.6.3 or newer");
    return rc_cusparse_bsr_analyse(p, &kind, out, err);
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    return rc_cusparse_prepare(x, p, analysis, &kind, RC_COL_MAJOR, state, err);
}

extern const rc_kernel_t rc_kernel_cusparse_spmv_bsr;

static rc_status_t identify(const rc_params_t *values, char *text, rc_err_t *err)
{
    return rc_params_text_older(rc_kernel_cusparse_spmv_bsr.param, RC_CUSPARSE_BSR_INDEX, values, text, err);
}

const rc_kernel_t rc_kernel_cusparse_spmv_bsr = {
    .name = "cusparse-spmv-bsr",
    .summary = "cuSPARSE SpMV of A in BSR",
    .source = "NVIDIA cuSPARSE documentation, cusparseSpMV",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .param =
        {
            {"alg", "0: CUSPARSE_SPMV_ALG_DEFAULT, 1: CUSPARSE_SPMV_BSR_ALG1", .max = 1},
            {"block", "rows and columns of a block; must divide n_col", 2, 2, BLOCK_MAX, 1},
            {"fill", "bytes of BSR over bytes of CSR with indices of 32 bits, at most", 4, 1, 1024, 0},
            RC_CUSPARSE_INDEX_PARAM,
        },
    .identify = identify,
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .run = rc_cusparse_run,
    .release = rc_cusparse_release,
};
