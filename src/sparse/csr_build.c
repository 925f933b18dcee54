#include "config.h"
#include "sparse/csr_build.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/ranked.h"
#include "base/threads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- distribution */

/* A stable parallel counting sort by row: each part of the segments counts its rows, a scan over
 * (row, part) turns the counts into positions, and each part writes its entries in order.  Counters
 * and row pointers come zeroed from the system: of rows that have no entry, a page of memory is
 * touched only where its content is another. */
typedef struct parts {
    rc_pool_t pool;
    int count;
    int64_t rows;      /* up to the last that has an entry */
    int64_t *first;    /* [count + 1] segments of each part */
    int64_t *position; /* [count][rows] */
} parts_t;

/* Rows up to the last that has an entry; looked for only where most rows have none. */
static int64_t filled_rows(
    int64_t rows, const rc_segment_t *segment, int64_t count, int64_t n, rc_mirror_t mirror)
{
    int64_t last = -1;
    if (rows <= n)
        return rows;
    for (int64_t s = 0; s < count; s++)
        for (int64_t i = 0; i < segment[s].n; i++) {
            const rc_triple_t *t = &segment[s].triple[i];
            last = t->row > last ? t->row : last;
            if (mirror != RC_MIRROR_NONE && t->col > last)
                last = t->col;
        }
    return last + 1;
}

static rc_status_t parts_make(parts_t *p, int64_t rows, const rc_segment_t *segment, int64_t count,
    rc_mirror_t mirror, int threads, rc_err_t *err)
{
    int64_t n = 0;
    for (int64_t s = 0; s < count; s++)
        n += segment[s].n;
    /* counters must not outgrow the entries that they count */
    int64_t most = 1 + n / (rows + 1);
    p->count = (int)(most < threads ? most : threads);
    p->rows = filled_rows(rows, segment, count, n, mirror);
    p->pool = (rc_pool_t){0};
    p->first = rc_pool_get0(&p->pool, (size_t)p->count + 1, sizeof *p->first);
    p->position = rc_pool_get0(&p->pool, (size_t)p->count * (size_t)p->rows, sizeof *p->position);
    RC_PASS(rc_pool_check(&p->pool, "row counters", err));
    int64_t seen = 0;
    int part = 0;
    for (int64_t s = 0; s < count; s++) {
        while (part + 1 < p->count && seen >= n / p->count * (part + 1))
            p->first[++part] = s;
        seen += segment[s].n;
    }
    while (part < p->count)
        p->first[++part] = count;
    return RC_OK;
}

/* Counts the rows of a part; returns the number of entries after mirroring. */
static int64_t count_part(
    const parts_t *p, int part, const rc_segment_t *segment, rc_mirror_t mirror)
{
    int64_t total = 0;
    int64_t *position = p->position + (int64_t)part * p->rows;
    for (int64_t s = p->first[part]; s < p->first[part + 1]; s++) {
        const rc_triple_t *t = segment[s].triple;
        for (int64_t i = 0; i < segment[s].n; i++) {
            position[t[i].row]++;
            if (mirror != RC_MIRROR_NONE && t[i].row != t[i].col) {
                position[t[i].col]++;
                total++;
            }
        }
        total += segment[s].n;
    }
    return total;
}

static void counts_to_positions(const parts_t *p, int64_t rows, int64_t *row_ptr)
{
    int64_t start = 0;
    for (int64_t row = 0; row < p->rows; row++) {
        if (start > 0)
            row_ptr[row] = start;
        for (int part = 0; part < p->count; part++) {
            int64_t *at = &p->position[(int64_t)part * p->rows + row];
            int64_t count = *at;
            if (count > 0)
                *at = start;
            start += count;
        }
    }
    for (int64_t row = p->rows; start > 0 && row <= rows; row++)
        row_ptr[row] = start;
}

static void place_part(const parts_t *p, int part, rc_segment_t *segment, rc_mirror_t mirror,
    int consume, const rc_csr_t *a)
{
    int64_t *position = p->position + (int64_t)part * p->rows;
    for (int64_t s = p->first[part]; s < p->first[part + 1]; s++) {
        const rc_triple_t *t = segment[s].triple;
        for (int64_t i = 0; i < segment[s].n; i++) {
            int64_t at = position[t[i].row]++;
            a->col_idx[at] = t[i].col;
            a->val[at] = t[i].val;
            if (mirror != RC_MIRROR_NONE && t[i].row != t[i].col) {
                at = position[t[i].col]++;
                a->col_idx[at] = t[i].row;
                a->val[at] = mirror == RC_MIRROR_NEGATED ? -t[i].val : t[i].val;
            }
        }
        if (consume) {
            free(segment[s].triple);
            segment[s].triple = NULL;
        }
    }
}

/* ---------------------------------------------------------- order in a row */

typedef struct scratch {
    rc_ranked_t *entry; /* key: the column; tie: where it was */
    size_t entries;
    double *val;
    size_t values;
} scratch_t;

static int is_increasing(const int32_t *col, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (col[i] <= col[i - 1])
            return 0;
    return 1;
}

/* Equal columns keep their order. */
static rc_status_t sort_row(int32_t *col, double *val, int64_t n, scratch_t *s)
{
    RC_PASS(RC_GROW(s->entry, s->entries, (size_t)n, "sorting a row", NULL));
    RC_PASS(RC_GROW(s->val, s->values, (size_t)n, "sorting a row", NULL));
    for (int64_t i = 0; i < n; i++) {
        s->entry[i] = (rc_ranked_t){(uint64_t)col[i], (uint64_t)i};
        s->val[i] = val[i];
    }
    rc_ranked_sort(s->entry, n, 1);
    for (int64_t i = 0; i < n; i++) {
        col[i] = (int32_t)s->entry[i].key;
        val[i] = s->val[s->entry[i].tie];
    }
    return RC_OK;
}

static int64_t sum_duplicates(int32_t *col, double *val, int64_t n)
{
    int64_t last = 0;
    for (int64_t i = 1; i < n; i++) {
        if (col[i] == col[last]) {
            val[last] += val[i];
        } else {
            last++;
            col[last] = col[i];
            val[last] = val[i];
        }
    }
    return last + 1;
}

/* Sort a row and sum its duplicates; *kept is what remains at its front. */
static rc_status_t settle_row(int32_t *col, double *val, int64_t n, scratch_t *s, int64_t *kept)
{
    *kept = n;
    if (is_increasing(col, n))
        return RC_OK;
    RC_PASS(sort_row(col, val, n, s));
    *kept = sum_duplicates(col, val, n);
    return RC_OK;
}

/* Close the gaps that summed duplicates left; kept[row] entries are at the front of each row. */
static void close_gaps(rc_csr_t *a, const int64_t *kept, int64_t filled)
{
    int64_t to = 0;
    for (int64_t row = 0; row < filled; row++) {
        int64_t from = a->row_ptr[row];
        size_t n = (size_t)kept[row];
        memmove(a->col_idx + to, a->col_idx + from, n * sizeof *a->col_idx);
        memmove(a->val + to, a->val + from, n * sizeof *a->val);
        a->row_ptr[row] = to;
        to += kept[row];
    }
    for (int64_t row = filled; row <= a->rows; row++)
        a->row_ptr[row] = to;
    a->nnz = to;
    /* give the tail back; keeping the larger block is harmless */
    void *p = realloc(a->col_idx, (to ? (size_t)to : 1) * sizeof *a->col_idx);
    if (p)
        a->col_idx = p;
    p = realloc(a->val, (to ? (size_t)to : 1) * sizeof *a->val);
    if (p)
        a->val = p;
}

/* \param kept  [filled] work space, 0 for rows without entries; rows behind `filled` have none */
static rc_status_t settle_rows(
    rc_csr_t *a, int64_t *kept, int64_t filled, int threads, int64_t *duplicates, rc_err_t *err)
{
    int64_t lost = 0;
    int failed = 0;
#pragma omp parallel num_threads(threads) reduction(+ : lost) reduction(| : failed)
    {
        scratch_t scratch = {0};
#pragma omp for schedule(dynamic, 4096)
        for (int64_t row = 0; row < filled; row++) {
            int64_t at = a->row_ptr[row];
            int64_t n = a->row_ptr[row + 1] - at;
            if (n == 0)
                continue;
            if (settle_row(a->col_idx + at, a->val + at, n, &scratch, &kept[row]) < 0)
                failed = 1;
            lost += n - kept[row];
        }
        free(scratch.entry);
        free(scratch.val);
    }
    if (failed)
        return rc_fail(err, RC_ENOMEM, "no memory for sorting a row");
    if (lost > 0)
        close_gaps(a, kept, filled);
    *duplicates = lost;
    return RC_OK;
}

/* ---------------------------------------------------------------- interface */

rc_status_t rc_csr_build(int64_t rows, int64_t cols, rc_segment_t *segment, int64_t count,
    rc_mirror_t mirror, int consume, int threads, rc_csr_t *out, int64_t *duplicates, rc_err_t *err)
{
    threads = rc_thread_count(threads);
    parts_t parts;
    rc_csr_t a = {0};
    int64_t lost = 0;
    int64_t nnz = 0;
    rc_status_t st;
    RC_TRY(parts_make(&parts, rows, segment, count, mirror, threads, err));
#pragma omp parallel for num_threads(parts.count) schedule(static, 1) reduction(+ : nnz)
    for (int part = 0; part < parts.count; part++)
        nnz += count_part(&parts, part, segment, mirror);
    RC_TRY(rc_csr_alloc(rows, cols, nnz, &a, err));
    counts_to_positions(&parts, rows, a.row_ptr);
#pragma omp parallel for num_threads(parts.count) schedule(static, 1)
    for (int part = 0; part < parts.count; part++)
        place_part(&parts, part, segment, mirror, consume, &a);
    RC_TRY(settle_rows(&a, parts.position, parts.rows, threads, &lost, err));
    *out = a;
    a = (rc_csr_t){0};
    if (duplicates)
        *duplicates = lost;
done:
    rc_csr_free(&a);
    rc_pool_free(&parts.pool);
    return st;
}

rc_status_t rc_csr_from_triples(int64_t rows, int64_t cols, const rc_triple_t *triples, int64_t n,
    int threads, rc_csr_t *out, int64_t *duplicates, rc_err_t *err)
{
    if (rows < 0 || rows > INT32_MAX || cols < 0 || cols > INT32_MAX || n < 0)
        return rc_fail(err, RC_ERANGE,
            "a matrix of %" PRId64 " x %" PRId64 " with %" PRId64
            " entries: expected 0 to %d rows and columns, 0 or more entries",
            rows, cols, n, INT32_MAX);
    for (int64_t i = 0; i < n; i++)
        if (triples[i].row < 0 || triples[i].row >= rows || triples[i].col < 0 ||
            triples[i].col >= cols)
            return rc_fail(err, RC_ERANGE,
                "entry %" PRId64 " is at (%" PRId32 ", %" PRId32 "), outside %" PRId64
                " x %" PRId64,
                i, triples[i].row, triples[i].col, rows, cols);
    threads = rc_thread_count(threads);
    rc_segment_t *segment = rc_alloc((size_t)threads, sizeof *segment, "parts of a matrix", err);
    RC_PASS(segment ? RC_OK : RC_ENOMEM);
    for (int t = 0; t < threads; t++) {
        int64_t first = n / threads * t + (n % threads < t ? n % threads : t);
        int64_t count = n / threads + (t < n % threads);
        /* not changed: rc_csr_build writes to segments only to free them */
        segment[t] = (rc_segment_t){(rc_triple_t *)(uintptr_t)(triples + first), count};
    }
    rc_status_t st = rc_csr_build(
        rows, cols, segment, threads, RC_MIRROR_NONE, 0, threads, out, duplicates, err);
    free(segment);
    return st;
}
