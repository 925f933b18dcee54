#include "config.h"
#include "measure/measure.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "measure/timing.h"
#include "measure/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Defaults.  The median of 7 samples with a deviation of 1 to 2 % meets the target, which most
 * cases do; the budget keeps a case at about 30 ms of timed span, so that a matrix under eleven
 * policies takes a third of a second.  A batch is long beside both the cost of reading the clock
 * (tens of ns) and its resolution. */
void rc_measure_defaults(rc_measure_config_t *cfg)
{
    enum { batch_ns = 20000, batch_ticks = 1000 };
    int64_t ticks_ns = batch_ticks * rc_clock_resolution_ns();
    *cfg = (rc_measure_config_t){
        .target_rel_err = 0.01,
        .budget_ns = 30000000,
        .warmup_ns = 10000000,
        .warmup_runs = 3,
        .min_reps = 7,
        .max_reps = 1000,
        .min_batch_ns = ticks_ns > batch_ns ? ticks_ns : batch_ns,
        .cold = 0,
        .seed = 1,
        .verify_rows = 64,
        .verify_cols = 16,
    };
}

int64_t rc_group_dense_bytes(const rc_csr_t *a, int64_t k, rc_precision_t precision)
{
    int64_t bytes = (int64_t)rc_precision_bytes(precision);
    int64_t rows = a->rows + a->cols; /* each fits 32 bits */
    if (k < 1 || rows == 0)
        return 0;
    return k > INT64_MAX / bytes / rows ? INT64_MAX : k * rows * bytes;
}

void rc_measured_free(rc_measured_t *m)
{
    if (!m)
        return;
    free(m->sample_ns);
    m->sample_ns = NULL;
}

/* A case while it is worked on. */
typedef struct job {
    rc_measured_t *m;
    rc_problem_t problem;
    int64_t bytes; /* that its preparation takes on the device */
    void *state;   /* of the kernel */
    int prepared;
    int tried; /* it was prepared once, or found not to fit */
    rc_timing_t timing;
} job_t;

typedef struct session {
    rc_device_t *d;
    const rc_measure_config_t *cfg;
    const rc_group_t *g;
    const rc_kernel_t *kernel;
    job_t *job;
    int n;
    rc_stop_fn *stop;
    rc_enter_fn *enter;
    void *user;
    rc_reference_t *ref;
    void *b;
    void *c;
    int64_t used; /* bytes of B, C and the preparations that are held */
} session_t;

/* What a launch needs: a kernel's state and the operands. */
typedef struct launch {
    const session_t *s;
    void *state;
} launch_t;

static rc_status_t launch_once(void *launch, rc_err_t *err)
{
    const launch_t *l = launch;
    return l->s->kernel->run(l->state, l->s->b, l->s->c, err);
}

static void end_case(rc_measured_t *m, rc_case_status_t status, rc_phase_t phase, const char *text)
{
    m->status = status;
    m->phase = phase;
    snprintf(m->text, sizeof m->text, "%.*s", (int)sizeof m->text - 1, text);
    for (char *p = m->text; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' ';
}

/* A case failed; does the device still work?  Storing a byte of C tells. */
static rc_status_t fail_case(
    session_t *s, job_t *j, rc_phase_t phase, const rc_err_t *why, rc_err_t *err)
{
    rc_case_status_t status = why->status == RC_EWRONG    ? RC_CASE_WRONG
                              : why->status == RC_ENOTSUP ? RC_CASE_SKIPPED
                                                          : RC_CASE_FAILED;
    end_case(j->m, status, phase, why->text);
    if (why->status != RC_EDEVICE)
        return RC_OK;
    rc_err_t probe = {0};
    if (s->d->fill(s->d, s->c, 0, 1, &probe) == RC_OK)
        return RC_OK;
    return rc_fail(err, RC_EDEVICE, "the device is unusable: %s", probe.text);
}

static void release_job(session_t *s, job_t *j)
{
    if (j->prepared) {
        s->kernel->release(j->state);
        s->used -= j->bytes;
    }
    j->prepared = 0;
    j->state = NULL;
}

static rc_status_t interrupted(const session_t *s, rc_err_t *err)
{
    if (s->stop && s->stop(s->user))
        return rc_fail(err, RC_EINTR, "stopped on request");
    return RC_OK;
}

static void enter(const session_t *s, int index, rc_phase_t phase)
{
    if (s->enter)
        s->enter(s->user, index, phase);
}

/* Poison C, run once, compare. */
static rc_status_t verify(session_t *s, job_t *j, rc_err_t *why)
{
    launch_t l = {s, j->state};
    if (!s->kernel->computes)
        return s->d->time_batch(s->d, launch_once, &l, 1, &j->m->first_ns, why);
    rc_status_t st;
    RC_TRY(rc_reference_poison(s->ref, s->d, j->m->schedule, s->c, why));
    RC_TRY(s->d->time_batch(s->d, launch_once, &l, 1, &j->m->first_ns, why));
    RC_TRY(rc_reference_check(s->ref, s->d, s->c, &j->m->error_max, &j->m->error_rel, why));
done:
    return st;
}

/* Prepare and verify one case; afterwards it is prepared or has its final status. */
static rc_status_t prepare_job(session_t *s, int index, rc_err_t *err)
{
    job_t *j = &s->job[index];
    rc_err_t why = {0};
    j->tried = 1;
    enter(s, index, RC_PHASE_PREPARE);
    int64_t start = rc_clock_ns();
    if (s->kernel->prepare(s->d, &j->problem, &j->state, &why) < 0)
        return fail_case(s, j, RC_PHASE_PREPARE, &why, err);
    j->m->prepare_ns = rc_clock_ns() - start;
    j->prepared = 1;
    s->used += j->bytes;
    if (s->kernel->preprocess) {
        start = rc_clock_ns();
        if (s->kernel->preprocess(j->state, s->b, s->c, &why) < 0) {
            release_job(s, j);
            return fail_case(s, j, RC_PHASE_PREPARE, &why, err);
        }
        j->m->preprocess_ns = rc_clock_ns() - start;
    }
    enter(s, index, RC_PHASE_VERIFY);
    if (verify(s, j, &why) == RC_OK)
        return RC_OK;
    release_job(s, j);
    return fail_case(s, j, RC_PHASE_VERIFY, &why, err);
}

/* ---------------------------------------------------------------- rounds */

static int wants_samples(const job_t *j)
{
    return j->prepared && j->timing.stop == RC_STOP_NONE;
}

static int count_wanting(const session_t *s, int *index)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        if (wants_samples(&s->job[i])) {
            *index = i;
            n++;
        }
    return n;
}

/* A case that fails while it is timed leaves the rounds. */
static rc_status_t fail_timed(session_t *s, job_t *j, const rc_err_t *why, rc_err_t *err)
{
    release_job(s, j);
    return fail_case(s, j, RC_PHASE_TIME, why, err);
}

/* Warm up, then rounds over the prepared cases until each has enough.  In a warm measurement the
 * other cases of the round have pushed a case's data out of the caches that could hold it, so it
 * is launched once untimed before its batch. */
static rc_status_t time_rounds(session_t *s, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int i = 0; i < s->n; i++)
        if (s->job[i].prepared)
            rc_timing_begin(&s->job[i].timing, s->cfg);
    int only = -1;
    int wanting = count_wanting(s, &only);
    if (wanting == 0)
        return RC_OK;
    enter(s, wanting == 1 ? only : -1, RC_PHASE_TIME);
    for (int i = 0; i < s->n; i++) {
        job_t *j = &s->job[i];
        launch_t l = {s, j->state};
        rc_err_t why = {0};
        if (!wants_samples(j))
            continue;
        RC_TRY(interrupted(s, err));
        if (rc_timing_warm_up(&j->timing, s->cfg, s->d, launch_once, &l, &why) < 0)
            RC_TRY(fail_timed(s, j, &why, err));
    }
    while ((wanting = count_wanting(s, &only)) > 0)
        for (int i = 0; i < s->n; i++) {
            job_t *j = &s->job[i];
            launch_t l = {s, j->state};
            rc_err_t why = {0};
            if (!wants_samples(j))
                continue;
            RC_TRY(interrupted(s, err));
            int settle = wanting > 1 && j->m->bytes_min <= s->d->cache_bytes;
            if (rc_timing_sample(&j->timing, s->cfg, s->d, launch_once, &l, settle, &why) < 0)
                RC_TRY(fail_timed(s, j, &why, err));
        }
done:
    return st;
}

/* Store what the timed cases of a set have; on an interruption only those that were done. */
static rc_status_t store_set(session_t *s, rc_err_t *err)
{
    rc_device_state_t state;
    s->d->read_state(s->d, &state);
    for (int i = 0; i < s->n; i++) {
        job_t *j = &s->job[i];
        if (!j->prepared)
            continue;
        if (j->timing.stop == RC_STOP_NONE) {
            if (j->m->status == RC_CASE_PENDING) /* the baseline may be done since an earlier set */
                j->m->stop = RC_STOP_SIGNAL;
            continue;
        }
        rc_status_t st = rc_timing_store(&j->timing, j->m, err);
        if (st < 0)
            return st;
        j->m->state = state;
        end_case(j->m, RC_CASE_OK, RC_PHASE_NONE, "");
    }
    return RC_OK;
}

/* ------------------------------------------------------------------ sets */

static int fits(const session_t *s, const job_t *j)
{
    return j->bytes <= s->g->memory_limit - s->used;
}

/* Skip the cases that can never fit, and those that the kernel does not support. */
static rc_status_t sort_out(session_t *s, rc_err_t *err)
{
    int64_t dense = s->used;
    for (int i = 0; i < s->n; i++) {
        job_t *j = &s->job[i];
        rc_err_t why = {0};
        if (s->kernel->supports(&j->problem, &why) < 0) {
            j->tried = 1;
            rc_status_t st = fail_case(s, j, RC_PHASE_PREPARE, &why, err);
            if (st < 0)
                return st;
            continue;
        }
        j->m->bytes_min = s->kernel->bytes_min(&j->problem);
        j->bytes = s->kernel->bytes_device(&j->problem);
        if (fits(s, j))
            continue;
        char need[32];
        char have[32];
        char both[32];
        rc_text_bytes((double)j->bytes, need, sizeof need);
        rc_text_bytes((double)dense, both, sizeof both);
        rc_text_bytes((double)s->g->memory_limit, have, sizeof have);
        char text[160];
        snprintf(text, sizeof text, "memory: B and C take %s, the matrix %s, the limit is %s", both,
            need, have);
        end_case(j->m, RC_CASE_SKIPPED, RC_PHASE_PREPARE, text);
        j->tried = 1;
    }
    return RC_OK;
}

static int untried(const session_t *s)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        n += !s->job[i].tried;
    return n;
}

/* Sets of cases that fit together, the baseline in each as long as another case fits beside it. */
static rc_status_t all_sets(session_t *s, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    while (untried(s) > 0) {
        int added = 0;
        int ready = 0;
        for (int i = 0; i < s->n; i++) {
            if (s->job[i].tried || !fits(s, &s->job[i]))
                continue;
            RC_TRY(interrupted(s, err));
            added++;
            RC_TRY(prepare_job(s, i, err));
            ready += s->job[i].prepared;
        }
        if (added == 0)
            release_job(s, &s->job[0]);
        if (ready == 0)
            continue;
        st = time_rounds(s, err);
        if (st < 0 && st != RC_EINTR)
            goto done;
        rc_status_t stored = store_set(s, st < 0 ? NULL : err);
        RC_TRY(st < 0 ? st : stored);
        for (int i = 1; i < s->n; i++)
            release_job(s, &s->job[i]);
    }
done:
    return st;
}

/* rc_schedule_is_identity is in a room that this one does not see. */
static int is_identity(const rc_schedule_t *s)
{
    int same = s->slots == s->rows;
    for (int64_t p = 0; same && p < s->slots; p++)
        same = s->row[p] == p;
    return same;
}

static void begin_cases(session_t *s, rc_measured_t *cases)
{
    for (int i = 0; i < s->n; i++) {
        rc_measured_t *m = &cases[i];
        const rc_schedule_t *schedule = m->schedule;
        *m = (rc_measured_t){
            .schedule = schedule,
            .error_max = NAN,
            .error_rel = NAN,
            .rel_err = NAN,
            .k_tile = s->g->k,
            .state = {NAN, NAN, NAN, -1},
        };
        s->job[i].m = m;
        s->job[i].problem = (rc_problem_t){
            .op = RC_OP_SPMM,
            .k = s->g->k,
            .precision = s->g->precision,
            .layout = s->kernel->layout,
            .c_order = s->g->c_order,
            .a = s->g->a,
            .schedule = schedule,
            .geometry = s->g->geometry,
        };
        memcpy(s->job[i].problem.param, s->g->kernel->param, sizeof s->g->kernel->param);
        s->job[i].problem.identity = is_identity(schedule);
        s->job[i].problem.c_rows = s->g->a->rows;
    }
}

static void skip_all(session_t *s, const char *text)
{
    for (int i = 0; i < s->n; i++)
        end_case(s->job[i].m, RC_CASE_SKIPPED, RC_PHASE_PREPARE, text);
}

/* B and C on the device, the reference; or every case is skipped. */
static rc_status_t make_operands(session_t *s, int *skipped, rc_err_t *err)
{
    const rc_csr_t *a = s->g->a;
    size_t bytes = rc_precision_bytes(s->g->precision);
    char text[160];
    char need[32];
    char have[32];
    rc_err_t why = {0};
    *skipped = 1;
    if (s->g->k < 1) {
        skip_all(s, "shape: B has no columns");
        return RC_OK;
    }
    s->used = rc_group_dense_bytes(a, s->g->k, s->g->precision);
    rc_text_bytes((double)s->used, need, sizeof need);
    rc_text_bytes((double)s->g->memory_limit, have, sizeof have);
    if (s->used > s->g->memory_limit) {
        snprintf(text, sizeof text, "memory: B and C take %s, the limit is %s", need, have);
        skip_all(s, text);
        return RC_OK;
    }
    if (s->d->alloc(s->d, (size_t)a->cols * (size_t)s->g->k * bytes, &s->b, &why) < 0 ||
        s->d->alloc(s->d, (size_t)a->rows * (size_t)s->g->k * bytes, &s->c, &why) < 0) {
        snprintf(text, sizeof text, "memory: %.140s", why.text);
        skip_all(s, text);
        return RC_OK;
    }
    *skipped = 0;
    rc_status_t st;
    RC_TRY(rc_reference_new(s->g, s->cfg, s->d->threads, &s->ref, err));
    RC_TRY(rc_reference_fill_b(s->ref, s->d, s->b, err));
    RC_TRY(s->d->fill(s->d, s->c, 0, (size_t)a->rows * (size_t)s->g->k * bytes, err));
done:
    return st;
}

rc_status_t rc_measure_group(rc_device_t *d, const rc_measure_config_t *cfg, const rc_group_t *g,
    rc_measured_t *cases, int n, rc_stop_fn *stop, rc_enter_fn *enter_fn, void *user, rc_err_t *err)
{
    if (n < 1)
        return RC_OK;
    session_t s = {
        .d = d,
        .cfg = cfg,
        .g = g,
        .kernel = g->kernel->kernel,
        .n = n,
        .stop = stop,
        .enter = enter_fn,
        .user = user,
    };
    s.job = rc_alloc0((size_t)n, sizeof *s.job, "the cases of a group", err);
    if (!s.job)
        return RC_ENOMEM;
    begin_cases(&s, cases);
    int skipped;
    rc_status_t st = make_operands(&s, &skipped, err);
    if (st == RC_OK && !skipped)
        st = sort_out(&s, err);
    if (st == RC_OK && !skipped)
        st = all_sets(&s, err);
    for (int i = 0; i < n; i++) {
        release_job(&s, &s.job[i]);
        if (cases[i].status == RC_CASE_OK)
            cases[i].sample_ns = rc_timing_take(&s.job[i].timing);
        rc_timing_free(&s.job[i].timing);
    }
    free(s.job);
    rc_reference_free(s.ref);
    if (s.b)
        d->release(d, s.b);
    if (s.c)
        d->release(d, s.c);
    return st;
}
