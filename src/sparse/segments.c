#include "config.h"
#include "sparse/segments.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ALONE = 1 << 18 }; /* entries and rows below which a team costs more than it gains */

/* What one block of rows counts in a panel; then where what it has begins. */
typedef struct part {
    int64_t segments;
    int64_t entries;
} part_t;

/* A split under way: blocks of rows, each with a row of `parts`. */
typedef struct work {
    const rc_segments_source_t *a;
    rc_segments_rule_t rule;
    int shift; /* log2 of w */
    int64_t panels;
    int blocks;
    part_t *part;       /* [blocks * panels] */
    int64_t *light_ptr; /* NULL, or [rows + 1]: light entries of row r go to [r + 1] */
} work_t;

/* Consecutive entries of a row in one panel. */
typedef struct segment {
    int64_t begin;
    int64_t end;
    int64_t panel;
} segment_t;

rc_status_t rc_segments_check(const rc_segments_rule_t *rule, rc_err_t *err)
{
    const int64_t most = 1 << 30;
    if (rule->w < 1 || rule->w > most || (rule->w & (rule->w - 1)) != 0)
        return rc_fail(err, RC_EINVAL,
            "w, the columns of a panel: expected a power of two from 1 to %" PRId64
            ", found %" PRId64,
            most, rule->w);
    if (rule->t < 0)
        return rc_fail(err, RC_EINVAL,
            "t, the entries of a light segment: expected 0 or more, found %" PRId64, rule->t);
    return RC_OK;
}

rc_segments_source_t rc_segments_source_of(const rc_csr_t *a)
{
    return (rc_segments_source_t){.rows = a->rows,
        .cols = a->cols,
        .ptr = a->row_ptr,
        .col = a->col_idx,
        .val = a->val,
        .value_bytes = (int)sizeof *a->val};
}

double rc_segments_ratio(const rc_segments_size_t *s)
{
    int64_t nnz = s->nnz_heavy + s->nnz_light;
    return nnz > 0 ? (double)s->nnz_heavy / (double)nnz : 0;
}

int32_t rc_segments_col(const rc_segments_t *s, int64_t i)
{
    return s->col_bytes == 2 ? (int32_t)((const uint16_t *)s->col)[i]
                             : ((const int32_t *)s->col)[i];
}

/* The segment of a row that begins with entry `begin`, which is below `end`. */
static inline segment_t segment_at(const work_t *w, int64_t begin, int64_t end)
{
    const int32_t *col = w->a->col;
    segment_t s = {.begin = begin, .end = begin + 1, .panel = col[begin] >> w->shift};
    while (s.end < end && col[s.end] >> w->shift == s.panel)
        s.end++;
    return s;
}

static inline int is_heavy(const work_t *w, const segment_t *s)
{
    return s->end - s->begin > w->rule.t;
}

/* The first row of block b: blocks have about the same number of entries. */
static int64_t first_row(const work_t *w, int b)
{
    const int64_t *ptr = w->a->ptr;
    int64_t rows = w->a->rows;
    return b == w->blocks ? rows
                          : rc_rows_cut(ptr, rows, 1, (double)(ptr[rows] + rows) * b / w->blocks);
}

static rc_status_t work_new(const rc_segments_source_t *a, const rc_segments_rule_t *rule,
    int threads, work_t *out, rc_err_t *err)
{
    RC_PASS(rc_segments_check(rule, err));
    work_t w = {.a = a, .rule = *rule, .blocks = threads};
    int64_t nnz = a->ptr[a->rows];
    while ((int64_t)1 << w.shift < rule->w)
        w.shift++;
    w.panels = (a->cols + rule->w - 1) >> w.shift;
    if (nnz + a->rows < ALONE || w.panels > nnz / threads)
        w.blocks = 1;
    w.part = rc_alloc0((size_t)w.panels, (size_t)w.blocks * sizeof *w.part, "panels", err);
    RC_PASS(w.part ? RC_OK : RC_ENOMEM);
    *out = w;
    return RC_OK;
}

/* ----------------------------------------------------------------- counting */

/* 1: entries [begin, end) of a row have a heavy segment: one of them and the one t behind it are in
 * one panel.  Without branches, so that many are compared at once. */
static inline int has_heavy(const work_t *w, int64_t begin, int64_t end)
{
    const int64_t t = w->rule.t;
    const int shift = w->shift;
    const int64_t n = end - begin - t;
    int any = 0;
    if (n <= 0)
        return 0;
    const int32_t *col = w->a->col + begin;
    const int32_t *behind = col + t;
#pragma omp simd reduction(| : any)
    for (int64_t i = 0; i < n; i++)
        any |= (col[i] ^ behind[i]) >> shift == 0;
    return any;
}

/* Segments of a row, likewise. */
static inline int64_t segments_of(const work_t *w, int64_t begin, int64_t end)
{
    const int shift = w->shift;
    const int32_t *col = w->a->col + begin;
    const int64_t n = end - begin;
    int32_t count = n > 0;
#pragma omp simd reduction(+ : count)
    for (int64_t i = 1; i < n; i++)
        count += (col[i - 1] ^ col[i]) >> shift != 0;
    return count;
}

/* The heavy segments of a row into the panels.  \return its light entries */
static inline int64_t count_heavy(const work_t *w, int64_t begin, int64_t end, part_t *part)
{
    int64_t light = 0;
    for (int64_t e = begin; e < end;) {
        segment_t s = segment_at(w, e, end);
        e = s.end;
        if (is_heavy(w, &s)) {
            part[s.panel].segments++;
            part[s.panel].entries += s.end - s.begin;
        } else
            light += s.end - s.begin;
    }
    return light;
}

static void count_block(const work_t *w, int b, rc_segments_size_t *size)
{
    const int64_t *ptr = w->a->ptr;
    part_t *part = w->part + (int64_t)b * w->panels;
    int64_t last = first_row(w, b + 1);
    rc_segments_size_t n = {.segments = 0};
    for (int64_t r = first_row(w, b); r < last; r++) {
        const int64_t entries = ptr[r + 1] - ptr[r];
        int64_t light =
            has_heavy(w, ptr[r], ptr[r + 1]) ? count_heavy(w, ptr[r], ptr[r + 1], part) : entries;
        n.segments += segments_of(w, ptr[r], ptr[r + 1]);
        n.light_rows += light > 0;
        n.heavy_rows += light < entries;
        n.nnz_light += light;
        if (w->light_ptr)
            w->light_ptr[r + 1] = light;
    }
    *size = n;
}

/* All panels of all blocks, with counts replaced by what comes before. */
static void add_panels(work_t *w, rc_segments_size_t *size, int64_t *panel_ptr)
{
    part_t before = {0, 0};
    for (int64_t p = 0; p < w->panels; p++) {
        int64_t first = before.segments;
        if (panel_ptr)
            panel_ptr[p] = first;
        for (int b = 0; b < w->blocks; b++) {
            part_t *part = w->part + (int64_t)b * w->panels + p;
            part_t n = *part;
            *part = before;
            before.segments += n.segments;
            before.entries += n.entries;
        }
        size->heavy_panels += before.segments > first;
    }
    if (panel_ptr)
        panel_ptr[w->panels] = before.segments;
    size->heavy = before.segments;
    size->nnz_heavy = before.entries;
}

static rc_status_t count(work_t *w, int64_t *panel_ptr, rc_segments_size_t *out, rc_err_t *err)
{
    rc_segments_size_t size = {.rule = w->rule, .rows = w->a->rows, .panels = w->panels};
    rc_segments_size_t *block = rc_alloc((size_t)w->blocks, sizeof *block, "blocks of rows", err);
    RC_PASS(block ? RC_OK : RC_ENOMEM);
#pragma omp parallel for num_threads(w->blocks) schedule(static, 1) if (w->blocks > 1)
    for (int b = 0; b < w->blocks; b++)
        count_block(w, b, &block[b]);
    for (int b = 0; b < w->blocks; b++) {
        size.segments += block[b].segments;
        size.light_rows += block[b].light_rows;
        size.heavy_rows += block[b].heavy_rows;
        size.nnz_light += block[b].nnz_light;
    }
    free(block);
    add_panels(w, &size, panel_ptr);
    *out = size;
    return RC_OK;
}

rc_status_t rc_segments_measure(const rc_segments_source_t *a, const rc_segments_rule_t *rule,
    int threads, rc_segments_size_t *out, rc_err_t *err)
{
    work_t w;
    RC_PASS(work_new(a, rule, threads, &w, err));
    rc_status_t st = count(&w, NULL, out, err);
    free(w.part);
    return st;
}

/* ------------------------------------------------------------------ placing */

static inline void copy_values(const work_t *w, const segment_t *s, void *to, int64_t at)
{
    size_t bytes = (size_t)w->a->value_bytes;
    if (w->a->val)
        memcpy((char *)to + (size_t)at * bytes, (const char *)w->a->val + (size_t)s->begin * bytes,
            (size_t)(s->end - s->begin) * bytes);
}

static inline void place_heavy(
    const work_t *w, const segment_t *s, int64_t row, part_t *part, rc_segments_t *out)
{
    int32_t mask = (int32_t)(w->rule.w - 1);
    int64_t n = s->end - s->begin;
    const int32_t *col = w->a->col + s->begin;
    out->row[part->segments] = (int32_t)row;
    out->ptr[part->segments] = part->entries;
    if (out->col_bytes == 2)
        for (int64_t i = 0; i < n; i++)
            ((uint16_t *)out->col)[part->entries + i] = (uint16_t)(col[i] & mask);
    else
        for (int64_t i = 0; i < n; i++)
            ((int32_t *)out->col)[part->entries + i] = col[i] & mask;
    copy_values(w, s, out->val, part->entries);
    part->segments++;
    part->entries += n;
}

/* Consecutive light entries.  \return where the next ones go */
static inline int64_t place_light(
    const work_t *w, int64_t begin, int64_t end, int64_t at, rc_segments_t *out)
{
    const segment_t s = {.begin = begin, .end = end};
    if (end > begin) {
        memcpy(
            out->light_col + at, w->a->col + begin, (size_t)(end - begin) * sizeof *out->light_col);
        copy_values(w, &s, out->light_val, at);
    }
    return at + end - begin;
}

/* A row that has heavy segments. */
static inline void place_row(const work_t *w, int64_t r, part_t *part, rc_segments_t *out)
{
    const int64_t end = w->a->ptr[r + 1];
    int64_t light = out->light_ptr[r];
    int64_t from = w->a->ptr[r]; /* light entries that are still to be placed */
    for (int64_t e = from; e < end;) {
        segment_t s = segment_at(w, e, end);
        e = s.end;
        if (!is_heavy(w, &s))
            continue;
        light = place_light(w, from, s.begin, light, out);
        place_heavy(w, &s, r, &part[s.panel], out);
        from = e;
    }
    (void)place_light(w, from, end, light, out);
}

static void place_block(const work_t *w, int b, rc_segments_t *out)
{
    const int64_t *ptr = w->a->ptr;
    part_t *part = w->part + (int64_t)b * w->panels;
    int64_t last = first_row(w, b + 1);
    for (int64_t r = first_row(w, b); r < last; r++) {
        const int64_t entries = ptr[r + 1] - ptr[r];
        if (out->light_ptr[r + 1] - out->light_ptr[r] == entries)
            (void)place_light(w, ptr[r], ptr[r + 1], out->light_ptr[r], out);
        else
            place_row(w, r, part, out);
    }
}

static rc_status_t alloc_parts(const rc_segments_source_t *a, rc_segments_t *s, rc_err_t *err)
{
    const rc_segments_size_t *n = &s->size;
    size_t value = (size_t)a->value_bytes;
    s->row = rc_pool_get(&s->pool, (size_t)n->heavy, sizeof *s->row);
    s->ptr = rc_pool_get(&s->pool, (size_t)n->heavy + 1, sizeof *s->ptr);
    s->col = rc_pool_get(&s->pool, (size_t)n->nnz_heavy, (size_t)s->col_bytes);
    s->light_col = rc_pool_get(&s->pool, (size_t)n->nnz_light, sizeof *s->light_col);
    if (a->val) {
        s->val = rc_pool_get(&s->pool, (size_t)n->nnz_heavy, value);
        s->light_val = rc_pool_get(&s->pool, (size_t)n->nnz_light, value);
    }
    RC_PASS(rc_pool_check(&s->pool, "row segments", err));
    s->ptr[n->heavy] = n->nnz_heavy;
    return RC_OK;
}

rc_status_t rc_segments_split(const rc_segments_source_t *a, const rc_segments_rule_t *rule,
    int threads, rc_segments_t *out, rc_err_t *err)
{
    work_t w;
    rc_segments_t s = {.col_bytes = rule->w <= RC_SEGMENTS_NARROW ? 2 : 4};
    rc_status_t st;
    RC_PASS(work_new(a, rule, threads, &w, err));
    s.panel_ptr = rc_pool_get(&s.pool, (size_t)w.panels + 1, sizeof *s.panel_ptr);
    s.light_ptr = rc_pool_get(&s.pool, (size_t)a->rows + 1, sizeof *s.light_ptr);
    RC_TRY(rc_pool_check(&s.pool, "row segments", err));
    w.light_ptr = s.light_ptr;
    RC_TRY(count(&w, s.panel_ptr, &s.size, err));
    s.light_ptr[0] = 0;
    for (int64_t r = 0; r < a->rows; r++)
        s.light_ptr[r + 1] += s.light_ptr[r];
    RC_TRY(alloc_parts(a, &s, err));
#pragma omp parallel for num_threads(w.blocks) schedule(static, 1) if (w.blocks > 1)
    for (int b = 0; b < w.blocks; b++)
        place_block(&w, b, &s);
    *out = s;
done:
    free(w.part);
    if (st < 0)
        rc_segments_free(&s);
    return st;
}

void rc_segments_free(rc_segments_t *s)
{
    rc_pool_free(&s->pool);
    *s = (rc_segments_t){.col_bytes = 0};
}
