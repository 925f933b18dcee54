/* cuSPARSE's SpMM with A as square blocks of `block` consecutive slots and columns.
 *
 * The order of the rows decides how many blocks there are, so this is where a row order can pay
 * most.  Columns stay where they are: B is the caller's and cannot be longer than n_col, so `block`
 * must divide n_col.  Slots that do not fill the last block row make cuSPARSE store to a C' with
 * whole blocks, of which `run` copies what is C.
 *
 * Blocks are stored row by row: SpMM takes no others. */
#include "config.h"
#include "base/error.h"
#include "base/str.h"
#include "kernels/cpu/slots.h"
#include "kernels/bsr.h"
#include "kernels/cuda/cusparse_common.h"

#include <inttypes.h>

enum { PARAM_ALG, PARAM_BLOCK, PARAM_FILL };

/* The first release of SpMM for BSR: CUDA 12.5 update 1. */
#if CUSPARSE_VERSION >= 12501
enum { HAVE_BSR = 1, BSR_ALG1 = CUSPARSE_SPMM_BSR_ALG1 };
#else
enum { HAVE_BSR = 0, BSR_ALG1 = CUSPARSE_SPMM_ALG_DEFAULT };
#endif

/* Does C' go to rows that the schedule names? */
static int permuted(const rc_problem_t *p)
{
    return !p->identity && p->c_order == RC_C_ORIGINAL;
}

static int64_t rows_in_blocks(const rc_problem_t *p)
{
    int64_t block = p->param[PARAM_BLOCK];
    return (p->schedule->slots + block - 1) / block * block;
}

/* The most blocks that `fill` allows: as BSR bytes over CSR bytes. */
static int64_t most_blocks(const rc_problem_t *p)
{
    int64_t block = p->param[PARAM_BLOCK];
    int64_t bytes = rc_sat_mul(rc_bsr_csr_bytes(p), p->param[PARAM_FILL]);
    int64_t none = rc_bsr_bytes(p, block, 0);
    int64_t one = rc_bsr_bytes(p, block, 1) - none;
    int64_t most = bytes > none ? (bytes - none) / one : 0;
    return most < INT32_MAX ? most : INT32_MAX;
}

static rc_status_t supports(const rc_problem_t *p, rc_err_t *err)
{
    int64_t block = p->param[PARAM_BLOCK];
    rc_status_t st = rc_cuda_supports(p, err);
    if (st < 0)
        return st;
    if (!HAVE_BSR)
        return rc_fail(err, RC_ENOTSUP, "cuSPARSE: SpMM of BSR needs CUDA 12.5.1 or newer");
    if (p->a->cols % block != 0)
        return rc_fail(err, RC_ENOTSUP,
            "shape: %" PRId64 " columns are no multiple of block = %" PRId64, p->a->cols, block);
    int64_t counted = 0;
    int64_t most = most_blocks(p);
    int64_t blocks = rc_bsr_count(p, block, most, &counted);
    if (blocks <= most)
        return RC_OK;
    char csr[32];
    char bsr[32];
    rc_text_bytes((double)rc_bsr_csr_bytes(p), csr, sizeof csr);
    rc_text_bytes((double)rc_bsr_bytes(p, block, blocks), bsr, sizeof bsr);
    return rc_fail(err, RC_ENOTSUP,
        "shape: blocks of %" PRId64 " x %" PRId64 " take more than fill = %" PRId64
        " times the %s of CSR: %s for %" PRId64 " of %" PRId64 " block rows",
        block, block, p->param[PARAM_FILL], csr, bsr, counted, rows_in_blocks(p) / block);
}

static int64_t bytes_device(const rc_problem_t *p)
{
    int64_t block = p->param[PARAM_BLOCK];
    int64_t counted = 0;
    int64_t blocks = rc_bsr_count(p, block, INT32_MAX, &counted);
    int64_t bytes = rc_bsr_bytes(p, block, blocks);
    if (permuted(p))
        bytes = rc_sat_add(bytes, p->schedule->slots * (int64_t)sizeof(int32_t));
    return rc_sat_add(bytes, rc_cusparse_product_bytes(p, rows_in_blocks(p)));
}

static rc_status_t upload(
    rc_cusparse_t *s, const void *from, int64_t bytes, void **out, rc_err_t *err)
{
    rc_status_t st = rc_cusparse_own(s, bytes, out, err);
    if (st == RC_OK && bytes > 0)
        st = s->d->upload(s->d, *out, from, (size_t)bytes, err);
    return st;
}

static rc_status_t describe(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_bsr_t *b, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t index = (int64_t)sizeof(int32_t);
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    void *ptr = NULL;
    void *col = NULL;
    void *val = NULL;
    RC_TRY(upload(s, b->ptr, (b->block_rows + 1) * index, &ptr, err));
    RC_TRY(upload(s, b->col, b->blocks * index, &col, err));
    RC_TRY(upload(s, b->val, b->blocks * b->block * b->block * value, &val, err));
#if CUSPARSE_VERSION >= 12501
    RC_TRY(rc_cusparse_check(
        cusparseCreateBsr(&s->a, b->block_rows, p->a->cols / b->block, b->blocks, b->block,
            b->block, ptr, col, val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
            CUSPARSE_INDEX_BASE_ZERO, s->type, CUSPARSE_ORDER_ROW),
        "the descriptor of A in BSR", err));
#endif
done:
    return st;
}

static rc_status_t prepare(rc_device_t *d, const rc_problem_t *p, void **state, rc_err_t *err)
{
    rc_cusparse_t *s = NULL;
    rc_status_t st = RC_OK;
    rc_bsr_t b = {0};
    void *row = NULL;
    int64_t slots = p->schedule->slots;
    cusparseSpMMAlg_t alg =
        p->param[PARAM_ALG] ? (cusparseSpMMAlg_t)BSR_ALG1 : CUSPARSE_SPMM_ALG_DEFAULT;
    RC_TRY(rc_cusparse_new(d, p, &s, err));
    if (p->a->nnz > 0) {
        RC_TRY(rc_bsr_build(p, p->param[PARAM_BLOCK], d->threads, &b, err));
        RC_TRY(describe(s, p, &b, err));
    }
    if (permuted(p))
        RC_TRY(upload(s, p->schedule->row, slots * (int64_t)sizeof(int32_t), &row, err));
    RC_TRY(rc_cusparse_ready(s, p, row, rows_in_blocks(p), alg, 0, err));
    *state = s;
    s = NULL;
done:
    rc_bsr_free(&b);
    rc_cusparse_release(s);
    return st;
}

const rc_kernel_t rc_kernel_cusparse_bsr_col = {
    .name = "cusparse-bsr-col",
    .summary = "cuSPARSE SpMM of A in BSR, column-major B and C",
    .source = "NVIDIA cuSPARSE documentation, cusparseSpMM",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .layout = RC_COL_MAJOR,
    .computes = 1,
    .param =
        {
            {"alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1: CUSPARSE_SPMM_BSR_ALG1", 0, 0, 1, 0},
            {"block", "rows and columns of a block; must divide n_col", 2, 2, RC_BSR_BLOCK_MAX, 1},
            {"fill", "bytes of BSR over bytes of CSR, at most", 4, 1, 1024, 0},
        },
    .supports = supports,
    .geometry = rc_cuda_geometry,
    .bytes_min = rc_cuda_slots_bytes_min,
    .bytes_device = bytes_device,
    .prepare = prepare,
    .run = rc_cusparse_run,
    .release = rc_cusparse_release,
};

const rc_kernel_t rc_kernel_cusparse_bsr_row = {
    .name = "cusparse-bsr-row",
    .summary = "cuSPARSE SpMM of A in BSR, row-major B and C",
    .source = "NVIDIA cuSPARSE documentation, cusparseSpMM",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .layout = RC_ROW_MAJOR,
    .computes = 1,
    .param =
        {
            {"alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1: CUSPARSE_SPMM_BSR_ALG1", 0, 0, 1, 0},
            {"block", "rows and columns of a block; must divide n_col", 2, 2, RC_BSR_BLOCK_MAX, 1},
            {"fill", "bytes of BSR over bytes of CSR, at most", 4, 1, 1024, 0},
        },
    .supports = supports,
    .geometry = rc_cuda_geometry,
    .bytes_min = rc_cuda_slots_bytes_min,
    .bytes_device = bytes_device,
    .prepare = prepare,
    .run = rc_cusparse_run,
    .release = rc_cusparse_release,
};
