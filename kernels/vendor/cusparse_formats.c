/* A in cuSPARSE's formats, in the order of the slots. */
#include "config.h"
#include "base/error.h"
#include "base/str.h"
#include "format/bsr.h"
#include "format/cuda/indices.h"
#include "format/cuda/keep.h"
#include "format/places.h"
#include "format/sell.h"
#include "kernels/vendor/cusparse.h"

#include <inttypes.h>

/* 1: indices of 64 bits throughout, because the parameter says so or 32 bits are not enough; mixed
 * widths are not supported everywhere. */
static int is_wide(const rc_problem_t *p, const rc_cusparse_kind_t *kind)
{
    return p->param[kind->index] == 64 || rc_cuda_slots_wide(p);
}

static cusparseIndexType_t index_type(int wide)
{
    return wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
}

/* What wide indices take beside others. */
static int64_t wide_bytes(int64_t count, int wide)
{
    return wide ? rc_sat_mul(count, (int64_t)sizeof(int64_t)) : 0;
}

static rc_status_t widen(
    rc_cusparse_t *s, const void *from, int64_t count, void **out, rc_err_t *err)
{
    RC_PASS(rc_cusparse_room(s, wide_bytes(count, 1), out, err));
    return rc_cuda_widen(s->base.memory.x, from, *out, count, err);
}

/* Upload indices.  \param[in] from  [count] int32_t  \param[out] out  of the state */
static rc_status_t upload_indices(
    rc_cusparse_t *s, const void *from, int64_t count, int wide, void **out, rc_err_t *err)
{
    size_t bytes = (size_t)count * sizeof(int32_t);
    rc_status_t st = rc_cusparse_room(s, (int64_t)bytes, out, err);
    if (st == RC_OK)
        st = s->base.memory.x->upload(s->base.memory.x, *out, from, bytes, err);
    return st < 0 || !wide ? st : widen(s, *out, count, out, err);
}

/* The values of A at places (format/places.h), on the device.
 * \param[in] entry  [count], on the host */
static rc_status_t put_values(rc_cusparse_t *s, const rc_problem_t *p, const void *entry,
    int64_t count, void **out, rc_err_t *err)
{
    rc_places_t places = {0};
    rc_status_t st =
        rc_cusparse_room(s, count * (int64_t)rc_precision_bytes(p->precision), out, err);
    if (st == RC_OK)
        st = rc_places_keep(s->base.memory.x, p, entry, count, &places, err);
    return st < 0 ? st : rc_places_fill(p, &places, *out, err);
}

/* -------------------------------------------------------------------- CSR */

/* Pointers are counted also where those of the slots are wide already, and serve. */
static rc_status_t measure_csr(
    const rc_problem_t *p, const rc_cusparse_kind_t *kind, rc_analysis_t *out, rc_err_t *err)
{
    (void)err;
    int64_t indices = rc_sat_add(p->a->nnz, p->schedule->slots + 1);
    out->bytes = rc_sat_add(out->bytes, wide_bytes(indices, is_wide(p, kind)));
    return RC_OK;
}

static rc_status_t build_csr(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    int wide = is_wide(p, s->kind);
    RC_PASS(rc_cuda_slots_build(&s->base.memory, p, &s->slots, err));
    s->row = s->slots.ptr;
    s->col = s->slots.col;
    if (wide)
        RC_PASS(widen(s, s->slots.col, s->slots.nnz, &s->col, err));
    if (wide && !s->slots.wide)
        RC_PASS(widen(s, s->slots.ptr, s->slots.slots + 1, &s->row, err));
    return RC_OK;
}

static rc_status_t describe_csr(rc_cusparse_t *s, rc_err_t *err)
{
    const cusparseIndexType_t index = index_type(is_wide(&s->base.p, s->kind));
    return rc_cusparse_check(
        cusparseCreateCsr(&s->a, s->slots.slots, s->slots.cols, s->slots.nnz, s->row, s->col,
            s->slots.val, index, index, CUSPARSE_INDEX_BASE_ZERO, s->type),
        "the descriptor of A in CSR", err);
}

const rc_cusparse_format_t rc_cusparse_csr = {
    .measure = measure_csr, .build = build_csr, .describe = describe_csr};

/* -------------------------------------------------------------------- COO */

/* Rows that hold nothing cost no index here. */
static rc_status_t measure_coo(
    const rc_problem_t *p, const rc_cusparse_kind_t *kind, rc_analysis_t *out, rc_err_t *err)
{
    (void)err;
    /* rows; wide: columns too */
    int64_t entry = is_wide(p, kind) ? 2 * (int64_t)sizeof(int64_t) : (int64_t)sizeof(int32_t);
    out->bytes = rc_sat_add(out->bytes, rc_sat_mul(p->a->nnz, entry));
    return RC_OK;
}

static rc_status_t build_coo(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    int wide = is_wide(p, s->kind);
    int64_t bytes = wide ? (int64_t)sizeof(int64_t) : (int64_t)sizeof(int32_t);
    void *col = NULL;
    RC_PASS(rc_cuda_slots_build(&s->base.memory, p, &s->slots, err));
    col = s->slots.col;
    RC_PASS(rc_cusparse_room(s, s->slots.nnz * bytes, &s->row, err));
    RC_PASS(rc_cuda_expand(
        s->base.memory.x, s->slots.ptr, s->slots.wide, s->slots.slots, s->row, wide, err));
    if (wide)
        RC_PASS(widen(s, s->slots.col, s->slots.nnz, &col, err));
    s->col = col;
    return RC_OK;
}

static rc_status_t describe_coo(rc_cusparse_t *s, rc_err_t *err)
{
    return rc_cusparse_check(
        cusparseCreateCoo(&s->a, s->slots.slots, s->slots.cols, s->slots.nnz, s->row, s->col,
            s->slots.val, index_type(is_wide(&s->base.p, s->kind)), CUSPARSE_INDEX_BASE_ZERO,
            s->type),
        "the descriptor of A in COO", err);
}

const rc_cusparse_format_t rc_cusparse_coo = {
    .measure = measure_coo, .build = build_coo, .describe = describe_coo};

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
    char csr[32];
    char bsr[32];
    rc_text_bytes((double)rc_bsr_csr_bytes(p), csr, sizeof csr);
    rc_text_bytes((double)rc_bsr_bytes(p, block, *blocks), bsr, sizeof bsr);
    return rc_fail(err, RC_ENOTSUP,
        "shape: blocks of %" PRId64 " x %" PRId64 " take more than fill = %" PRId64
        " times the %s of CSR: %s for %" PRId64 " of %" PRId64 " block rows",
        block, block, p->param[RC_CUSPARSE_FILL], csr, bsr, counted, rows_in_blocks(p) / block);
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
    out->bytes = rc_sat_add(out->bytes,
        wide_bytes(rc_sat_add(blocks, rows_in_blocks(p) / block + 1), is_wide(p, kind)));
    if (p->a->nnz > 0)
        out->fill = (double)(blocks * block * block) / (double)p->a->nnz;
    return RC_OK;
}

static rc_status_t build_bsr(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    rc_status_t st;
    rc_bsr_t b = {0};
    int wide = is_wide(p, s->kind);
    void *ptr = NULL;
    void *col = NULL;
    void *val = NULL;
    RC_TRY(rc_cuda_slots_rows(&s->base.memory, p, &s->slots, err));
    RC_TRY(rc_bsr_build(p, p->param[RC_CUSPARSE_BLOCK], s->base.memory.x->threads, &b, err));
    RC_TRY(upload_indices(s, b.ptr, b.block_rows + 1, wide, &ptr, err));
    RC_TRY(upload_indices(s, b.col, b.blocks, wide, &col, err));
    RC_TRY(put_values(s, p, b.entry, b.blocks * b.block * b.block, &val, err));
#if CUSPARSE_VERSION >= 12501
    RC_TRY(
        rc_cusparse_check(cusparseCreateBsr(&s->a, b.block_rows, p->a->cols / b.block, b.blocks,
                              b.block, b.block, ptr, col, val, index_type(wide), index_type(wide),
                              CUSPARSE_INDEX_BASE_ZERO, s->type, CUSPARSE_ORDER_ROW),
            "the descriptor of A in BSR", err));
#endif
done:
    rc_bsr_free(&b);
    return st;
}

const rc_cusparse_format_t rc_cusparse_bsr = {
    .rows = rows_in_blocks, .measure = measure_bsr, .build = build_bsr};

/* ------------------------------------------------------------------- SELL
 *
 * Slices of `slice` consecutive slots, each as wide as its longest row and stored column by column.
 * The order of the rows decides how much padding there is, so this is where an order by length pays
 * most.  The last slice is stored whole. */

/* The rows in order, those that the schedule leaves out not among them: they are copied from a
 * product in schedule order. */
static rc_items_t slots_of(const rc_problem_t *p)
{
    return (rc_items_t){.p = p, .count = p->schedule->slots};
}

static rc_sell_shape_t shape_of(const rc_problem_t *p)
{
    return (rc_sell_shape_t){.slice = p->param[RC_CUSPARSE_SLICE],
        .longest = INT64_MAX,
        .col_bytes = (int64_t)sizeof(int32_t),
        .pad = -1};
}

static rc_status_t measure_sell(
    const rc_problem_t *p, const rc_cusparse_kind_t *kind, rc_analysis_t *out, rc_err_t *err)
{
    rc_items_t items = slots_of(p);
    rc_sell_shape_t shape = shape_of(p);
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
    out->bytes =
        rc_sat_add(out->bytes, wide_bytes(rc_sat_add(stored, size.slices + 1), is_wide(p, kind)));
    out->bytes = rc_sat_add(out->bytes, rc_cuda_rows_bytes(p));
    if (p->a->nnz > 0)
        out->fill = (double)stored / (double)p->a->nnz;
    RC_CHOSE(out, stored);
    return RC_OK;
}

static rc_status_t build_sell(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rc_sell_t a = {0};
    rc_items_t items = slots_of(p);
    rc_sell_shape_t shape = shape_of(p);
    rc_sell_size_t size = rc_sell_measure(&items, &shape);
    int64_t stored;
    rc_status_t st;
    RC_CHOSEN(analysis, stored);
    int wide = is_wide(p, s->kind);
    void *ptr = NULL;
    void *col = NULL;
    void *val = NULL;
    RC_TRY(rc_cuda_slots_rows(&s->base.memory, p, &s->slots, err));
    RC_TRY(rc_sell_build(&items, &shape, &size, s->base.memory.x->threads, &a, err));
    RC_TRY(upload_indices(
        s, rc_narrow_pointers(a.ptr, size.slices + 1), size.slices + 1, wide, &ptr, err));
    RC_TRY(upload_indices(s, a.col, stored, wide, &col, err));
    RC_TRY(put_values(s, p, a.entry, stored, &val, err));
#if CUSPARSE_VERSION >= 12100
    RC_TRY(rc_cusparse_check(cusparseCreateSlicedEll(&s->a, p->schedule->slots, p->a->cols,
                                 p->a->nnz, stored, shape.slice, ptr, col, val, index_type(wide),
                                 index_type(wide), CUSPARSE_INDEX_BASE_ZERO, s->type),
        "the descriptor of A in SELL", err));
#endif
done:
    rc_sell_free(&a);
    return st;
}

const rc_cusparse_format_t rc_cusparse_sell = {.measure = measure_sell, .build = build_sell};
