/* cuSPARSE's SpMM, and what its SpMV shares with it, with A as square blocks of `block` consecutive slots and columns.
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
#include "kernels/bsr.h"
#include "kernels/cuda/cusparse_common.h"

#include <inttypes.h>

enum {
    PARAM_ALG,
    PARAM_BLOCK = RC_CUSPARSE_BSR_BLOCK,
    PARAM_FILL = RC_CUSPARSE_BSR_FILL
};

/* The first release of SpMM for BSR: CUDA 12.5 update 1. */
#if CUSPARSE_VERSION >= 12501
enum { HAVE_BSR = 1, BSR_ALG1 = CUSPARSE_SPMM_BSR_ALG1 };
#else
enum { HAVE_BSR = 0, BSR_ALG1 = CUSPARSE_SPMM_ALG_DEFAULT };
#endif

static const int algorithms[] = {CUSPARSE_SPMM_ALG_DEFAULT, BSR_ALG1};

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

rc_status_t rc_cusparse_bsr(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    rc_status_t st = RC_OK;
    rc_bsr_t b = {0};
    int wide = rc_cusparse_wide(p, p->param[RC_CUSPARSE_BSR_INDEX]);
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    void *ptr = NULL;
    void *col = NULL;
    void *val = NULL;
    s->product_rows = rows_in_blocks(p);
    RC_TRY(rc_cusparse_rows(s, p, err));
    RC_TRY(rc_bsr_build(p, p->param[PARAM_BLOCK], s->x->threads, &b, err));
    RC_TRY(rc_cusparse_indices(s, b.ptr, b.block_rows + 1, wide, &ptr, err));
    RC_TRY(rc_cusparse_indices(s, b.col, b.blocks, wide, &col, err));
    RC_TRY(rc_cusparse_upload(s, b.val, b.blocks * b.block * b.block * value, &val, err));
#if CUSPARSE_VERSION >= 12501
    RC_TRY(rc_cusparse_check(
        cusparseCreateBsr(&s->a, b.block_rows, p->a->cols / b.block, b.blocks, b.block, b.block,
            ptr, col, val, rc_cusparse_index_type(wide), rc_cusparse_index_type(wide),
            CUSPARSE_INDEX_BASE_ZERO, s->type, CUSPARSE_ORDER_ROW),
        "the descriptor of A in BSR", err));
#endif
done:
    rc_bsr_free(&b);
    return st;
}

static const rc_cusparse_kind_t kind = {.op = RC_OP_SPMM,
    .call_name = "this SpMM",
    .call = rc_cusparse_spmm,
    .describe = rc_cusparse_bsr,
    .alg_param = PARAM_ALG,
    .algorithm = algorithms,
    .pre_param = -1};

/* Blocks, when they are worth it. */
static rc_status_t count_blocks(const rc_problem_t *p, int64_t *blocks, rc_err_t *err)
{
    int64_t block = p->param[PARAM_BLOCK];
    int64_t counted = 0;
    int64_t most = most_blocks(p);
    *blocks = rc_bsr_count(p, block, most, &counted);
    if (*blocks <= most)
        return RC_OK;
    char csr[32];
    char bsr[32];
    rc_text_bytes((double)rc_bsr_csr_bytes(p), csr, sizeof csr);
    rc_text_bytes((double)rc_bsr_bytes(p, block, *blocks), bsr, sizeof bsr);
    return rc_fail(err, RC_ENOTSUP,
        "shape: blocks of %" PRId64 " x %" PRId64 " take more than fill = %" PRId64
        " times the %s of CSR: %s for %" PRId64 " of %" PRId64 " block rows",
        block, block, p->param[PARAM_FILL], csr, bsr, counted, rows_in_blocks(p) / block);
}

rc_status_t rc_cusparse_bsr_analyse(
    const rc_problem_t *p, const rc_cusparse_kind_t *of, rc_analysis_t *out, rc_err_t *err)
{
    int64_t block = p->param[PARAM_BLOCK];
    int64_t blocks = 0;
    rc_status_t st = rc_cusparse_analyse(p, of, rows_in_blocks(p), out, err);
    if (st < 0)
        return st;
    if (p->a->cols % block != 0)
        return rc_fail(err, RC_ENOTSUP,
            "shape: %" PRId64 " columns are no multiple of block = %" PRId64, p->a->cols, block);
    st = count_blocks(p, &blocks, err);
    if (st < 0)
        return st;
    out->bytes = rc_sat_add(rc_bsr_bytes(p, block, blocks), rc_cuda_rows_bytes(p));
    out->bytes = rc_sat_add(out->bytes,
        rc_cusparse_wide_bytes(rc_sat_add(blocks, rows_in_blocks(p) / block + 1),
            rc_cusparse_wide(p, p->param[RC_CUSPARSE_BSR_INDEX])));
    if (p->a->nnz > 0)
        out->fill = (double)(blocks * block * block) / (double)p->a->nnz;
    return RC_OK;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    if (!HAVE_BSR)
        return rc_fail(err, RC_ENOTSUP, "cuSPARSE: SpMM of BSR needs CUDA 12.5.1 or newer");
    return rc_cusparse_bsr_analyse(p, &kind, out, err);
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
    .param =                                                                                       \
        {                                                                                          \
            {"alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1: CUSPARSE_SPMM_BSR_ALG1", .max = 1},          \
            {"block", "rows and columns of a block; must divide n_col", 2, 2, RC_BSR_BLOCK_MAX,    \
                1},                                                                                \
            {"fill", "bytes of BSR over bytes of CSR, at most", 4, 1, 1024, 0},                    \
    },                                                                                             \
    .analyse = analyse, .geometry = rc_cuda_geometry, .run = rc_cusparse_run,                      \
    .release = rc_cusparse_release

const rc_kernel_t rc_kernel_cusparse_bsr_col = {
    .name = "cusparse-bsr-col",
    .summary = "cuSPARSE SpMM of A in BSR, column-major B and C",
    .layout = RC_COL_MAJOR,
    .prepare = prepare_col,
    SHARED,
};

const rc_kernel_t rc_kernel_cusparse_bsr_row = {
    .name = "cusparse-bsr-row",
    .summary = "cuSPARSE SpMM of A in BSR, row-major B and C",
    .layout = RC_ROW_MAJOR,
    .prepare = prepare_row,
    SHARED,
};
