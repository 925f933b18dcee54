#include "config.h"
#include "measure/timing.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/stats.h"

#include <stdlib.h>

/* A kernel on an empty matrix takes less than the clock can tell; no batch is larger than this. */
enum { BATCH_MAX = 1 << 20 };

/* The budget of a slow product is stretched up to so many times for so many samples: two have a
 * median, but no error of it. */
enum { REPS_LEAST = 3, BUDGETS_MOST = 100 };

void rc_timing_begin(rc_timing_t *t, const rc_measure_config_t *cfg)
{
    t->set_reps = t->reps;
    t->set_ns = 0;
    t->set_again = t->again;
    t->again_ns = 0;
    int64_t least = cfg->min_reps < cfg->max_reps ? cfg->min_reps : cfg->max_reps;
    t->next_check = t->reps + (least > 1 ? least : 1);
    t->stop = RC_STOP_NONE;
}

/* Products of `best` ns that make a batch. */
static int64_t batch_of(
    const rc_measure_config_t *cfg, const rc_device_t *d, int64_t best, int64_t launches)
{
    int64_t want = cfg->min_batch_ns > 0 ? cfg->min_batch_ns : 0;
    best = best > 0 ? best : 1;
    int64_t batch = want / best + (want % best != 0);
    int64_t most = d->batch_max > 0 ? d->batch_max / launches : BATCH_MAX;
    most = most > BATCH_MAX ? BATCH_MAX : most;
    most = cfg->max_batch > 0 && cfg->max_batch < most ? cfg->max_batch : most;
    batch = batch > most ? most : batch;
    return cfg->cold || batch < 1 ? 1 : batch;
}

rc_status_t rc_timing_warm_up(rc_timing_t *t, const rc_measure_config_t *cfg, rc_device_t *d,
    rc_launch_fn *launch, void *state, int64_t launches, rc_err_t *err)
{
    int64_t spent = 0;
    int64_t best = INT64_MAX;
    int64_t runs = 0;
    do {
        int64_t ns;
        RC_PASS(d->time_batch(d, launch, state, 1, &ns, err));
        best = ns < best ? ns : best;
        spent += ns;
        runs++;
    } while (runs < cfg->warmup_runs && spent < cfg->warmup_ns);
    if (t->reps == 0) /* samples of one case share a batch */
        t->batch = batch_of(cfg, d, best, launches);
    return RC_OK;
}

/* Statistics of the time of one product over all samples. */
static rc_status_t statistics(rc_timing_t *t, rc_stats_t *out, rc_err_t *err)
{
    RC_PASS(RC_GROW(t->scratch, t->scratch_capacity, (size_t)t->reps, "the statistics", err));
    for (int64_t i = 0; i < t->reps; i++)
        t->scratch[i] = (double)t->sample_ns[i] / (double)t->batch;
    rc_stats_compute(t->scratch, t->reps, out);
    return RC_OK;
}

/* Asking takes some us a thread, too long beside short batches.  They do not need it either: what
 * has others on its CPU waits for whole milliseconds. */
static int is_watched(const rc_timing_t *t)
{
    const int64_t least_ns = 1000000;
    return t->watched < RC_TIMING_WATCHED &&
           (t->reps == 0 || t->sample_ns[t->reps - 1] >= least_ns);
}

/* A batch waited no longer than it took. */
static void note_waited(rc_timing_t *t, int64_t waited_ns, int64_t ns)
{
    t->watched_ns[t->watched] = (double)ns;
    t->ran_ns[t->watched++] = waited_ns < ns ? (double)(ns - waited_ns) : 0;
}

static double lost(const rc_timing_t *t)
{
    int64_t all = 0;
    for (int64_t i = 0; i < t->reps; i++)
        all += t->sample_ns[i];
    return all > 0 ? t->lost_ns / (double)all : 0;
}

/* By which share the median would be shorter without waiting; 0: most batches were not watched. */
static double waited(rc_timing_t *t)
{
    rc_stats_t took;
    rc_stats_t ran;
    if (2 * (int64_t)t->watched <= t->reps)
        return 0;
    rc_stats_compute(t->watched_ns, t->watched, &took);
    rc_stats_compute(t->ran_ns, t->watched, &ran);
    return took.median > 0 ? 1 - ran.median / took.median : 0;
}

/* Whether a batch is to be timed again: with others on a core it says what they did.  The budget
 * does not know what flushing the caches takes, so that the count has a bound as well.  A long one
 * that is kept all the same lost as much as the looks at both its ends say together: the larger one
 * alone would say half of a core where others have it for a third of the time. */
static int is_again(
    rc_timing_t *t, const rc_measure_config_t *cfg, double before, double after, int64_t ns)
{
    enum { budgets = 4 };
    const double lost_most = 0.05;
    const double lost = before > after ? before : after;
    if (lost <= lost_most)
        return 0;
    if (t->again_ns / budgets >= cfg->budget_ns ||
        (t->again - t->set_again) / budgets >= cfg->max_reps) {
        t->lost_ns += (before + after) / 2 * (double)ns;
        return 0;
    }
    t->again++;
    t->again_ns += ns;
    return 1;
}

rc_status_t rc_timing_sample(rc_timing_t *t, const rc_measure_config_t *cfg, rc_device_t *d,
    rc_launch_fn *launch, void *state, int settle, rc_err_t *err)
{
    int64_t ns;
    rc_status_t st = RC_GROW(t->sample_ns, t->capacity, (size_t)t->reps + 1, "samples", err);
    if (st == RC_OK && cfg->cold)
        st = d->flush(d, err);
    else if (st == RC_OK && settle)
        st = launch(state, err); /* a GPU need not even be waited for */
    const int watched = is_watched(t);
    const double before = st == RC_OK ? d->lost(d, 0) : 0;
    if (st == RC_OK && watched)
        (void)d->waited(d, 1);
    if (st == RC_OK)
        st = d->time_batch(d, launch, state, t->batch, &ns, err);
    if (st < 0)
        return st;
    const int64_t waited_ns = watched ? d->waited(d, 0) : 0;
    if (is_again(t, cfg, before, d->lost(d, 1), ns))
        return RC_OK;
    if (watched)
        note_waited(t, waited_ns, ns);
    t->sample_ns[t->reps++] = ns;
    t->set_ns += ns;
    if (t->reps >= t->next_check) {
        rc_stats_t s;
        RC_PASS(statistics(t, &s, err));
        if (s.rel_err <= cfg->target_rel_err) /* false for NaN */
            t->stop = RC_STOP_TARGET;
        /* sorting after every sample would cost more than short samples themselves */
        enum { growth = 8 };
        t->next_check += 1 + t->reps / growth;
    }
    int64_t reps = t->reps - t->set_reps;
    if (t->stop == RC_STOP_NONE && t->set_ns >= cfg->budget_ns &&
        (reps >= REPS_LEAST || t->set_ns / BUDGETS_MOST >= cfg->budget_ns))
        t->stop = RC_STOP_TIME;
    if (t->stop == RC_STOP_NONE && reps >= cfg->max_reps)
        t->stop = RC_STOP_COUNT;
    return RC_OK;
}

rc_status_t rc_timing_store(rc_timing_t *t, rc_measured_t *m, rc_err_t *err)
{
    rc_stats_t s;
    RC_PASS(statistics(t, &s, err));
    m->median_ns = s.median;
    m->min_ns = s.min;
    m->mean_ns = s.mean;
    m->sd_ns = s.sd;
    m->rel_err = s.rel_err;
    m->waited = waited(t);
    m->lost = lost(t);
    m->again = t->again;
    m->reps = t->reps;
    m->batch = t->batch;
    m->stop = t->stop;
    return RC_OK;
}

int64_t *rc_timing_take(rc_timing_t *t)
{
    int64_t *samples = t->sample_ns;
    t->sample_ns = NULL;
    t->capacity = 0;
    t->reps = 0;
    return samples;
}

void rc_timing_free(rc_timing_t *t)
{
    free(t->sample_ns);
    free(t->scratch);
    *t = (rc_timing_t){0};
}
