/* cuSPARSE's SpMM with A as coordinates in the order of the slots, every algorithm that it offers.
 * Rows that hold nothing cost no index here.  By NVIDIA's account algorithms 1 to 3 are meant for
 * column-major and 4 for row-major dense matrices, and preprocessing has no effect; a library that
 * refuses to preprocess coordinates makes pre=1 a skipped case. */
#include "config.h"
#include "base/error.h"
#include "kernels/cpu/slots.h"
#include "kernels/cuda/cusparse_common.h"
#include "kernels/cuda/indices.h"

enum { PARAM_ALG, PARAM_PRE, PARAM_INDEX };

static const cusparseSpMMAlg_t algorithms[] = {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_COO_ALG1,
    CUSPARSE_SPMM_COO_ALG2, CUSPARSE_SPMM_COO_ALG3, CUSPARSE_SPMM_COO_ALG4};

static int wide_index(const rc_problem_t *p)
{
    return p->param[PARAM_INDEX] == 64 || rc_cuda_slots_wide(p);
}

static int64_t bytes_device(const rc_problem_t *p)
{
    /* rows; wide: columns too */
    int64_t entry = wide_index(p) ? 2 * (int64_t)sizeof(int64_t) : (int64_t)sizeof(int32_t);
    int64_t bytes = rc_sat_add(rc_cuda_slots_bytes(p), rc_sat_mul(p->a->nnz, entry));
    return rc_sat_add(bytes, rc_cusparse_product_bytes(p, p->schedule->slots));
}

static rc_status_t describe(rc_cusparse_t *s, int wide, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t nnz = s->slots.nnz;
    void *row = NULL;
    void *col = s->slots.col;
    int64_t bytes = wide ? (int64_t)sizeof(int64_t) : (int64_t)sizeof(int32_t);
    RC_TRY(rc_cusparse_own(s, nnz * bytes, &row, err));
    RC_TRY(rc_cuda_expand(s->d, s->slots.ptr, s->slots.wide, s->slots.slots, row, wide, err));
    if (wide) {
        RC_TRY(rc_cusparse_own(s, nnz * bytes, &col, err));
        RC_TRY(rc_cuda_widen(s->d, s->slots.col, col, nnz, err));
    }
    RC_TRY(rc_cusparse_check(
        cusparseCreateCoo(&s->a, s->slots.slots, s->slots.cols, nnz, row, col, s->slots.val,
            rc_cusparse_index(wide), CUSPARSE_INDEX_BASE_ZERO, s->type),
        "the descriptor of A in COO", err));
done:
    return st;
}

static rc_status_t prepare(rc_device_t *d, const rc_problem_t *p, void **state, rc_err_t *err)
{
    rc_cusparse_t *s = NULL;
    rc_status_t st = RC_OK;
    RC_TRY(rc_cusparse_new(d, p, &s, err));
    RC_TRY(rc_cuda_slots_build(d, p, &s->slots, err));
    if (s->slots.nnz > 0)
        RC_TRY(describe(s, wide_index(p), err));
    RC_TRY(rc_cusparse_ready(s, p, s->slots.row, s->slots.slots, algorithms[p->param[PARAM_ALG]],
        (int)p->param[PARAM_PRE], err));
    *state = s;
    s = NULL;
done:
    rc_cusparse_release(s);
    return st;
}

const rc_kernel_t rc_kernel_cusparse_coo_col = {
    .name = "cusparse-coo-col",
    .summary = "cuSPARSE SpMM of A in COO, column-major B and C",
    .source = "NVIDIA cuSPARSE documentation, cusparseSpMM",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .layout = RC_COL_MAJOR,
    .computes = 1,
    .param =
        {
            {"alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1 to 4: CUSPARSE_SPMM_COO_ALG1 to 4", 0, 0, 4,
                0},
            {"pre", "1: cusparseSpMM_preprocess once before the first product", 0, 0, 1, 0},
            {"index", "bits of an index; 64 where 32 are not enough", 32, 32, 64, 1},
        },
    .supports = rc_cuda_supports,
    .geometry = rc_cuda_geometry,
    .bytes_min = rc_cuda_slots_bytes_min,
    .bytes_device = bytes_device,
    .prepare = prepare,
    .preprocess = rc_cusparse_preprocess,
    .run = rc_cusparse_run,
    .release = rc_cusparse_release,
};

const rc_kernel_t rc_kernel_cusparse_coo_row = {
    .name = "cusparse-coo-row",
    .summary = "cuSPARSE SpMM of A in COO, row-major B and C",
    .source = "NVIDIA cuSPARSE documentation, cusparseSpMM",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .layout = RC_ROW_MAJOR,
    .computes = 1,
    .param =
        {
            {"alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1 to 4: CUSPARSE_SPMM_COO_ALG1 to 4", 0, 0, 4,
                0},
            {"pre", "1: cusparseSpMM_preprocess once before the first product", 0, 0, 1, 0},
            {"index", "bits of an index; 64 where 32 are not enough", 32, 32, 64, 1},
        },
    .supports = rc_cuda_supports,
    .geometry = rc_cuda_geometry,
    .bytes_min = rc_cuda_slots_bytes_min,
    .bytes_device = bytes_device,
    .prepare = prepare,
    .preprocess = rc_cusparse_preprocess,
    .run = rc_cusparse_run,
    .release = rc_cusparse_release,
};
