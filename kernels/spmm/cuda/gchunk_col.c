/* Column-major product over chunks of entries (gchunk.c).  Either a first launch copies B into
 * rows, so that an entry of A loads neighbouring values, or a lane has a chunk and loads the
 * columns of B as they are: one launch less, which is best where there is little to do or
 * neighbouring rows have neighbouring columns.
 *
 * The same for a row-major B: the second launch with B as it is.  Where loads of 16 bytes cannot
 * read it, rows that can are copied first. */
#include "config.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/ranges.h"
#include "format/cuda/slots.h"
#include "kernels/cuda/members.h"
#include "kernels/spmm/cuda/chunked.h"
#include "kernels/spmm/cuda/rowmajor.h"
#include "kernels/spmm/cuda/transposed.h"

enum { PARAM_ENTRIES, PARAM_B, PARAM_TILE };
enum { B_AUTO, B_ROWS, B_COLUMNS };
enum {
    TILE_COLUMNS_MIN = 2,    /* of B as it is */
    TILE_COLUMNS_BYTES = 32, /* of sums */
    FULL_THREADS = 448,      /* per multiprocessor, that wider tiles should leave */
    SECTOR_BYTES = 32,       /* of a load from L2 */
    LAUNCH_SECTORS = 500000, /* that take as long as the launch which copies B */
    COPY_SECTORS = 8         /* that take as long as copying one */
};

static const char *const b_choices[] = {"auto", "rows", "columns", NULL};
static const char *const tile_choices[] = {"auto", "2", "4", "8", "32", "64", NULL};
static const int tiles[] = {0, 2, 4, 8, 32, 64};

typedef struct gchunk_col {
    rc_cuda_chunked_t a;
    rc_cuda_chunked_launch_t launch;
    rc_cuda_rows_t rows;
    int copies; /* 0: B is read as it is */
} gchunk_col_t;

/* 1: B is row-major, and parameters beside the entries are 0. */
static int has_rows(const rc_problem_t *p)
{
    return p->kernel->layout == RC_ROW_COL;
}

/* ---------------------------------------------------------------- analysis */

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t spare = rc_cuda_chunked_spare(p->precision);
    rc_status_t st = rc_cuda_chunked_analyse(p, p->param[PARAM_ENTRIES], spare, out, err);
    if (st == RC_OK && p->param[PARAM_B] != B_COLUMNS) {
        int64_t column =
            rc_cuda_rows_column_bytes(p); /* also where a copy will not pay: K is not known */
        out->bytes = rc_sat_add(out->bytes, rc_sat_mul(spare, column));
        out->bytes_per_column = rc_sat_add(out->bytes_per_column, column);
    }
    return st;
}

/* ----------------------------------------------------------------- prepare */

/* Does a copy of B in rows pay?  Sectors of B that the product loads, for each column, against
 * those of the copy, what copying takes and its launch.  Constants from 26 matrices at K = 8 to
 * 512 on an H200, where the choice takes 0.9 % longer than the better of the two. */
static int copy_pays(const gchunk_col_t *s)
{
    const rc_problem_t *p = &s->a.base.p;
    double k = (double)p->k;
    double values = SECTOR_BYTES / (double)s->a.base.value_bytes;
    double rows = (double)p->a->nnz / values + COPY_SECTORS * (double)p->a->cols / values;
    return s->a.sectors * k > LAUNCH_SECTORS + rows * k;
}

/* Columns of C that a lane computes at once: fewer where more would leave multiprocessors idle. */
static int columns_tile(const gchunk_col_t *s)
{
    const rc_problem_t *p = &s->a.base.p;
    int most = TILE_COLUMNS_BYTES / (int)s->a.base.sum_bytes;
    int tile = tiles[p->param[PARAM_TILE]];
    int64_t all = (int64_t)rc_cuda_sms(s->a.base.memory.x) * FULL_THREADS;
    if (tile > 0)
        return tile < most ? tile : most;
    tile = rc_strip_width(p->k, most);
    while (tile > TILE_COLUMNS_MIN && rc_ceil_div(p->k, tile) * s->a.args.chunks < all)
        tile /= 2;
    return tile;
}

/* B as it is: a lane has all columns of a tile. */
static void choose_columns(gchunk_col_t *s)
{
    const rc_problem_t *p = &s->a.base.p;
    int tile = columns_tile(s);
    int widest = RC_CUDA_VECTOR_BYTES / (int)s->a.base.sum_bytes;
    int width = tile < widest ? tile : widest;
    int vectors = tile / width;
    int64_t pieces = rc_ceil_div(p->k, width);
    s->launch = (rc_cuda_chunked_launch_t){.lanes = 1};
    s->launch.of.entry = rc_cuda_gchunk_col_entry(RC_GCHUNK_COLUMNS, p->precision,
        s->a.size.col_bytes, width, vectors, rc_cuda_chunked_batch(&s->a, vectors));
    rc_cuda_chunked_place(&s->a, pieces, width, vectors, &s->launch);
    s->a.args.k = (int32_t)(pieces * width);
}

static rc_status_t fit(void *state, int64_t k, rc_err_t *err)
{
    (void)err;
    gchunk_col_t *s = state;
    rc_problem_t *p = &s->a.base.p;
    int64_t b = p->param[PARAM_B];
    p->k = k;
    s->a.args.columns = (int32_t)k;
    s->copies = b == B_ROWS || (b == B_AUTO && !has_rows(p) && copy_pays(s));
    if (s->copies || has_rows(p)) {
        rc_cuda_transposed_choose(&s->a, p, tiles[p->param[PARAM_TILE]], &s->launch);
        (void)rc_cuda_rows_choose(&s->rows, p);
    } else
        choose_columns(s);
    s->a.args.lanes = s->launch.lanes;
    s->a.args.tiles = s->launch.tiles;
    return RC_OK;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    const int counts = p->param[PARAM_B] == B_AUTO && !has_rows(p);
    return rc_cuda_chunked_build(state, p, analysis, counts ? SECTOR_BYTES : 0, err);
}

static rc_status_t own(void *state, rc_err_t *err)
{
    gchunk_col_t *s = state;
    const rc_problem_t *p = &s->a.base.p;
    rc_status_t st = rc_cuda_chunked_own(&s->a, rc_cuda_chunked_spare(p->precision), err);
    return st < 0 || p->param[PARAM_B] == B_COLUMNS
               ? st
               : rc_cuda_rows_keep(&s->a.base.memory, p, &s->rows, err);
}

/* --------------------------------------------------------------------- run */

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const gchunk_col_t *s = state;
    const rc_executor_t *x = s->a.base.memory.x;
    rc_gchunk_args_t args = s->a.args;
    RC_PASS(rc_cuda_leading(o, &args.ldb, &args.ldc, err));
    args.b = o->in[0].data;
    args.c = o->out.data;
    args.scalars = rc_cuda_scalars(o, alpha, beta);
    if (s->copies) {
        RC_PASS(rc_cuda_rows_copy(x, &s->rows, &o->in[0], args.ldb, err));
        args.b = s->rows.copy.to;
        args.ldb = (uint32_t)s->rows.copy.ldto;
    }
    return rc_cuda_launch_overlapping(x, &s->launch.of, &args, "launch of gchunk-col", err);
}

/* Loads of 16 bytes read rows of B up to their end. */
static int is_readable(const rc_dense_t *b)
{
    size_t value = rc_precision_bytes(b->precision);
    int64_t width = RC_CUDA_VECTOR_BYTES / (int64_t)value;
    return b->cols % width == 0 && b->ld % width == 0 &&
           (uintptr_t)b->data % RC_CUDA_VECTOR_BYTES == 0;
}

static rc_status_t copy_rows(const gchunk_col_t *s, const rc_dense_t *b, rc_err_t *err)
{
    const rc_executor_t *x = s->a.base.memory.x;
    size_t value = s->a.base.value_bytes;
    if (b->rows == 0)
        return RC_OK;
    int before = rc_cuda_enter(x);
    rc_status_t st =
        rc_cuda_check(cudaMemcpy2DAsync(s->rows.copy.to, (size_t)s->rows.copy.ldto * value, b->data,
                          (size_t)b->ld * value, (size_t)b->cols * value, (size_t)b->rows,
                          cudaMemcpyDeviceToDevice, rc_cuda_stream(x)),
            "a copy of the rows of B", err);
    rc_cuda_leave(x, before);
    return st;
}

static rc_status_t run_rows(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const gchunk_col_t *s = state;
    rc_gchunk_args_t args = s->a.args;
    rc_cuda_launch_t of = s->launch.of;
    RC_PASS(rc_cuda_leading(o, &args.ldb, &args.ldc, err));
    args.b = o->in[0].data;
    args.c = o->out.data;
    args.scalars = rc_cuda_scalars(o, alpha, beta);
    if (!is_readable(&o->in[0])) {
        RC_PASS(copy_rows(s, &o->in[0], err));
        args.b = s->rows.copy.to;
        args.ldb = (uint32_t)s->rows.copy.ldto;
        of.alone = 1; /* with a copy it may not overlap */
    }
    return rc_cuda_launch_overlapping(
        s->a.base.memory.x, &of, &args, "launch of gchunk-brow-ccol", err);
}

const rc_kernel_t rc_kernel_gchunk_col = {
    .name = "gchunk-col",
    .summary = "column-major B and C: rows in chunks of a fixed number of entries",
    .source = "rowcast",
    .version = 2, /* 1: built on the host, which the time to prepare had in it */
    .layout = RC_COL_MAJOR,
    .format = "chunks",
    .scatters = 1,
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .rank = {{1, 2, 1}},
    .param =
        {
            {"entries", "entries of a chunk", .type = RC_PARAM_CHOICE,
                .choices = rc_cuda_chunked_entries},
            {"b", "how B is read: from a copy in rows, made in a first launch, or by columns",
                .type = RC_PARAM_CHOICE, .choices = b_choices},
            {"tile", "columns of C that a CTA computes at once", .type = RC_PARAM_CHOICE,
                .choices = tile_choices},
        },
    .analyse = analyse,
    RC_CUDA_SPMM_MEMBERS(gchunk_col_t, RC_BUILDS_ALONE),
    .k_max = RC_CUDA_CHUNKED_K_MAX,
    .build = build,
    .own = own,
    .fit = fit,
    .run = run,
};

const rc_kernel_t rc_kernel_gchunk_row_col = {
    .name = "gchunk-brow-ccol",
    .summary = "row-major B, column-major C: rows in chunks of a fixed number of entries",
    .source = "rowcast",
    .version = 1,
    .layout = RC_ROW_COL,
    .format = "chunks",
    .scatters = 1,
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .rank = {{1, 2, 1}},
    .param = {{"entries", "entries of a chunk", .type = RC_PARAM_CHOICE,
        .choices = rc_cuda_chunked_entries}},
    .analyse = analyse,
    RC_CUDA_SPMM_MEMBERS(gchunk_col_t, RC_BUILDS_ALONE),
    .k_max = RC_CUDA_CHUNKED_K_MAX,
    .build = build,
    .own = own,
    .fit = fit,
    .run = run_rows,
};
