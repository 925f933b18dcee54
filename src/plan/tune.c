/* Choosing among candidates: by their times on the matrix itself, or the first that can. */
#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "kernels/vendor/vendor.h"
#include "plan/plan_private.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* While candidates are tried. */
typedef struct tuning {
    rc_plan_t *plan;
    const rc_plan_options_t *options;
    rc_plan_entry_t *entry;
    rc_plan_scratch_t scratch;
    int64_t dense_bytes;
    int64_t start_ns;
    int timed;
    int ours; /* of those timed: not the vendor's, and not the reference */
    int best; /* index of the one that entry->trial has prepared; -1: none yet */
} tuning_t;

/* ns that a candidate takes in total, by what is known of it; the reference needs no order. */
static double cost_of(const tuning_t *t, int i)
{
    const rc_plan_candidate_t *c = &t->entry->candidate[i];
    double product = isnan(c->time_ns) ? c->predicted_ns : c->time_ns;
    double setup = isnan(c->prepare_ns) ? c->predicted_setup_ns : c->order_ns + c->prepare_ns;
    return t->options->reuse > 0 ? setup + t->options->reuse * product : product;
}

/* What that may be off by: two standard errors. */
static double margin_of(const tuning_t *t, int i)
{
    const rc_plan_timing_t *timing = &t->entry->timing[i];
    double off = timing->batch > 0 ? 2 * timing->rel_err * t->entry->candidate[i].time_ns : 0;
    return off * (t->options->reuse > 0 ? t->options->reuse : 1);
}

/* 1: a candidate is better than the best by more than both may be off: a plan is not chosen inside
 * its error, and who was tried before stays. */
static int is_better(const tuning_t *t, int i)
{
    return t->best < 0 ||
           cost_of(t, i) + margin_of(t, i) < cost_of(t, t->best) - margin_of(t, t->best);
}

static int64_t now(const rc_plan_place_t *place)
{
    return place->now ? place->now(place->user) : rc_clock_ns();
}

/* ns that timing candidates may take. */
static int64_t most_ns(const tuning_t *t)
{
    const int64_t usual = 2000000000;
    return t->options->tune_ns > 0 ? t->options->tune_ns : usual;
}

/* When more batches than the first ones end, of one that takes long. */
static int64_t until(const tuning_t *t)
{
    enum { part = 8 };
    return now(&t->plan->place) + most_ns(t) / part;
}

/* 1: timing a candidate would cost more than it may; none does while none was timed.  The first
 * of ours may cost more: with no time of it the reference would be kept, whose own time may be
 * more than the usual share. */
static int is_over(const tuning_t *t, int i)
{
    int first = t->ours == 0 && !rc_vendor_is(t->entry->candidate[i].kernel);
    double share = first ? 0.20 : 0.05; /* of what the products will take */
    int64_t spent = now(&t->plan->place) - t->start_ns;
    if (t->best < 0)
        return 0;
    if (spent > most_ns(t))
        return 1;
    return t->options->reuse > 0 &&
           (double)spent > share * t->options->reuse * t->entry->candidate[t->best].time_ns;
}

/* Bytes that stay while a candidate is tried. */
static int64_t kept_bytes(const tuning_t *t)
{
    int64_t kept = t->scratch.held ? t->dense_bytes : 0;
    for (const rc_plan_entry_t *e = t->plan->entry; e < t->entry; e++)
        kept = rc_sat_add(kept, e->candidate[e->part.chosen].bytes);
    return t->best < 0 ? kept : rc_sat_add(kept, t->entry->candidate[t->best].bytes);
}

/* A few batches more of a candidate; that it cannot run becomes its status. */
static rc_status_t time_more(tuning_t *t, int i, const rc_plan_trial_t *trial, rc_err_t *err)
{
    rc_err_t why = {0};
    rc_plan_candidate_t *c = &t->entry->candidate[i];
    rc_status_t st = rc_plan_trial_time(t->plan, &t->scratch, c, trial, &t->entry->timing[i], &why);
    if (st != RC_ENOTSUP)
        return st < 0 ? rc_fail(err, st, "%s", why.text) : st;
    c->status = st;
    (void)snprintf(c->text, sizeof c->text, "%.*s", (int)sizeof c->text - 1, why.text);
    return RC_OK;
}

/* Until its error is small beside usual gains. */
static rc_status_t time_one(tuning_t *t, int i, const rc_plan_trial_t *trial, rc_err_t *err)
{
    const double small = 0.01;
    const rc_plan_timing_t *timing = &t->entry->timing[i];
    int64_t end = until(t);
    rc_status_t st;
    t->timed++;
    do
        st = time_more(t, i, trial, err);
    while (st == RC_OK && t->entry->candidate[i].status == RC_OK && timing->rel_err > small &&
           timing->samples < RC_PLAN_SAMPLES && now(&t->plan->place) < end && !is_over(t, i));
    return st;
}

/* A candidate becomes the best. */
static void take(tuning_t *t, int i, const rc_plan_trial_t *trial)
{
    rc_plan_trial_free(&t->entry->trial);
    t->entry->trial = *trial;
    t->entry->trial.problem.text = t->entry->trial.spec.text; /* which has moved */
    t->entry->trial.problem.named = t->entry->trial.spec.params;
    t->best = i;
}

/* Prepare a candidate and, when wanted, time it; it becomes the best, or is released. */
static rc_status_t try_one(tuning_t *t, int i, int timing, rc_err_t *err)
{
    rc_plan_candidate_t *c = &t->entry->candidate[i];
    rc_plan_trial_t trial = {0};
    const rc_plan_try_t what = {
        .k = t->entry->part.k, .kept = kept_bytes(t), .scratch = &t->scratch, .candidate = c};
    rc_status_t st = rc_plan_trial_prepare(t->plan, &what, &trial, err);
    if (st < 0 || !trial.state)
        return st;
    if (timing)
        st = time_one(t, i, &trial, err);
    if (st == RC_OK && c->status == RC_OK && is_better(t, i))
        take(t, i, &trial);
    else
        rc_plan_trial_free(&trial);
    return st;
}

/* The reference was timed some time before the best, and what disturbs the machine comes and goes:
 * where the batches of either disagree, both are timed anew, in turns. */
static rc_status_t confirm(tuning_t *t, rc_err_t *err)
{
    const double small = 0.02;
    int first = t->entry->part.reference;
    rc_plan_timing_t *timing = t->entry->timing;
    rc_plan_candidate_t c = t->entry->candidate[first]; /* it may not fit beside the best */
    rc_plan_trial_t trial = {0};
    const rc_plan_try_t what = {
        .k = t->entry->part.k, .kept = kept_bytes(t), .scratch = &t->scratch, .candidate = &c};
    if (t->best < 0 || t->best == first || timing[first].batch == 0 ||
        (timing[first].rel_err <= small && timing[t->best].rel_err <= small))
        return RC_OK;
    rc_status_t st = rc_plan_trial_prepare(t->plan, &what, &trial, err);
    if (st < 0 || !trial.state)
        return st;
    int64_t end = until(t);
    timing[first].samples = timing[t->best].samples = 0;
    do {
        st = time_more(t, first, &trial, err);
        if (st == RC_OK)
            st = time_more(t, t->best, &t->entry->trial, err);
    } while (st == RC_OK && timing[first].samples < RC_PLAN_SAMPLES && now(&t->plan->place) < end);
    if (st == RC_OK && t->entry->candidate[first].status == RC_OK &&
        cost_of(t, t->best) + margin_of(t, t->best) >= cost_of(t, first) - margin_of(t, first))
        take(t, first, &trial);
    else
        rc_plan_trial_free(&trial);
    return st;
}

/* Operands for timing, when the memory allows them and something beside; what fits there is
 * looked at for each candidate.  \return 1: they are there */
static int have_operands(tuning_t *t)
{
    rc_err_t why = {0};
    int64_t limit = t->options->memory;
    if (t->options->tune < 1 || (limit > 0 && t->dense_bytes >= limit))
        return 0;
    return rc_plan_scratch_new(t->plan, t->entry->part.k, &t->scratch, &why) == RC_OK;
}

/* Candidates from one to before another, as many as may be timed; the reference was. */
static rc_status_t time_some(tuning_t *t, int from, int to, int most, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int until = t->timed > INT_MAX - most ? INT_MAX : t->timed + most;
    for (int i = from; st == RC_OK && i < to && t->timed < until; i++) {
        if (i == t->entry->part.reference || is_over(t, i))
            continue;
        st = try_one(t, i, 1, err);
        t->ours +=
            !rc_vendor_is(t->entry->candidate[i].kernel) && !isnan(t->entry->candidate[i].time_ns);
    }
    return st;
}

/* What is held against: of the vendor's kernels in original order the fastest that was timed. */
static int fastest_reference(const rc_plan_entry_t *e)
{
    int best = e->part.reference;
    for (int i = 0; i < e->part.candidates; i++) {
        const rc_plan_candidate_t *c = &e->candidate[i];
        if (rc_vendor_is(c->kernel) && strcmp(c->order, "csr") == 0 && c->status == RC_OK &&
            !isnan(c->time_ns) && !(e->candidate[best].time_ns <= c->time_ns))
            best = i;
    }
    return best;
}

/* The reference first, so that what is chosen is never slower than it; then as listed, the
 * vendor's others last. */
static rc_status_t time_candidates(tuning_t *t, rc_err_t *err)
{
    rc_plan_entry_t *e = t->entry;
    int ours = e->part.candidates - e->others;
    rc_status_t st = try_one(t, e->part.reference, 1, err);
    if (st == RC_OK)
        st = time_some(t, 0, ours, t->options->tune, err);
    if (st == RC_OK)
        st = time_some(t, ours, e->part.candidates, e->others, err);
    e->part.reference = fastest_reference(e);
    if (st == RC_OK)
        st = confirm(t, err);
    if (t->timed > 0 && e->part.candidates > 1)
        e->part.why = RC_PLAN_TIMED;
    return st;
}

static rc_status_t take_first(tuning_t *t, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int i = 0; st == RC_OK && t->best < 0 && i < t->entry->part.candidates; i++)
        if (t->entry->candidate[i].status != RC_ENOTSUP) /* memory may do without the operands */
            st = try_one(t, i, 0, err);
    return st;
}

/* Why none of them can be used: the first one's reason. */
static rc_status_t none_can(const rc_plan_entry_t *e, rc_err_t *err)
{
    const rc_plan_candidate_t *c = &e->candidate[0];
    return rc_fail(err, c->status, "%s with order %s: %s%s", c->kernel, c->order, c->text,
        e->part.candidates > 1 ? " (and none of the others can)" : "");
}

rc_status_t rc_plan_choose(
    rc_plan_t *plan, const rc_plan_options_t *options, rc_plan_entry_t *entry, rc_err_t *err)
{
    tuning_t t = {.plan = plan,
        .options = options,
        .entry = entry,
        .dense_bytes = rc_plan_dense_bytes(plan, entry->part.k),
        .start_ns = now(&plan->place),
        .best = -1};
    entry->timing = rc_alloc0((size_t)entry->part.candidates, sizeof *entry->timing, "times", err);
    RC_PASS(entry->timing ? RC_OK : RC_ENOMEM);
    rc_status_t st = have_operands(&t) ? time_candidates(&t, err) : RC_OK;
    entry->part.tune_ns = t.timed > 0 ? (double)(now(&plan->place) - t.start_ns) : 0;
    rc_plan_scratch_free(plan, &t.scratch);
    if (st == RC_OK && t.best < 0)
        st = take_first(&t, err);
    rc_plan_scratch_free(plan, &t.scratch);
    if (st == RC_OK && t.best < 0)
        st = none_can(entry, err);
    entry->part.chosen = t.best < 0 ? 0 : t.best;
    entry->part.candidate = entry->candidate;
    return st;
}
