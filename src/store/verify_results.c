#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/outcome.h"
#include "base/stats.h"
#include "store/samples.h"
#include "store/verify_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_ROWS = 8192 };
static const double rounding = 1e-9; /* compilers may add up in another order */

/* Raw times of a row. */
typedef struct range {
    int64_t first;
    int64_t count;
    int64_t row;
} range_t;

typedef struct work {
    rc_verify_t *v;
    rc_samples_t samples;
    range_t *range;
    size_t ranges;
    size_t range_capacity;
    double *scratch;
    size_t scratch_capacity;
} work_t;

static const char *const path = "/results";

/* ----------------------------------------------------------------------- one row */

static void check_case(rc_verify_t *v, int64_t row, const rc_row_result_t *r)
{
    rc_case_t c;
    char what[64];
    if (rc_dicts_case(&v->dicts, r, &c) < 0)
        return; /* an id or a digest is wrong, and was reported */
    rc_hex_t hex = rc_digest_hex(rc_case_id(&c));
    if (memcmp(hex.text, r->case_id, sizeof r->case_id) == 0)
        return;
    snprintf(what, sizeof what, "case_id %s", hex.text);
    rc_verify_say(v, path, row, what, "%.32s", r->case_id);
}

static void check_ok(rc_verify_t *v, int64_t row, const rc_row_result_t *r)
{
    if (r->reps < 1)
        rc_verify_say(v, path, row, "reps >= 1, as the status is ok", "%" PRId64, r->reps);
    if (!(r->median_ns > 0) || !isfinite(r->median_ns))
        rc_verify_say(
            v, path, row, "median_ns above 0, as the status is ok", "%.17g", r->median_ns);
    if (!(r->min_ns > 0 && r->min_ns <= r->median_ns))
        rc_verify_say(v, path, row, "min_ns above 0 and up to median_ns", "%.17g", r->min_ns);
    if (!(r->mean_ns >= r->min_ns * (1 - rounding)) || !isfinite(r->mean_ns))
        rc_verify_say(v, path, row, "mean_ns from min_ns on", "%.17g", r->mean_ns);
    if (!(r->sd_ns >= 0) || !isfinite(r->sd_ns))
        rc_verify_say(v, path, row, "sd_ns >= 0", "%.17g", r->sd_ns);
    if (r->error_max > 1)
        rc_verify_say(
            v, path, row, "error_max up to 1, as the status is ok", "%.17g", r->error_max);
    if (r->stop == RC_STOP_NONE || r->stop == RC_STOP_SIGNAL)
        rc_verify_say(v, path, row, "stop target, time or count, as the status is ok", "%s",
            rc_stop_name((rc_stop_t)r->stop));
}

/* A product of vectors has no columns. */
static int has_columns(const rc_row_result_t *r)
{
    int32_t spmv = 0;
    while (strcmp(rc_op_names[spmv], "spmv") != 0)
        spmv++;
    return r->op != spmv;
}

static void check_matrix(rc_verify_t *v, int64_t row, const rc_row_result_t *r)
{
    if (has_columns(r) ? r->k < 1 : r->k != 0)
        rc_verify_say(v, path, row, has_columns(r) ? "k >= 1" : "k 0, as the operation has none",
            "%" PRId64, r->k);
    if (r->device_bytes < -1)
        rc_verify_say(v, path, row, "device_bytes >= -1", "%" PRId64, r->device_bytes);
    if (r->permute_ns < -1)
        rc_verify_say(v, path, row, "permute_ns >= -1", "%" PRId64, r->permute_ns);
    if (r->pointer_bytes < -1)
        rc_verify_say(v, path, row, "pointer_bytes >= -1", "%" PRId64, r->pointer_bytes);
    if (r->load < 0 || isinf(r->load))
        rc_verify_say(v, path, row, "load >= 0, or NaN", "%g", r->load);
    if (r->cpus < -1)
        rc_verify_say(v, path, row, "cpus >= -1", "%" PRId64, r->cpus);
    if (r->fill < 0 || isinf(r->fill))
        rc_verify_say(v, path, row, "fill >= 0, or NaN", "%g", r->fill);
}

static void check_row(rc_verify_t *v, int64_t row, const rc_row_result_t *r)
{
    check_case(v, row, r);
    check_matrix(v, row, r);
    if (r->status == RC_CASE_PENDING)
        rc_verify_say(v, path, row, "a final status", "pending");
    if (r->status == RC_CASE_OK || r->status == RC_CASE_NOISY)
        check_ok(v, row, r);
    else if (r->message < 0)
        rc_verify_say(v, path, row, "a message, as the status is not ok", "none");
    if (r->seq < -1 || (r->seq == -1 && r->status != RC_CASE_CRASHED))
        rc_verify_say(v, path, row, "the number of a record as seq", "%" PRId64, r->seq);
    if (r->rank < 0)
        rc_verify_say(v, path, row, "rank >= 0", "%d", (int)r->rank);
    if (r->reps < 0 || (r->reps > 0 && r->batch < 1))
        rc_verify_say(v, path, row, "reps >= 0 and batch >= 1", "%" PRId64 " and %" PRId64, r->reps,
            r->batch);
    if (r->sample_offset < -1 || (r->sample_offset >= 0 && r->reps == 0))
        rc_verify_say(v, path, row, "sample_offset -1, or that of some raw times", "%" PRId64,
            r->sample_offset);
}

/* --------------------------------------------------------------------- raw times */

static void compare(
    work_t *w, int64_t row, const char *name, double stored, double made, double scale)
{
    char what[64];
    if ((isnan(stored) && isnan(made)) || fabs(stored - made) <= rounding * scale)
        return;
    snprintf(what, sizeof what, "%s %.17g of its raw times", name, made);
    rc_verify_say(w->v, path, row, what, "%.17g", stored);
}

static rc_status_t check_statistics(work_t *w, int64_t row, const rc_row_result_t *r, rc_err_t *err)
{
    rc_stats_t s;
    const int64_t *ns = NULL;
    rc_status_t st = rc_samples_of(&w->samples, r, &ns, err);
    if (st < 0)
        return rc_verify_unread(w->v, RC_SAMPLES_PATH, st, err);
    RC_PASS(RC_GROW(w->scratch, w->scratch_capacity, (size_t)r->reps, "raw times", err));
    for (int64_t i = 0; i < r->reps; i++) {
        if (ns[i] < 0) {
            rc_verify_say(
                w->v, RC_SAMPLES_PATH, r->sample_offset + i, "a time >= 0", "%" PRId64, ns[i]);
            return RC_OK;
        }
        w->scratch[i] = (double)ns[i] / (double)r->batch;
    }
    rc_stats_compute(w->scratch, r->reps, &s);
    compare(w, row, "median_ns", r->median_ns, s.median, s.median);
    compare(w, row, "min_ns", r->min_ns, s.min, s.min);
    compare(w, row, "mean_ns", r->mean_ns, s.mean, s.mean);
    compare(w, row, "sd_ns", r->sd_ns, s.sd, s.mean);
    compare(w, row, "rel_err", r->rel_err, s.rel_err, 1);
    w->v->info.timed++;
    return RC_OK;
}

static rc_status_t check_samples(work_t *w, int64_t row, const rc_row_result_t *r, rc_err_t *err)
{
    char what[64];
    if (!rc_samples_has(r))
        return RC_OK;
    if (!rc_samples_inside(&w->samples, r)) {
        snprintf(what, sizeof what, "raw times inside of the %" PRId64 " of %s", w->samples.total,
            RC_SAMPLES_PATH);
        rc_verify_say(
            w->v, path, row, what, "%" PRId64 " from %" PRId64, r->reps, r->sample_offset);
        return RC_OK;
    }
    RC_PASS(RC_GROW(w->range, w->range_capacity, w->ranges + 1, "ranges of raw times", err));
    w->range[w->ranges++] = (range_t){r->sample_offset, r->reps, row};
    return r->batch < 1 ? RC_OK : check_statistics(w, row, r, err);
}

static int by_first(const void *x, const void *y)
{
    const range_t *a = x;
    const range_t *b = y;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static void check_overlaps(work_t *w)
{
    char what[64];
    if (w->ranges)
        qsort(w->range, w->ranges, sizeof *w->range, by_first);
    const range_t *last = NULL; /* the one that goes farthest */
    for (size_t i = 0; i < w->ranges; i++) {
        const range_t *r = &w->range[i];
        if (last && r->first < last->first + last->count) {
            snprintf(what, sizeof what, "raw times of its own, from %" PRId64 " on",
                last->first + last->count);
            rc_verify_say(w->v, path, r->row, what, "from %" PRId64 ", in those of row %" PRId64,
                r->first, last->row);
        }
        if (!last || r->first + r->count > last->first + last->count)
            last = r;
    }
}

/* --------------------------------------------------------------------- all rows */

rc_digest_t rc_verify_key(int32_t run, int32_t rank, int64_t seq, const char *case_id)
{
    const rc_digest_t none = {0};
    const rc_digest_t crashed =
        seq < 0 ? rc_digest(case_id, sizeof((rc_row_result_t *)0)->case_id) : none;
    const int64_t all[] = {run, rank, seq, (int64_t)crashed.hi};
    return rc_digest(all, sizeof all);
}

static rc_status_t check_twice(rc_verify_t *v, int64_t row, const rc_row_result_t *r, rc_err_t *err)
{
    char what[96];
    rc_digest_t key = rc_verify_key(r->run, r->rank, r->seq, r->case_id);
    int64_t before = rc_map_get(&v->seen, key, -1);
    if (before >= 0) {
        snprintf(what, sizeof what, "a run, rank and %s of its own",
            r->seq < 0 ? "case, as it crashed," : "seq");
        rc_verify_say(v, path, row, what, "run %d, rank %d, seq %" PRId64 " of row %" PRId64,
            (int)r->run, (int)r->rank, r->seq, before);
    }
    return rc_map_set(&v->seen, key, row, err);
}

static rc_status_t check_piece(
    work_t *w, const rc_row_result_t *rows, int64_t first, int64_t n, rc_err_t *err)
{
    rc_verify_fields(w->v, &rc_schema[RC_T_RESULT], path, rows, first, n);
    for (int64_t i = 0; i < n; i++) {
        check_row(w->v, first + i, &rows[i]);
        RC_PASS(check_samples(w, first + i, &rows[i], err));
        RC_PASS(check_twice(w->v, first + i, &rows[i], err));
    }
    return RC_OK;
}

rc_status_t rc_verify_results(rc_verify_t *v, rc_err_t *err)
{
    const rc_schema_table_t *t = &rc_schema[RC_T_RESULT];
    work_t w = {.v = v, .samples = {.h = &v->h}};
    rc_row_result_t *rows = NULL;
    int64_t n = 0;
    rc_status_t st = rc_h5_rows(&v->h, t, &n, err);
    if (st == RC_OK)
        st = rc_h5_rows(&v->h, &rc_schema_samples, &w.samples.total, err);
    if (st < 0)
        return rc_verify_unread(v, path, st, err);
    v->info.samples = w.samples.total;
    rows = rc_alloc(PIECE_ROWS, sizeof *rows, t->title, err);
    RC_TRY(rows ? RC_OK : RC_ENOMEM);
    for (int64_t first = 0; first < n; first += PIECE_ROWS) {
        int64_t m = n - first < PIECE_ROWS ? n - first : PIECE_ROWS;
        st = rc_h5_read_rows(&v->h, t, first, m, rows, err);
        if (st < 0) {
            st = rc_verify_unread(v, path, st, err);
            goto done;
        }
        RC_TRY(check_piece(&w, rows, first, m, err));
    }
    v->info.results = n;
    v->has_seen = 1;
    check_overlaps(&w);
done:
    free(rows);
    free(w.range);
    free(w.scratch);
    rc_samples_free(&w.samples);
    return st;
}
