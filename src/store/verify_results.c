#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/outcome.h"
#include "base/stats.h"
#include "store/samples.h"
#include "store/verify_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rounding = 1e-9; /* compilers may add up in another order */

/* Raw times of a row. */
typedef struct range {
    int64_t first;
    int64_t end;
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

static void check_case(const rc_verify_at_t *at, const rc_row_result_t *r)
{
    rc_case_t c;
    if (rc_dicts_case(&at->v->dicts, r, &c) < 0)
        return; /* an id or a digest is wrong, and was reported */
    rc_hex_t hex = rc_digest_hex(rc_case_id(&c));
    rc_verify_expect(at, memcmp(hex.text, r->case_id, sizeof r->case_id) == 0, "case_id %s|%.32s",
        hex.text, r->case_id);
}

static void check_ok(const rc_verify_at_t *at, const rc_row_result_t *r)
{
    rc_verify_expect(at, r->reps >= 1, "reps >= 1, as the status is ok|%" PRId64, r->reps);
    rc_verify_expect(at, r->median_ns > 0 && isfinite(r->median_ns),
        "median_ns above 0, as the status is ok|%.17g", r->median_ns);
    rc_verify_expect(at, r->min_ns > 0 && r->min_ns <= r->median_ns,
        "min_ns above 0 and up to median_ns|%.17g", r->min_ns);
    rc_verify_expect(at, r->mean_ns >= r->min_ns * (1 - rounding) && isfinite(r->mean_ns),
        "mean_ns from min_ns on|%.17g", r->mean_ns);
    rc_verify_expect(at, r->sd_ns >= 0 && isfinite(r->sd_ns), "sd_ns >= 0|%.17g", r->sd_ns);
    rc_verify_expect(
        at, !(r->error_max > 1), "error_max up to 1, as the status is ok|%.17g", r->error_max);
    if (r->stop == RC_STOP_NONE || r->stop == RC_STOP_SIGNAL)
        rc_verify_expect(at, 0, "stop target, time or count, as the status is ok|%s",
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

static void check_matrix(const rc_verify_at_t *at, const rc_row_result_t *r)
{
    const struct {
        const char *name;
        int64_t value;
    } number[] = {{"device_bytes", r->device_bytes}, {"permute_ns", r->permute_ns},
        {"pointer_bytes", r->pointer_bytes}, {"cpus", r->cpus}};
    int has = has_columns(r);
    rc_verify_expect(at, has ? r->k >= 1 : r->k == 0, "%s|%" PRId64,
        has ? "k >= 1" : "k 0, as the operation has none", r->k);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        rc_verify_expect(
            at, number[i].value >= -1, "%s >= -1|%" PRId64, number[i].name, number[i].value);
    rc_verify_expect(at, !(r->load < 0 || isinf(r->load)), "load >= 0, or NaN|%g", r->load);
    rc_verify_expect(at, !(r->hop_ns < 0 || isinf(r->hop_ns)), "hop_ns >= 0, or NaN|%g", r->hop_ns);
    rc_verify_expect(at, !(r->fill < 0 || isinf(r->fill)), "fill >= 0, or NaN|%g", r->fill);
}

static void check_row(const rc_verify_at_t *at, const rc_row_result_t *r)
{
    int is_timed = r->status == RC_CASE_OK || r->status == RC_CASE_NOISY;
    check_case(at, r);
    check_matrix(at, r);
    rc_verify_expect(at, r->status != RC_CASE_PENDING, "a final status|pending");
    if (is_timed)
        check_ok(at, r);
    rc_verify_expect(at, is_timed || r->message >= 0, "a message, as the status is not ok|none");
    rc_verify_expect(at, r->seq >= 0 || (r->seq == -1 && r->status == RC_CASE_CRASHED),
        "the number of a record as seq|%" PRId64, r->seq);
    rc_verify_expect(at, r->rank >= 0, "rank >= 0|%d", (int)r->rank);
    rc_verify_expect(at, r->reps == 0 || (r->reps > 0 && r->batch >= 1),
        "reps >= 0 and batch >= 1|%" PRId64 " and %" PRId64, r->reps, r->batch);
    rc_verify_expect(at, r->sample_offset == -1 || (r->sample_offset >= 0 && r->reps != 0),
        "sample_offset -1, or that of some raw times|%" PRId64, r->sample_offset);
}

static void compare(
    const rc_verify_at_t *at, const char *name, double stored, double made, double scale)
{
    int same = (isnan(stored) && isnan(made)) || fabs(stored - made) <= rounding * scale;
    rc_verify_expect(at, same, "%s %.17g of its raw times|%.17g", name, made, stored);
}

static rc_status_t check_statistics(
    work_t *w, const rc_verify_at_t *at, const rc_row_result_t *r, rc_err_t *err)
{
    rc_stats_t s;
    const int64_t *ns = NULL;
    rc_status_t st = rc_samples_of(&w->samples, r, &ns, err);
    if (st < 0)
        return rc_verify_unread(w->v, RC_SAMPLES_PATH, st, err);
    RC_PASS(RC_GROW(w->scratch, w->scratch_capacity, (size_t)r->reps, "raw times", err));
    for (int64_t i = 0; i < r->reps; i++) {
        if (ns[i] < 0) {
            const rc_verify_at_t time = {w->v, RC_SAMPLES_PATH, r->sample_offset + i};
            rc_verify_expect(&time, 0, "a time >= 0|%" PRId64, ns[i]);
            return RC_OK;
        }
        w->scratch[i] = (double)ns[i] / (double)r->batch;
    }
    rc_stats_compute(w->scratch, r->reps, &s);
    compare(at, "median_ns", r->median_ns, s.median, s.median);
    compare(at, "min_ns", r->min_ns, s.min, s.min);
    compare(at, "mean_ns", r->mean_ns, s.mean, s.mean);
    compare(at, "sd_ns", r->sd_ns, s.sd, s.mean);
    compare(at, "rel_err", r->rel_err, s.rel_err, 1);
    w->v->info.timed++;
    return RC_OK;
}

static rc_status_t check_samples(
    work_t *w, const rc_verify_at_t *at, const rc_row_result_t *r, rc_err_t *err)
{
    if (!rc_samples_has(r))
        return RC_OK;
    int inside = rc_samples_inside(&w->samples, r);
    rc_verify_expect(at, inside,
        "raw times inside of the %" PRId64 " of " RC_SAMPLES_PATH "|%" PRId64 " from %" PRId64,
        w->samples.total, r->reps, r->sample_offset);
    if (!inside)
        return RC_OK;
    RC_PASS(RC_GROW(w->range, w->range_capacity, w->ranges + 1, "ranges of raw times", err));
    w->range[w->ranges++] = (range_t){r->sample_offset, r->sample_offset + r->reps, at->row};
    return r->batch < 1 ? RC_OK : check_statistics(w, at, r, err);
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
    if (w->ranges)
        qsort(w->range, w->ranges, sizeof *w->range, by_first);
    const range_t *last = w->range; /* the one that goes farthest */
    for (size_t i = 1; i < w->ranges; i++) {
        const range_t *r = &w->range[i];
        const rc_verify_at_t at = {w->v, path, r->row};
        rc_verify_expect(&at, r->first >= last->end,
            "raw times of its own, from %" PRId64 " on|from %" PRId64 ", in those of row %" PRId64,
            last->end, r->first, last->row);
        if (r->end > last->end)
            last = r;
    }
}

rc_digest_t rc_verify_key(int32_t run, int32_t rank, int64_t seq, const char *case_id)
{
    const rc_digest_t none = {0};
    const rc_digest_t crashed =
        seq < 0 ? rc_digest(case_id, sizeof((rc_row_result_t *)0)->case_id) : none;
    const int64_t all[] = {run, rank, seq, (int64_t)crashed.hi};
    return rc_digest(all, sizeof all);
}

static rc_status_t check_twice(const rc_verify_at_t *at, const rc_row_result_t *r, rc_err_t *err)
{
    rc_digest_t key = rc_verify_key(r->run, r->rank, r->seq, r->case_id);
    int64_t before = rc_map_get(&at->v->seen, key, -1);
    rc_verify_expect(at, before < 0,
        "a run, rank and %s of its own|run %d, rank %d, seq %" PRId64 " of row %" PRId64,
        r->seq < 0 ? "case, as it crashed," : "seq", (int)r->run, (int)r->rank, r->seq, before);
    return rc_map_set(&at->v->seen, key, at->row, err);
}

static rc_status_t check_all(work_t *w, const rc_row_result_t *rows, int64_t n, rc_err_t *err)
{
    rc_verify_fields(w->v, &rc_schema[RC_T_RESULT], path, rows, n);
    for (rc_verify_at_t at = {w->v, path, 0}; at.row < n; at.row++) {
        check_row(&at, &rows[at.row]);
        RC_PASS(check_samples(w, &at, &rows[at.row], err));
        RC_PASS(check_twice(&at, &rows[at.row], err));
    }
    w->v->info.results = n;
    w->v->has_seen = 1;
    check_overlaps(w);
    return RC_OK;
}

rc_status_t rc_verify_results(rc_verify_t *v, rc_err_t *err)
{
    work_t w = {.v = v, .samples = {.h = &v->h}};
    void *rows = NULL;
    int64_t n = 0;
    rc_status_t st = rc_h5_read(&v->h, &rc_schema[RC_T_RESULT], &rows, &n, err);
    if (st == RC_OK)
        st = rc_h5_rows(&v->h, &rc_schema_samples, &w.samples.total, err);
    if (st == RC_OK)
        v->info.samples = w.samples.total;
    st = st < 0 ? rc_verify_unread(v, path, st, err) : check_all(&w, rows, n, err);
    free(rows);
    free(w.range);
    free(w.scratch);
    rc_samples_free(&w.samples);
    return st;
}
