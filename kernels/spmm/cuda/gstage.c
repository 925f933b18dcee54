/* Row-major product with the rows of B in shared memory.  The rows of A are blocks
 * (format/stages.h) in schedule order, each with as many distinct columns as fit; a CTA takes a
 * block and a strip of the columns of B and copies the rows of B that the block needs, and its
 * part of A, into shared memory before it multiplies.  Some strips of a block are side by side
 * in the grid, so that what they read of B together is long, the others are slowest. 
 * Neighbouring rows that share columns share the loads from shared memory.  Long rows are parts,
 * summed in a fixed order; no atomics on C. */
#include "config.h"
#include "kernels/spmm/cuda/gstage.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/overlap.h"
#include "device/cuda/ranges.h"
#include "format/cuda/forms.h"
#include "format/cuda/slots.h"
#include "format/slots.h"
#include "kernels/cuda/by_rows.h"
#include "kernels/cuda/members.h"
#include "kernels/spmm/cuda/rowmajor.h"
#include "kernels/spmm/cuda/slices.h"

#include <inttypes.h>
#include <omp.h>

enum { PARAM_STRIP, PARAM_ROWS, PARAM_CTAS, PARAM_NEAR };
enum {
    LANES = 8, /* of a row of B: 128 bytes */
    LANES_WIDE = 16,
    /* of a row, from which sharing loads is worth the groups of lanes it leaves idle */
    ENTRIES = 16,
    MORE_BATCHES = 32, /* one in so many for strips that are twice as wide */
    LONGEST_MEANS = 2,
    LONGEST = 128,
    BLOCKS = 32,       /* of a small matrix, for the GPU to be busy */
    SPAN = 4096,       /* items */
    SM_BYTES = 233472, /* shared memory of a multiprocessor, compute capability 9.0 */
    CTA_BYTES = 1024,  /* of that, which the system takes for each CTA */
    GRID_Y_MAX = 65535,
    K_MAX = 1 << 30
};

enum { STRIP_AUTO, STRIP_128, STRIP_256 };
static const char *const strip_choices[] = {"auto", "128", "256", NULL};
static const char *const rows_choices[] = {"auto", "1", "2", "3", "4", NULL};
enum { ROWS_ONE = 1 };

/* What a block is made for, whatever K. */
typedef struct form {
    int64_t rows;  /* of a piece at most */
    int64_t lanes; /* of a row of B in shared memory */
} form_t;

typedef struct gstage {
    rc_prepared_t base;
    form_t form;
    rc_gstage_args_t args;
    int64_t parts; /* of long rows */
    int64_t longs;
    int64_t blocks;
    size_t shared;
    /* of copies of 1 << i values; no entry: K or the precision does not allow this width */
    rc_cuda_launch_t launch[RC_CUDA_WIDTHS];
} gstage_t;

/* ---------------------------------------------------------------- analysis */

/* Of the sums of a lane, which holds a vector of values. */
static size_t sums_bytes(rc_precision_t precision)
{
    return RC_CUDA_VECTOR_BYTES / rc_precision_bytes(precision) * rc_sum_bytes(precision);
}

/* Blocks of few pieces where there are few rows: no fewer than one for each group of lanes.  Where
 * rows share loads their sums take the registers of the fourth CTA. */
static rc_stages_shape_t shape_for(const rc_items_t *items, form_t form)
{
    const rc_problem_t *p = items->p;
    int64_t groups = RC_GSTAGE_THREADS / form.lanes;
    int64_t pieces = rc_ceil_div(items->count, BLOCKS * form.rows);
    int64_t means = p->a->rows > 0 ? LONGEST_MEANS * (p->a->nnz / p->a->rows) : 0;
    int64_t ctas = p->param[PARAM_CTAS];
    if (form.rows > 1 && ctas > RC_GSTAGE_CTAS)
        ctas = RC_GSTAGE_CTAS;
    return (rc_stages_shape_t){.rows = form.rows,
        .longest = means > LONGEST ? means : LONGEST,
        .line = form.lanes * RC_CUDA_VECTOR_BYTES,
        .least = (int64_t)RC_GSTAGE_PARTS_BYTES(sums_bytes(p->precision)),
        .bytes = SM_BYTES / ctas - CTA_BYTES,
        .pieces = pieces > groups ? pieces : groups,
        .span = SPAN};
}

/* What a batch costs with so many rows in a piece, in hundredths: B is loaded once, its values for
 * each row. */
static int64_t cost_of(int64_t rows)
{
    return 100 + 40 * rows;
}

/* Where the blocks are measured: on the device, or from the items. */
typedef struct measuring {
    const rc_problem_t *p;
    rc_items_t items;
    rc_build_t build;
} measuring_t;

static rc_status_t measure_blocks(
    measuring_t *m, const rc_stages_shape_t *shape, rc_stages_size_t *size, rc_err_t *err)
{
    return m->p->resident ? rc_build_stages_measure(&m->build, shape, m->p->precision, size, err)
                          : rc_stages_measure(&m->items, shape, omp_get_max_threads(), size, err);
}

static rc_status_t measure_batches(
    measuring_t *m, const rc_stages_shape_t *shape, int64_t *batches, rc_err_t *err)
{
    return m->p->resident
               ? rc_build_stages_batches(&m->build, shape, m->p->precision, batches, err)
               : rc_stages_batches(&m->items, shape, omp_get_max_threads(), batches, err);
}

static rc_status_t batches_of(measuring_t *m, form_t form, int64_t *batches, rc_err_t *err)
{
    rc_stages_shape_t shape = shape_for(&m->items, form);
    return measure_batches(m, &shape, batches, err);
}

/* \param[in,out] form  rows become the cheapest  \param[out] batches  where rows share loads */
static rc_status_t choose_rows(measuring_t *m, form_t *form, int64_t *batches, rc_err_t *err)
{
    const rc_csr_t *a = m->p->a;
    int64_t n[1 + RC_STAGES_ROWS_MAX];
    int64_t least = INT64_MAX;
    form->rows = 1;
    if (a->nnz < ENTRIES * a->rows)
        return RC_OK;
    for (int r = RC_STAGES_ROWS_MAX; r > 0; r--) /* pieces of fewer rows are known then */
        RC_PASS(batches_of(m, (form_t){.rows = r, .lanes = form->lanes}, &n[r], err));
    for (int r = 1; r <= RC_STAGES_ROWS_MAX; r++)
        if (n[r] < least / cost_of(r)) {
            form->rows = r;
            *batches = n[r];
            least = n[r] * cost_of(r);
        }
    return RC_OK;
}

/* \param[in,out] form  wide, so that less of A is read, unless rows are cut or share less for it:
 *                      blocks hold half as many columns  \param[in] batches  of it */
static rc_status_t choose_lanes(measuring_t *m, form_t *form, int64_t batches, rc_err_t *err)
{
    const form_t wide = {.rows = form->rows, .lanes = LANES_WIDE};
    int64_t n = 0;
    RC_PASS(batches_of(m, wide, &n, err));
    if (n <= batches + batches / MORE_BATCHES)
        *form = wide;
    return RC_OK;
}

/* As asked for, or the best. */
static rc_status_t choose_form(measuring_t *m, form_t *form, rc_err_t *err)
{
    const int64_t *param = m->p->param;
    int64_t batches = 0;
    form->lanes = param[PARAM_STRIP] == STRIP_256 ? LANES_WIDE : LANES;
    form->rows = param[PARAM_ROWS];
    if (form->rows == 0)
        RC_PASS(choose_rows(m, form, &batches, err));
    if (param[PARAM_STRIP] != STRIP_AUTO || form->rows == 1)
        return RC_OK;
    if (batches == 0)
        RC_PASS(batches_of(m, *form, &batches, err));
    return choose_lanes(m, form, batches, err);
}

/* \param[out] shape  of the blocks */
static rc_status_t measure(const rc_problem_t *p, form_t *form, rc_stages_shape_t *shape,
    rc_stages_size_t *size, rc_err_t *err)
{
    measuring_t m = {.p = p};
    rc_status_t st = rc_items_new(p, &m.items, err);
    if (st == RC_OK && p->resident)
        st = rc_build_begin(p, &m.build, err);
    if (st == RC_OK)
        st = choose_form(&m, form, err);
    if (st == RC_OK) {
        *shape = shape_for(&m.items, *form);
        st = measure_blocks(&m, shape, size, err);
    }
    if (st == RC_OK && p->resident)
        rc_cuda_stages_leave(p, &m.build, shape, size);
    rc_build_end(&m.build);
    rc_items_free(&m.items);
    return st;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_stages_size_t size = {0};
    rc_stages_shape_t shape = {0};
    form_t form = {0};
    RC_PASS(measure(p, &form, &shape, &size, err));
    int64_t stored = size.batches * RC_STAGES_BATCH * shape.rows;
    out->bytes = rc_sat_add(
        rc_stages_bytes(&shape, &size, p->precision), rc_cuda_parts_bytes(size.parts, size.longs));
    out->bytes_per_column = rc_cuda_parts_column_bytes(size.parts, size.longs, p->precision);
    out->traffic = out->bytes;
    out->stored_rows = rc_stored_rows(p);
    out->fill = p->a->nnz > 0 ? (double)stored / (double)p->a->nnz : 1;
    RC_CHOSE(out, form);
    return RC_OK;
}

/* ----------------------------------------------------------------- prepare */

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    gstage_t *s = state;
    rc_keeping_t k = rc_keep_begin(&s->base.memory, p, err);
    rc_items_t items;
    rc_status_t st = rc_items_new(p, &items, err);
    RC_CHOSEN(analysis, s->form);
    rc_stages_t c = {.shape = shape_for(&items, s->form)};
    if (st == RC_OK)
        st = rc_cuda_stages_keep(&k, &items, &c);
    s->base.val = k.val;
    s->base.stored = k.stored;
    s->args = (rc_gstage_args_t){.block = c.block,
        .line = c.line,
        .unit = c.unit,
        .val = k.val,
        .parts = {.of = c.of, .lengthy = c.lengthy},
        .most = (int32_t)c.size.most};
    s->parts = c.size.parts;
    s->longs = c.size.longs;
    s->blocks = c.size.blocks;
    s->shared = (size_t)c.size.bytes;
    rc_items_free(&items);
    return st;
}

static rc_status_t own(void *state, rc_err_t *err)
{
    gstage_t *s = state;
    const rc_problem_t *p = &s->base.p;
    return rc_cuda_parts_sums(
        &s->base.memory, s->parts, s->longs, p->k, p->precision, &s->args.parts, err);
}

/* With the GPU current: its CTAs may have so much shared memory. */
static rc_status_t allow_shared(const gstage_t *s, const void *entry, rc_err_t *err)
{
    size_t most = 0;
    RC_PASS(rc_slices_most(&most, err));
    if (s->shared > most)
        return rc_fail(err, RC_ENOTSUP,
            "shape: a block takes %zu bytes, the shared memory of a CTA has %zu", s->shared, most);
    return rc_cuda_check(
        cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most),
        "shared memory of gstage", err);
}

#define ENTRY(id, name, suffix, ...) [id] = rc_cuda_gstage_entry_##suffix,
static const void *(*const entries[])(const rc_gstage_instance_t *) = {RC_FOR_EACH_TYPE(ENTRY)};
#undef ENTRY

static rc_status_t choose_launch(gstage_t *s, int64_t lanes, int log_width, rc_err_t *err)
{
    const rc_problem_t *p = &s->base.p;
    int width = 1 << log_width;
    if (p->k % width != 0 || (size_t)width * s->base.value_bytes > RC_CUDA_VECTOR_BYTES)
        return RC_OK;
    rc_cuda_launch_t *l = &s->launch[log_width];
    const rc_gstage_instance_t of = {
        .rows = (int)s->form.rows, .lanes = (int)lanes, .width = width};
    l->entry = entries[p->precision](&of);
    l->threads = RC_GSTAGE_THREADS;
    l->shared = s->shared;
    l->ctas = (unsigned)(s->blocks * s->args.near);
    int before = rc_cuda_enter(s->base.memory.x);
    rc_status_t st = allow_shared(s, l->entry, err);
    rc_cuda_leave(s->base.memory.x, before);
    return st;
}

static rc_status_t fit(void *state, int64_t k, rc_err_t *err)
{
    gstage_t *s = state;
    rc_problem_t *p = &s->base.p;
    int64_t held = RC_CUDA_VECTOR_BYTES / (int64_t)s->base.value_bytes;
    int64_t lanes = k <= LANES * held ? LANES : s->form.lanes; /* none without a column */
    p->k = k;
    s->args.k = (int32_t)k;
    s->args.strips = (int32_t)rc_ceil_div(k, lanes * held);
    s->args.near = (int32_t)p->param[PARAM_NEAR];
    if (s->args.near > s->args.strips)
        s->args.near = s->args.strips;
    rc_status_t st = RC_OK;
    if (s->blocks * s->args.near > INT32_MAX)
        st = rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " blocks of rows, too many", s->blocks);
    for (int i = 0; st == RC_OK && i < RC_CUDA_WIDTHS; i++) {
        s->launch[i] = (rc_cuda_launch_t){0};
        st = choose_launch(s, lanes, i, err);
    }
    return st;
}

/* --------------------------------------------------------------------- run */

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const gstage_t *s = state;
    rc_gstage_args_t args = s->args;
    int width = RC_CUDA_WIDTHS - 1;
    RC_PASS(rc_cuda_leading(o, &args.ldb, &args.ldc, err));
    rc_status_t st = RC_OK;
    while (
        width > 0 && (!s->launch[width].entry || !rc_cuda_aligned(o, s->base.value_bytes << width)))
        width--;
    rc_cuda_launch_t of = s->launch[width];
    args.b = o->in[0].data;
    args.c = o->out.data;
    args.scalars = rc_cuda_scalars(o, alpha, beta);
    while (st == RC_OK && args.strip < args.strips) {
        int64_t left = rc_ceil_div(args.strips - args.strip, args.near);
        of.rows = (unsigned)(left < GRID_Y_MAX ? left : GRID_Y_MAX);
        st = rc_cuda_launch_overlapping(s->base.memory.x, &of, &args, "launch of gstage", err);
        args.strip += (int32_t)(of.rows * (unsigned)args.near);
    }
    return st;
}

/* Rows that share loads meet columns that they have no entry in. */
static int strict(const int64_t *param)
{
    return param[PARAM_ROWS] == ROWS_ONE;
}

#define PARAMS                                                                                     \
    {"strip", "bytes of a row of B that a CTA takes into shared memory", .type = RC_PARAM_CHOICE,  \
        .choices = strip_choices},                                                                 \
        {"rows", "neighbouring rows that share loads, at most", .type = RC_PARAM_CHOICE,           \
            .choices = rows_choices},                                                              \
        {"ctas", "CTAs of a multiprocessor, 3 at most where rows share loads", 3, 2, 4, 0},        \
    {                                                                                              \
        "near", "strips of a block side by side", 4, 1, 8, 1                                       \
    }

const rc_kernel_t rc_kernel_gstage = {
    .name = "gstage",
    .summary = "row-major, wide B and C: the rows of B that a block of rows needs in shared memory",
    .source = "rowcast",
    .version = 3, /* 1: blocks cut through all rows, by one thread; 2: rows that share loads at any
                     width have strips of 256 bytes */
    .layout = RC_ROW_MAJOR,
    .format = "stages",
    .rank = {{1, 4, 3}},
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .strict = strict,
    .param = {PARAMS},
    .analyse = analyse,
    RC_CUDA_SPMM_MEMBERS(gstage_t, RC_BUILDS_ALONE),
    .k_max = K_MAX,
    .build = build,
    .own = own,
    .fit = fit,
    .run = run,
};

typedef struct by_rows {
    gstage_t product;
    rc_by_rows_t own;
} by_rows_t;

#define BY_ROWS                                                                                    \
    .kind = &rc_kernel_gstage, .version = 2, .format = "stages", .strict = strict, .k_max = K_MAX, \
    .param = {PARAMS, RC_BY_ROWS_COLUMNS}, RC_CUDA_BY_ROWS_MEMBERS(by_rows_t, gstage_t)

const rc_kernel_t rc_kernel_gstage_col = {
    .name = "gstage-col",
    .summary = "column-major B and C: B copied into rows, gstage, C copied back",
    .layout = RC_COL_MAJOR,
    .rank = {{1, 4, 2}, {64, 4, 3}},
    BY_ROWS,
};

const rc_kernel_t rc_kernel_gstage_col_row = {
    .name = "gstage-bcol-crow",
    .summary = "column-major B, row-major C: B copied into rows, then gstage",
    .layout = RC_COL_ROW,
    .rank = {{1, 4, 3}},
    BY_ROWS,
};

const rc_kernel_t rc_kernel_gstage_row_col = {
    .name = "gstage-brow-ccol",
    .summary = "row-major B, column-major C: gstage, then C copied into columns",
    .layout = RC_ROW_COL,
    .rank = {{1, 4, 2}, {64, 4, 3}},
    BY_ROWS,
};
