/* Row-major product for wide B.  The rows are pieces (format/panels.h) in schedule order; a CTA
 * takes a contiguous run of them, a panel, and a strip of the columns of B, so that what
 * neighbouring rows share of B comes from L1.  Strips are slowest in the grid: all panels of one
 * come before the next.  Two neighbouring rows that share columns can share the loads of B. 
 * Long rows are parts, summed in a fixed order; no atomics on C. */
#include "config.h"
#include "kernels/spmm/cuda/gpanel.h"
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

enum { PARAM_STRIP, PARAM_PANEL, PARAM_LONGEST, PARAM_PAIRS };
enum {
    LONGEST_MEANS = 2,
    LONGEST = 128,
    LONGEST_CHOICE = 32,          /* the first one */
    NARROW_COLS = UINT16_MAX + 1, /* up to so many columns are stored in 16 bits */
    CTAS = 4,                     /* of a multiprocessor */
    PANEL = 64, /* pieces at most, so that panels that run at the same time are close */
    VECTOR_BYTES = RC_CUDA_VECTOR_BYTES,
    LANE_BYTES = 2 * VECTOR_BYTES, /* of values that a lane sums up at most */
    WARP = 32,
    GRID_Y_MAX = 65535,
    K_MAX = 1 << 30
};

static const char *const strip_choices[] = {"auto", "32x2", "16x2", "32x1", NULL};
static const char *const longest_choices[] = {"auto", "32", "64", "128", "256", NULL};
static const char *const pairs_choices[] = {"auto", "no", "yes", NULL};
enum { PAIRS_AUTO, PAIRS_NO, PAIRS_YES };

/* A launch for one width of loads. */
typedef struct launch {
    rc_cuda_launch_t of; /* no entry: K or the precision does not allow this width */
    int32_t tiles;
} launch_t;

/* What an analysis chose. */
typedef struct chosen {
    rc_panels_size_t size;
    int64_t rows; /* of a piece */
} chosen_t;

typedef struct gpanel {
    rc_prepared_t base;
    rc_gpanel_args_t args;
    chosen_t is;
    int64_t col_bytes;
    launch_t launch[RC_CUDA_WIDTHS]; /* of 1 << i values */
} gpanel_t;

/* ---------------------------------------------------------------- analysis */

/* A row is computed from one end to the other: a long one would keep all others waiting. */
static int64_t longest_for(const rc_csr_t *a, int64_t choice)
{
    if (choice > 0)
        return LONGEST_CHOICE << (choice - 1);
    int64_t means = a->rows > 0 ? LONGEST_MEANS * (a->nnz / a->rows) : 0;
    return means > LONGEST ? means : LONGEST;
}

static rc_panels_shape_t shape_for(const rc_problem_t *p, int64_t rows)
{
    return (rc_panels_shape_t){.rows = rows,
        .longest = longest_for(p->a, p->param[PARAM_LONGEST]),
        .col_bytes = p->a->cols <= NARROW_COLS ? 2 : 4};
}

/* Two rows in a piece take more registers: they have to share much. */
static int pairs_pay(const rc_csr_t *a, const rc_panels_size_t *pairs)
{
    return 10 * a->nnz >= 16 * pairs->columns;
}

/* Where the pieces are measured: on the device, or from the items. */
typedef struct measuring {
    const rc_problem_t *p;
    rc_items_t items;
    rc_build_t build;
} measuring_t;

static rc_status_t measure_rows(measuring_t *m, int64_t rows, rc_panels_size_t *size, rc_err_t *err)
{
    rc_panels_shape_t shape = shape_for(m->p, rows);
    return m->p->resident ? rc_build_panels_measure(&m->build, &shape, size, err)
                          : rc_panels_measure(&m->items, &shape, size, err);
}

static rc_status_t measure(const rc_problem_t *p, chosen_t *out, rc_err_t *err)
{
    int64_t pairs = p->param[PARAM_PAIRS];
    measuring_t m = {.p = p};
    out->rows = pairs == PAIRS_NO ? 1 : RC_PANELS_ROWS_MAX;
    rc_status_t st =
        p->resident ? rc_build_begin(p, &m.build, err) : rc_items_new(p, &m.items, err);
    if (st == RC_OK)
        st = measure_rows(&m, out->rows, &out->size, err);
    if (st == RC_OK && pairs == PAIRS_AUTO && !pairs_pay(p->a, &out->size)) {
        out->rows = 1;
        st = measure_rows(&m, out->rows, &out->size, err);
    }
    if (p->resident)
        rc_build_end(&m.build);
    else
        rc_items_free(&m.items);
    return st;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    chosen_t n = {.rows = 1};
    RC_PASS(measure(p, &n, err));
    const rc_panels_size_t *size = &n.size;
    rc_panels_shape_t shape = shape_for(p, n.rows);
    int64_t stored = size->batches * RC_PANELS_BATCH * n.rows;
    out->bytes = rc_sat_add(
        rc_panels_bytes(&shape, size, p->precision), rc_cuda_parts_bytes(size->parts, size->longs));
    out->bytes_per_column = rc_cuda_parts_column_bytes(size->parts, size->longs, p->precision);
    out->traffic = out->bytes;
    out->stored_rows = rc_stored_rows(p);
    out->fill = p->a->nnz > 0 ? (double)stored / (double)p->a->nnz : 1;
    RC_CHOSE(out, n);
    return RC_OK;
}

/* ----------------------------------------------------------------- prepare */

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    gpanel_t *s = state;
    RC_CHOSEN(analysis, s->is);
    rc_panels_t c = {.shape = shape_for(p, s->is.rows),
        .size = s->is.size,
        .places = rc_panels_places(s->is.size.pieces)};
    rc_keeping_t k = rc_keep_begin(&s->base.memory, p, err);
    rc_status_t st = rc_cuda_panels_keep(&k, &c);
    s->base.val = k.val;
    s->base.stored = k.stored;
    s->col_bytes = c.shape.col_bytes;
    s->args = (rc_gpanel_args_t){.piece = c.piece,
        .col = c.col,
        .val = k.val,
        .place = c.place,
        .parts = {.of = c.of, .lengthy = c.lengthy},
        .places = (int32_t)c.places,
        .split = (int32_t)c.size.parts};
    return st;
}

static rc_status_t own(void *state, rc_err_t *err)
{
    gpanel_t *s = state;
    const rc_problem_t *p = &s->base.p;
    return rc_cuda_parts_sums(&s->base.memory, s->is.size.parts, s->is.size.longs, p->k,
        p->precision, &s->args.parts, err);
}

/* Places of a panel: enough panels to fill the GPU, or for every group of lanes to have a piece,
 * and none of more pieces than asked for. */
static int64_t step_for(const gpanel_t *s, int64_t groups)
{
    int64_t panel = s->base.p.param[PARAM_PANEL];
    int64_t panels = rc_ceil_div(s->is.size.pieces, panel > 0 ? panel : PANEL);
    int64_t filled = rc_ceil_div(s->is.size.pieces, groups);
    int64_t resident = (int64_t)CTAS * rc_cuda_sms(s->base.memory.x);
    if (filled > resident)
        filled = resident;
    if (panel == 0 && panels < filled)
        panels = filled;
    return panels > 0 ? rc_ceil_div(s->args.places, panels) : 1;
}

/* How the columns of B are divided. */
typedef struct strip {
    int64_t lanes;
    int64_t vectors; /* of a lane, 16 bytes each */
    int64_t cost;    /* of a column, in hundredths: narrow strips read A more often */
} strip_t;

/* Costs are about those of 27 matrices at K from 128 to 1,024. */
static const strip_t strips[] = {{32, 2, 100}, {16, 2, 110}, {32, 1, 107}};

/* The cheapest strips: the last one of a row may stick out of it, and is computed whole. */
static strip_t strip_for(const gpanel_t *s)
{
    int64_t choice = s->base.p.param[PARAM_STRIP];
    int64_t values = VECTOR_BYTES / (int64_t)s->base.value_bytes;
    int64_t least = INT64_MAX;
    strip_t best = strips[choice > 0 ? choice - 1 : 0];
    for (size_t i = 0; choice == 0 && i < sizeof strips / sizeof *strips; i++) {
        int64_t columns = strips[i].lanes * strips[i].vectors * values;
        int64_t cost = rc_ceil_div(s->base.p.k, columns) * columns * strips[i].cost;
        if (cost < least) {
            best = strips[i];
            least = cost;
        }
    }
    return best;
}

#define ENTRY(id, name, suffix, ...) [id] = rc_cuda_gpanel_entry_##suffix,
static const void *(*const entries[])(const rc_gpanel_instance_t *) = {RC_FOR_EACH_TYPE(ENTRY)};
#undef ENTRY

/* Loads of so many bytes that are a vector, or take as many registers. */
static int64_t loads_of(int64_t bytes)
{
    return VECTOR_BYTES / (bytes < RC_GPANEL_LOAD_MIN ? RC_GPANEL_LOAD_MIN : bytes);
}

static unsigned room_of(const gpanel_t *s)
{
    return (unsigned)RC_GPANEL_ROOM(s->base.value_bytes, s->base.sum_bytes, (size_t)s->is.rows);
}

/* Of the sums of a lane. */
static size_t sums_bytes(const gpanel_t *s)
{
    return LANE_BYTES / s->base.value_bytes * s->base.sum_bytes;
}

static void choose_launch(gpanel_t *s, int log_width)
{
    const rc_problem_t *p = &s->base.p;
    int width = 1 << log_width;
    if (p->k % width != 0 || (size_t)width * s->base.value_bytes > VECTOR_BYTES)
        return;
    launch_t *l = &s->launch[log_width];
    strip_t t = strip_for(s);
    int64_t loads = loads_of(width * (int64_t)s->base.value_bytes);
    while (t.vectors > 0 && t.lanes * width * loads * t.vectors > p->k)
        t.vectors--;
    const rc_gpanel_instance_t of = {.col_bytes = s->col_bytes,
        .rows = (int)s->is.rows,
        .lanes = (int)t.lanes,
        .width = width,
        .vectors = t.vectors > 0 ? (int)(t.vectors * loads) : 1};
    l->of.entry = entries[p->precision](&of);
    l->of.threads = room_of(s) / CTAS;
    l->of.shared = s->args.split > 0 ? l->of.threads * (sums_bytes(s) + sizeof(int32_t)) : 0;
    l->tiles = (int32_t)rc_ceil_div(p->k, t.lanes * width * of.vectors);
    s->args.step = (int32_t)step_for(s, l->of.threads / t.lanes);
    l->of.ctas = (unsigned)rc_ceil_div(s->args.places, s->args.step);
}

static rc_status_t fit(void *state, int64_t k, rc_err_t *err)
{
    (void)err;
    gpanel_t *s = state;
    s->base.p.k = k;
    s->args.k = (int32_t)k;
    for (int i = 0; i < RC_CUDA_WIDTHS; i++) {
        s->launch[i] = (launch_t){0};
        choose_launch(s, i);
    }
    return RC_OK;
}

/* --------------------------------------------------------------------- run */

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const gpanel_t *s = state;
    rc_gpanel_args_t args = s->args;
    int width = RC_CUDA_WIDTHS - 1;
    RC_PASS(rc_cuda_leading(o, &args.ldb, &args.ldc, err));
    rc_status_t st = RC_OK;
    while (width > 0 &&
           (!s->launch[width].of.entry || !rc_cuda_aligned(o, s->base.value_bytes << width)))
        width--;
    const launch_t *l = &s->launch[width];
    args.b = o->in[0].data;
    args.c = o->out.data;
    args.scalars = rc_cuda_scalars(o, alpha, beta);
    for (args.tile = 0; st == RC_OK && args.tile < l->tiles; args.tile += GRID_Y_MAX) {
        int32_t left = l->tiles - args.tile;
        rc_cuda_launch_t of = l->of;
        of.rows = (unsigned)(left < GRID_Y_MAX ? left : GRID_Y_MAX);
        st = rc_cuda_launch_overlapping(s->base.memory.x, &of, &args, "launch of gpanel", err);
    }
    return st;
}

/* Rows that share loads meet columns that they have no entry in. */
static int strict(const int64_t *param)
{
    return param[PARAM_PAIRS] == PAIRS_NO;
}

#define PARAMS                                                                                     \
    {"strip", "lanes of a row x vectors of 16 bytes of each", .type = RC_PARAM_CHOICE,             \
        .choices = strip_choices},                                                                 \
        {"panel", "rows that a CTA takes, about, 0: automatic", 0, 0, 65536, 0},                   \
        {"longest", "entries beyond which a row is in parts", .type = RC_PARAM_CHOICE,             \
            .choices = longest_choices},                                                           \
    {                                                                                              \
        "pairs", "two neighbouring rows share the loads of B", .type = RC_PARAM_CHOICE,            \
                                                               .choices = pairs_choices            \
    }

const rc_kernel_t rc_kernel_gpanel = {
    .name = "gpanel",
    .summary = "row-major, wide B and C: a CTA takes neighbouring rows, to find B in L1",
    .source = "rowcast",
    .version = 2, /* 1: built on the host, which the time to prepare had in it */
    .layout = RC_ROW_MAJOR,
    .format = "panels",
    .rank = {{1, 3, 5}, {64, 3, 1}, {1024, 1, 1}},
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .strict = strict,
    .param = {PARAMS},
    .analyse = analyse,
    RC_CUDA_SPMM_MEMBERS(gpanel_t, RC_BUILDS_ALONE),
    .k_max = K_MAX,
    .build = build,
    .own = own,
    .fit = fit,
    .run = run,
};

typedef struct by_rows {
    gpanel_t product;
    rc_by_rows_t own;
} by_rows_t;

#define BY_ROWS                                                                                    \
    .kind = &rc_kernel_gpanel, .version = 1, .format = "panels", .strict = strict, .k_max = K_MAX, \
    .param = {PARAMS, RC_BY_ROWS_COLUMNS}, RC_CUDA_BY_ROWS_MEMBERS(by_rows_t, gpanel_t)

const rc_kernel_t rc_kernel_gpanel_col = {
    .name = "gpanel-col",
    .summary = "column-major B and C: B copied into rows, gpanel, C copied back",
    .layout = RC_COL_MAJOR,
    .rank = {{1, 3, 5}, {64, 3, 2}},
    BY_ROWS,
};

const rc_kernel_t rc_kernel_gpanel_col_row = {
    .name = "gpanel-bcol-crow",
    .summary = "column-major B, row-major C: B copied into rows, then gpanel",
    .layout = RC_COL_ROW,
    .rank = {{1, 3, 4}, {64, 3, 1}, {1024, 1, 1}},
    BY_ROWS,
};

const rc_kernel_t rc_kernel_gpanel_row_col = {
    .name = "gpanel-brow-ccol",
    .summary = "row-major B, column-major C: gpanel, then C copied into columns",
    .layout = RC_ROW_COL,
    .rank = {{1, 3, 4}, {64, 3, 2}},
    BY_ROWS,
};
