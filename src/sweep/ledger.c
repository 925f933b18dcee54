#include "config.h"
#include "sweep/ledger.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/visible.h"
#include "sweep/worklist.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the files are still there is looked up this often. */
static const int64_t check_interval_ns = INT64_C(2000000000);

struct rc_ledger {
    pthread_mutex_t mutex; /* of everything below */
    rc_journal_t *journal;
    rc_watch_t *watch;     /* NULL: another rank's; ... */
    const rc_lock_t *lock; /* ... so is the lock of the store */
    int64_t checked_ns;
    rc_named_t named;
    rc_sweep_result_t *result;
    rc_watchdog_t *watchdog; /* has a lock of its own */
};

rc_status_t rc_ledger_open(rc_journal_t *journal, rc_watch_t *watch, const rc_lock_t *lock,
    rc_watchdog_t *watchdog, const rc_named_t *named, rc_sweep_result_t *result, rc_ledger_t **out,
    rc_err_t *err)
{
    rc_ledger_t *l = rc_alloc0(1, sizeof *l, "the ledger", err);
    RC_PASS(l ? RC_OK : RC_ENOMEM);
    if (pthread_mutex_init(&l->mutex, NULL) != 0) {
        free(l);
        return rc_fail(err, RC_ENOMEM, "no memory for the lock of the journal");
    }
    l->journal = journal;
    l->watch = watch;
    l->lock = lock;
    l->checked_ns = rc_clock_ns();
    l->named = *named;
    l->result = result;
    l->watchdog = watchdog;
    *out = l;
    return RC_OK;
}

void rc_ledger_close(rc_ledger_t *l)
{
    if (!l)
        return;
    pthread_mutex_destroy(&l->mutex);
    free(l);
}

rc_status_t rc_ledger_files(const rc_journal_t *journal, rc_watch_t *watch, rc_err_t *err)
{
    rc_status_t st = rc_journal_check(journal, err);
    return st < 0 || !watch ? st : rc_watch_check(watch, err);
}

/* The caller holds the mutex. */
static rc_status_t check_files(rc_ledger_t *l, rc_err_t *err)
{
    int64_t now = rc_clock_ns();
    if (now - l->checked_ns < check_interval_ns)
        return RC_OK;
    rc_status_t st = rc_ledger_files(l->journal, l->watch, err);
    if (st == RC_OK && l->lock)
        st = rc_lock_check(l->lock, err);
    if (st == RC_OK)
        l->checked_ns = now;
    return st;
}

rc_status_t rc_ledger_begin(rc_ledger_t *l, int64_t job, const rc_entry_t *e, const rc_case_t *c,
    rc_phase_t phase, rc_err_t *err)
{
    rc_rec_begin_t b;
    rc_status_t st = RC_OK;
    memset(&b, 0, sizeof b);
    b.utc_ns = rc_utc_ns();
    b.phase = phase;
    b.job = job;
    if (c) {
        b.id = rc_case_id(c);
        b.c = *c;
    } else {
        b.is_source = 1;
        b.id = rc_source_case_id(e->name, e->location, e->bytes, e->mtime_ns);
        b.bytes = e->bytes;
        b.mtime_ns = e->mtime_ns;
        b.where = e->where;
        rc_digest_shorten(e->name, b.name, sizeof b.name);
        rc_digest_shorten(e->location, b.location, sizeof b.location);
    }
    pthread_mutex_lock(&l->mutex);
    st = check_files(l, err);
    if (st == RC_OK)
        st = rc_journal_put(l->journal, RC_REC_BEGIN, &b, err);
    pthread_mutex_unlock(&l->mutex);
    if (st == RC_OK)
        st = rc_watchdog_begin(l->watchdog, job, e->name, phase, err);
    return st;
}

rc_status_t rc_ledger_put(rc_ledger_t *l, rc_rec_type_t type, const void *record, rc_err_t *err)
{
    pthread_mutex_lock(&l->mutex);
    rc_status_t st = rc_journal_put(l->journal, type, record, err);
    l->result->now.features += type == RC_REC_FEATURE && st == RC_OK;
    pthread_mutex_unlock(&l->mutex);
    return st;
}

rc_status_t rc_ledger_settled(
    rc_ledger_t *l, rc_rec_type_t type, int64_t job, int over, rc_err_t *err)
{
    const rc_rec_settled_t r = {.job = job, .utc_ns = rc_utc_ns(), .over = over};
    rc_watchdog_end(l->watchdog, job);
    return rc_ledger_put(l, type, &r, err);
}

static int is_too_large(rc_case_status_t status, const char *text)
{
    return status == RC_CASE_SKIPPED && rc_memory_needed(text) >= 0;
}

rc_status_t rc_ledger_source(rc_ledger_t *l, const rc_entry_t *e, const rc_csr_t *a,
    const rc_digest_t *digest, const rc_mtx_info_t *info, int64_t load_ns, rc_case_status_t status,
    rc_phase_t phase, const char *text, rc_err_t *err)
{
    rc_rec_source_t r;
    memset(&r, 0, sizeof r);
    rc_digest_shorten(e->name, r.name, sizeof r.name);
    rc_digest_shorten(e->location, r.location, sizeof r.location);
    snprintf(r.kind, sizeof r.kind, "%s", e->kind);
    snprintf(r.text, sizeof r.text, "%s", text);
    r.ssid = e->id;
    r.bytes = e->bytes;
    r.mtime_ns = e->mtime_ns;
    r.load_ns = load_ns;
    r.utc_ns = rc_utc_ns();
    r.rows = r.cols = r.nnz = -1;
    if (a) {
        r.rows = a->rows;
        r.cols = a->cols;
        r.nnz = a->nnz;
        r.digest = *digest;
        r.loaded = 1;
        r.values_seeded = info->values_are_seeded;
    }
    r.where = e->where;
    if (info && info->is_generated)
        r.where = RC_WHERE_GENERATED;
    r.status = (int32_t)status;
    r.phase = phase;
    pthread_mutex_lock(&l->mutex);
    rc_status_t st = rc_journal_put(l->journal, RC_REC_SOURCE, &r, err);
    if (st == RC_OK) {
        unsigned char *was = &l->named.status[e - l->named.catalog->entry];
        *was = *was > (int)status ? *was : (unsigned char)status;
        l->result->now.named++;
        l->result->now.too_large += is_too_large(status, text);
    }
    pthread_mutex_unlock(&l->mutex);
    return st;
}

rc_status_t rc_ledger_unread(
    rc_ledger_t *l, const rc_entry_t *e, const rc_log_t *log, rc_err_t *err)
{
    char why[RC_MESSAGE_MAX + 1] = "absent: not in the collection";
    int is_absent = e->where == RC_WHERE_ABSENT;
    if (!is_absent && rc_worklist_unfit(e, why))
        rc_log(log, RC_LOG_WARN, "sweep", "%s: %s", e->name, why);
    return rc_ledger_source(l, e, NULL, NULL, NULL, 0, is_absent ? RC_CASE_SKIPPED : RC_CASE_FAILED,
        RC_PHASE_LOAD, why, err);
}

rc_status_t rc_ledger_result(rc_ledger_t *l, const rc_case_t *c, const rc_measured_t *m,
    rc_order_time_t order, uint64_t seed, rc_err_t *err)
{
    rc_rec_result_t r;
    memset(&r, 0, sizeof r);
    r.c = *c;
    snprintf(r.text, sizeof r.text, "%s", m->text);
    r.row.order_ns = order.order_ns;
    r.row.permute_ns = order.permute_ns;
    r.row.prepare_ns = m->prepare_ns;
    r.row.preprocess_ns = m->preprocess_ns;
    r.row.first_ns = m->first_ns;
    r.row.median_ns = m->median_ns;
    r.row.min_ns = m->min_ns;
    r.row.mean_ns = m->mean_ns;
    r.row.sd_ns = m->sd_ns;
    r.row.rel_err = m->rel_err;
    r.row.error_max = m->error_max;
    r.row.error_rel = m->error_rel;
    r.row.clock_mhz = m->state.clock_mhz;
    r.row.memory_clock_mhz = m->state.memory_clock_mhz;
    r.row.temperature_c = m->state.temperature_c;
    r.row.throttle = m->state.throttle;
    r.row.reps = m->sample_ns ? m->reps : 0;
    r.row.batch = m->batch;
    r.row.k_tile = m->k_tile;
    r.row.bytes_min = m->bytes_min;
    r.row.device_bytes = m->device_bytes;
    r.row.fill = m->fill;
    r.row.pointer_bytes = m->pointer_bytes;
    r.row.load = m->state.others;
    r.row.hop_ns = m->state.hop_ns;
    r.row.cpus = isnan(m->state.others) ? -1 : m->state.cpus;
    r.row.seed = (int64_t)seed;
    r.row.utc_ns = rc_utc_ns();
    r.row.status = (int32_t)m->status;
    r.row.phase = (int32_t)m->phase;
    r.row.stop = (int32_t)m->stop;
    r.sample_ns = m->sample_ns;
    pthread_mutex_lock(&l->mutex);
    rc_status_t st = rc_journal_put(l->journal, RC_REC_RESULT, &r, err);
    if (st == RC_OK) {
        rc_sweep_counts_t *now = &l->result->now;
        int missed = m->status == RC_CASE_OK && m->stop != RC_STOP_TARGET;
        int64_t *noisy = order.stands ? &now->stands : &now->measured[RC_CASE_NOISY];
        ++*(m->status == RC_CASE_NOISY ? noisy : &now->measured[m->status]);
        *noisy -= order.again;
        now->again += order.again;
        now->too_large += is_too_large(m->status, m->text);
        now->missed += missed;
        now->missed_far += missed && !(m->rel_err <= 0.1); /* NaN: a single sample */
        now->crowded += m->status == RC_CASE_OK && m->state.crowded > 0;
        now->shared += m->status == RC_CASE_OK && m->again > 0;
    }
    pthread_mutex_unlock(&l->mutex);
    return st;
}

void rc_ledger_alias(rc_ledger_t *l)
{
    pthread_mutex_lock(&l->mutex);
    l->result->now.aliases++;
    pthread_mutex_unlock(&l->mutex);
}

void rc_ledger_span(rc_ledger_t *l, const char *name, int64_t ns)
{
    double seconds = (double)ns * 1e-9;
    pthread_mutex_lock(&l->mutex);
    if (seconds > l->result->slowest_s) {
        l->result->slowest_s = seconds;
        rc_visible(name, l->result->slowest, sizeof l->result->slowest);
    }
    pthread_mutex_unlock(&l->mutex);
}
