/* A in cuSPARSE's formats, in the order of the slots. */
#include "config.h"
#include "base/error.h"
#include "base/str.h"
#include "format/bsr.h"
#include "kernels/vendor/cusparse.h"

#include <inttypes.h>

int rc_cusparse_is_wide(const rc_problem_t *p, const rc_cusparse_kind_t *kind)
{
    return p->param[kind->index] == 64 || rc_cuda_slots_wide(p);
}

static cusparseIndexType_t index_of(const rc_cusparse_t *s)
{
    return s->form.wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
}

/* -------------------------------------------------------------------- CSR */

/* Pointers are counted also where those of the slots are wide already, and serve. */
static rc_status_t measure_csr(
    const rc_problem_t *p, const rc_cusparse_kind_t *kind, rc_analysis_t *out, rc_err_t *err)
{
    (void)err;
    int64_t indices = rc_sat_add(p->a->nnz, p->schedule->slots + 1);
    out->bytes =
        rc_sat_add(out->bytes, rc_indexed_wide_bytes(indices, rc_cusparse_is_wide(p, kind)));
    return RC_OK;
}

static cusparseStatus_t describe_csr(rc_cusparse_t *s)
{
    const rc_indexed_t *a = &s->form;
    return cusparseCreateCsr(&s->a, a->slots.slots, s->base.p.a->cols, a->stored, a->row, a->col,
        a->val, index_of(s), index_of(s), CUSPARSE_INDEX_BASE_ZERO, s->stored);
}

const rc_cusparse_format_t rc_cusparse_csr = {
    .name = "CSR", .measure = measure_csr, .build = rc_indexed_csr, .describe = describe_csr};

/* -------------------------------------------------------------------- COO */

/* Rows that hold nothing cost no index here. */
static rc_status_t measure_coo(
    const rc_problem_t *p, const rc_cusparse_kind_t *kind, rc_analysis_t *out, rc_err_t *err)
{
    (void)err;
    /* rows; wide: columns too */
    int64_t entry =
        rc_cusparse_is_wide(p, kind) ? 2 * (int64_t)sizeof(int64_t) : (int64_t)sizeof(int32_t);
    out->bytes = rc_sat_add(out->bytes, rc_sat_mul(p->a->nnz, entry));
    return RC_OK;
}

static cusparseStatus_t describe_coo(rc_cusparse_t *s)
{
    const rc_indexed_t *a = &s->form;
    return cusparseCreateCoo(&s->a, a->slots.slots, s->base.p.a->cols, a->stored, a->row, a->col,
        a->val, index_of(s), CUSPARSE_INDEX_BASE_ZERO, s->stored);
}

const rc_cusparse_format_t rc_cusparse_coo = {
    .name = "COO", .measure = measure_coo, .build = rc_indexed_coo, .describe = describe_coo};

/* -------------------------------------------------------------------- BSR
 *
 * Square blocks of `block` consecutive slots and columns.  The order of the rows decides how many
 * blocks there are, so this is where a row order can pay most.  Columns stay where they are: B is
 * the caller's and cannot be longer than n_col, so `block` must divide n_col.  Slots that do not
 * fill the last block row make cuSPARSE store to a C' with whole blocks, of which `run` copies what
 * is C.
 *
 * Blocks are stored row by row: SpMM takes no others. */

static int64_t rows_in_blocks(const rc_problem_t *p)
{
    int64_t block = p->param[RC_CUSPARSE_BLOCK];
    return (p->schedule->slots + block - 1) / block * block;
}

/* The most blocks that `fill` allows: as BSR bytes over CSR bytes. */
static int64_t most_blocks(const rc_problem_t *p)
{
    int64_t block = p->param[RC_CUSPARSE_BLOCK];
    int64_t bytes = rc_sat_mul(rc_bsr_csr_bytes(p), p->param[RC_CUSPARSE_FILL]);
    int64_t none = rc_bsr_bytes(p, block, 0);
    int64_t one = rc_bsr_bytes(p, block, 1) - none;
    int64_t most = bytes > none ? (bytes - none) / one : 0;
    return most < INT32_MAX ? most : INT32_MAX;
}

/* Blocks, when they are worth it. */
static rc_status_t count_blocks(const rc_problem_t *p, int64_t *blocks, rc_err_t *err)
{
    int64_t block = p->param[RC_CUSPARSE_BLOCK];
    int64_t counted = 0;
    int64_t most = most_blocks(p);
    *blocks = rc_bsr_count(p, block, most, &counted);
    if (*blocks <= most)
        return RC_OK;
    return rc_fail(err, RC_ENOTSUP,
        "shape: blocks of %" PRId64 " x %" PRId64 " take more than fill = %" PRId64
        " times the %s of CSR: %s for %" PRId64 " of %" PRId64 " block rows",
        block, block, p->param[RC_CUSPARSE_FILL], rc_text_bytes((double)rc_bsr_csr_bytes(p)).text,
        rc_text_bytes((double)rc_bsr_bytes(p, block, *blocks)).text, counted,
        rows_in_blocks(p) / block);
}

static rc_status_t measure_bsr(
    const rc_problem_t *p, const rc_cusparse_kind_t *kind, rc_analysis_t *out, rc_err_t *err)
{
    int64_t block = p->param[RC_CUSPARSE_BLOCK];
    int64_t blocks = 0;
    if (p->a->cols % block != 0)
        return rc_fail(err, RC_ENOTSUP,
            "shape: %" PRId64 " columns are no multiple of block = %" PRId64, p->a->cols, block);
    RC_PASS(count_blocks(p, &blocks, err));
    out->bytes = rc_sat_add(rc_bsr_bytes(p, block, blocks), rc_cuda_rows_bytes(p));
    out->bytes = rc_sat_add(
        out->bytes, rc_indexed_wide_bytes(rc_sat_add(blocks, rows_in_blocks(p) / block + 1),
                        rc_cusparse_is_wide(p, kind)));
    if (p->a->nnz > 0)
        out->fill = (double)(blocks * block * block) / (double)p->a->nnz;
    return RC_OK;
}

static cusparseStatus_t describe_bsr(rc_cusparse_t *s)
{
#if CUSPARSE_VERSION >= 12501
    const rc_indexed_t *a = &s->form;
    return cusparseCreateBsr(&s->a, s->product_rows / a->size, s->base.p.a->cols / a->size,
        a->stored / (a->size * a->size), a->size, a->size, a->row, a->col, a->val, index_of(s),
        index_of(s), CUSPARSE_INDEX_BASE_ZERO, s->stored, CUSPARSE_ORDER_ROW);
#else
    (void)s;
    return CUSPARSE_STATUS_NOT_SUPPORTED;
#endif
}

const rc_cusparse_format_t rc_cusparse_bsr = {.name = "BSR",
    .size = RC_CUSPARSE_BLOCK,
    .rows = rows_in_blocks,
    .measure = measure_bsr,
    .build = rc_indexed_bsr,
    .describe = describe_bsr};

/* ------------------------------------------------------------------- SELL
 *
 * Slices of `slice` consecutive slots, each as wide as its longest row and stored column by column.
 * The order of the rows decides how much padding there is, so this is where an order by length pays
 * most.  The last slice is stored whole. */

static rc_status_t measure_sell(
    const rc_problem_t *p, const rc_cusparse_kind_t *kind, rc_analysis_t *out, rc_err_t *err)
{
    rc_items_t items = rc_indexed_items(p);
    rc_sell_shape_t shape = rc_indexed_shape(p->param[RC_CUSPARSE_SLICE]);
    rc_sell_size_t size = rc_sell_measure(&items, &shape);
    int64_t stored = size.stored;
    int64_t entry = (int64_t)(sizeof(int32_t) + rc_precision_bytes(p->precision));
    if (stored > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP,
            "shape: slices of %" PRId64 " rows store %" PRId64
            " entries with their padding, at most "
            "%d are implemented",
            shape.slice, stored, INT32_MAX);
    out->bytes = rc_sat_add(stored * entry, (size.slices + 1) * (int64_t)sizeof(int32_t));
    out->bytes = rc_sat_add(out->bytes,
        rc_indexed_wide_bytes(rc_sat_add(stored, size.slices + 1), rc_cusparse_is_wide(p, kind)));
    out->bytes = rc_sat_add(out->bytes, rc_cuda_rows_bytes(p));
    if (p->a->nnz > 0)
        out->fill = (double)stored / (double)p->a->nnz;
    return RC_OK;
}

static cusparseStatus_t describe_sell(rc_cusparse_t *s)
{
#if CUSPARSE_VERSION >= 12100
    const rc_csr_t *of = s->base.p.a;
    const rc_indexed_t *a = &s->form;
    return cusparseCreateSlicedEll(&s->a, a->slots.slots, of->cols, of->nnz, a->stored, a->size,
        a->row, a->col, a->val, index_of(s), index_of(s), CUSPARSE_INDEX_BASE_ZERO, s->stored);
#else
    (void)s;
    return CUSPARSE_STATUS_NOT_SUPPORTED;
#endif
}

const rc_cusparse_format_t rc_cusparse_sell = {.name = "SELL",
    .size = RC_CUSPARSE_SLICE,
    .measure = measure_sell,
    .build = rc_indexed_sell,
    .describe = describe_sell};
