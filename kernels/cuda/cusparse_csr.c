/* cuSPARSE's SpMM with A in CSR, every algorithm that it offers.  By NVIDIA's account algorithm 1
 * is meant for column-major and 2 for row-major dense matrices, 3 is deterministic, and
 * preprocessing helps 1 and 3; all of that is measured here rather than believed. */
#include "config.h"
#include "base/error.h"
#include "kernels/cpu/slots.h"
#include "kernels/cuda/cusparse_common.h"
#include "kernels/cuda/indices.h"

enum { PARAM_ALG, PARAM_PRE, PARAM_INDEX };

static const cusparseSpMMAlg_t algorithms[] = {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1,
    CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3};

static int wide_index(const rc_problem_t *p)
{
    return p->param[PARAM_INDEX] == 64 || rc_cuda_slots_wide(p);
}

static int64_t bytes_device(const rc_problem_t *p)
{
    int64_t bytes = rc_cuda_slots_bytes(p);
    if (wide_index(p)) {
        int64_t indices = rc_sat_add(p->a->nnz, p->schedule->slots + 1);
        bytes = rc_sat_add(bytes, rc_sat_mul(indices, (int64_t)sizeof(int64_t)));
    }
    return rc_sat_add(bytes, rc_cusparse_product_bytes(p, p->schedule->slots));
}

/* 64-bit indices throughout: mixed widths are not supported everywhere. */
static rc_status_t widen(rc_cusparse_t *s, void **ptr, void **col, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t bytes = (int64_t)sizeof(int64_t);
    RC_TRY(rc_cusparse_own(s, s->slots.nnz * bytes, col, err));
    RC_TRY(rc_cuda_widen(s->d, s->slots.col, *col, s->slots.nnz, err));
    if (s->slots.wide)
        goto done;
    RC_TRY(rc_cusparse_own(s, (s->slots.slots + 1) * bytes, ptr, err));
    RC_TRY(rc_cuda_widen(s->d, s->slots.ptr, *ptr, s->slots.slots + 1, err));
done:
    return st;
}

static rc_status_t describe(rc_cusparse_t *s, int wide, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    void *ptr = s->slots.ptr;
    void *col = s->slots.col;
    if (wide)
        RC_TRY(widen(s, &ptr, &col, err));
    RC_TRY(rc_cusparse_check(cusparseCreateCsr(&s->a, s->slots.slots, s->slots.cols, s->slots.nnz,
                                 ptr, col, s->slots.val, rc_cusparse_index(wide),
                                 rc_cusparse_index(wide), CUSPARSE_INDEX_BASE_ZERO, s->type),
        "the descriptor of A in CSR", err));
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

const rc_kernel_t rc_kernel_cusparse_csr_col = {
    .name = "cusparse-csr-col",
    .summary = "cuSPARSE SpMM of A in CSR, column-major B and C",
    .source = "NVIDIA cuSPARSE documentation, cusparseSpMM",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .layout = RC_COL_MAJOR,
    .computes = 1,
    .param =
        {
            {"alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1 to 3: CUSPARSE_SPMM_CSR_ALG1 to 3", 0, 0, 3,
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

const rc_kernel_t rc_kernel_cusparse_csr_row = {
    .name = "cusparse-csr-row",
    .summary = "cuSPARSE SpMM of A in CSR, row-major B and C",
    .source = "NVIDIA cuSPARSE documentation, cusparseSpMM",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .layout = RC_ROW_MAJOR,
    .computes = 1,
    .param =
        {
            {"alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1 to 3: CUSPARSE_SPMM_CSR_ALG1 to 3", 0, 0, 3,
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
