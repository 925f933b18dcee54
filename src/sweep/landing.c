#include "config.h"
#include "sweep/landing.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/map.h"
#include "base/open.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/visible.h"
#include "store/comm.h"
#include "table/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

rc_status_t rc_landing_end(const rc_landing_t *l, rc_run_state_t state, rc_err_t *err)
{
    rc_err_t why = {0};
    rc_rec_end_t end = {.utc_ns = rc_utc_ns(), .state = (int32_t)state};
    /* without its end the run counts as open, and nothing else is lost */
    if (rc_journal_put(l->journal, RC_REC_END, &end, &why) < 0 && state != RC_RUN_ERROR)
        rc_log(l->log, RC_LOG_WARN, "sweep", "%s", why.text);
    rc_status_t st = rc_ledger_files(l->journal, l->watch, err);
    if (rc_journal_release(l->journal, &why) < 0 && state != RC_RUN_ERROR)
        rc_log(l->log, RC_LOG_WARN, "sweep", "%s", why.text);
    return st;
}

/* ------------------------------------------------------------------- totals */

/* Count the catalogue rows of all ranks: each once, under the highest status that a rank gave it.
 * Collective. */
static void count_rows(const rc_session_t *s, const rc_named_t *named, rc_sweep_result_t *r)
{
    enum { piece = 4096 };
    unsigned char all[piece];
    for (int64_t first = 0; first < named->catalog->count; first += piece) {
        int64_t left = named->catalog->count - first;
        int n = left < piece ? (int)left : piece;
        rc_comm_reduce(s->comm, named->status + first, all, n, 1, MPI_UNSIGNED_CHAR, MPI_MAX);
        for (int i = 0; i < n; i++)
            if (all[i] != RC_CASE_PENDING)
                r->matrices[all[i]]++;
    }
}

void rc_landing_totals(const rc_session_t *s, const rc_spent_t *spent, const rc_named_t *named,
    double work_s, int64_t out_of_work_ns, rc_sweep_result_t *r)
{
    const rc_sweep_counts_t counts = r->now;
    rc_comm_reduce(s->comm, &counts, &r->now, sizeof r->now / sizeof(int64_t), sizeof(int64_t),
        MPI_INT64_T, MPI_SUM);
    count_rows(s, named, r);
    double times[4] = {(double)spent->busy_ns * 1e-9, (double)spent->active_ns * 1e-9,
        (double)spent->waiting_ns * 1e-9, work_s};
    double totals[4];
    rc_comm_reduce(s->comm, times, totals, 4, sizeof *times, MPI_DOUBLE, MPI_SUM);
    double all = totals[3] > 0 ? totals[3] : 1;
    r->busy_share = totals[0] / all;
    r->active_share = totals[1] / all;
    r->waiting_share = totals[2] / all;
    /* clocks of nodes may differ; the tail is measured against a common event, the end barrier */
    double idle = (double)(rc_clock_ns() - out_of_work_ns) * 1e-9;
    double ends[2] = {idle, -idle};
    double most[2];
    rc_comm_reduce(s->comm, ends, most, 2, sizeof *ends, MPI_DOUBLE, MPI_MAX);
    r->idle_tail_s = most[0] + most[1];
    struct {
        double value;
        int rank;
    } mine = {r->slowest_s, s->rank}, slowest;
    rc_comm_reduce(s->comm, &mine, &slowest, 1, sizeof mine, MPI_DOUBLE_INT, MPI_MAXLOC);
    r->slowest_s = slowest.value;
    if (s->comm != MPI_COMM_NULL)
        MPI_Bcast(r->slowest, (int)sizeof r->slowest, MPI_CHAR, slowest.rank, s->comm);
}

/* ------------------------------------------------------------------- the store */

/* Rank 0. */
static rc_status_t compare(const rc_landing_t *l, const rc_sweep_result_t *r, rc_err_t *err)
{
    int64_t finished = r->now.again + r->now.stands;
    int64_t results;
    int64_t sources;
    RC_PASS(rc_watch_check(l->watch, err));
    RC_PASS(rc_watch_count(l->watch, l->uuid, &results, &sources, err));
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        finished += r->now.measured[i];
    if (results == finished && sources == r->now.named)
        return RC_OK;
    return rc_fail(err, RC_EIO,
        "%s: expected the %" PRId64 " cases and %" PRId64
        " catalogue rows that this run finished, found %" PRId64 " and %" PRId64,
        l->store, finished, r->now.named, results, sources);
}

rc_status_t rc_landing_drift(const rc_landing_t *l, rc_err_t *err)
{
    rc_view_t *v = NULL;
    rc_map_t before = {0}; /* case -> the last row of it that was ok */
    rc_sums_t drift = {0};
    rc_status_t st;
    RC_TRY(rc_view_read(l->store, &v, err));
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        const rc_digest_t id = rc_digest(r->case_id, sizeof r->case_id);
        const int64_t last = rc_map_get(&before, id, -1);
        if (r->status != RC_CASE_OK || !(r->median_ns > 0))
            continue;
        if (last >= 0 && strncmp(rc_view_run(v, r->run)->uuid, l->uuid, 32) == 0)
            rc_sums_add(&drift, r->median_ns / rc_view_result(v, last)->median_ns);
        RC_TRY(rc_map_set(&before, id, i, err));
    }
    if (drift.n > 0)
        rc_log(l->log, RC_LOG_INFO, "sweep",
            "drift: %" PRId64 " case%s measured before took %.3f times as long now, in geometric "
            "mean (%.3f to %.3f); what was added is compared with these",
            drift.n, rc_plural(drift.n), rc_sums_geomean(&drift), drift.least, drift.most);
done:
    rc_map_free(&before);
    rc_view_free(v);
    return st;
}

rc_status_t rc_landing_compare(const rc_landing_t *l, const rc_sweep_result_t *r, rc_err_t *err)
{
    return rc_session_agree(l->s, l->watch ? compare(l, r, err) : RC_OK, err);
}

static rc_status_t save_as(const rc_landing_t *l, const char *base, rc_err_t *err)
{
    int saved = 0;
    char *dir = rc_journal_dir(base, err);
    rc_status_t st = dir ? rc_open_folder(dir, err) : RC_ENOMEM;
    if (st == RC_OK && l->journal)
        st = rc_journal_save(l->journal, dir, err);
    if (st == RC_OK && l->watch)
        st = rc_watch_save(l->watch, base, &saved, err);
    free(dir);
    return st;
}

void rc_landing_save(const rc_landing_t *l)
{
    const char *temporary = getenv("TMPDIR");
    const char *slash = strrchr(l->store, '/');
    const char *name = slash ? slash + 1 : l->store;
    const char *const place[] = {NULL, ".", temporary && *temporary ? temporary : "/tmp"};
    rc_err_t first = {0};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        rc_err_t err = {0};
        char *base = place[i] ? rc_strf("a path", &err, "%s/%s.rescued-%s", place[i], name, l->uuid)
                              : rc_strf("a path", &err, "%s.rescued-%s", l->store, l->uuid);
        rc_status_t st = base ? save_as(l, base, &err) : RC_ENOMEM;
        if (st == RC_OK && (l->s->rank == 0 || i > 0))
            rc_log(l->log, RC_LOG_WARN, "sweep",
                "what this run finished is saved: 'rowcast fold %s' makes a store of it, 'rowcast "
                "merge' puts stores together",
                base);
        free(base);
        if (st == RC_OK)
            return;
        if (i == 0)
            first = err;
    }
    rc_log(l->log, RC_LOG_ERROR, "sweep", "what this run finished cannot be saved: %s", first.text);
}

rc_status_t rc_sweep_leave(
    const char *store, const rc_log_t *log, rc_sweep_result_t *r, rc_err_t *err)
{
    rc_session_t alone = {.rank = 0};
    rc_landing_t l = {&alone, log, store, r->uuid, NULL, r->watch};
    if (!r->watch)
        return RC_OK;
    rc_status_t st = rc_watch_check(r->watch, err);
    if (st < 0)
        rc_landing_save(&l);
    rc_watch_close(r->watch);
    r->watch = NULL;
    return st;
}
