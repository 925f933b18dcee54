#include "config.h"
#include "kernels/spmm/cuda/chunked.h"
#include "base/error.h"
#include "base/type.h"
#include "device/cuda/cuda.h"
#include "device/cuda/ranges.h"
#include "format/cuda/forms.h"
#include "format/slots.h"

enum {
    THREADS_MIN = 64, /* of a CTA, but for whole blocks */
    CTAS_PER_SM = 4,  /* that smaller ones are not needed to reach */
    BATCH = 8,
    LOAD_BYTES = 16,
    GRID_Y_MAX = 65535
};

const char *const rc_cuda_chunked_entries[] = {"auto", "4", "8", "16", "32", "64", NULL};

int64_t rc_cuda_chunked_spare(rc_precision_t precision)
{
    return LOAD_BYTES / (int64_t)rc_precision_bytes(precision) - 1;
}

/* ---------------------------------------------------------------- analysis */

rc_status_t rc_cuda_chunked_rows(const rc_problem_t *p, rc_chunks_rows_t *out, rc_err_t *err)
{
    if (p->resident)
        return rc_build_chunks_rows(p, out, err);
    *out = rc_chunks_rows_of(p->a);
    return RC_OK;
}

static rc_status_t measure_there(
    const rc_problem_t *p, int64_t entries, rc_chunks_size_t *out, rc_err_t *err)
{
    rc_build_t b;
    rc_chunks_rows_t rows;
    out->col_bytes = rc_chunks_col_bytes(p->a);
    if (entries == 0) {
        RC_PASS(rc_cuda_chunked_rows(p, &rows, err));
        entries = rc_chunks_entries(p->a->nnz, &rows);
    }
    rc_status_t st = rc_build_begin(p, &b, err);
    if (st == RC_OK)
        st = rc_build_chunks_measure(&b, entries, out, err);
    rc_build_end(&b);
    return st < 0 ? st : rc_chunks_check(out, err);
}

rc_status_t rc_cuda_chunked_analyse(
    const rc_problem_t *p, int64_t entries, int64_t spare, rc_analysis_t *out, rc_err_t *err)
{
    rc_chunks_size_t size = {0};
    int64_t asked = entries == 0 ? 0 : (int64_t)RC_CHUNKS_ENTRIES_MIN << (entries - 1);
    RC_PASS(p->resident ? measure_there(p, asked, &size, err)
                        : rc_chunks_measure(p, asked, &size, err));
    int64_t stored = size.blocks * RC_CHUNKS_BLOCK * size.entries;
    out->traffic = rc_chunks_bytes(&size, p->precision);
    out->bytes_per_column = rc_cuda_parts_column_bytes(size.parts, size.longs, p->precision);
    out->bytes = rc_sat_add(out->traffic, spare * out->bytes_per_column);
    out->stored_rows = rc_stored_rows(p);
    out->fill = p->a->nnz > 0 ? (double)stored / (double)p->a->nnz : 1;
    RC_CHOSE(out, size);
    return RC_OK;
}

/* ----------------------------------------------------------------- prepare */

rc_status_t rc_cuda_chunked_build(rc_cuda_chunked_t *s, const rc_problem_t *p,
    const rc_analysis_t *analysis, int64_t sector, rc_err_t *err)
{
    RC_CHOSEN(analysis, s->size);
    s->args.chunks = (int32_t)(s->size.blocks * RC_CHUNKS_BLOCK);
    s->args.entries = (int32_t)s->size.entries;
    s->args.meet = s->size.meet > 0;
    s->args.longs = s->size.longs > 0;
    rc_chunks_t c = {.size = s->size};
    rc_keeping_t k = rc_keep_begin(&s->base.memory, p, err);
    rc_status_t st =
        rc_cuda_chunks_keep(&k, sector / (int64_t)s->base.value_bytes, &c, &s->sectors);
    s->base.val = k.val;
    s->base.stored = k.stored;
    s->args.col = c.col;
    s->args.val = k.val;
    s->args.row = c.row;
    s->args.count = c.count;
    s->args.parts = (rc_cuda_parts_t){.of = c.of, .lengthy = c.lengthy};
    return st;
}

rc_status_t rc_cuda_chunked_own(rc_cuda_chunked_t *s, int64_t spare, rc_err_t *err)
{
    return rc_cuda_parts_sums(&s->base.memory, s->size.parts, s->size.longs, s->base.p.k + spare,
        s->base.p.precision, &s->args.parts, err);
}

/* ------------------------------------------------------------------ launch */

int rc_cuda_chunked_batch(const rc_cuda_chunked_t *s, int vectors)
{
    int wide = vectors == 1 && s->base.value_bytes <= 4 && s->args.entries % BATCH == 0;
    return wide ? BATCH : BATCH / 2;
}

/* Threads of a CTA: fewer where large ones would leave multiprocessors idle. */
static unsigned threads_for(const rc_cuda_chunked_t *s, int32_t block, int64_t all)
{
    int32_t threads = RC_GCHUNK_THREADS;
    while (threads > THREADS_MIN &&
           all / threads < (int64_t)CTAS_PER_SM * rc_cuda_sms(s->base.memory.x))
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
    l->of.shared = l->of.threads * (size_t)(vectors * width) * s->base.sum_bytes;
}
