/* The race of a plan's candidates: as few runs of each as tell it apart from the best. */
#include "config.h"
#include "base/error.h"
#include "kernels/vendor/vendor.h"
#include "plan/tune.h"

#include <math.h>

/* Batches of the first candidate, and of one that is near the best. */
enum { RACE_FIRST = 7, RACE_MOST = 18 };

/* How much slower than the best is far behind; and where single products take long. */
static const double race_clear = 1.5, race_long_clear = 1.2;

/* 1: whatever its first run takes is no time of it: it may be the first one of its library. */
static int is_new(const rc_tuning_t *t, int i)
{
    return rc_tuning_is_first(t, i) || rc_vendor_is_dense(t->entry->candidate[i].kernel);
}

/* One batch that counts. */
static rc_status_t race_batch(rc_tuning_t *t, int i, const rc_plan_trial_t *trial, rc_err_t *err)
{
    int64_t ns = 0;
    rc_plan_timing_t *timing = &t->entry->timing[i];
    RC_PASS(rc_plan_trial_batch(t->plan, &t->scratch, trial, timing->batch, &ns, err));
    rc_plan_timing_few(timing, ns, &t->entry->candidate[i]);
    return RC_OK;
}

/* A run; one that takes more than so long is done again where it may have been put off.
 * \param[out] ns  the shortest of them */
static rc_status_t race_once(
    rc_tuning_t *t, const rc_plan_trial_t *trial, double most, int64_t *ns, rc_err_t *err)
{
    const int again = t->plan->place.unsteady ? 2 : 0;
    int64_t one = 0;
    RC_PASS(rc_plan_trial_batch(t->plan, &t->scratch, trial, 1, ns, err));
    for (int i = 0; i < again && (double)*ns > most; i++) {
        RC_PASS(rc_plan_trial_batch(t->plan, &t->scratch, trial, 1, &one, err));
        *ns = one < *ns ? one : *ns;
    }
    return RC_OK;
}

/* A run that says how long a batch is; where that is one, it counts.  What is far behind is not run
 * again.  \param[in] best  ns of a product that it is held against */
static rc_status_t race_warm(
    rc_tuning_t *t, int i, const rc_plan_trial_t *trial, double best, rc_err_t *err)
{
    const double clock = 3000; /* ns that timing a single run may add */
    rc_plan_timing_t *timing = &t->entry->timing[i];
    int64_t ns = 0;
    RC_PASS(race_once(t, trial, race_clear * best + clock, &ns, err));
    int64_t batch = rc_plan_batch_of(ns, t->plan->place.unsteady ? 300000 : 30000);
    if (batch > 1 && (double)ns <= race_clear * best + clock) {
        timing->batch = batch;
        return race_batch(t, i, trial, err);
    }
    rc_plan_timing_few(timing, ns, &t->entry->candidate[i]);
    return RC_OK;
}

/* A cold run, and a warm one unless the cold one is hopeless.  The warm one of a slow first
 * candidate waits until another one was timed: two runs that lie apart tell more. */
static rc_status_t race_start(rc_tuning_t *t, int i, const rc_plan_trial_t *trial, rc_err_t *err)
{
    const double hopeless = 4;   /* times the best, and ... */
    const double loading = 25e6; /* ... ns that the first run of a kernel may take to load it */
    const double slow_ns = 2e6;
    rc_plan_timing_t *timing = &t->entry->timing[i];
    double best = t->best < 0 || t->reuse > 0 ? INFINITY : t->entry->candidate[t->best].time_ns;
    int64_t ns = 0;
    timing->batch = 1;
    RC_PASS(rc_plan_trial_batch(t->plan, &t->scratch, trial, 1, &ns, err));
    timing->cold =
        t->best < 0 && t->reuse <= 0 && (double)ns > slow_ns && !t->plan->place.unsteady;
    timing->cold_ns = timing->cold ? (double)ns : 0;
    if (!timing->cold && ((double)ns <= hopeless * best + loading || is_new(t, i)))
        return race_warm(t, i, trial, best, err);
    rc_plan_timing_few(timing, ns, &t->entry->candidate[i]);
    return RC_OK;
}

/* The best, if it was run cold only, is run warm, and its cold run counts no more. */
rc_status_t rc_tuning_warm_best(rc_tuning_t *t, rc_err_t *err)
{
    rc_plan_timing_t *of = t->best < 0 ? NULL : &t->entry->timing[t->best];
    if (!of || !of->cold)
        return RC_OK;
    of->cold = of->samples = 0;
    RC_PASS(race_warm(t, t->best, &t->entry->trial, INFINITY, err));
    while (!rc_tuning_is_long(t, t->best) && of->samples < RC_TUNING_FEW)
        RC_PASS(race_batch(t, t->best, &t->entry->trial, err));
    return RC_OK;
}

/* 1: it is not known yet whether a candidate is the better one. */
static int is_open(const rc_tuning_t *t, int i)
{
    const rc_plan_timing_t *timing = &t->entry->timing[i];
    const int takes_long = rc_tuning_is_long(t, i);
    const double small = takes_long ? 0.04 : 0.01; /* a gain that is not worth a batch */
    if (t->entry->candidate[i].status != RC_OK || timing->samples >= RACE_MOST ||
        rc_tuning_is_over(t, i))
        return 0;
    if (t->best < 0)
        return timing->samples < (takes_long ? 1 : RC_TUNING_FEW) ||
               (timing->rel_err > small && timing->samples < RACE_FIRST);
    double best = rc_tuning_cost(t, t->best);
    double gain = best - rc_tuning_cost(t, i);
    double off = rc_tuning_margin(t, i) + rc_tuning_margin(t, t->best);
    if (gain < (1 - (takes_long ? race_long_clear : race_clear)) * best)
        return 0;
    return timing->samples < RC_TUNING_FEW || (fabs(gain) <= off && gain + off > small * best);
}

/* Some batches of one, after one that brings what it reads into the caches, where that matters. */
static rc_status_t race_turn(
    rc_tuning_t *t, int i, const rc_plan_trial_t *trial, int batches, rc_err_t *err)
{
    const double beyond = 1e6; /* ns of a batch that reads more than caches hold */
    const rc_plan_timing_t *timing = &t->entry->timing[i];
    int64_t ns = 0;
    if ((double)timing->batch * t->entry->candidate[i].time_ns < beyond)
        RC_PASS(rc_plan_trial_batch(t->plan, &t->scratch, trial, 1, &ns, err));
    for (int n = 0; n < batches && timing->samples < RC_PLAN_SAMPLES; n++)
        RC_PASS(race_batch(t, i, trial, err));
    return RC_OK;
}

/* 1: two runs of it took as long, of which the cold one may be one. */
static int is_repeated(const rc_plan_timing_t *of)
{
    const double apart = 1.1;
    double other = of->samples > 1 ? of->ns[of->samples - 1] : of->cold_ns;
    return other > 0 && other < apart * of->ns[0] && of->ns[0] < apart * other;
}

/* Where a candidate seems better than what has so few samples that it may just have been put off,
 * that is timed again: where it seems much better until two runs agree, else until it has a few. */
static rc_status_t doubt_best(rc_tuning_t *t, int i, rc_err_t *err)
{
    const double much = 2.5;
    const rc_plan_timing_t *of = t->best < 0 ? NULL : &t->entry->timing[t->best];
    RC_PASS(rc_tuning_warm_best(t, err));
    while (of && rc_tuning_cost(t, i) < rc_tuning_cost(t, t->best) &&
           rc_tuning_is_long(t, t->best) && of->samples < RC_TUNING_FEW &&
           !rc_tuning_is_over(t, i)) {
        const int by_much = rc_tuning_cost(t, t->best) > much * rc_tuning_cost(t, i);
        if (by_much && is_repeated(of))
            break;
        RC_PASS(race_turn(
            t, t->best, &t->entry->trial, by_much ? 1 : RC_TUNING_FEW - of->samples, err));
    }
    return RC_OK;
}

/* Against the best: as few batches as tell them apart, first of its own, then in turns. */
rc_status_t rc_tuning_race(rc_tuning_t *t, int i, const rc_plan_trial_t *trial, rc_err_t *err)
{
    const rc_plan_timing_t *timing = &t->entry->timing[i];
    rc_err_t why = {0};
    rc_status_t st = race_start(t, i, trial, &why);
    while (st == RC_OK && (st = doubt_best(t, i, &why)) == RC_OK && is_open(t, i)) {
        int turns = t->best >= 0 && timing->samples >= RC_TUNING_FEW;
        if (turns && t->entry->timing[t->best].samples < RC_PLAN_SAMPLES)
            st = race_turn(t, t->best, &t->entry->trial, RC_TUNING_FEW, &why);
        if (st == RC_OK && turns)
            st = race_turn(t, i, trial, RC_TUNING_FEW, &why);
        else if (st == RC_OK)
            st = race_batch(t, i, trial, &why);
    }
    return rc_tuning_settle(&t->entry->candidate[i], st, &why, err);
}
