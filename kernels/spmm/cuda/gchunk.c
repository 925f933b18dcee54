/* Row-major product over chunks of entries (format/chunks.h): no row pointer is read, so that the
 * loads of A and then those of B are all on their way at once, and a long row is many chunks.  No
 * atomics on C; the sums of a row are added in a fixed order. */
#include "config.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/ranges.h"
#include "format/cuda/slots.h"
#include "kernels/cuda/by_rows.h"
#include "kernels/cuda/members.h"
#include "kernels/spmm/cuda/chunked.h"
#include "kernels/spmm/cuda/rowmajor.h"

enum { PARAM_ENTRIES, PARAM_VECTORS, PARAM_ROUNDS, PARAM_STRIP };
enum {
    ROUNDS = 4, /* where B is beyond the L2 */
    GRID_Y_MAX = 65535,
    STRIP = 16 /* vectors of a row of B that a CTA takes at a time there */
};

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t choice = p->param[PARAM_ENTRIES];
    if (choice == 0 && rc_chunks_col_bytes(p->a) > RC_CHUNKS_NARROW_BYTES) {
        rc_chunks_rows_t rows;
        RC_PASS(rc_cuda_chunked_rows(p, &rows, err));
        for (int64_t n = rc_chunks_entries_large(&rows); n >= RC_CHUNKS_ENTRIES_MIN; n /= 2)
            choice++;
    }
    return rc_cuda_chunked_analyse(p, choice, 0, out, err);
}

/* ----------------------------------------------------------------- prepare */

/* Vectors per lane when the user leaves it open: more lanes before more vectors, and no more of
 * them where values of 8 bytes leave few registers. */
static int vectors_for(int64_t pieces, size_t value_bytes)
{
    return pieces > RC_GCHUNK_LANES_MAX && value_bytes <= 4 ? 2 : 1;
}

/* Rounds when the user leaves them open: one where B fits the L2, of which what a CTA reads is near
 * anyway and whose latency warps hide, and where it is wide rather than long. */
static int rounds_for(const rc_gchunk_t *s)
{
    const rc_problem_t *p = &s->a.base.p;
    int64_t asked = p->param[PARAM_ROUNDS];
    int64_t b = rc_sat_mul(p->a->cols, p->k * (int64_t)s->a.base.value_bytes);
    if (asked > 0)
        return (int)asked;
    int is_long = s->a.size.col_bytes > RC_CHUNKS_NARROW_BYTES;
    return is_long && p->param[PARAM_VECTORS] == 0 && b > rc_cuda_l2_bytes(s->a.base.memory.x)
               ? ROUNDS
               : 1;
}

/* Strips of a row of B are the slowest in the grid, so that L2 has one of them at a time. */
static void choose_walk(rc_gchunk_t *s, int width, rc_cuda_chunked_launch_t *l)
{
    const rc_problem_t *p = &s->a.base.p;
    int64_t pieces = p->k / width; /* of a row */
    int64_t loads =
        RC_CUDA_VECTOR_BYTES / (width * (int64_t)s->a.base.value_bytes); /* of a vector */
    int64_t strip = p->param[PARAM_STRIP] > 0 ? p->param[PARAM_STRIP] : STRIP;
    l->lanes = RC_GCHUNK_WALK_LANES_MAX;
    while (l->lanes > 1 && (l->lanes / 2 >= pieces || l->lanes > strip * loads))
        l->lanes /= 2;
    l->of.entry = rc_cuda_gchunk_walk_entry(
        p->precision, s->a.size.col_bytes, width, rc_cuda_chunked_batch(&s->a, 1), s->a.args.longs);
    l->tiles = (int32_t)rc_ceil_div(pieces, l->lanes);
    l->of.threads = RC_GCHUNK_WALK_THREADS;
    l->of.ctas = (unsigned)rc_ceil_div(
        (int64_t)s->a.args.chunks * l->lanes, (int64_t)l->of.threads * s->rounds);
    l->of.rows = (unsigned)(l->tiles < GRID_Y_MAX ? l->tiles : GRID_Y_MAX);
    l->of.shared = s->a.args.meet ? 2 * l->of.threads * (size_t)width * s->a.base.sum_bytes : 0;
}

static void choose_launch(rc_gchunk_t *s, int log_width)
{
    const rc_problem_t *p = &s->a.base.p;
    int width = 1 << log_width;
    if (p->k % width != 0 || (size_t)width * s->a.base.value_bytes > RC_CUDA_VECTOR_BYTES)
        return;
    rc_cuda_chunked_launch_t *l = &s->launch[log_width];
    int64_t pieces = p->k / width; /* of a row */
    if (s->rounds > 1) {
        choose_walk(s, width, l);
        return;
    }
    int vectors = (int)p->param[PARAM_VECTORS];
    if (vectors == 0)
        vectors = vectors_for(pieces, s->a.base.value_bytes);
    l->lanes = RC_GCHUNK_LANES_MAX;
    while (l->lanes > 1 && (int64_t)l->lanes / 2 * vectors >= pieces)
        l->lanes /= 2;
    l->of.entry = rc_cuda_gchunk_entry(
        p->precision, s->a.size.col_bytes, width, vectors, rc_cuda_chunked_batch(&s->a, vectors));
    rc_cuda_chunked_place(&s->a, pieces, width, vectors, l);
}

static rc_status_t fit(void *state, int64_t k, rc_err_t *err)
{
    (void)err;
    rc_gchunk_t *s = state;
    s->a.base.p.k = k;
    s->a.args.columns = s->a.args.k = (int32_t)k;
    s->rounds = rounds_for(s);
    for (int i = 0; i < RC_CUDA_WIDTHS; i++) {
        s->launch[i] = (rc_cuda_chunked_launch_t){0};
        choose_launch(s, i);
    }
    return RC_OK;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    return rc_cuda_chunked_build(state, p, analysis, 0, err);
}

static rc_status_t own(void *state, rc_err_t *err)
{
    return rc_cuda_chunked_own(state, 0, err);
}

/* --------------------------------------------------------------------- run */

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_gchunk_t *s = state;
    rc_gchunk_args_t args = s->a.args;
    int width = RC_CUDA_WIDTHS - 1;
    RC_PASS(rc_cuda_leading(o, &args.ldb, &args.ldc, err));
    while (width > 0 &&
           (!s->launch[width].of.entry || !rc_cuda_aligned(o, s->a.base.value_bytes << width)))
        width--;
    const rc_cuda_chunked_launch_t *l = &s->launch[width];
    args.b = o->in[0].data;
    args.c = o->out.data;
    args.lanes = l->lanes;
    args.tiles = l->tiles;
    args.rounds = s->rounds;
    args.scalars = rc_cuda_scalars(o, alpha, beta);
    return rc_cuda_launch_overlapping(s->a.base.memory.x, &l->of, &args, "launch of gchunk", err);
}

#define PARAMS                                                                                     \
    {"entries", "entries of a chunk", .type = RC_PARAM_CHOICE,                                     \
        .choices = rc_cuda_chunked_entries},                                                       \
        {"vectors", "vectors of 16 bytes per lane and entry, 0: automatic", 0, 0,                  \
            RC_GCHUNK_VECTORS_MAX, 1},                                                             \
        {"rounds", "of chunks for each CTA, 1: all at once, 0: automatic", 0, 0,                   \
            RC_GCHUNK_ROUNDS_MAX, 1},                                                              \
    {                                                                                              \
        "strip",                                                                                   \
            "vectors of 16 bytes of a row of B that a CTA of rounds takes at a time, 0: "          \
            "automatic",                                                                           \
            0, 0, RC_GCHUNK_WALK_LANES_MAX, 1                                                      \
    }

const rc_kernel_t rc_kernel_gchunk = {
    .name = "gchunk",
    .summary = "row-major B and C: rows in chunks of a fixed number of entries, no row pointers",
    .source = "rowcast",
    .version = 3, /* 1: built on the host, which the time to prepare had in it; 2: no rounds */
    .layout = RC_ROW_MAJOR,
    .format = "chunks",
    .rank = {{1, 2, 2}},
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .param = {PARAMS},
    .analyse = analyse,
    RC_CUDA_SPMM_MEMBERS(rc_gchunk_t, RC_BUILDS_ALONE),
    .k_max = RC_CUDA_CHUNKED_K_MAX,
    .build = build,
    .own = own,
    .fit = fit,
    .run = run,
};

typedef struct by_rows {
    rc_gchunk_t product;
    rc_by_rows_t own;
} by_rows_t;

const rc_kernel_t rc_kernel_gchunk_rows_col = {
    .name = "gchunk-rows-col",
    .summary = "column-major B and C: B copied into rows, gchunk, C copied back",
    .layout = RC_COL_MAJOR,
    .format = "chunks",
    .rank = {{1, 2, 4}, {64, 2, 5}},
    .kind = &rc_kernel_gchunk,
    .param = {PARAMS, RC_BY_ROWS_COLUMNS},
    .k_max = RC_CUDA_CHUNKED_K_MAX,
    .version = 1,
    RC_CUDA_BY_ROWS_MEMBERS(by_rows_t, rc_gchunk_t),
};
