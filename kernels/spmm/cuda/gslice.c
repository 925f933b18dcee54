/* Column-major product of A in slices of 32 rows, a lane for each.  Either a strip of B is
 * stationary in shared memory: every CTA keeps some columns of B and walks over A, and the loads
 * of B need not be neighbours. Or B is read as it is: then they are neighbours where the rows
 * next to each other have columns next to each other, as in natural numberings of meshes and in
 * bands, however large B is. */
#include "config.h"
#include "kernels/spmm/cuda/gslice.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/overlap.h"
#include "device/cuda/ranges.h"
#include "format/cuda/forms.h"
#include "format/cuda/slots.h"
#include "format/sell.h"
#include "format/slots.h"
#include "kernels/cuda/members.h"

#include <inttypes.h>

enum { PARAM_STRIP, PARAM_SPLIT, PARAM_B };
enum { B_AUTO, B_SHARED, B_COLUMNS };
enum {
    LONGEST_MIN = 64,
    LONGEST_MEANS = 3,
    NARROW_COLS = UINT16_MAX,
    LOAD_BYTES = 16,    /* of shared memory */
    STRIPS_MIN = 4,     /* where K is small, less of B for every CTA to load */
    COLUMNS_BYTES = 64, /* of the sums of a strip that is not in shared memory */
    FULL_WARPS = 16     /* per multiprocessor, that wider strips should leave */
};

static const char *const b_choices[] = {"auto", "shared", "columns", NULL};

typedef struct gslice {
    rc_prepared_t base;
    rc_gslice_args_t args;
    rc_cuda_launch_t launch;
    int64_t col_bytes;
} gslice_t;

/* ---------------------------------------------------------------- analysis */

/* A row much longer than the others gets a warp of its own. */
static rc_sell_shape_t shape_for(const rc_csr_t *a)
{
    int64_t mean = a->rows > 0 ? a->nnz / a->rows : 0;
    int64_t longest = LONGEST_MEANS * mean;
    return (rc_sell_shape_t){.slice = RC_GSLICE_ROWS,
        .longest = longest > LONGEST_MIN ? longest : LONGEST_MIN,
        .col_bytes = a->cols <= NARROW_COLS ? 2 : 4,
        .pad = a->cols};
}

static int64_t bytes_of(const rc_sell_shape_t *shape, const rc_sell_size_t *s, rc_precision_t p)
{
    int64_t entry = shape->col_bytes + (int64_t)rc_precision_bytes(p);
    int64_t index = (int64_t)sizeof(int32_t);
    int64_t bytes = rc_sat_mul(rc_sat_add(s->stored, s->rest), entry);
    bytes = rc_sat_add(bytes, (s->slices + 1) * index + s->slices * RC_GSLICE_ROWS * index);
    return rc_sat_add(bytes, (s->longs + 1) * (int64_t)sizeof(int64_t) + s->longs * index);
}

static rc_status_t measure_there(
    const rc_problem_t *p, const rc_sell_shape_t *shape, rc_sell_size_t *out, rc_err_t *err)
{
    rc_build_t b;
    rc_status_t st = rc_build_begin(p, &b, err);
    if (st == RC_OK)
        st = rc_build_slices_measure(&b, shape, out, err);
    rc_build_end(&b);
    return st;
}

static rc_status_t measure_here(
    const rc_problem_t *p, const rc_sell_shape_t *shape, rc_sell_size_t *out, rc_err_t *err)
{
    rc_items_t items;
    rc_status_t st = rc_slices_items(p, shape, &items, err);
    if (st == RC_OK)
        *out = rc_sell_measure(&items, shape);
    rc_items_free(&items);
    return st;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_sell_shape_t shape = shape_for(p->a);
    rc_sell_size_t s = {0};
    if (p->a->cols > INT32_MAX - 1)
        return rc_fail(
            err, RC_ENOTSUP, "shape: %" PRId64 " columns, at most %d", p->a->cols, INT32_MAX - 1);
    rc_status_t st =
        p->resident ? measure_there(p, &shape, &s, err) : measure_here(p, &shape, &s, err);
    if (st == RC_OK && s.stored / RC_GSLICE_ROWS > INT32_MAX)
        st =
            rc_fail(err, RC_ENOTSUP, "shape: slices store %" PRId64 " entries, too many", s.stored);
    if (st < 0)
        return st;
    out->bytes = bytes_of(&shape, &s, p->precision);
    out->traffic = out->bytes;
    out->stored_rows = rc_stored_rows(p);
    if (p->a->nnz > 0)
        out->fill = (double)(s.stored + s.rest) / (double)p->a->nnz;
    RC_CHOSE(out, s);
    return RC_OK;
}

/* ----------------------------------------------------------------- prepare */

/* The strip that was asked for, or the widest of the type below it; 0: nothing was said. */
static int asked_strip(const rc_problem_t *p)
{
    const int most = RC_GSLICE_STRIP_BYTES / (int)rc_sum_bytes(p->precision);
    const int asked = (int)p->param[PARAM_STRIP];
    return asked < most ? asked : most;
}

/* The strip that was asked for, or 16 bytes of every row, which are loaded at once, and less
 * where B does not fit into the shared memory of a CTA. */
static rc_status_t choose_strip(
    const rc_problem_t *p, int64_t most, int *strip, size_t *shared, rc_err_t *err)
{
    const int asked = asked_strip(p);
    int64_t row = (int64_t)rc_precision_bytes(p->precision);
    *strip = rc_strip_width(p->k, asked ? asked : LOAD_BYTES / (int)row);
    while (*strip > 1 && !asked &&
           ((p->a->cols + 1) * row * *strip > most || p->k / *strip < STRIPS_MIN))
        *strip /= 2;
    *shared = (size_t)((p->a->cols + 1) * row * *strip);
    if ((int64_t)*shared > most)
        return rc_fail(err, RC_ENOTSUP,
            "shape: %d columns of B take %zu bytes, the shared memory of a CTA has %" PRId64,
            *strip, *shared, most);
    return RC_OK;
}

/* B as it is: wide strips, which read A few times and have many loads on their way, as long as
 * there are warps enough. */
static rc_status_t choose_columns(gslice_t *s, rc_err_t *err)
{
    const rc_problem_t *p = &s->base.p;
    int64_t warps = RC_GSLICE_COLUMNS_THREADS / RC_GSLICE_ROWS;
    int64_t full = (int64_t)FULL_WARPS * rc_cuda_sms(s->base.memory.x);
    const int asked = asked_strip(p);
    int strip = rc_strip_width(p->k, asked ? asked : COLUMNS_BYTES / (int)s->base.sum_bytes);
    while (strip > 1 && !asked && rc_ceil_div(p->k, strip) * s->args.slices < full)
        strip /= 2;
    int64_t ctas = rc_sat_mul(rc_ceil_div(p->k, strip), rc_ceil_div(s->args.slices, warps));
    if (ctas > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " columns of B, too many", p->k);
    s->launch =
        (rc_cuda_launch_t){.entry = rc_cuda_gslice_columns_entry(p->precision, s->col_bytes, strip),
            .ctas = (unsigned)ctas,
            .rows = 1,
            .threads = RC_GSLICE_COLUMNS_THREADS};
    return RC_OK;
}

/* With the GPU current. */
static rc_status_t choose_shared(gslice_t *s, int most, rc_err_t *err)
{
    const rc_problem_t *p = &s->base.p;
    enum { FEW_THREADS = 512 };
    int strip = 0;
    int per_sm = 0;
    RC_PASS(choose_strip(p, most, &strip, &s->launch.shared, err));
    s->launch.entry = rc_cuda_gslice_entry(p->precision, s->col_bytes, strip);
    s->launch.threads = 2 * s->launch.shared > (size_t)most ? RC_GSLICE_THREADS_MAX : FEW_THREADS;
    RC_PASS(rc_cuda_check(
        cudaFuncSetAttribute(s->launch.entry, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
        "shared memory of gslice", err));
    RC_PASS(rc_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                              &per_sm, s->launch.entry, (int)s->launch.threads, s->launch.shared),
        "occupancy of gslice", err));
    if (per_sm < 1)
        return rc_fail(err, RC_ENOTSUP, "the device cannot run a CTA of %u threads of this kernel",
            s->launch.threads);
    int64_t strips = rc_ceil_div(p->k, strip);
    int64_t warps = s->launch.threads / RC_GSLICE_ROWS;
    int64_t rounds =
        rc_ceil_div(s->args.slices > s->args.longs ? s->args.slices : s->args.longs, warps);
    int64_t split = p->param[PARAM_SPLIT];
    if (split == 0) /* every CTA loads its strip: no more of them than run at once */
        split = (int64_t)per_sm * rc_cuda_sms(s->base.memory.x) / strips;
    split = split < 1 ? 1 : split;
    split = split < rounds ? split : rounds;
    if (rc_sat_mul(strips, split) > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " strips of columns, too many", strips);
    s->args.split = (int32_t)split;
    s->launch.ctas = (unsigned)(strips * split);
    s->launch.rows = 1;
    return RC_OK;
}

/* With the GPU current. */
static rc_status_t choose_launch(gslice_t *s, rc_err_t *err)
{
    const rc_problem_t *p = &s->base.p;
    int64_t column = (p->a->cols + 1) * (int64_t)rc_precision_bytes(p->precision);
    int64_t b = p->param[PARAM_B];
    int device = 0;
    int most = 0;
    RC_PASS(rc_cuda_check(cudaGetDevice(&device), "the current GPU", err));
    RC_PASS(rc_cuda_check(
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "shared memory of a CTA", err));
    most -= RC_GSLICE_STATIC_BYTES;
    return b == B_SHARED || (b == B_AUTO && column <= most) ? choose_shared(s, most, err)
                                                            : choose_columns(s, err);
}

static rc_status_t fit(void *state, int64_t k, rc_err_t *err)
{
    gslice_t *s = state;
    s->base.p.k = k;
    s->args.k = k;
    int before = rc_cuda_enter(s->base.memory.x);
    rc_status_t st = choose_launch(s, err);
    rc_cuda_leave(s->base.memory.x, before);
    return st;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    gslice_t *s = state;
    rc_slices_t c = {.shape = shape_for(p->a)};
    rc_keeping_t k = rc_keep_begin(&s->base.memory, p, err);
    RC_CHOSEN(analysis, c.size);
    rc_status_t st = rc_cuda_slices_keep(&k, &c);
    s->base.val = k.val;
    s->base.stored = k.stored;
    s->col_bytes = c.shape.col_bytes;
    s->args = (rc_gslice_args_t){.ptr = c.ptr,
        .col = c.col,
        .val = k.val,
        .row = c.row,
        .long_ptr = c.long_ptr,
        .long_row = c.long_row,
        .cols = (int32_t)p->a->cols,
        .slices = (int32_t)c.size.slices,
        .longs = (int32_t)c.size.longs};
    return st;
}

/* --------------------------------------------------------------------- run */

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const gslice_t *s = state;
    rc_gslice_args_t args = s->args;
    args.b = o->in[0].data;
    args.c = o->out.data;
    args.ldb = o->in[0].ld;
    args.ldc = o->out.ld;
    args.scalars = rc_cuda_scalars(o, alpha, beta);
    return rc_cuda_launch_overlapping(s->base.memory.x, &s->launch, &args, "launch of gslice", err);
}

const rc_kernel_t rc_kernel_gslice = {
    .name = "gslice",
    .summary =
        "column-major B and C: a lane per row of A, a strip of B in shared memory where it fits",
    .source = "rowcast; A in sliced ELLPACK, Monakov et al. 2010, "
              "doi:10.1007/978-3-642-11515-8_10",
    /* 2: built on the host, which the time to prepare had in it; 3: B in shared memory alone */
    .version = 4,
    .layout = RC_COL_MAJOR,
    .format = "sell",
    .rank = {{1, 5, 3}, {64, 5, 4}},
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .strict = rc_kernel_always,
    .scatters = 1,
    .param = {{"strip", "columns of B at once (b=shared: in shared memory), 0: automatic", 0, 0,
                  RC_GSLICE_STRIP_MAX, 1},
        {"split", "CTAs that share the rows of a strip, 0: automatic", 0, 0, RC_SPLIT_MAX, 0},
        {"b", "where B is read: a strip of it in shared memory, or its columns as they are",
            .type = RC_PARAM_CHOICE, .choices = b_choices}},
    .analyse = analyse,
    RC_CUDA_SPMM_MEMBERS(gslice_t, RC_BUILDS_ALONE),
    .build = build,
    .fit = fit,
    .run = run,
};
