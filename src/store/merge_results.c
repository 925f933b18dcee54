#include "config.h"
#include "store/merge_private.h"
#include "base/alloc.h"
#include "base/error.h"
#include "store/samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A result row of a store, which holds it. */
typedef struct entry {
    rc_row_result_t *row; /* with the ids of the output, and no sample_offset */
    const int64_t *ns;    /* [row->reps] raw times; NULL: it has none */
    int64_t store;
} entry_t;

#define COMPARE(a, b, member)                                                                      \
    do {                                                                                           \
        if ((a)->member != (b)->member)                                                            \
            return (a)->member < (b)->member ? -1 : 1;                                             \
    } while (0)

/* Entries of one record come together.  A row for a crashed case is of no record: it is the only
 * one of its case, run and rank. */
static int compare_records(const rc_row_result_t *a, const rc_row_result_t *b)
{
    COMPARE(a, b, run);
    COMPARE(a, b, rank);
    COMPARE(a, b, seq);
    return a->seq < 0 ? memcmp(a->case_id, b->case_id, sizeof a->case_id) : 0;
}

static int by_record(const void *x, const void *y)
{
    const entry_t *a = x;
    const entry_t *b = y;
    int c = compare_records(a->row, b->row);
    if (c)
        return c;
    if (!a->ns != !b->ns) /* one that has raw times before one that has not */
        return a->ns ? -1 : 1;
    COMPARE(a, b, store);
    COMPARE(a, b, row);
    return 0;
}

/* The last row of a case counts. */
static int by_time(const void *x, const void *y)
{
    const rc_row_result_t *a = ((const entry_t *)x)->row;
    const rc_row_result_t *b = ((const entry_t *)y)->row;
    COMPARE(a, b, utc_ns);
    return compare_records(a, b);
}

/* Two rows of a case are compared as the same thing: so its identity must be the one in its id. */
static rc_status_t check_case(const rc_merge_t *m, const rc_merge_store_t *s, int64_t row,
    const rc_row_result_t *r, rc_err_t *err)
{
    rc_case_t c;
    if (rc_dicts_case(&m->dicts, r, &c) < 0)
        return rc_fail(err, RC_ESTORE,
            "%s: row %" PRId64 " of /results is of a matrix whose digest is none", s->path, row);
    rc_hex_t hex = rc_digest_hex(rc_case_id(&c));
    if (memcmp(hex.text, r->case_id, sizeof r->case_id) == 0)
        return RC_OK;
    return rc_fail(err, RC_ESTORE,
        "%s: row %" PRId64 " of /results: expected case_id %s of its matrix, order, kernel and "
        "setting, found %.32s",
        s->path, row, hex.text, r->case_id);
}

/* The raw times of a row are of the store. */
static rc_status_t check_samples(
    const rc_merge_store_t *s, int64_t row, const rc_row_result_t *r, rc_err_t *err)
{
    const rc_samples_t all = {.total = s->samples};
    if (!rc_samples_has(r) || rc_samples_inside(&all, r))
        return RC_OK;
    return rc_fail(err, RC_ESTORE,
        "%s: row %" PRId64 " of /results points to %" PRId64 " raw times from %" PRId64
        " on, and /samples has %" PRId64,
        s->path, row, r->reps, r->sample_offset, s->samples);
}

static rc_status_t read_store(const rc_merge_t *m, int from, entry_t *out, rc_err_t *err)
{
    rc_merge_store_t *s = &m->store[from];
    const rc_schema_table_t *t = &rc_schema[RC_T_RESULT];
    void *rows = NULL;
    void *ns = NULL;
    int64_t n = 0;
    RC_PASS(rc_h5_read(&s->h, t, &rows, &n, err));
    s->result = rows;
    if (n != s->results)
        return rc_fail(err, RC_ESTORE,
            "%s: /results had %" PRId64 " rows, and has %" PRId64 " now: it was written meanwhile",
            s->path, s->results, n);
    RC_PASS(rc_h5_read(&s->h, &rc_schema_samples, &ns, &s->samples, err));
    s->sample = ns;
    for (int64_t i = 0; i < s->results; i++) {
        rc_row_result_t *r = &s->result[i];
        RC_PASS(rc_merge_ids(s, t, i, r, err));
        RC_PASS(check_case(m, s, i, r, err));
        RC_PASS(check_samples(s, i, r, err));
        out[i] = (entry_t){r, rc_samples_has(r) ? s->sample + r->sample_offset : NULL, from};
        r->sample_offset = -1;
    }
    return RC_OK;
}

static rc_status_t contradict(
    const rc_merge_t *m, const entry_t *a, const entry_t *b, const char *what, rc_err_t *err)
{
    const rc_merge_store_t *of_a = &m->store[a->store];
    const rc_merge_store_t *of_b = &m->store[b->store];
    const rc_row_run_t *run = m->dicts.d[RC_T_RUN].rows;
    return rc_fail(err, RC_ESTORE,
        "row %" PRId64 " of /results in %s and row %" PRId64
        " in %s contradict each other: they are "
        "of record %" PRId64 " of rank %d of run %.32s, and differ%s",
        (int64_t)(a->row - of_a->result), of_a->path, (int64_t)(b->row - of_b->result), of_b->path,
        a->row->seq, (int)a->row->rank, run[a->row->run].uuid, what);
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
        if (before && compare_records(before->row, e[i].row) == 0) {
            if (memcmp(before->row, e[i].row, sizeof *before->row) != 0)
                return contradict(m, before, &e[i], "", err);
            if (e[i].ns && memcmp(before->ns, e[i].ns, (size_t)e[i].row->reps * sizeof *e->ns) != 0)
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

/* How many rows one block takes: their raw times are copied. */
static int64_t block_of(const entry_t *e, int64_t n)
{
    enum { most_rows = 1 << 16, most_times = 1 << 22 };
    int64_t times = 0;
    int64_t i = 0;
    for (; i < n && i < most_rows && (i == 0 || times < most_times); i++)
        times += e[i].ns ? e[i].row->reps : 0;
    return i;
}

/* Append rows with their raw times, which go behind the *written ones of the output. */
static rc_status_t write_block(
    const rc_merge_t *m, const entry_t *e, int64_t n, int64_t *written, rc_err_t *err)
{
    rc_status_t st = RC_ENOMEM;
    int64_t total = 0;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++)
        total += e[i].ns ? e[i].row->reps : 0;
    rc_row_result_t *row = rc_alloc((size_t)n, sizeof *row, "results", err);
    int64_t *ns = row ? rc_alloc((size_t)total, sizeof *ns, "raw times", err) : NULL;
    for (int64_t i = 0; ns && i < n; i++) {
        row[i] = *e[i].row;
        if (!e[i].ns)
            continue;
        row[i].sample_offset = *written + at;
        memcpy(ns + at, e[i].ns, (size_t)row[i].reps * sizeof *ns);
        at += row[i].reps;
    }
    *written += total;
    if (ns)
        st = rc_h5_append(&m->h, &rc_schema_samples, ns, total, NULL, err);
    if (st == RC_OK)
        st = rc_h5_append(&m->h, &rc_schema[RC_T_RESULT], row, n, NULL, err);
    free(row);
    free(ns);
    return st;
}

rc_status_t rc_merge_results(rc_merge_t *m, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t count = 0;
    int64_t at = 0;
    int64_t written = 0;
    for (int s = 0; s < m->stores; s++)
        count += m->store[s].results;
    entry_t *e = rc_alloc((size_t)count, sizeof *e, "the places of results", err);
    RC_PASS(e ? RC_OK : RC_ENOMEM);
    for (int s = 0; s < m->stores; s++) {
        RC_TRY(read_store(m, s, e + at, err));
        at += m->store[s].results;
    }
    RC_TRY(drop_repeats(m, e, &count, err));
    if (count)
        qsort(e, (size_t)count, sizeof *e, by_time);
    for (int64_t i = 0, n; i < count; i += n) {
        n = block_of(e + i, count - i);
        RC_TRY(write_block(m, e + i, n, &written, err));
    }
    m->info.results = count;
done:
    free(e);
    return st;
}
