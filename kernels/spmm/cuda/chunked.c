#include "config.h"
#include "kernels/spmm/cuda/chunked.h"
#include "base/error.h"
#include "base/type.h"
#include "device/cuda/cuda.h"
#include "device/cuda/ranges.h"
#include "format/cuda/build.h"
#include "format/slots.h"
#include "kernels/kernel.h"

#include <inttypes.h>

enum { CHOSEN_ENTRIES, CHOSEN_BLOCKS, CHOSEN_PARTS, CHOSEN_LONGS, CHOSEN_MEET };
enum {
    THREADS_MIN = 64, /* of a CTA, but for whole blocks */
    CTAS_PER_SM = 4,  /* that smaller ones are not needed to reach */
    BATCH = 8,
    LOAD_BYTES = 16,
    K_MAX = 1 << 30,
    GRID_Y_MAX = 65535
};

const char *const rc_cuda_chunked_entries[] = {"auto", "4", "8", "16", "32", "64", NULL};

int64_t rc_cuda_chunked_spare(rc_precision_t precision)
{
    return LOAD_BYTES / (int64_t)rc_precision_bytes(precision) - 1;
}

/* ---------------------------------------------------------------- analysis */

static rc_status_t measure_there(
    const rc_problem_t *p, int64_t entries, rc_chunks_size_t *out, rc_err_t *err)
{
    rc_build_t b;
    out->col_bytes = rc_chunks_col_bytes(p->a);
    rc_status_t st = rc_build_begin(p, &b, err);
    if (st == RC_OK)
        st = rc_build_chunks_measure(&b, entries ? entries : rc_chunks_entries(p->a), out, err);
    rc_build_end(&b);
    return st < 0 ? st : rc_chunks_check(out, err);
}

rc_status_t rc_cuda_chunked_analyse(
    const rc_problem_t *p, int64_t entries, int64_t spare, rc_analysis_t *out, rc_err_t *err)
{
    rc_chunks_size_t size;
    int64_t asked = entries == 0 ? 0 : (int64_t)RC_CHUNKS_ENTRIES_MIN << (entries - 1);
    rc_status_t st = p->resident ? measure_there(p, asked, &size, err)
                                 : rc_chunks_measure(p, asked, &size, err);
    if (st < 0)
        return st;
    int64_t stored = size.blocks * RC_CHUNKS_BLOCK * size.entries;
    out->traffic = rc_chunks_bytes(&size, p->precision);
    out->bytes_per_column = rc_cuda_parts_column_bytes(size.parts, size.longs, p->precision);
    out->bytes = rc_sat_add(out->traffic, spare * out->bytes_per_column);
    out->stored_rows = rc_stored_rows(p);
    out->fill = p->a->nnz > 0 ? (double)stored / (double)p->a->nnz : 1;
    out->chosen[CHOSEN_ENTRIES] = size.entries;
    out->chosen[CHOSEN_BLOCKS] = size.blocks;
    out->chosen[CHOSEN_PARTS] = size.parts;
    out->chosen[CHOSEN_LONGS] = size.longs;
    out->chosen[CHOSEN_MEET] = size.meet;
    return RC_OK;
}

static rc_chunks_size_t size_of(const rc_problem_t *p, const rc_analysis_t *analysis)
{
    return (rc_chunks_size_t){.entries = analysis->chosen[CHOSEN_ENTRIES],
        .blocks = analysis->chosen[CHOSEN_BLOCKS],
        .parts = analysis->chosen[CHOSEN_PARTS],
        .longs = analysis->chosen[CHOSEN_LONGS],
        .meet = analysis->chosen[CHOSEN_MEET],
        .col_bytes = rc_chunks_col_bytes(p->a)};
}

/* ----------------------------------------------------------------- prepare */

/* The arrays on the device: copies of those of `c`, or room where it has none.
 * \param[out] out  the same on the device */
static rc_status_t keep(rc_cuda_chunked_t *s, const rc_problem_t *p, const rc_chunks_t *c,
    rc_chunks_t *out, rc_places_t *places, rc_err_t *err)
{
    rc_gchunk_args_t *a = &s->args;
    const rc_host_parts_t parts = {c->of, c->lengthy, c->size.parts, c->size.longs};
    size_t chunks = (size_t)c->size.blocks * RC_CHUNKS_BLOCK;
    size_t stored = chunks * (size_t)c->size.entries;
    rc_cuda_memory_t *m = &s->memory;
    void *to;
    rc_status_t st;
    RC_TRY(rc_cuda_keep_or_room(m, c->col, stored * (size_t)c->size.col_bytes, &out->col, err));
    RC_TRY(rc_cuda_room(m, stored * s->value_bytes, &s->val, err));
    RC_TRY(rc_places_keep(m->x, p, c->entry, (int64_t)stored, places, err));
    out->entry = places->at;
    out->entry_bytes = places->bytes;
    RC_TRY(rc_cuda_keep_or_room(m, c->row, chunks * sizeof *c->row, &to, err));
    out->row = to;
    RC_TRY(rc_cuda_keep_or_room(m, c->count, chunks * sizeof *c->count, &to, err));
    out->count = to;
    RC_TRY(rc_cuda_parts_keep(m, &parts, &a->parts, err));
    rc_cuda_memory_seal(m);
    out->of = a->parts.of;
    out->lengthy = a->parts.lengthy;
    out->size = c->size;
    a->col = out->col;
    a->val = s->val;
    a->row = out->row;
    a->count = out->count;
done:
    return st;
}

/* On the device.  \param[in] values  of a sector; 0: they are not counted */
static rc_status_t build_there(rc_cuda_chunked_t *s, const rc_problem_t *p,
    const rc_chunks_size_t *size, int64_t values, rc_err_t *err)
{
    rc_build_t b;
    rc_chunks_t none = {.size = *size};
    rc_chunks_t c;
    rc_places_t places = {0};
    rc_status_t st = rc_build_begin(p, &b, err);
    if (st == RC_OK)
        st = keep(s, p, &none, &c, &places, err);
    if (st == RC_OK)
        st = rc_build_chunks(&b, &c, err);
    if (st == RC_OK)
        st = rc_places_fill(p, &places, s->val, err);
    if (st == RC_OK && values > 0)
        st = rc_build_chunks_sectors(&b, &c, values, &s->sectors, err);
    rc_places_free(&places);
    rc_build_end(&b);
    return st < 0 ? st : rc_executor_cuda_wait(s->memory.x, err);
}

static rc_status_t build_here(rc_cuda_chunked_t *s, const rc_problem_t *p,
    const rc_chunks_size_t *size, int64_t values, rc_err_t *err)
{
    rc_chunks_t c;
    rc_chunks_t there;
    rc_places_t places = {0};
    rc_status_t st = rc_chunks_build(p, size, s->memory.x->threads, &c, err);
    if (st < 0)
        return st;
    if (values > 0)
        s->sectors = rc_chunks_sectors(&c, values);
    st = keep(s, p, &c, &there, &places, err);
    if (st == RC_OK)
        st = rc_places_fill(p, &places, s->val, err);
    rc_chunks_free(&c);
    return st;
}

static rc_status_t build(rc_cuda_chunked_t *s, rc_executor_t *x, const rc_problem_t *p,
    const rc_chunks_size_t *size, int64_t sector, rc_err_t *err)
{
    *s = (rc_cuda_chunked_t){.memory = {.x = x}, .col_bytes = size->col_bytes};
    s->value_bytes = rc_precision_bytes(p->precision);
    s->sum_bytes = rc_precision_bytes(rc_type(p->precision)->sum);
    s->args.chunks = (int32_t)(size->blocks * RC_CHUNKS_BLOCK);
    s->args.entries = (int32_t)size->entries;
    s->args.meet = size->meet > 0;
    s->args.longs = size->longs > 0;
    int64_t values = sector / (int64_t)s->value_bytes;
    rc_status_t st =
        p->resident ? build_there(s, p, size, values, err) : build_here(s, p, size, values, err);
    return st == RC_OK ? rc_cuda_overlaps(x, &s->overlaps, err) : st;
}

static rc_status_t share(
    rc_cuda_chunked_t *s, rc_executor_t *x, rc_cuda_chunked_t *of, rc_err_t *err)
{
    *s = *of;
    return rc_cuda_memory_share(&of->memory, x, &s->memory, err);
}

rc_status_t rc_cuda_chunked_build(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, int64_t spare, int64_t sector, rc_cuda_chunked_t *of,
    rc_cuda_chunked_t *out, rc_err_t *err)
{
    rc_chunks_size_t size = size_of(p, analysis);
    *out = (rc_cuda_chunked_t){.memory = {.x = x}};
    if (p->k > K_MAX)
        return rc_fail(err, RC_ENOTSUP, "shape: K = %" PRId64 ", at most %d", p->k, K_MAX);
    rc_status_t st = of ? share(out, x, of, err) : build(out, x, p, &size, sector, err);
    return st < 0 ? st
                  : rc_cuda_parts_sums(&out->memory, size.parts, size.longs, p->k + spare,
                        p->precision, &out->args.parts, err);
}

/* ------------------------------------------------------------------ launch */

int rc_cuda_chunked_batch(const rc_cuda_chunked_t *s, int vectors)
{
    int wide = vectors == 1 && s->value_bytes <= 4 && s->args.entries % BATCH == 0;
    return wide ? BATCH : BATCH / 2;
}

/* Threads of a CTA: fewer where large ones would leave multiprocessors idle. */
static unsigned threads_for(const rc_cuda_chunked_t *s, int32_t block, int64_t all)
{
    int32_t threads = RC_GCHUNK_THREADS;
    while (threads > THREADS_MIN && all / threads < (int64_t)CTAS_PER_SM * rc_cuda_sms(s->memory.x))
        threads /= 2;
    return (unsigned)(block > threads ? block : threads);
}

void rc_cuda_chunked_place(
    const rc_cuda_chunked_t *s, int64_t pieces, int width, int vectors, rc_cuda_chunked_launch_t *l)
{
    int32_t block = l->lanes * RC_CHUNKS_BLOCK;
    l->tiles = (int32_t)rc_ceil_div(pieces, (int64_t)l->lanes * vectors);
    l->of.threads = threads_for(s, block, (int64_t)l->tiles * s->args.chunks * l->lanes);
    l->of.ctas = (unsigned)rc_ceil_div((int64_t)s->args.chunks * l->lanes, l->of.threads);
    l->of.rows = (unsigned)(l->tiles < GRID_Y_MAX ? l->tiles : GRID_Y_MAX);
    l->of.shared = l->of.threads * (size_t)(vectors * width) * s->sum_bytes;
}

int64_t rc_cuda_chunked_values(const rc_cuda_chunked_t *s, void **array)
{
    *array = s->val;
    return (int64_t)s->args.chunks * s->args.entries;
}
