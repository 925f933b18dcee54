#include "config.h"
#include "store/merge_private.h"
#include "base/alloc.h"
#include "base/error.h"
#include "store/samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCAN_ROWS = 8192,       /* read at once where they follow each other */
    SCAN_SAMPLES = 1 << 18, /* likewise */
    GAP_ROWS = 512,         /* so many rows are read to no use rather than in two reads */
    GAP_SAMPLES = 8192,     /* likewise */
    BLOCK_ROWS = 1 << 16,   /* written at once */
    BLOCK_SAMPLES = 4 << 20 /* likewise, unless one row has more */
};

/* A result row: what puts it in its place and tells it from others. */
typedef struct entry {
    int64_t utc_ns;
    int64_t seq;
    int64_t row; /* in its store */
    uint64_t case_hi;
    uint64_t digest;  /* of the row with the ids of the output */
    uint64_t samples; /* digest of its raw times; 0: it has none */
    int32_t store;
    int32_t run;
    int32_t rank;
    int32_t reserved;
} entry_t;

#define COMPARE(a, b, member)                                                                      \
    do {                                                                                           \
        if ((a)->member != (b)->member)                                                            \
            return (a)->member < (b)->member ? -1 : 1;                                             \
    } while (0)

/* Entries of one record come together.  A row for a crashed case is of no record: it is the only
 * one of its case, run and rank. */
static int compare_records(const entry_t *a, const entry_t *b)
{
    COMPARE(a, b, run);
    COMPARE(a, b, rank);
    COMPARE(a, b, seq);
    if (a->seq < 0)
        COMPARE(a, b, case_hi);
    return 0;
}

static int by_record(const void *x, const void *y)
{
    const entry_t *a = x;
    const entry_t *b = y;
    int c = compare_records(a, b);
    if (c)
        return c;
    COMPARE(b, a, samples); /* one that has raw times before one that has not */
    COMPARE(a, b, store);
    COMPARE(a, b, row);
    return 0;
}

/* The last row of a case counts. */
static int by_time(const void *x, const void *y)
{
    const entry_t *a = x;
    const entry_t *b = y;
    COMPARE(a, b, utc_ns);
    COMPARE(a, b, run);
    COMPARE(a, b, rank);
    COMPARE(a, b, seq);
    COMPARE(a, b, case_hi);
    return 0;
}

/* ----------------------------------------------------------------------- the index */

/* Two rows of a case are compared as the same thing: so its identity must be the one in its id. */
static rc_status_t check_case(const rc_merge_t *m, const rc_merge_store_t *s, int64_t row,
    const rc_row_result_t *r, rc_digest_t *id, rc_err_t *err)
{
    rc_case_t c;
    if (rc_dicts_case(&m->dicts, r, &c) < 0)
        return rc_fail(err, RC_ESTORE,
            "%s: row %" PRId64 " of /results is of a matrix whose digest is none", s->path, row);
    *id = rc_case_id(&c);
    rc_hex_t hex = rc_digest_hex(*id);
    if (memcmp(hex.text, r->case_id, sizeof r->case_id) == 0)
        return RC_OK;
    return rc_fail(err, RC_ESTORE,
        "%s: row %" PRId64 " of /results: expected case_id %s of its matrix, order, kernel and "
        "setting, found %.32s",
        s->path, row, hex.text, r->case_id);
}

static rc_status_t digest_samples(const rc_merge_store_t *s, int64_t row, const rc_row_result_t *r,
    rc_samples_t *samples, uint64_t *out, rc_err_t *err)
{
    const int64_t *ns = NULL;
    *out = 0;
    if (!rc_samples_has(r))
        return RC_OK;
    if (!rc_samples_inside(samples, r))
        return rc_fail(err, RC_ESTORE,
            "%s: row %" PRId64 " of /results points to %" PRId64 " raw times from %" PRId64
            " on, and /samples has %" PRId64,
            s->path, row, r->reps, r->sample_offset, s->samples);
    rc_status_t st = rc_samples_of(samples, r, &ns, err);
    if (st == RC_OK)
        *out = rc_digest(ns, (size_t)r->reps * sizeof *ns).lo | 1;
    return st;
}

static rc_status_t index_store(const rc_merge_t *m, int from, entry_t *out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    const rc_merge_store_t *s = &m->store[from];
    const rc_schema_table_t *t = &rc_schema[RC_T_RESULT];
    rc_samples_t samples = {.h = &s->h, .total = s->samples};
    rc_row_result_t *rows = rc_alloc(SCAN_ROWS, sizeof *rows, "results", err);
    RC_PASS(rows ? RC_OK : RC_ENOMEM);
    for (int64_t first = 0; first < s->results; first += SCAN_ROWS) {
        int64_t n = s->results - first < SCAN_ROWS ? s->results - first : SCAN_ROWS;
        RC_TRY(rc_h5_read_rows(&s->h, t, first, n, rows, err));
        for (int64_t i = 0; i < n; i++) {
            rc_row_result_t *r = &rows[i];
            entry_t *e = &out[first + i];
            rc_digest_t id;
            RC_TRY(rc_merge_ids(s, t, first + i, r, err));
            RC_TRY(check_case(m, s, first + i, r, &id, err));
            *e = (entry_t){.utc_ns = r->utc_ns,
                .seq = r->seq,
                .row = first + i,
                .case_hi = id.hi,
                .store = from,
                .run = r->run,
                .rank = r->rank};
            RC_TRY(digest_samples(s, first + i, r, &samples, &e->samples, err));
            r->sample_offset = -1;
            e->digest = rc_digest(r, sizeof *r).lo;
        }
    }
done:
    rc_samples_free(&samples);
    free(rows);
    return st;
}

static rc_status_t contradict(
    const rc_merge_t *m, const entry_t *a, const entry_t *b, const char *what, rc_err_t *err)
{
    const rc_row_run_t *run = m->dicts.d[RC_T_RUN].rows;
    return rc_fail(err, RC_ESTORE,
        "row %" PRId64 " of /results in %s and row %" PRId64
        " in %s contradict each other: they are "
        "of record %" PRId64 " of rank %d of run %.32s, and differ%s",
        a->row, m->store[a->store].path, b->row, m->store[b->store].path, a->seq, (int)a->rank,
        run[a->run].uuid, what);
}

/* Keep one entry of each record. */
static rc_status_t drop_repeats(rc_merge_t *m, entry_t *e, int64_t *count, rc_err_t *err)
{
    int64_t kept = 0;
    int64_t n = *count;
    int old = 0; /* the output had the record already */
    if (n)
        qsort(e, (size_t)n, sizeof *e, by_record);
    for (int64_t i = 0; i < n; i++) {
        const entry_t *before = kept ? &e[kept - 1] : NULL;
        if (before && compare_records(before, &e[i]) == 0) {
            if (before->digest != e[i].digest)
                return contradict(m, before, &e[i], "", err);
            if (e[i].samples && before->samples != e[i].samples)
                return contradict(m, before, &e[i], " in their raw times", err);
            m->info.again++;
        } else {
            m->info.fresh += kept && !old;
            old = 0;
            e[kept++] = e[i];
        }
        old = old || (m->has_out && e[i].store == 0);
    }
    m->info.fresh += kept && !old;
    *count = kept;
    return RC_OK;
}

/* ------------------------------------------------------------------------ writing */

/* Rows and raw times that are written together. */
typedef struct block {
    rc_row_result_t *row;  /* [rows] */
    struct source *source; /* [rows] in the order in which they are read */
    int64_t *sample;
    size_t sample_capacity;
    rc_window_t rows_of;
    rc_window_t samples_of;
    int64_t written; /* raw times in the output */
} block_t;

/* Where something is in a store, and where it goes. */
typedef struct source {
    int64_t first;
    int64_t count;
    int64_t to;
    int32_t store;
    int32_t reserved;
} source_t;

static int by_place(const void *x, const void *y)
{
    const source_t *a = x;
    const source_t *b = y;
    COMPARE(a, b, store);
    COMPARE(a, b, first);
    COMPARE(a, b, to);
    return 0;
}

/* Behind the last of a chain of sources that are near each other and worth one read. */
static int64_t chain_end(const source_t *s, int64_t i, int64_t n, int64_t gap, int64_t longest)
{
    int64_t end = s[i].first + s[i].count;
    for (int64_t k = i + 1; k < n && s[k].store == s[i].store && s[k].first <= end + gap &&
                            s[k].first + s[k].count <= s[i].first + longest;
         k++)
        if (s[k].first + s[k].count > end)
            end = s[k].first + s[k].count;
    return end;
}

/* Fetch stretches from the stores, in the order in which they lie there. */
static rc_status_t fetch(const rc_merge_t *m, source_t *s, int64_t n, rc_window_t *w, int64_t gap,
    int64_t longest, void *to, rc_err_t *err)
{
    size_t bytes = w->t->row_bytes;
    if (n)
        qsort(s, (size_t)n, sizeof *s, by_place);
    w->count = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && s[i].store != s[i - 1].store)
            w->count = 0;
        w->h = &m->store[s[i].store].h;
        int inside = s[i].first >= w->first && s[i].first + s[i].count <= w->first + w->count;
        int64_t end = inside ? 0 : chain_end(s, i, n, gap, longest);
        RC_PASS(rc_window_look(w, s[i].first, s[i].count, end, err));
        memcpy((char *)to + (size_t)s[i].to * bytes, rc_window_row(w, s[i].first),
            (size_t)s[i].count * bytes);
    }
    return RC_OK;
}

static rc_status_t fetch_rows(
    const rc_merge_t *m, const entry_t *e, int64_t n, block_t *b, rc_err_t *err)
{
    for (int64_t i = 0; i < n; i++)
        b->source[i] = (source_t){e[i].row, 1, i, e[i].store, 0};
    return fetch(m, b->source, n, &b->rows_of, GAP_ROWS, SCAN_ROWS, b->row, err);
}

/* Raw times of rows [first, last) of a block, and the rows' offsets in the output. */
static rc_status_t fetch_samples(const rc_merge_t *m, const entry_t *e, int64_t first, int64_t last,
    int64_t total, block_t *b, rc_err_t *err)
{
    int64_t n = 0;
    rc_status_t st = RC_GROW(b->sample, b->sample_capacity, (size_t)total, "raw times", err);
    if (st < 0)
        return st;
    int64_t at = 0;
    for (int64_t i = first; i < last; i++) {
        const rc_row_result_t *r = &b->row[i];
        if (!rc_samples_has(r))
            continue;
        b->source[n++] = (source_t){r->sample_offset, r->reps, at, e[i].store, 0};
        at += r->reps;
    }
    return fetch(m, b->source, n, &b->samples_of, GAP_SAMPLES, SCAN_SAMPLES, b->sample, err);
}

/* Write rows [first, last) of a block. */
static rc_status_t put(const rc_merge_t *m, const entry_t *e, int64_t first, int64_t last,
    int64_t total, block_t *b, rc_err_t *err)
{
    const rc_schema_table_t *t = &rc_schema[RC_T_RESULT];
    rc_status_t st = fetch_samples(m, e, first, last, total, b, err);
    for (int64_t i = first; i < last && st == RC_OK; i++) {
        rc_row_result_t *r = &b->row[i];
        st = rc_merge_ids(&m->store[e[i].store], t, e[i].row, r, err);
        r->sample_offset = rc_samples_has(r) ? b->written : -1;
        b->written += r->sample_offset >= 0 ? r->reps : 0;
    }
    if (st == RC_OK)
        st = rc_h5_append(&m->h, &rc_schema_samples, b->sample, total, NULL, err);
    if (st == RC_OK)
        st = rc_h5_append(&m->h, t, b->row + first, last - first, NULL, err);
    return st;
}

static rc_status_t write_block(
    const rc_merge_t *m, const entry_t *e, int64_t n, block_t *b, rc_err_t *err)
{
    rc_status_t st = fetch_rows(m, e, n, b, err);
    int64_t first = 0;
    int64_t total = 0;
    for (int64_t i = 0; i < n && st == RC_OK; i++) {
        int64_t more = rc_samples_has(&b->row[i]) ? b->row[i].reps : 0;
        if (i > first && total + more > BLOCK_SAMPLES) {
            st = put(m, e, first, i, total, b, err);
            first = i;
            total = 0;
        }
        total += more;
    }
    return st < 0 ? st : put(m, e, first, n, total, b, err);
}

static rc_status_t write_all(const rc_merge_t *m, const entry_t *e, int64_t count, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t most = count < BLOCK_ROWS ? count : BLOCK_ROWS;
    block_t b = {
        .rows_of = {.t = &rc_schema[RC_T_RESULT]}, .samples_of = {.t = &rc_schema_samples}};
    b.row = rc_alloc((size_t)most, sizeof *b.row, "results", err);
    b.source = rc_alloc((size_t)most, sizeof *b.source, "places of results", err);
    if (!b.row || !b.source)
        st = RC_ENOMEM;
    for (int64_t i = 0; i < count && st == RC_OK; i += most)
        st = write_block(m, e + i, count - i < most ? count - i : most, &b, err);
    free(b.row);
    free(b.source);
    free(b.sample);
    free(b.rows_of.data);
    free(b.samples_of.data);
    return st;
}

rc_status_t rc_merge_results(rc_merge_t *m, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t count = 0;
    int64_t at = 0;
    for (int s = 0; s < m->stores; s++)
        count += m->store[s].results;
    entry_t *e = rc_alloc((size_t)count, sizeof *e, "the places of results", err);
    RC_PASS(e ? RC_OK : RC_ENOMEM);
    for (int s = 0; s < m->stores; s++) {
        RC_TRY(index_store(m, s, e + at, err));
        at += m->store[s].results;
    }
    RC_TRY(drop_repeats(m, e, &count, err));
    if (count)
        qsort(e, (size_t)count, sizeof *e, by_time);
    RC_TRY(write_all(m, e, count, err));
    m->info.results = count;
done:
    free(e);
    return st;
}
