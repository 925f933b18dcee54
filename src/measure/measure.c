#include "config.h"
#include "measure/measure.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "measure/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Defaults.  The median of 7 samples with a deviation of 1 to 2 % meets the target, which most
 * cases do.  A batch is long beside both the cost of reading the clock and its resolution: tens of
 * ns on a CPU, about a us between two events of a GPU.  On a CPU the budget keeps a case at about
 * 30 ms of timed span, so that a matrix under eleven policies takes a third of a second.  On a GPU
 * the number of batches keeps a kernel of microseconds at 4 ms, and the budget one of 10 ms at 15
 * runs; there is no more to warm up than the code and the caches. */
void rc_measure_defaults(rc_measure_config_t *cfg, rc_device_kind_t kind)
{
    enum { cpu_batch_ns = 20000, cpu_batch_ticks = 1000, gpu_batch_ns = 100000 };
    int gpu = kind == RC_DEVICE_CUDA;
    int64_t ticks_ns = cpu_batch_ticks * rc_clock_resolution_ns();
    *cfg = (rc_measure_config_t){
        .target_rel_err = 0.01,
        .budget_ns = gpu ? 150000000 : 30000000,
        .warmup_ns = gpu ? 20000000 : 10000000,
        .warmup_runs = 3,
        .min_reps = 7,
        .max_reps = gpu ? 40 : 1000,
        .min_batch_ns = gpu                       ? gpu_batch_ns
                        : ticks_ns > cpu_batch_ns ? ticks_ns
                                                  : cpu_batch_ns,
        .cold = 0,
        .seed = 1,
        .verify_rows = 64,
        .verify_cols = 16,
    };
}

void rc_measured_free(rc_measured_t *m)
{
    if (!m)
        return;
    free(m->sample_ns);
    m->sample_ns = NULL;
}

/* That of one batch is not known, and stays so. */
static double larger(double error, double other)
{
    return other > error ? other : error;
}

double rc_measured_error(const rc_measure_config_t *cfg, const rc_measured_t *m)
{
    const double first = (double)m->first_ns;
    double error = larger(larger(m->rel_err, m->waited), m->lost);
    if (m->reps >= cfg->min_reps)
        return error;
    error = larger(error, m->sd_ns / (sqrt((double)m->reps) * m->median_ns));
    /* cold code and data are never so much faster, but for caches that are flushed */
    const int faster = !cfg->cold && first > 0 && first < m->median_ns / 2;
    return faster ? larger(error, 1 - first / m->median_ns) : error;
}

static rc_status_t interrupted(const rc_measuring_t *s, rc_err_t *err)
{
    if (s->stop && s->stop(s->user))
        return rc_fail(err, RC_EINTR, "stopped on request");
    return RC_OK;
}

/* ---------------------------------------------------------------- rounds */

static int wants_samples(const rc_trial_t *j)
{
    return j->prepared && j->timing.stop == RC_STOP_NONE;
}

static int count_wanting(const rc_measuring_t *s, int *index)
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
static rc_status_t fail_timed(rc_measuring_t *s, rc_trial_t *j, const rc_err_t *why, rc_err_t *err)
{
    rc_trial_release(s, j);
    return rc_trial_fail(s, j, RC_PHASE_TIME, why, err);
}

/* Warm up, then rounds over the prepared cases until each has enough.  In a warm measurement the
 * other cases of the round have pushed a case's data out of the caches that could hold it, so it
 * is launched once untimed before its batch. */
static rc_status_t time_rounds(rc_measuring_t *s, rc_err_t *err)
{
    for (int i = 0; i < s->n; i++)
        if (s->job[i].prepared)
            rc_timing_begin(&s->job[i].timing, s->cfg);
    int last = -1; /* that ran */
    int only = -1;
    int wanting = count_wanting(s, &only);
    if (wanting == 0)
        return RC_OK;
    if (s->enter)
        s->enter(s->user, wanting == 1 ? only : -1, RC_PHASE_TIME);
    s->d->watch(s->d, 1);
    for (int i = 0; i < s->n; i++) {
        rc_trial_t *j = &s->job[i];
        rc_err_t why = {0};
        if (!wants_samples(j))
            continue;
        RC_PASS(interrupted(s, err));
        j->launch = (rc_launch_t){s, j, -1};
        if (rc_timing_warm_up(
                &j->timing, s->cfg, s->d, rc_trial_launch, &j->launch, s->tiling.count, &why) < 0)
            RC_PASS(fail_timed(s, j, &why, err));
        last = i;
    }
    while (count_wanting(s, &only) > 0)
        for (int i = 0; i < s->n; i++) {
            rc_trial_t *j = &s->job[i];
            rc_err_t why = {0};
            if (!wants_samples(j))
                continue;
            RC_PASS(interrupted(s, err));
            s->d->watch(s->d, 0);
            int settle = last != i && j->m->bytes_min <= s->d->cache_bytes;
            if (rc_timing_sample(
                    &j->timing, s->cfg, s->d, rc_trial_launch, &j->launch, settle, &why) < 0)
                RC_PASS(fail_timed(s, j, &why, err));
            last = i;
        }
    return RC_OK;
}

/* Store what the timed cases of a set have; on an interruption only those that were done. */
static rc_status_t store_set(rc_measuring_t *s, rc_err_t *err)
{
    rc_device_state_t state;
    s->d->read_state(s->d, &state);
    for (int i = 0; i < s->n; i++) {
        rc_trial_t *j = &s->job[i];
        if (!j->prepared)
            continue;
        if (j->timing.stop == RC_STOP_NONE) {
            if (j->m->status == RC_CASE_PENDING) /* the baseline may be done since an earlier set */
                j->m->stop = RC_STOP_SIGNAL;
            continue;
        }
        RC_PASS(rc_timing_store(&j->timing, j->m, err));
        j->m->state = state;
        rc_trial_end(j->m, RC_CASE_OK, RC_PHASE_NONE, "");
    }
    return RC_OK;
}

/* ------------------------------------------------------------------ sets */

static int fits(const rc_measuring_t *s, const rc_trial_t *j)
{
    return j->bytes <= s->g->memory_limit - s->used;
}

static int untried(const rc_measuring_t *s)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        n += !s->job[i].tried;
    return n;
}

/* Prepare the cases that fit together and verify their first tile, then the other tiles of all:
 * B and its reference are made once per tile.
 * \param[out] added  cases that were tried */
static rc_status_t begin_set(rc_measuring_t *s, int *added, rc_err_t *err)
{
    *added = 0;
    for (int i = 0; i < s->n; i++) {
        if (s->job[i].tried || !fits(s, &s->job[i]))
            continue;
        RC_PASS(interrupted(s, err));
        ++*added;
        RC_PASS(rc_trial_prepare(s, i, err));
        if (s->job[i].prepared)
            RC_PASS(rc_trial_verify(s, i, 0, err));
    }
    for (int64_t tile = 1; tile < s->tiling.count; tile++)
        for (int i = 0; i < s->n; i++) {
            if (!s->job[i].prepared || s->job[i].verified)
                continue;
            RC_PASS(interrupted(s, err));
            RC_PASS(rc_trial_verify(s, i, tile, err));
        }
    return RC_OK;
}

/* Sets of cases that fit together, the baseline in each as long as another case fits beside it. */
static rc_status_t all_sets(rc_measuring_t *s, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    while (untried(s) > 0) {
        int added;
        int ready = 0;
        RC_TRY(begin_set(s, &added, err));
        if (added == 0) { /* the baseline is in the way */
            rc_trial_release(s, &s->job[0]);
            continue;
        }
        for (int i = 0; i < s->n; i++)
            ready += s->job[i].prepared && s->job[i].timing.reps == 0;
        if (ready == 0)
            continue;
        st = time_rounds(s, err);
        /* what has its samples is a result, whatever became of the device since */
        if (st < 0 && st != RC_EINTR && st != RC_EDEVICE)
            goto done;
        rc_status_t stored = store_set(s, st < 0 ? NULL : err);
        RC_TRY(st < 0 ? st : stored);
        for (int i = 1; i < s->n; i++)
            rc_trial_release(s, &s->job[i]);
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

/* \param[in] resident  the matrix of the group on the device, or NULL */
static void begin_cases(rc_measuring_t *s, rc_measured_t *cases, const rc_resident_t *resident)
{
    for (int i = 0; i < s->n; i++) {
        rc_measured_t *m = &cases[i];
        const rc_schedule_t *schedule = m->schedule;
        const rc_csr_t *a = m->a;
        const double *parts = m->parts;
        *m = (rc_measured_t){
            .schedule = schedule,
            .a = a,
            .parts = parts,
            .error_max = NAN,
            .error_rel = NAN,
            .rel_err = NAN,
            .k_tile = s->g->k,
            .device_bytes = -1,
            .fill = NAN,
            .pointer_bytes = -1,
            .state = rc_device_state_unknown(),
        };
        rc_problem_t p = {
            .k = s->g->k,
            .precision = s->g->precision,
            .c_order = schedule->cols > 0 ? RC_C_SYMMETRIC : s->g->c_order,
            .a = a ? a : s->g->a,
            .val = rc_type(s->g->precision)->parts == 1 ? NULL
                   : a                                  ? parts
                                                        : s->g->parts,
            .val_type = RC_HOST_COMPLEX,
            .resident = a && a != s->g->a ? NULL : resident,
            .schedule = schedule,
            .identity = is_identity(schedule),
            .geometry = s->g->geometry,
        };
        memcpy(p.param, s->g->kernel->param, sizeof p.param);
        p.text = s->g->kernel->text;
        p.named = s->g->kernel->params;
        if (p.identity) /* slot p is row p: the baseline pays for neither */
            p.c_order = RC_C_ORIGINAL;
        p.c_rows =
            p.c_order == RC_C_ORIGINAL ? rc_shape_rows(&s->op->out, s->g->a) : schedule->slots;
        s->job[i].m = m;
        s->job[i].problem[RC_WIDE] = s->job[i].problem[RC_LAST] = p;
    }
}

static void skip_untried(rc_measuring_t *s, const char *text)
{
    for (int i = 0; i < s->n; i++)
        if (!s->job[i].tried) {
            s->job[i].tried = 1;
            rc_trial_end(s->job[i].m, RC_CASE_SKIPPED, RC_PHASE_PREPARE, text);
        }
}

static int lacks_memory(const rc_measuring_t *s)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        n += s->job[i].tried && rc_memory_needed(s->job[i].m->text) >= 0;
    return n > 0;
}

/* As rc_measuring_fit; a case that does not fit beside the matrix on the device is built on the
 * host, with all of its group. */
static rc_status_t fit(rc_measuring_t *s, rc_err_t *err)
{
    rc_status_t st = rc_measuring_fit(s, err);
    if (st < 0 || s->inside == 0 || !lacks_memory(s))
        return st;
    (void)rc_operands_resident_drop(s->ctx);
    s->within.memory_limit += s->inside;
    s->inside = 0;
    for (int i = 0; i < s->n; i++)
        s->job[i].tried = 0;
    begin_cases(s, s->job[0].m, NULL);
    return rc_measuring_fit(s, err);
}

/* Decide on tiles, have the operands on the device; or every case has its final status. */
static rc_status_t make_operands(rc_measuring_t *s, rc_err_t *err)
{
    rc_err_t why = {0};
    if (s->g->k < 1) {
        skip_untried(s, "shape: the operands have no columns");
        return RC_OK;
    }
    rc_status_t st = fit(s, err);
    if (st < 0 || untried(s) == 0)
        return st;
    st = rc_operands_begin(
        s->ctx, s->g, s->cfg, &s->tiling, s->c_rows, rc_measuring_wanted(s), &why);
    if (st == RC_EDEVICE) /* not for want of memory: the next matrix would fare no better */
        return rc_fail(err, st, "the device is unusable: %s", why.text);
    if (st < 0) {
        char text[160];
        snprintf(text, sizeof text, "memory: %.140s", why.text);
        skip_untried(s, text);
        return RC_OK;
    }
    s->used = rc_operands_held(s->ctx);
    RC_TRY(rc_operands_fill(s->ctx, 0, err));
    /* what a kernel that computes finds in the output is the poison */
    if (!s->kernel->computes)
        RC_TRY(s->d->executor.fill(&s->d->executor, s->ctx->buffer[RC_BUFFER_OUT].data, 0,
            (size_t)s->ctx->buffer[RC_BUFFER_OUT].bytes, err));
done:
    return st;
}

rc_status_t rc_measure_group(rc_measure_context_t *ctx, const rc_measure_config_t *cfg,
    const rc_group_t *g, rc_measured_t *cases, int n, rc_stop_fn *stop, rc_enter_fn *enter,
    void *user, rc_err_t *err)
{
    if (n < 1)
        return RC_OK;
    rc_measuring_t s = {
        .ctx = ctx,
        .d = ctx->d,
        .cfg = cfg,
        .g = &s.within,
        .within = *g,
        .kernel = g->kernel->kernel,
        .op = rc_operation_of(g->kernel->kernel->op),
        .n = n,
        .stop = stop,
        .enter = enter,
        .user = user,
    };
    RC_PASS(RC_NEW0(s.job, n, "the cases of a group", err));
    const rc_resident_t *resident = rc_operands_resident(ctx, g, &s.inside);
    s.within.memory_limit -= s.inside;
    begin_cases(&s, cases, resident);
    rc_status_t st = make_operands(&s, err);
    if (st == RC_OK)
        st = all_sets(&s, err);
    for (int i = 0; i < n; i++) {
        rc_trial_release(&s, &s.job[i]);
        if (cases[i].status == RC_CASE_OK)
            cases[i].sample_ns = rc_timing_take(&s.job[i].timing);
        rc_timing_free(&s.job[i].timing);
    }
    free(s.job);
    rc_operands_end(ctx);
    return st;
}
