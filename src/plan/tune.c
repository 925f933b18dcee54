/* Choosing among candidates: by their times on the matrix itself, or the first that can. */
#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "kernels/vendor/vendor.h"
#include "plan/tune.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ns that a candidate takes in total where a product takes so many. */
double rc_tuning_cost_at(const rc_tuning_t *t, int i, double product)
{
    const rc_plan_candidate_t *c = &t->entry->candidate[i];
    /* a search that knows no number of products holds orders against each other, whose building is
     * long; preparing is short, and the first time longer than any other */
    double prepare = t->searches && t->options->reuse <= 0 ? 0 : c->prepare_ns;
    double setup = isnan(c->prepare_ns) ? c->predicted_setup_ns : c->order_ns + prepare;
    return t->reuse > 0 ? setup + t->reuse * product : product;
}

/* By what is known of it; the reference needs no order. */
double rc_tuning_cost(const rc_tuning_t *t, int i)
{
    const rc_plan_candidate_t *c = &t->entry->candidate[i];
    return rc_tuning_cost_at(t, i, isnan(c->time_ns) ? c->predicted_ns : c->time_ns);
}

double rc_plan_timing_margin(const rc_plan_timing_t *timing, double time_ns)
{
    const double unknown = 0.2; /* of one sample */
    double rel_err = isnan(timing->rel_err) ? unknown : timing->rel_err;
    return timing->batch > 0 ? 2 * rel_err * time_ns : 0;
}

/* 1: a batch of it is one product that takes long, and so is steadier. */
int rc_tuning_is_long(const rc_tuning_t *t, int i)
{
    const double long_ns = 1e5;
    return t->entry->timing[i].batch == 1 && t->entry->candidate[i].time_ns > long_ns &&
           !t->plan->place.unsteady;
}

/* Of one sample of what is steady it is small: a race may end with that. */
double rc_tuning_margin(const rc_tuning_t *t, int i)
{
    const double steady = 0.1;
    const rc_plan_timing_t *timing = &t->entry->timing[i];
    const double time_ns = t->entry->candidate[i].time_ns;
    double off = !t->searches && timing->samples == 1 && rc_tuning_is_long(t, i)
                     ? steady * time_ns
                     : rc_plan_timing_margin(timing, time_ns);
    return t->reuse > 0 ? t->reuse * off : off;
}

/* The least that a candidate may cost.  Its fastest batch is near that, however far the others are
 * off: other programs make batches longer, never shorter. */
static double least_of(const rc_tuning_t *t, int i)
{
    const double shorter = 0.9;
    const rc_plan_timing_t *timing = &t->entry->timing[i];
    double least = rc_tuning_cost(t, i) - rc_tuning_margin(t, i);
    return timing->samples < RC_TUNING_FEW
               ? least
               : fmax(least, rc_tuning_cost_at(t, i, shorter * timing->ns[0]));
}

static int is_original(const rc_tuning_t *t, int i)
{
    return strcmp(t->entry->candidate[i].order, "csr") == 0;
}

/* 1: better by more than both may be off, and another order by more than may be gone when it is
 * prepared again, or when other programs are. */
int rc_tuning_beats(const rc_tuning_t *t, int a, int b)
{
    const double slight = t->others ? 1.1 : 1.02;
    const int reorders = t->plan->place.unsteady && is_original(t, b) && !is_original(t, a);
    return (reorders ? slight : 1) * rc_tuning_cost(t, a) + rc_tuning_margin(t, a) < least_of(t, b);
}

/* A plan is not chosen inside its error: who was tried before stays, and so does the reference,
 * whenever that was tried. */
static int is_better(const rc_tuning_t *t, int i)
{
    if (t->best < 0)
        return 1;
    return i == t->entry->part.reference ? !rc_tuning_beats(t, t->best, i)
                                         : rc_tuning_beats(t, i, t->best);
}

int64_t rc_plan_now(const rc_plan_place_t *place)
{
    return place->now ? place->now(place->user) : rc_clock_ns();
}

/* When more batches than the first ones end, of one that takes long. */
static int64_t until(const rc_tuning_t *t)
{
    enum { part = 8 };
    return rc_plan_now(&t->plan->place) + t->most_ns / part;
}

/* 1: whoever watches wants an end.  \param[in] next  what is tried now, or NULL */
int rc_tuning_is_asked(const rc_tuning_t *t, const rc_plan_candidate_t *next)
{
    const rc_plan_place_t *at = &t->plan->place;
    return t->searches && at->watch && at->watch(at->watcher, next, t->timed);
}

/* 1: beside the reference timing has taken, or would when a library preprocesses for a candidate,
 * as long as so many products of it, and as long as preparing a few small matrices.  It is not
 * over before one of ours was timed, nor where the caller says how long it may take. */
static int is_over_race(const rc_tuning_t *t, int i)
{
    const double least_ns = 2.2e6;
    double products = t->plan->place.tune_products;
    const rc_plan_candidate_t *c = &t->entry->candidate[t->entry->part.reference];
    if (t->searches || t->options->tune_ns > 0 || products <= 0 || t->ours == 0)
        return 0;
    if (isnan(c->time_ns))
        c = &t->entry->candidate[t->best];
    double spent = (double)(rc_plan_now(&t->plan->place) - t->race_ns);
    if (isnan(t->entry->candidate[i].prepare_ns))
        spent += rc_vendor_setup_ns(t->entry->candidate[i].kernel, t->plan->a.nnz);
    return spent > fmax(least_ns, products * c->time_ns);
}

int rc_tuning_is_first(const rc_tuning_t *t, int i)
{
    return t->ours == 0 && !rc_vendor_is(t->entry->candidate[i].kernel);
}

/* 1: timing a candidate would cost more than it may; none does while none was timed.  The first
 * of ours may cost more: with no time of it the reference would be kept, whose own time may be
 * more than the usual share, or than all where it is the first use of a library. */
int rc_tuning_is_over(const rc_tuning_t *t, int i)
{
    int first = rc_tuning_is_first(t, i);
    double share = first ? 0.20 : 0.05; /* of what the products will take */
    int64_t spent = rc_plan_now(&t->plan->place) - t->start_ns;
    if (t->best < 0 || (t->searches && t->timed < 2))
        return 0;
    int waits = first && !t->searches && t->options->tune_ns <= 0 &&
                t->entry->timing[i].samples < RC_TUNING_FEW;
    int overdue = spent > t->most_ns && !waits;
    if (overdue || is_over_race(t, i) || rc_tuning_is_asked(t, NULL))
        return 1;
    return t->options->reuse > 0 &&
           (double)spent > share * t->options->reuse * t->entry->candidate[t->best].time_ns;
}

/* Bytes that stay while a candidate is tried. */
int64_t rc_tuning_kept_bytes(const rc_tuning_t *t)
{
    int64_t kept = t->scratch.held ? t->dense_bytes : 0;
    for (const rc_plan_entry_t *e = t->plan->entry; e < t->entry; e++)
        kept = rc_sat_add(kept, e->candidate[e->part.chosen].bytes);
    return t->best < 0 ? kept : rc_sat_add(kept, t->entry->candidate[t->best].bytes);
}

/* That a candidate cannot run becomes its status. */
rc_status_t rc_tuning_settle(
    rc_plan_candidate_t *c, rc_status_t st, const rc_err_t *why, rc_err_t *err)
{
    if (st != RC_ENOTSUP)
        return st < 0 ? rc_fail(err, st, "%s", why->text) : st;
    rc_plan_candidate_is(c, st, why);
    return RC_OK;
}

/* A few batches more of a candidate of a search. */
static rc_status_t time_more(rc_tuning_t *t, int i, const rc_plan_trial_t *trial, rc_err_t *err)
{
    const double hopeless = 4; /* times the best: a batch will do, where it takes long */
    const double long_ns = 5e6;
    rc_err_t why = {0};
    rc_plan_candidate_t *c = &t->entry->candidate[i];
    if (t->best >= 0 && t->best != i)
        t->entry->timing[i].slow_ns =
            fmax(long_ns, hopeless * t->entry->candidate[t->best].time_ns);
    rc_status_t st = rc_plan_trial_time(t->plan, &t->scratch, c, trial, &t->entry->timing[i], &why);
    return rc_tuning_settle(c, st, &why, err);
}

/* Until its error is small beside usual gains. */
static rc_status_t time_one(rc_tuning_t *t, int i, const rc_plan_trial_t *trial, rc_err_t *err)
{
    const double small = 0.01;
    const rc_plan_timing_t *timing = &t->entry->timing[i];
    int64_t end = until(t);
    rc_status_t st;
    do
        st = time_more(t, i, trial, err);
    while (st == RC_OK && t->entry->candidate[i].status == RC_OK && timing->rel_err > small &&
           timing->samples < RC_PLAN_SAMPLES && rc_plan_now(&t->plan->place) < end &&
           !rc_tuning_is_over(t, i));
    return st;
}

/* A candidate becomes the best. */
void rc_tuning_take(rc_tuning_t *t, int i, rc_plan_trial_t *trial)
{
    rc_plan_trial_free(&t->entry->trial);
    rc_plan_trial_move(trial, &t->entry->trial);
    t->best = i;
}

/* The first candidate meets a team that is asleep, others one that just ran. */
static void wake_team(rc_tuning_t *t, const rc_plan_trial_t *trial)
{
    int64_t ns = 0;
    rc_err_t why = {0};
    if (t->timed == 0 && t->scratch.held)
        (void)rc_plan_trial_batch(t->plan, &t->scratch, trial, 1, &ns, &why);
}

/* Prepare a candidate: where that is cheap its time is the least of some makings, and it is what
 * was made last. */
static rc_status_t prepare(
    rc_tuning_t *t, const rc_plan_try_t *what, rc_plan_trial_t *trial, rc_err_t *err)
{
    rc_plan_candidate_t *c = what->candidate;
    rc_status_t st = rc_plan_trial_prepare(t->plan, what, trial, err);
    double ns = c->prepare_ns;
    for (int i = 1;
         st == RC_OK && trial->state && !trial->shares && rc_plan_makes_again(t->plan, i, ns);
         i++) {
        wake_team(t, trial);
        rc_plan_trial_free(trial);
        st = rc_plan_trial_prepare(t->plan, what, trial, err);
        c->prepare_ns = ns = fmin(ns, c->prepare_ns);
    }
    return st;
}

/* Prepare a candidate and, when wanted, time it; it becomes the best, or is released. */
rc_status_t rc_tuning_try(rc_tuning_t *t, int i, int timing, rc_err_t *err)
{
    rc_plan_candidate_t *c = &t->entry->candidate[i];
    (void)rc_tuning_is_asked(t, c);
    rc_plan_trial_t trial = {0};
    const rc_plan_try_t what = {.k = t->entry->part.k,
        .kept = rc_tuning_kept_bytes(t),
        .scratch = &t->scratch,
        .candidate = c};
    rc_status_t st = prepare(t, &what, &trial, err);
    if (st < 0 || !trial.state)
        return st;
    if (timing) {
        t->timed++;
        st = t->searches ? time_one(t, i, &trial, err) : rc_tuning_race(t, i, &trial, err);
    }
    if (st == RC_OK && c->status == RC_OK && is_better(t, i))
        rc_tuning_take(t, i, &trial);
    else
        rc_plan_trial_free(&trial);
    return st;
}

/* Operands for timing, when the memory allows them and something beside; what fits there is
 * looked at for each candidate.  \return 1: they are there */
static int have_operands(rc_tuning_t *t)
{
    rc_err_t why = {0};
    int64_t limit = t->options->memory;
    if (t->options->tune == 0 || (limit > 0 && t->dense_bytes >= limit))
        return 0;
    return rc_plan_scratch_new(t->plan, t->entry->part.k, &t->scratch, &why) == RC_OK;
}

/* 1: nobody asked for orders, by a list or a model's, nor for what pays within some products, where
 * to build one counts. */
static int are_orders_free(const rc_tuning_t *t)
{
    return !t->searches && !t->plan->place.unsteady && !t->options->orders && !t->options->model &&
           t->reuse <= 0;
}

/* 1: a time in the original order tells nothing new, as its text says then: another order keeps the
 * rows, and was timed with this kernel; or another order gained so much with another kernel that
 * no kernel is expected to be faster without. */
static int is_needless(const rc_tuning_t *t, int i)
{
    const double clear = 1.2;
    rc_plan_candidate_t *c = t->entry->candidate;
    if (!are_orders_free(t) || !is_original(t, i) || rc_vendor_is(c[i].kernel))
        return 0;
    for (int a = 0; a < t->entry->part.candidates; a++) {
        if (is_original(t, a) || isnan(c[a].time_ns))
            continue;
        if (strcmp(c[a].kernel, c[i].kernel) == 0 && rc_plan_order_keeps(t->plan, c[a].order)) {
            (void)snprintf(c[i].text, sizeof c->text, "not timed: it keeps the rows");
            return 1;
        }
        for (int b = 0; b < t->entry->part.candidates; b++)
            if (is_original(t, b) && strcmp(c[a].kernel, c[b].kernel) == 0 &&
                c[b].time_ns > clear * c[a].time_ns) {
                (void)snprintf(c[i].text, sizeof c->text, "not timed: %s gains %.3g with %s",
                    c[a].order, c[b].time_ns / c[a].time_ns, c[a].kernel);
                return 1;
            }
    }
    return 0;
}

/* What was timed in an order that keeps the rows was timed in the original one: it gets that name
 * from the candidate that was left out for it.  Finding that out stays part of its cost. */
static void name_orders(rc_tuning_t *t)
{
    rc_plan_candidate_t *c = t->entry->candidate;
    char order[RC_PLAN_ORDER_MAX];
    for (int a = 0; a < t->entry->part.candidates && are_orders_free(t); a++)
        for (int b = 0; b < t->entry->part.candidates; b++) {
            if (is_original(t, a) || !is_original(t, b) || strcmp(c[a].kernel, c[b].kernel) != 0 ||
                isnan(c[a].time_ns) || !isnan(c[b].time_ns) ||
                !rc_plan_order_keeps(t->plan, c[a].order))
                continue;
            memcpy(order, c[a].order, sizeof order);
            memcpy(c[a].order, c[b].order, sizeof order);
            memcpy(c[b].order, order, sizeof order);
            break;
        }
}

/* Candidates from one to before another, as many as may be timed, with those whose time is not
 * needed; the reference was. */
static rc_status_t time_some(rc_tuning_t *t, int from, int to, int most, rc_err_t *err)
{
    for (int i = from; i < to && most > 0; i++) {
        const int before = t->timed;
        if (i == t->entry->part.reference || rc_tuning_is_over(t, i))
            continue;
        if (is_needless(t, i)) {
            most--;
            continue;
        }
        RC_PASS(rc_tuning_try(t, i, 1, err));
        most -= t->timed - before;
        t->ours +=
            !rc_vendor_is(t->entry->candidate[i].kernel) && !isnan(t->entry->candidate[i].time_ns);
    }
    return RC_OK;
}

/* The fastest in original order: of the vendor's kernels that can run, or of the others.
 * \param[in] but  not this of the others  \param[in] best  so far; -1: none */
int rc_tuning_fastest(const rc_plan_entry_t *e, int vendors, int but, int best)
{
    for (int i = 0; i < e->part.candidates; i++) {
        const rc_plan_candidate_t *c = &e->candidate[i];
        int counts = vendors ? c->status == RC_OK
                             : i != but && i != e->part.reference &&
                                   !rc_vendor_is_dense(c->kernel); /* which no order helps */
        if (counts && strcmp(c->order, "csr") == 0 && rc_vendor_is_baseline(c->kernel) == vendors &&
            !isnan(c->time_ns) && (best < 0 || !(e->candidate[best].time_ns <= c->time_ns)))
            best = i;
    }
    return best;
}

/* On the matrices of data/results none of them is where the default takes so many times what the
 * best takes. */
int rc_plan_others_can_win(const rc_plan_entry_t *e, int best)
{
    const double beaten = 2.5;
    const rc_plan_candidate_t *c = &e->candidate[e->part.reference];
    return best < 0 || !rc_vendor_is(c->kernel) ||
           !(c->time_ns > beaten * e->candidate[best].time_ns);
}

/* The reference first, so that what is chosen is never slower than it; then as listed, the
 * vendor's others last. */
static rc_status_t time_candidates(rc_tuning_t *t, rc_err_t *err)
{
    rc_plan_entry_t *e = t->entry;
    int ours = e->part.candidates - e->others;
    int early =
        t->searches && e->part.reference > 0; /* beside it a slow reference is seen as such */
    if (early)
        RC_PASS(rc_tuning_try(t, 0, 1, err));
    RC_PASS(rc_tuning_try(t, e->part.reference, 1, err));
    t->race_ns = rc_plan_now(&t->plan->place); /* the first use of a library takes long */
    RC_PASS(time_some(t, early, ours, t->searches ? INT_MAX : t->options->tune, err));
    RC_PASS(rc_tuning_warm_best(t, err));
    if (t->searches || rc_plan_others_can_win(e, t->best))
        RC_PASS(time_some(t, ours, e->part.candidates, e->others, err));
    /* what is held against: of the vendor's the fastest that was timed */
    e->part.reference = rc_tuning_fastest(e, 1, -1, e->part.reference);
    if (t->searches && !t->options->orders && !t->options->model)
        RC_PASS(rc_tuning_search_orders(t, err));
    if (rc_tuning_is_doubtful(t) && (t->searches || !rc_tuning_is_over(t, t->best)))
        RC_PASS(rc_tuning_confirm(t, err));
    name_orders(t);
    if (t->timed > 0 && e->part.candidates > 1)
        e->part.why = RC_PLAN_TIMED;
    return RC_OK;
}

static rc_status_t take_first(rc_tuning_t *t, rc_err_t *err)
{
    for (int i = 0; t->best < 0 && i < t->entry->part.candidates; i++)
        if (t->entry->candidate[i].status != RC_ENOTSUP) /* memory may do without the operands */
            RC_PASS(rc_tuning_try(t, i, 0, err));
    return RC_OK;
}

/* Why none of them can be used: the first one's reason. */
static rc_status_t none_can(const rc_plan_entry_t *e, rc_err_t *err)
{
    const rc_plan_candidate_t *c = &e->candidate[0];
    return rc_fail(err, c->status, "%s with order %s: %s%s", c->kernel, c->order, c->text,
        e->part.candidates > 1 ? " (and none of the others can)" : "");
}

/* How long it may take: of a search that of all K, in equal parts of what is left. */
static int64_t most_of(const rc_tuning_t *t)
{
    const int64_t usual_ns = 2000000000;
    const int64_t search_ns = 5000000000;
    const rc_plan_t *plan = t->plan;
    int64_t left = t->options->tune_ns > 0 ? t->options->tune_ns
                   : t->searches           ? search_ns
                                           : usual_ns;
    if (!t->searches)
        return left;
    for (const rc_plan_entry_t *e = plan->entry; e < t->entry; e++)
        left -= (int64_t)e->part.tune_ns;
    return left > 0 ? left / (plan->entry + plan->entries - t->entry) : 0;
}

rc_status_t rc_plan_choose(
    rc_plan_t *plan, const rc_plan_options_t *options, rc_plan_entry_t *entry, rc_err_t *err)
{
    enum { again_part = 20 }; /* of the time is for making again what is cheap */
    rc_tuning_t t = {.plan = plan,
        .options = options,
        .entry = entry,
        .dense_bytes = rc_plan_dense_bytes(plan, entry->part.k),
        .searches = options->tune == RC_PLAN_SEARCH,
        .reuse = options->tune == RC_PLAN_SEARCH && options->reuse <= 0 ? RC_PLAN_SEARCH_REUSE
                                                                        : options->reuse,
        .start_ns = rc_plan_now(&plan->place),
        .best = -1};
    t.most_ns = most_of(&t);
    entry->reuse = t.reuse > 0 ? t.reuse : INFINITY;
    RC_PASS(RC_NEW0(entry->timing, entry->part.candidates, "times", err));
    plan->again_ns = t.searches ? t.most_ns / again_part : 0;
    rc_status_t st = have_operands(&t) ? time_candidates(&t, err) : RC_OK;
    plan->again_ns = 0;
    entry->part.tune_ns = t.timed > 0 ? (double)(rc_plan_now(&plan->place) - t.start_ns) : 0;
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
