/* Row-major product over chunks of entries (kernels/chunks.h): no row pointer is read, so that the
 * loads of A and then those of B are all on their way at once, and a long row is many chunks.  No
 * atomics on C; the sums of a row are added in a fixed order. */
#include "config.h"
#include "kernels/cuda/gchunk.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cpu/slots.h"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/memory.h"
#include "kernels/cuda/overlap.h"
#include "kernels/cuda/ranges.h"
#include "kernels/cuda/rowmajor.h"
#include "kernels/cuda/slots.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PARAM_ENTRIES, PARAM_VECTORS };
enum { CHOSEN_ENTRIES, CHOSEN_BLOCKS, CHOSEN_PARTS, CHOSEN_LONGS };
enum {
    THREADS_MIN = 64, /* of a CTA, but for whole blocks */
    THREADS = 256,
    CTAS_PER_SM = 4, /* that smaller ones are not needed to reach */
    BATCH = 8,
    K_MAX = 1 << 30,
    GRID_Y_MAX = 65535
};

static const char *const entries_choices[] = {"auto", "4", "8", "16", "32", "64", NULL};

/* A launch for one width of loads. */
typedef struct launch {
    rc_cuda_launch_t of; /* no entry: K or the precision does not allow this width */
    int32_t lanes;
    int32_t tiles;
} launch_t;

typedef struct gchunk {
    rc_cuda_memory_t memory;
    rc_gchunk_args_t args;
    size_t value_bytes;
    void *val; /* args.val, to be changed */
    int overlaps;                    /* 1: a launch may begin while the one before it ends */
    launch_t launch[RC_CUDA_WIDTHS]; /* of 1 << i values */
} gchunk_t;

/* ---------------------------------------------------------------- analysis */

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_chunks_size_t size;
    int64_t choice = p->param[PARAM_ENTRIES];
    int64_t entries = choice == 0 ? 0 : (int64_t)RC_CHUNKS_ENTRIES_MIN << (choice - 1);
    rc_status_t st = rc_chunks_measure(p, entries, &size, err);
    if (st < 0)
        return st;
    int64_t stored = size.blocks * RC_CHUNKS_BLOCK * size.entries;
    out->bytes = rc_chunks_bytes(&size, p->precision);
    out->bytes_per_column = rc_cuda_parts_column_bytes(size.parts, size.longs, p->precision);
    out->traffic = out->bytes;
    out->stored_rows = rc_stored_rows(p);
    out->fill = p->a->nnz > 0 ? (double)stored / (double)p->a->nnz : 1;
    out->chosen[CHOSEN_ENTRIES] = size.entries;
    out->chosen[CHOSEN_BLOCKS] = size.blocks;
    out->chosen[CHOSEN_PARTS] = size.parts;
    out->chosen[CHOSEN_LONGS] = size.longs;
    return RC_OK;
}

static rc_chunks_size_t size_of(const rc_problem_t *p, const rc_analysis_t *analysis)
{
    return (rc_chunks_size_t){.entries = analysis->chosen[CHOSEN_ENTRIES],
        .blocks = analysis->chosen[CHOSEN_BLOCKS],
        .parts = analysis->chosen[CHOSEN_PARTS],
        .longs = analysis->chosen[CHOSEN_LONGS],
        .col_bytes = p->a->cols <= RC_CHUNKS_NARROW_COLS ? 2 : 4};
}

/* ----------------------------------------------------------------- prepare */

static rc_status_t upload(gchunk_t *s, const rc_problem_t *p, const rc_chunks_t *c, rc_err_t *err)
{
    rc_gchunk_args_t *a = &s->args;
    size_t chunks = (size_t)c->size.blocks * RC_CHUNKS_BLOCK;
    size_t stored = chunks * (size_t)c->size.entries;
    void *to;
    rc_status_t st;
    RC_TRY(rc_cuda_keep(&s->memory, c->col, stored * (size_t)c->size.col_bytes, &to, err));
    a->col = to;
    RC_TRY(rc_cuda_keep(&s->memory, c->val, stored * s->value_bytes, &to, err));
    a->val = s->val = to;
    RC_TRY(rc_cuda_keep(&s->memory, c->row, chunks * sizeof *c->row, &to, err));
    a->row = to;
    RC_TRY(rc_cuda_keep(&s->memory, c->count, chunks * sizeof *c->count, &to, err));
    a->count = to;
    const rc_host_parts_t parts = {c->of, c->lengthy, c->size.parts, c->size.longs};
    RC_TRY(rc_cuda_parts_keep(&s->memory, &parts, p->k, p->precision, &a->parts, err));
done:
    return st;
}

/* Vectors per lane when the user leaves it open: more lanes before more vectors, and no more of them
 * in fp64, whose registers are few. */
static int vectors_for(int64_t pieces, rc_precision_t precision)
{
    return pieces > RC_GCHUNK_LANES_MAX && precision == RC_FP32 ? 2 : 1;
}

/* Threads of a CTA: fewer where large ones would leave multiprocessors idle. */
static unsigned threads_for(const gchunk_t *s, int32_t block, int64_t all)
{
    int32_t threads = THREADS;
    while (threads > THREADS_MIN && all / threads < (int64_t)CTAS_PER_SM * rc_cuda_sms(s->memory.x))
        threads /= 2;
    return (unsigned)(block > threads ? block : threads);
}

static void choose_launch(gchunk_t *s, const rc_problem_t *p, int64_t col_bytes, int log_width)
{
    int width = 1 << log_width;
    if (p->k % width != 0 || (size_t)width * s->value_bytes > RC_CUDA_VECTOR_BYTES)
        return;
    launch_t *l = &s->launch[log_width];
    int64_t pieces = p->k / width; /* of a row */
    int vectors = (int)p->param[PARAM_VECTORS];
    if (vectors == 0)
        vectors = vectors_for(pieces, p->precision);
    int wide = vectors == 1 && p->precision == RC_FP32 && s->args.entries % BATCH == 0;
    l->lanes = RC_GCHUNK_LANES_MAX;
    while (l->lanes > 1 && (int64_t)l->lanes / 2 * vectors >= pieces)
        l->lanes /= 2;
    int32_t block = l->lanes * RC_CHUNKS_BLOCK;
    l->of.entry =
        rc_cuda_gchunk_entry(p->precision, col_bytes, width, vectors, wide ? BATCH : BATCH / 2);
    l->tiles = (int32_t)rc_ceil_div(pieces, (int64_t)l->lanes * vectors);
    l->of.threads = threads_for(s, block, (int64_t)l->tiles * s->args.chunks * l->lanes);
    l->of.ctas = (unsigned)rc_ceil_div((int64_t)s->args.chunks * l->lanes, l->of.threads);
    l->of.rows = (unsigned)(l->tiles < GRID_Y_MAX ? l->tiles : GRID_Y_MAX);
    l->of.shared = l->of.threads * (size_t)(vectors * width) * s->value_bytes;
}

static void release(void *state)
{
    gchunk_t *s = state;
    if (!s)
        return;
    rc_cuda_memory_free(&s->memory);
    free(s);
}

/* 1: some row has more than one chunk. */
static int rows_meet(const rc_chunks_t *c)
{
    for (int64_t i = 0; i < c->size.blocks * RC_CHUNKS_BLOCK; i++)
        if ((c->count[i] & ~RC_CHUNKS_NOTHING) > 1)
            return 1;
    return 0;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    if (p->k > K_MAX)
        return rc_fail(err, RC_ENOTSUP, "shape: K = %" PRId64 ", at most %d", p->k, K_MAX);
    rc_chunks_size_t size = size_of(p, analysis);
    rc_chunks_t c;
    gchunk_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    s->memory.x = x;
    s->value_bytes = rc_precision_bytes(p->precision);
    rc_status_t st = rc_chunks_build(p, &size, x->threads, &c, err);
    if (st == RC_OK) {
        s->args.chunks = (int32_t)(size.blocks * RC_CHUNKS_BLOCK);
        s->args.entries = (int32_t)size.entries;
        s->args.k = (int32_t)p->k;
        s->args.meet = rows_meet(&c);
        s->args.longs = size.longs > 0;
        st = upload(s, p, &c, err);
        rc_chunks_free(&c);
    }
    if (st == RC_OK)
        st = rc_cuda_overlaps(x, &s->overlaps, err);
    for (int i = 0; st == RC_OK && i < RC_CUDA_WIDTHS; i++)
        choose_launch(s, p, size.col_bytes, i);
    if (st < 0)
        release(s);
    else
        *state = s;
    return st;
}

/* --------------------------------------------------------------------- run */

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const gchunk_t *s = state;
    rc_gchunk_args_t args = s->args;
    int width = RC_CUDA_WIDTHS - 1;
    rc_status_t st = rc_cuda_leading(o, &args.ldb, &args.ldc, err);
    if (st < 0)
        return st;
    while (
        width > 0 && (!s->launch[width].of.entry || !rc_cuda_aligned(o, s->value_bytes << width)))
        width--;
    const launch_t *l = &s->launch[width];
    args.b = o->in[0].data;
    args.c = o->out.data;
    args.lanes = l->lanes;
    args.tiles = l->tiles;
    args.scalars = rc_cuda_scalars(alpha, beta);
    return rc_cuda_launch_overlapping(
        s->memory.x, &l->of, s->overlaps, &args, "launch of gchunk", err);
}

static int64_t values(void *state, void **array)
{
    const gchunk_t *s = state;
    *array = s->val;
    return (int64_t)s->args.chunks * s->args.entries;
}

const rc_kernel_t rc_kernel_gchunk = {
    .name = "gchunk",
    .summary = "row-major B and C: rows in chunks of a fixed number of entries, no row pointers",
    .source = "rowcast",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMM,
    .layout = RC_ROW_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .param =
        {
            {"entries", "entries of a chunk", .type = RC_PARAM_CHOICE, .choices = entries_choices},
            {"vectors", "vectors of 16 bytes per lane and entry, 0: automatic", 0, 0,
                RC_GCHUNK_VECTORS_MAX, 1},
        },
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .run = run,
    .release = release,
    .values = values,
};
