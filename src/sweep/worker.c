#include "config.h"
#include "sweep/worker.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "sparse/csr.h"
#include "sweep/prepare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 16 };

/* The measuring thread. */
typedef struct bench {
    rc_worker_t *w;
    rc_prepare_t *prepare;
    rc_spent_t *spent;
    rc_err_t *err;
    rc_phase_t phase;    /* what a group is in, ... */
    int64_t since_ns;    /* ... and since when */
    rc_map_t noisy;      /* cases that were found so -> 1; 0: and have a time since */
    int left;            /* of the matrix in hand: noisy so far */
    int again;           /* 1: these have another turn, ... */
    int last_turn;       /* 1: ... the last one */
    double last_s;       /* what that will take, as it was told, ... */
    int64_t last_end_ns; /* ... and when it was thought to end */
    int64_t begin_ns;
    rc_job_t *kept[KEPT]; /* matrices with noisy cases, for a last turn */
    int kept_count;
    int64_t last; /* number of the one that was measured last */
} bench_t;

/* The pending cases of one block. */
typedef struct batch {
    bench_t *bench;
    rc_job_t *job;
    const rc_block_t *block;
    rc_case_t *id;           /* [n] */
    rc_measured_t *measured; /* [n] */
    rc_order_time_t *order;  /* [n] */
    int n;
    rc_status_t failed; /* the journal could not be written inside a callback, ... */
    rc_err_t why;       /* ... and why: the error of the measurement is another one */
} batch_t;

void rc_worker_divide(rc_worker_t *w)
{
    int gpu = w->device->executor.kind != RC_DEVICE_CPU;
    int ahead = w->config->ahead;
    int all = w->device->executor.threads;
    w->threads = all > 0 ? all : 1;
    w->preparers = 0;
    w->measuring = 0;
    w->ahead = 0;
    if (ahead == 0 || (ahead < 0 && !gpu))
        return;
    if (gpu) {
        /* rearranging and checking on the host is part of measuring, and the device waits for it */
        w->measuring = all / 4 > 1 ? all / 4 : 1;
        w->threads = all - w->measuring > 1 ? all - w->measuring : 1;
        w->device->executor.threads = w->measuring;
    }
    w->ahead = ahead > 0 ? ahead : 2 * w->threads > 2 ? 2 * w->threads : 2;
    /* on CPUs, where this is for testing, more than one also on one CPU */
    int most = gpu || w->threads > 4 ? w->threads : 4;
    w->preparers = w->ahead < most ? w->ahead : most;
}

/* ---------------------------------------------------------------- measuring */

static int asked_to_stop(void *user)
{
    batch_t *b = user;
    return b->failed < 0 || rc_queue_draining(b->bench->w->queue);
}

static void turn_to(bench_t *t, rc_phase_t phase)
{
    int64_t now = rc_clock_ns();
    t->spent->phase_ns[t->phase] += now - t->since_ns;
    t->phase = phase;
    t->since_ns = now;
}

static void entering(void *user, int index, rc_phase_t phase)
{
    batch_t *b = user;
    turn_to(b->bench, phase);
    int first = index < 0 ? 0 : index;
    int last = index < 0 ? b->n - 1 : index;
    for (int i = first; i <= last && b->failed >= 0; i++)
        if (b->measured[i].status == RC_CASE_PENDING)
            b->failed = rc_ledger_begin(
                b->bench->w->ledger, b->job->number, b->job->entry, &b->id[i], phase, &b->why);
}

static rc_status_t journal_case(
    batch_t *b, const rc_case_t *id, const rc_measured_t *m, rc_order_time_t order)
{
    rc_worker_t *w = b->bench->w;
    int again = order.again;
    rc_status_t st =
        rc_ledger_result(w->ledger, id, m, order, w->config->measure.seed, b->bench->err);
    if (st < 0)
        return st;
    b->job->progress.cases[m->status]++;
    b->job->progress.cases[RC_CASE_NOISY] -= again;
    b->job->progress.again += again;
    int noisy = m->status == RC_CASE_NOISY;
    b->bench->left += noisy - again;
    return noisy || again ? rc_map_set(&b->bench->noisy, rc_case_id(id), noisy, b->bench->err)
                          : RC_OK;
}

/* A time that is not known for noise is no time. */
static void judge(const rc_sweep_config_t *c, rc_measured_t *m)
{
    const int waited = m->waited > c->noisy_rel_err;
    const int lost = m->lost > c->noisy_rel_err;
    const int disagree =
        m->stop != RC_STOP_TARGET && rc_measured_error(&c->measure, m) > c->noisy_rel_err;
    if (m->status != RC_CASE_OK || (!waited && !lost && !disagree))
        return;
    m->status = RC_CASE_NOISY;
    m->phase = RC_PHASE_TIME;
    if (waited)
        snprintf(m->text, sizeof m->text,
            "noise: for %.0f %% of the time a thread waited for a CPU", 100 * m->waited);
    else if (lost)
        snprintf(m->text, sizeof m->text,
            "noise: for %.0f %% of the time another guest of the host had a core of ours",
            100 * m->lost);
    else
        snprintf(m->text, sizeof m->text, "noise: the batches disagree");
}

/* Journal what a group brought.
 * \param[in] lost  1: the device failed for good under the case that failed: that case stays in
 *                  flight, as if the rank had died */
static rc_status_t journal_group(batch_t *b, int lost)
{
    rc_status_t st = RC_OK;
    int64_t start = rc_clock_ns();
    for (int i = 0; i < b->n; i++) {
        rc_measured_t *m = &b->measured[i];
        int in_flight = lost && m->status == RC_CASE_FAILED;
        judge(b->bench->w->config, m);
        if (m->status != RC_CASE_PENDING && !in_flight && st == RC_OK)
            st = journal_case(b, &b->id[i], m, b->order[i]);
        if (in_flight)
            rc_log(b->bench->w->log, RC_LOG_ERROR, "sweep",
                "%s: %s under %s, K = %lld: %s; the device is lost, the case is tried once more in "
                "the next run",
                b->job->entry->name, b->id[i].kernel, b->id[i].policy, (long long)b->id[i].k,
                m->text);
        rc_measured_free(m);
    }
    if (lost && st == RC_OK)
        st = rc_ledger_settled(b->bench->w->ledger, RC_REC_LOST, b->job->number, 0, b->bench->err);
    b->bench->spent->journal_ns += rc_clock_ns() - start;
    return st;
}

/* What verifying takes beside the operands could not be had: the rank goes on, as it does with a
 * matrix that cannot be loaded. */
static rc_status_t skip_pending(batch_t *b)
{
    rc_err_t why = *b->bench->err;
    for (int i = 0; i < b->n; i++) {
        rc_measured_t *m = &b->measured[i];
        if (m->status != RC_CASE_PENDING)
            continue;
        m->status = RC_CASE_SKIPPED;
        m->phase = RC_PHASE_PREPARE;
        snprintf(m->text, sizeof m->text, "memory: %.180s", why.text);
    }
    *b->bench->err = (rc_err_t){0};
    return RC_OK;
}

/* Measure and journal the cases [first, first + n) of a batch. */
static rc_status_t measure(batch_t *all, int first, int n)
{
    bench_t *t = all->bench;
    rc_worker_t *w = t->w;
    const rc_sweep_config_t *c = w->config;
    batch_t b = {.bench = t,
        .job = all->job,
        .block = all->block,
        .id = all->id + first,
        .measured = all->measured + first,
        .order = all->order + first,
        .n = n};
    rc_group_t g = {.a = &b.job->a,
        .parts = b.job->parts,
        .digest = b.job->digest,
        .kernel = &c->kernel[b.block->kernel],
        .k = b.block->k > 0 ? b.block->k : 1,
        .precision = b.block->precision,
        .c_order = b.block->c_order,
        .geometry = b.block->geometry,
        .memory_limit = w->device_limit};
    int64_t asked = rc_clock_ns();
    if (rc_node_lock_enter(w->node_lock, 1, w->queue) < 0)
        return rc_fail(t->err, RC_EINTR, "drained");
    int64_t start = rc_clock_ns();
    int64_t active = w->device->active_ns;
    int64_t copied = w->device->executor.copy_ns;
    t->spent->lock_ns += start - asked;
    t->since_ns = start;
    /* making the operands may fail for good too: then the first case is to blame */
    entering(&b, 0, RC_PHASE_PREPARE);
    rc_status_t st = b.failed < 0 ? b.failed
                                  : rc_measure_group(w->measure, &c->measure, &g, b.measured, n,
                                        asked_to_stop, entering, &b, t->err);
    t->spent->busy_ns += rc_clock_ns() - start;
    turn_to(t, RC_PHASE_PREPARE);
    t->spent->active_ns += w->device->active_ns - active;
    t->spent->copy_ns += w->device->executor.copy_ns - copied;
    rc_node_lock_release(w->node_lock);
    if (b.failed < 0) {
        /* the measurement only knows that it was stopped */
        st = b.failed;
        if (t->err)
            *t->err = b.why;
    } else if (st == RC_ENOMEM)
        st = skip_pending(&b);
    rc_status_t written = journal_group(&b, st == RC_EDEVICE);
    return st < 0 ? st : written;
}

/* ----------------------------------------------------------------- batches */

/* A case whose order could not be built. */
static rc_status_t journal_orderless(batch_t *b, const rc_case_t *id, const rc_ordered_t *o)
{
    rc_measured_t m = {.status = o->status == RC_ENOMEM || o->status == RC_ENOTSUP ? RC_CASE_SKIPPED
                                                                                   : RC_CASE_FAILED,
        .phase = RC_PHASE_ORDER,
        .median_ns = NAN,
        .min_ns = NAN,
        .mean_ns = NAN,
        .sd_ns = NAN,
        .rel_err = NAN,
        .error_max = NAN,
        .error_rel = NAN,
        .device_bytes = -1,
        .fill = NAN,
        .pointer_bytes = -1,
        .state = rc_device_state_unknown()};
    snprintf(
        m.text, sizeof m.text, "%s%.180s", o->status == RC_ENOMEM ? "memory: " : "", o->err.text);
    return journal_case(b, id, &m, (rc_order_time_t){0});
}

/* 1: a case belongs into the batch: it is pending so, or the noisy ones have another turn. */
static int is_wanted(const bench_t *t, const rc_case_t *one, int pass)
{
    const rc_digest_t id = rc_case_id(one);
    return t->again ? pass == RC_WORKLIST_PENDING && rc_map_get(&t->noisy, id, 0)
                    : pass == (int)rc_worklist_state(t->w->known, id);
}

/* Put the pending cases of a block into a batch: those that a dead run left in flight come last and
 * are counted, for they are measured one by one. */
static rc_status_t fill_batch(batch_t *b, int *suspects)
{
    rc_worker_t *w = b->bench->w;
    const rc_sweep_config_t *c = &b->job->config;
    for (int pass = RC_WORKLIST_PENDING; pass <= RC_WORKLIST_SUSPECT; pass++)
        for (int p = 0; p < c->policies; p++) {
            rc_case_t one;
            if (!rc_worklist_case(c, w->profile, b->block, p, b->job->digest, &one) ||
                !is_wanted(b->bench, &one, pass) ||
                !(b->bench->again || rc_worklist_is_left(c, p, (rc_worklist_state_t)pass)))
                continue;
            const rc_ordered_t *o = rc_job_order(b->job, p, &b->block->geometry);
            if (!o)
                return rc_fail(b->bench->err, RC_EINVAL, "%s: the order %s was not prepared",
                    b->job->entry->name, one.policy);
            if (o->status < 0) {
                RC_PASS(journal_orderless(b, &one, o));
                continue;
            }
            memset(&b->measured[b->n], 0, sizeof *b->measured);
            b->measured[b->n].schedule = &o->schedule;
            b->measured[b->n].a = o->schedule.cols > 0 ? &o->a : NULL;
            b->measured[b->n].parts = o->parts;
            b->id[b->n] = one;
            b->order[b->n++] =
                (rc_order_time_t){o->order_ns, o->permute_ns[b->block->precision], b->bench->again,
                    rc_worklist_state(w->known, rc_case_id(&one)) == RC_WORKLIST_AGAIN};
            *suspects += pass == RC_WORKLIST_SUSPECT;
        }
    return RC_OK;
}

static rc_status_t do_block(bench_t *t, rc_job_t *j, const rc_block_t *block)
{
    size_t most = (size_t)t->w->config->policies;
    batch_t b = {.bench = t, .job = j, .block = block};
    int suspects = 0;
    rc_pool_t pool = {0};
    b.id = rc_pool_get(&pool, most, sizeof *b.id);
    b.measured = rc_pool_get0(&pool, most, sizeof *b.measured);
    b.order = rc_pool_get(&pool, most, sizeof *b.order);
    rc_status_t st = rc_pool_check(&pool, "cases", t->err);
    if (st == RC_OK)
        st = fill_batch(&b, &suspects);
    int together = b.n - suspects;
    if (st == RC_OK && together > 0)
        st = measure(&b, 0, together);
    for (int i = together; i < b.n && st == RC_OK; i++)
        st = measure(&b, i, 1);
    rc_pool_free(&pool);
    return st;
}

/* A large matrix is verified and rearranged by the threads that prepare nothing, too: the device
 * waits for it.  Others are done before it would pay to begin a team of another size. */
static void lend_threads(bench_t *t, const rc_job_t *j)
{
    static const int64_t large = INT64_C(1) << 27;
    const rc_worker_t *w = t->w;
    if (w->measuring > 0)
        w->device->executor.threads =
            w->measuring +
            (rc_csr_bytes(j->a.rows, j->a.nnz) >= large ? rc_prepare_idle(t->prepare) : 0);
}

/* Tell with a job how long the last turn will take. */
static void foresee(bench_t *t, rc_job_t *j, double last_s)
{
    j->progress.last_s += last_s - t->last_s;
    t->last_s = last_s;
}

/* What was done of a block, and what of it is to be done once more, by the size that it was planned
 * with: a spec has none before its matrix is there.  Another turn is no part of what was planned,
 * nor is the last one foreseen as an effort. */
static void spend_block(bench_t *t, rc_job_t *j, int number)
{
    rc_progress_t *p = &j->progress; /* of this block: what was before is told */
    const rc_profile_t *profile = t->w->profile;
    const rc_work_size_t *size = &j->item->size;
    rc_block_t planned;
    int64_t cases = 0;
    rc_worklist_block(t->w->config, profile, number, size->cols, &planned);
    for (int s = 0; s < RC_CASE_STATUSES; s++)
        cases += p->cases[s];
    if (t->again) {
        p->redone = rc_worklist_effort(profile, size, planned.k, p->again);
        if (t->last_turn) {
            p->due = p->redone;
            foresee(t, j, fmax((double)(t->last_end_ns - rc_clock_ns()) * 1e-9, t->last_s / 2));
        }
        return;
    }
    const rc_effort_t spent = rc_worklist_effort(profile, size, planned.k, cases);
    p->due = rc_worklist_effort(profile, size, planned.k, p->cases[RC_CASE_NOISY]);
    rc_job_spend(j, &spent);
}

/* Each block of the item in turn. */
static rc_status_t do_blocks(bench_t *t, rc_job_t *j)
{
    const rc_sweep_config_t *c = t->w->config;
    rc_status_t st = RC_OK;
    for (int i = j->item->first_block; i < j->item->end_block && st == RC_OK; i++) {
        rc_block_t block;
        rc_worklist_block(c, t->w->profile, i, j->a.cols, &block);
        lend_threads(t, j);
        if (!block.empty)
            st = do_block(t, j, &block);
        spend_block(t, j, i);
        if (st == RC_OK)
            st = rc_job_tell(j, t->err);
    }
    return st;
}

/* What was noisy has another turn. */
static rc_status_t do_noisy(bench_t *t, rc_job_t *j)
{
    int64_t start = rc_clock_ns();
    t->again = 1;
    rc_status_t st = do_blocks(t, j);
    t->again = 0;
    j->again_ns = rc_clock_ns() - start;
    return st;
}

/* It has one when all other cases of its matrix had theirs: the noise may be over. */
static rc_status_t do_job(bench_t *t, rc_job_t *j)
{
    const rc_effort_t load = {{[RC_EFFORT_LOAD] = j->effort_left.s[RC_EFFORT_LOAD]}};
    int64_t start = rc_clock_ns();
    j->touched = 1;
    rc_job_spend(j, &load);
    t->left = 0;
    t->last = j->number;
    rc_status_t st = do_blocks(t, j);
    if (st == RC_OK && t->left > 0)
        st = do_noisy(t, j);
    j->span_ns += rc_clock_ns() - start;
    return st;
}

enum { LAST_SHARE = 10 }; /* of the time so far, the last turn may take one part */

/* The same, of the matrices from `from` on. */
static void foresee_last(bench_t *t, rc_job_t *j, int from, int64_t left_ns)
{
    int64_t again_ns[KEPT];
    for (int i = from; i < t->kept_count; i++) /* those before are gone */
        again_ns[i] = t->last_turn && t->kept[i]->number == t->last ? 0 : t->kept[i]->again_ns;
    const int64_t ns = rc_last_turn_ns(again_ns, from, t->kept_count, left_ns);
    t->last_end_ns = rc_clock_ns() + ns;
    foresee(t, j, (double)ns * 1e-9);
}

/* One that was measured and is noisy still is kept for a last turn, as far as there is room; others
 * are done with. */
static rc_status_t end_job(bench_t *t, rc_job_t *j, rc_status_t st)
{
    const int64_t room = t->w->memory_limit / KEPT;
    const int64_t left_ns = (rc_clock_ns() - t->begin_ns) / LAST_SHARE;
    int64_t bytes = rc_job_bytes(j);
    for (int i = 0; i < t->kept_count; i++)
        bytes += rc_job_bytes(t->kept[i]);
    if (st < 0 || t->left == 0 || j->item->suspect || t->kept_count == KEPT || bytes > room) {
        foresee_last(t, j, 0, left_ns);
        return rc_prepare_done(t->prepare, j, st, t->err);
    }
    t->kept[t->kept_count++] = j;
    foresee_last(t, j, 0, left_ns);
    RC_PASS(rc_job_tell(j, t->err));
    return rc_prepare_keep(t->prepare, j, t->err);
}

/* The last turn, when all matrices had theirs.  None for the one that just had it; the others may
 * take a tenth of the time since the start, the first of them more. */
static rc_status_t end_kept(bench_t *t, rc_status_t st)
{
    int64_t left_ns = (rc_clock_ns() - t->begin_ns) / LAST_SHARE;
    t->last_turn = 1;
    for (int i = 0; i < t->kept_count; i++) {
        rc_job_t *j = t->kept[i];
        foresee_last(t, j, i, left_ns);
        if (st == RC_OK)
            st = rc_job_tell(j, t->err);
        if (st == RC_OK && j->number != t->last && (i == 0 || j->again_ns <= left_ns)) {
            left_ns -= j->again_ns;
            st = do_noisy(t, j);
        }
        foresee_last(t, j, i + 1, left_ns);
        st = rc_prepare_done(t->prepare, j, st, t->err);
    }
    return st;
}

rc_status_t rc_worker_run(rc_worker_t *w, rc_spent_t *spent, rc_err_t *err)
{
    rc_prepare_t *p = NULL;
    bench_t t = {
        .w = w, .spent = spent, .err = err, .phase = RC_PHASE_PREPARE, .begin_ns = rc_clock_ns()};
    memset(spent, 0, sizeof *spent);
    rc_status_t st = rc_prepare_open(w, &p, err);
    t.prepare = p;
    while (st == RC_OK) {
        rc_job_t *j = NULL;
        int64_t start = rc_clock_ns();
        st = rc_prepare_take(p, &j, err);
        spent->waiting_ns += rc_clock_ns() - start;
        if (st < 0 || !j)
            break;
        st = end_job(&t, j, do_job(&t, j));
    }
    st = end_kept(&t, st);
    rc_map_free(&t.noisy);
    rc_prepare_close(p);
    return st;
}

void rc_worker_tell(const rc_worker_t *w, const rc_spent_t *t, int64_t ns)
{
    double all = ns > 0 ? 0.01 * (double)ns : 1;
    static const rc_verify_spent_t none;
    const rc_verify_spent_t *v = w->measure ? rc_measure_verify_spent(w->measure) : &none;
    rc_log(w->log, RC_LOG_DEBUG, "sweep",
        "of %.3f s: measuring %.1f %% (executing %.1f %%; preparing %.1f %%, verifying %.1f %% "
        "(references %.1f %%, first runs %.1f %%, comparing %.1f %%), timing %.1f %%, of these "
        "copies %.1f %%), waiting for a prepared matrix %.1f %%, for the node %.1f %%, journal "
        "%.1f %%; %d preparing with %d threads, at most %d ahead",
        (double)ns * 1e-9, (double)t->busy_ns / all, (double)t->active_ns / all,
        (double)t->phase_ns[RC_PHASE_PREPARE] / all, (double)t->phase_ns[RC_PHASE_VERIFY] / all,
        (double)v->refer_ns / all, (double)v->run_ns / all, (double)v->check_ns / all,
        (double)t->phase_ns[RC_PHASE_TIME] / all, (double)t->copy_ns / all,
        (double)t->waiting_ns / all, (double)t->lock_ns / all, (double)t->journal_ns / all,
        w->preparers, w->threads, w->ahead);
}
