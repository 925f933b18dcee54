#include "config.h"
#include "feature/walk.h"
#include "base/alloc.h"
#include "base/error.h"
#include "feature/feature.h"
#include "sparse/csr.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- division */

/* n / d for 0 <= n < 2^32 without a division instruction: the high half of n * ceil(2^64 / d),
 * exact for every such n (Lemire, Kaser, Kurz 2019, doi:10.1002/spe.2689).  d = 1 is apart. */
typedef struct divider {
    uint64_t reciprocal;
    int one;
} divider_t;

static divider_t divider_of(int32_t d)
{
    return (divider_t){d == 1 ? 0 : UINT64_MAX / (uint64_t)d + 1, d == 1};
}

static inline int32_t divide(divider_t d, int32_t n)
{
    if (d.one)
        return n;
    return (int32_t)(((unsigned __int128)d.reciprocal * (uint32_t)n) >> 64);
}

/* ----------------------------------------------------------------- counts */

/* What one thread counts over its rows. */
typedef struct part {
    int64_t begin; /* rows [begin, end) */
    int64_t end;
    int64_t *requested;  /* [lines] transactions; what follows is behind it in one piece, freed with
                            it */
    uint64_t *warp_bits; /* [lines][words] warps that touched the line */
    int64_t *load;       /* [N_w] */
    int64_t *total;      /* [N_w] */
    int64_t *distinct;   /* [N_w] of the first part: over all parts, at the end */
    int32_t *last_row;   /* [lines] row that touched the line last */
    size_t cleared;      /* bytes from `requested` to behind `distinct` */
    rc_extent_t entries;
    rc_extent_t blocks;
    rc_extent_t distance;
} part_t;

typedef struct walk {
    const rc_csr_t *a;
    rc_geometry_t g;
    divider_t by_line;
    divider_t by_block;
    divider_t by_nt;
    int64_t lines;
    int64_t words; /* of a set of warps */
    int parts;
    part_t *part;
} walk_t;

void rc_extent_merge(rc_extent_t *to, const rc_extent_t *from)
{
    if (from->count == 0)
        return;
    if (to->count == 0 || from->min < to->min)
        to->min = from->min;
    if (to->count == 0 || from->max > to->max)
        to->max = from->max;
    to->sum += from->sum;
    to->count += from->count;
}

double rc_extent_mean(const rc_extent_t *e)
{
    return e->count ? (double)e->sum / (double)e->count : 0;
}

/* ------------------------------------------------------------------- rows */

/* What a walk along one row finds. */
typedef struct row_counts {
    int64_t lines;    /* distinct */
    int64_t shared;   /* of them, those that the row before touched as well */
    int64_t requests; /* transactions */
} row_counts_t;

/* Rows go up, so the row that touched the line last tells what adjacent rows share. */
static inline void touch(const walk_t *w, part_t *p, int32_t at, int32_t row, int64_t word,
    uint64_t bit, row_counts_t *n)
{
    n->lines++;
    n->shared += p->last_row[at] == row - 1;
    p->last_row[at] = row;
    p->warp_bits[at * w->words + word] |= bit;
}

static void walk_row(const walk_t *w, part_t *p, int32_t row, int64_t warp, row_counts_t *out)
{
    const int32_t *col = w->a->col_idx;
    const divider_t by_line = w->by_line;
    const int64_t word = warp / 64;
    const uint64_t bit = UINT64_C(1) << warp % 64;
    int64_t end = w->a->row_ptr[row + 1];
    row_counts_t n = {0, 0, 0};
    int32_t current = -1;
    for (int64_t e = w->a->row_ptr[row]; e < end;) {
        int64_t stop = end - e > w->g.nt ? e + w->g.nt : end;
        /* an iteration requests its first line even when the one before ended in it */
        int32_t at = divide(by_line, col[e]);
        if (at != current)
            touch(w, p, at, row, word, bit, &n);
        current = at;
        p->requested[at]++;
        n.requests++;
        for (e++; e < stop; e++) {
            at = divide(by_line, col[e]);
            if (at == current)
                continue;
            current = at;
            touch(w, p, at, row, word, bit, &n);
            p->requested[at]++;
            n.requests++;
        }
    }
    *out = n;
}

static int64_t count_blocks(const walk_t *w, int64_t row)
{
    const int32_t *col = w->a->col_idx;
    const divider_t by_block = w->by_block;
    int64_t blocks = 0;
    int32_t current = -1;
    for (int64_t e = w->a->row_ptr[row]; e < w->a->row_ptr[row + 1]; e++) {
        int32_t at = divide(by_block, col[e]);
        blocks += at != current;
        current = at;
    }
    return blocks;
}

/* Mark the lines of the row before the first one, which another thread counts. */
static int64_t mark_row(const walk_t *w, part_t *p, int64_t row)
{
    int64_t lines = 0;
    int32_t current = -1;
    for (int64_t e = w->a->row_ptr[row]; e < w->a->row_ptr[row + 1]; e++) {
        int32_t at = divide(w->by_line, w->a->col_idx[e]);
        lines += at != current;
        current = at;
        p->last_row[at] = (int32_t)row;
    }
    return lines;
}

static void walk_part(const walk_t *w, part_t *p)
{
    memset(p->requested, 0, p->cleared);
    for (int64_t i = 0; i < w->lines; i++)
        p->last_row[i] = -2; /* no row before row 0 either */
    int64_t before = p->begin > 0 && p->begin < p->end ? mark_row(w, p, p->begin - 1) : 0;
    int64_t warp = p->begin % w->g.nw;
    int same_blocks = w->g.nw == w->g.line;
    for (int64_t row = p->begin; row < p->end; row++) {
        int64_t entries = w->a->row_ptr[row + 1] - w->a->row_ptr[row];
        row_counts_t n;
        walk_row(w, p, (int32_t)row, warp, &n);
        rc_extent_add(&p->entries, entries);
        rc_extent_add(&p->blocks, same_blocks ? n.lines : count_blocks(w, row));
        if (row > 0)
            rc_extent_add(&p->distance, before + n.lines - 2 * n.shared);
        p->load[warp] += entries ? 1 + divide(w->by_nt, (int32_t)entries - 1) : 0;
        p->total[warp] += n.requests;
        before = n.lines;
        if (++warp == w->g.nw)
            warp = 0;
    }
}

/* ---------------------------------------------------------------- threads */

/* Filling and merging a table costs about as much as a few entries per line. */
static int useful_parts(const rc_csr_t *a, const rc_geometry_t *g, int threads)
{
    int64_t lines = (a->cols + g->line - 1) / g->line;
    int64_t words = (g->nw + 63) / 64;
    return rc_feature_threads(a, lines * (words + 1), threads);
}

/* One piece of memory for all tables of a part.  They are cleared by the thread that walks. */
static rc_status_t alloc_part(const walk_t *w, part_t *p, rc_err_t *err)
{
    size_t lines = (size_t)w->lines;
    size_t words = (size_t)w->words;
    size_t nw = (size_t)w->g.nw;
    if (lines && words + 2 > SIZE_MAX / 2 / sizeof(uint64_t) / lines)
        return rc_fail(err, RC_ERANGE, "features: %zu lines of %zu words do not fit", lines, words);
    p->cleared = (lines * (1 + words) + 3 * nw) * sizeof(uint64_t);
    size_t bytes = p->cleared + lines * sizeof *p->last_row;
    p->requested = rc_alloc_aligned(bytes, 1, "the lines of B and their warps", err);
    RC_PASS(p->requested ? RC_OK : RC_ENOMEM);
    p->warp_bits = (uint64_t *)p->requested + lines;
    p->load = (int64_t *)p->warp_bits + lines * words;
    p->total = p->load + nw;
    p->distinct = p->total + nw;
    p->last_row = (int32_t *)(p->distinct + nw);
    return RC_OK;
}

/* Add all parts into the first one, which then holds the whole. */
static void join_parts(const walk_t *w)
{
    part_t *to = &w->part[0];
#pragma omp parallel for num_threads(w->parts) schedule(static)
    for (int64_t i = 0; i < w->lines; i++)
        for (int t = 1; t < w->parts; t++) {
            to->requested[i] += w->part[t].requested[i];
            for (int64_t k = i * w->words; k < (i + 1) * w->words; k++)
                to->warp_bits[k] |= w->part[t].warp_bits[k];
        }
    for (int t = 1; t < w->parts; t++) {
        const part_t *from = &w->part[t];
        rc_extent_merge(&to->entries, &from->entries);
        rc_extent_merge(&to->blocks, &from->blocks);
        rc_extent_merge(&to->distance, &from->distance);
        for (int64_t i = 0; i < w->g.nw; i++) {
            to->load[i] += from->load[i];
            to->total[i] += from->total[i];
        }
    }
}

/* Lines of each warp. */
static void count_distinct(const walk_t *w, const uint64_t *bits_of, int64_t *distinct)
{
    for (int64_t i = 0; i < w->lines; i++)
        for (int64_t k = 0; k < w->words; k++)
            for (uint64_t bits = bits_of[i * w->words + k]; bits; bits &= bits - 1)
                distinct[k * 64 + __builtin_ctzll(bits)]++;
}

static void summarise(const walk_t *w, rc_walk_t *out)
{
    const part_t *p = &w->part[0];
    *out = (rc_walk_t){.entries = p->entries, .blocks = p->blocks, .distance = p->distance};
    for (int64_t i = 0; i < w->lines; i++)
        rc_extent_add(&out->requested, p->requested[i]);
    count_distinct(w, p->warp_bits, p->distinct);
    for (int64_t i = 0; i < w->g.nw; i++) {
        rc_extent_add(&out->load, p->load[i]);
        rc_extent_add(&out->distinct, p->distinct[i]);
        rc_extent_add(&out->total, p->total[i]);
    }
}

static void walk_parts(const walk_t *w)
{
    if (w->parts == 1) { /* without a team: starting one takes longer than a small matrix */
        walk_part(w, &w->part[0]);
        return;
    }
#pragma omp parallel for num_threads(w->parts) schedule(static, 1)
    for (int t = 0; t < w->parts; t++)
        walk_part(w, &w->part[t]);
    join_parts(w);
}

rc_status_t rc_walk_in_parts(
    const rc_csr_t *a, const rc_geometry_t *geometry, int parts, rc_walk_t *out, rc_err_t *err)
{
    walk_t w = {
        .a = a,
        .g = *geometry,
        .by_line = divider_of(geometry->line),
        .by_block = divider_of(geometry->nw),
        .by_nt = divider_of(geometry->nt),
        .lines = (a->cols + geometry->line - 1) / geometry->line,
        .words = (geometry->nw + 63) / 64,
        .parts = parts,
    };
    RC_PASS(RC_NEW0(w.part, parts, "the threads of the features", err));
    rc_status_t st = RC_OK;
    double work = (double)(a->nnz + a->rows);
    for (int t = 0; t < w.parts; t++) {
        RC_TRY(alloc_part(&w, &w.part[t], err));
        w.part[t].begin = t == 0 ? 0 : w.part[t - 1].end;
        w.part[t].end = t == w.parts - 1
                            ? a->rows
                            : rc_rows_cut(a->row_ptr, a->rows, 1, work * (t + 1) / w.parts);
    }
    walk_parts(&w);
    summarise(&w, out);
done:
    for (int t = 0; t < w.parts; t++)
        free(w.part[t].requested);
    free(w.part);
    return st;
}

rc_status_t rc_walk_matrix(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, rc_walk_t *out, rc_err_t *err)
{
    return rc_walk_in_parts(a, geometry, useful_parts(a, geometry, threads), out, err);
}
