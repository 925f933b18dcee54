/* Choosing among candidates: by their times on the matrix itself, or the first that can. */
#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "kernels/vendor/vendor.h"
#include "plan/plan_private.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* While candidates are tried. */
typedef struct tuning {
    rc_plan_t *plan;
    const rc_plan_options_t *options;
    rc_plan_entry_t *entry;
    rc_plan_scratch_t scratch;
    int64_t dense_bytes;
    double reuse; /* products that costs are for; 0: one, without what comes before it */
    int searches; /* 1: RC_PLAN_SEARCH */
    int64_t most_ns;
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
    /* a search that knows no number of products holds orders against each other, whose building is
     * long; preparing is short, and the first time longer than any other */
    double prepare = t->searches && t->options->reuse <= 0 ? 0 : c->prepare_ns;
    double setup = isnan(c->prepare_ns) ? c->predicted_setup_ns : c->order_ns + prepare;
    return t->reuse > 0 ? setup + t->reuse * product : product;
}

/* What that may be off by: two standard errors. */
static double margin_of(const tuning_t *t, int i)
{
    const double unknown = 0.2; /* of one sample */
    const rc_plan_timing_t *timing = &t->entry->timing[i];
    double rel_err = isnan(timing->rel_err) ? unknown : timing->rel_err;
    double off = timing->batch > 0 ? 2 * rel_err * t->entry->candidate[i].time_ns : 0;
    return t->reuse > 0 ? t->reuse * off : off;
}

/* 1: better by more than both may be off. */
static int beats(const tuning_t *t, int a, int b)
{
    return cost_of(t, a) + margin_of(t, a) < cost_of(t, b) - margin_of(t, b);
}

/* A plan is not chosen inside its error: who was tried before stays, and so does the reference,
 * whenever that was tried. */
static int is_better(const tuning_t *t, int i)
{
    if (t->best < 0)
        return 1;
    return i == t->entry->part.reference ? !beats(t, t->best, i) : beats(t, i, t->best);
}

int64_t rc_plan_now(const rc_plan_place_t *place)
{
    return place->now ? place->now(place->user) : rc_clock_ns();
}

/* When more batches than the first ones end, of one that takes long. */
static int64_t until(const tuning_t *t)
{
    enum { part = 8 };
    return rc_plan_now(&t->plan->place) + t->most_ns / part;
}

/* 1: whoever watches wants an end.  \param[in] next  what is tried now, or NULL */
static int is_asked(const tuning_t *t, const rc_plan_candidate_t *next)
{
    const rc_plan_place_t *at = &t->plan->place;
    return t->searches && at->watch && at->watch(at->watcher, next, t->timed);
}

/* 1: timing a candidate would cost more than it may; none does while none was timed.  The first
 * of ours may cost more: with no time of it the reference would be kept, whose own time may be
 * more than the usual share. */
static int is_over(const tuning_t *t, int i)
{
    int first = t->ours == 0 && !rc_vendor_is(t->entry->candidate[i].kernel);
    double share = first ? 0.20 : 0.05; /* of what the products will take */
    int64_t spent = rc_plan_now(&t->plan->place) - t->start_ns;
    if (t->best < 0 || (t->searches && t->timed < 2))
        return 0;
    if (spent > t->most_ns || is_asked(t, NULL))
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
    const double hopeless = 4; /* times the best: a batch will do, where it takes long */
    const double long_ns = 5e6;
    rc_err_t why = {0};
    rc_plan_candidate_t *c = &t->entry->candidate[i];
    if (t->searches && t->best >= 0 && t->best != i)
        t->entry->timing[i].slow_ns =
            fmax(long_ns, hopeless * t->entry->candidate[t->best].time_ns);
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
           timing->samples < RC_PLAN_SAMPLES && rc_plan_now(&t->plan->place) < end &&
           !is_over(t, i));
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
    (void)is_asked(t, c);
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

/* Operands for timing, when the memory allows them and something beside; what fits there is
 * looked at for each candidate.  \return 1: they are there */
static int have_operands(tuning_t *t)
{
    rc_err_t why = {0};
    int64_t limit = t->options->memory;
    if (t->options->tune == 0 || (limit > 0 && t->dense_bytes >= limit))
        return 0;
    return rc_plan_scratch_new(t->plan, t->entry->part.k, &t->scratch, &why) == RC_OK;
}

/* Candidates from one to before another, as many as may be timed; the reference was. */
static rc_status_t time_some(tuning_t *t, int from, int to, int most, rc_err_t *err)
{
    int until = t->timed > INT_MAX - most ? INT_MAX : t->timed + most;
    for (int i = from; i < to && t->timed < until; i++) {
        if (i == t->entry->part.reference || is_over(t, i))
            continue;
        RC_PASS(try_one(t, i, 1, err));
        t->ours +=
            !rc_vendor_is(t->entry->candidate[i].kernel) && !isnan(t->entry->candidate[i].time_ns);
    }
    return RC_OK;
}

/* The fastest in original order: of the vendor's kernels that can run, or of the others.
 * \param[in] but  not this of the others  \param[in] best  so far; -1: none */
static int fastest(const rc_plan_entry_t *e, int vendors, int but, int best)
{
    for (int i = 0; i < e->part.candidates; i++) {
        const rc_plan_candidate_t *c = &e->candidate[i];
        int counts = vendors ? c->status == RC_OK : i != but && i != e->part.reference;
        if (counts && strcmp(c->order, "csr") == 0 && rc_vendor_is(c->kernel) == vendors &&
            !isnan(c->time_ns) && (best < 0 || !(e->candidate[best].time_ns <= c->time_ns)))
            best = i;
    }
    return best;
}

/* ------------------------------------------------------------------ search */

/* Row orders from the cheapest on, and what one thread takes about to build them. */
static const struct dear {
    const char *order;
    double ns; /* of an entry or a row */
} dear[] = {{"lpt", 30}, {"mincol", 10}, {"multilevel", 150}, {"community", 200}, {"lsh", 700},
    {"metis", 1000}};

/* A candidate more.  \param[in] of  whose kernel it has  \param[out] index  of it */
static rc_status_t append(tuning_t *t, int of, const char *order, int *index, rc_err_t *err)
{
    rc_plan_entry_t *e = t->entry;
    char kernel[RC_PLAN_KERNEL_MAX];
    rc_plan_timing_t *timing =
        realloc(e->timing, ((size_t)e->part.candidates + 1) * sizeof *timing);
    if (!timing)
        return rc_fail(err, RC_ENOMEM, "no memory for the candidates of a plan");
    e->timing = timing;
    *index = e->part.candidates;
    timing[*index] = (rc_plan_timing_t){0};
    memcpy(kernel, e->candidate[of].kernel, sizeof kernel);
    return rc_plan_candidate_add(e, kernel, order, err);
}

/* 1: building an order may take longer than is left; says so in a candidate. */
static int is_dear(const tuning_t *t, const struct dear *d, rc_plan_candidate_t *c)
{
    const rc_plan_t *plan = t->plan;
    const rc_plan_place_t *at = &plan->place;
    rc_err_t why;
    double ns = d->ns * (double)(plan->a.nnz + plan->a.rows);
    double left = (double)(t->start_ns + t->most_ns - rc_plan_now(at));
    for (int i = 0; i < plan->orders; i++)
        if (strcmp(plan->order[i]->text, d->order) == 0)
            ns = 0;
    if (at->order && at->order(at->x, d->order, &plan->a, NULL, NULL, &why) == RC_OK)
        ns = 0;
    if (ns <= left && left > 0 && !is_asked(t, NULL))
        return 0;
    (void)snprintf(c->text, sizeof c->text, "not tried: takes up to %s, %s were left",
        rc_text_seconds(ns * 1e-9).text, rc_text_seconds(fmax(left, 0) * 1e-9).text);
    return 1;
}

/* Each order with the fastest kernel, and with the second where it does not harm the first. */
static rc_status_t search_orders(tuning_t *t, rc_err_t *err)
{
    const double harm = 1.1;
    rc_plan_entry_t *e = t->entry;
    rc_status_t st = RC_OK;
    int i = 0;
    int first = fastest(e, 0, -1, -1);
    const int kernel[] = {first < 0 ? t->best : first, fastest(e, 0, first, -1)};
    t->plan->until_ns = t->start_ns + t->most_ns;
    for (const struct dear *d = dear; d < dear + sizeof dear / sizeof *dear; d++)
        for (int k = 0; st == RC_OK && k < 2 && kernel[k] >= 0; k++) {
            st = append(t, kernel[k], d->order, &i, err);
            if (st < 0 || is_dear(t, d, &e->candidate[i]))
                break;
            st = try_one(t, i, 1, err);
            if (!(e->candidate[i].time_ns < harm * e->candidate[kernel[k]].time_ns))
                break;
        }
    t->plan->until_ns = 0;
    return st;
}

/* What is compared in the end: who comes later has to be better. */
enum { COMPARED = 10 };

typedef struct final {
    int of[COMPARED]; /* [count] candidates, the reference first */
    int count;
    rc_plan_trial_t trial[COMPARED]; /* state NULL: not compared */
    int held;                        /* the one that is in the plan; -1: not compared */
    rc_plan_timing_t half[2][COMPARED];
    double ns[2][COMPARED];
} final_t;

/* Who stands for an order: the best so far, else the fastest.  \return -1: none that was timed */
static int best_of_order(const tuning_t *t, const char *order)
{
    const rc_plan_entry_t *e = t->entry;
    int best = -1;
    for (int i = 0; i < e->part.candidates; i++) {
        const rc_plan_candidate_t *c = &e->candidate[i];
        if (strcmp(c->order, order) == 0 && i != e->part.reference && !isnan(c->time_ns) &&
            (best < 0 || i == t->best ||
                (best != t->best && c->time_ns < e->candidate[best].time_ns)))
            best = i;
    }
    return best;
}

static void list_final(const tuning_t *t, final_t *f)
{
    const rc_plan_entry_t *e = t->entry;
    f->of[f->count++] = e->part.reference;
    for (int i = 0; i < e->part.candidates && f->count < COMPARED; i++) {
        int j = 0;
        while (strcmp(e->candidate[j].order, e->candidate[i].order) != 0)
            j++;
        int best = j < i ? -1 : best_of_order(t, e->candidate[i].order);
        if (best >= 0)
            f->of[f->count++] = best;
    }
}

/* What takes long is timed by single batches, what would take too long is left out. */
static rc_status_t prepare_final(tuning_t *t, final_t *f, rc_err_t *err)
{
    enum { few = 1000, none = 40, no_others = 200 };
    rc_plan_entry_t *e = t->entry;
    rc_status_t st = RC_OK;
    int64_t kept = kept_bytes(t);
    list_final(t, f);
    f->held = -1;
    for (int j = 0; st == RC_OK && j < f->count; j++) {
        rc_plan_candidate_t c = e->candidate[f->of[j]];
        const rc_plan_try_t what = {e->part.k, NULL, kept, &t->scratch, &c};
        int is_best = f->of[j] == t->best;
        double part = (double)t->most_ns / (j < 2 || is_best ? none : no_others);
        f->half[0][j].slow_ns = f->half[1][j].slow_ns =
            c.time_ns > (double)(t->most_ns / few) ? 1 : 0;
        if (c.time_ns > part)
            continue;
        if (is_best) {
            f->trial[j] = e->trial;
            f->held = j;
        } else
            st = rc_plan_trial_prepare(t->plan, &what, &f->trial[j], err);
        kept = rc_sat_add(kept, c.bytes);
    }
    return st;
}

/* The times of one half become those of the candidates. */
static void show_half(tuning_t *t, const final_t *f, int half)
{
    for (int j = 0; j < f->count; j++) {
        if (!f->trial[j].state)
            continue;
        t->entry->timing[f->of[j]] = f->half[half][j];
        t->entry->timing[f->of[j]].again = 1;
        t->entry->candidate[f->of[j]].time_ns = f->ns[half][j];
    }
}

/* Whom one half chooses, and the other half, which is shown then, does not contradict: there, too,
 * it is better than each of those before it. */
static int best_of_halves(tuning_t *t, const final_t *f)
{
    int given_up[COMPARED] = {0};
    for (;;) {
        int best = -1;
        int before = 0;
        show_half(t, f, 0);
        for (int j = 0; j < f->count; j++)
            if (f->trial[j].state && !given_up[j] && (best < 0 || beats(t, f->of[j], f->of[best])))
                best = j;
        show_half(t, f, 1);
        while (before < best && (!f->trial[before].state || beats(t, f->of[best], f->of[before])))
            before++;
        if (before >= best)
            return best;
        given_up[best] = 1;
    }
}

/* 1: what was chosen is to be confirmed: always by a search, else where batches disagree. */
static int is_doubtful(const tuning_t *t)
{
    const double small = 0.02;
    const rc_plan_timing_t *timing = t->entry->timing;
    int first = t->entry->part.reference;
    return t->best >= 0 &&
           (t->searches || (t->best != first &&
                               (timing[first].rel_err > small || timing[t->best].rel_err > small)));
}

/* Once more, in turns: what was timed early met another machine than what was timed late, and what
 * was chosen was lucky.  One half of the batches chooses, the figures are those of the other, and
 * where it does not confirm the choice that is given up. */
static rc_status_t confirm(tuning_t *t, rc_err_t *err)
{
    const int rounds = t->searches ? 6 : 4;
    final_t *f = rc_alloc0(1, sizeof *f, "times", err);
    RC_PASS(f ? RC_OK : RC_ENOMEM);
    rc_status_t st = prepare_final(t, f, err);
    for (int i = 0; st == RC_OK && f->held >= 0 && i < rounds * f->count; i++) {
        int j = i % f->count;
        int half = i / f->count % 2;
        rc_plan_candidate_t c = {0};
        if (!f->trial[j].state)
            continue;
        f->half[1][j].batch = f->half[0][j].batch; /* one warm-up will do */
        f->half[1][j].single = f->half[0][j].single;
        st = rc_plan_trial_time(t->plan, &t->scratch, &c, &f->trial[j], &f->half[half][j], err);
        f->ns[half][j] = c.time_ns;
    }
    if (st == RC_OK && f->held >= 0) {
        int best = best_of_halves(t, f);
        if (best != f->held)
            take(t, f->of[best], &f->trial[best]);
        f->trial[best] = (rc_plan_trial_t){0};
        f->trial[f->held] = (rc_plan_trial_t){0};
    }
    for (int j = 0; j < f->count; j++)
        if (j != f->held)
            rc_plan_trial_free(&f->trial[j]);
    free(f);
    return st;
}

/* The reference first, so that what is chosen is never slower than it; then as listed, the
 * vendor's others last. */
static rc_status_t time_candidates(tuning_t *t, rc_err_t *err)
{
    rc_plan_entry_t *e = t->entry;
    int ours = e->part.candidates - e->others;
    int early =
        t->searches && e->part.reference > 0; /* beside it a slow reference is seen as such */
    if (early)
        RC_PASS(try_one(t, 0, 1, err));
    RC_PASS(try_one(t, e->part.reference, 1, err));
    RC_PASS(time_some(t, early, ours, t->searches ? INT_MAX : t->options->tune, err));
    RC_PASS(time_some(t, ours, e->part.candidates, e->others, err));
    /* what is held against: of the vendor's the fastest that was timed */
    e->part.reference = fastest(e, 1, -1, e->part.reference);
    if (t->searches && !t->options->orders && !t->options->model)
        RC_PASS(search_orders(t, err));
    if (is_doubtful(t))
        RC_PASS(confirm(t, err));
    if (t->timed > 0 && e->part.candidates > 1)
        e->part.why = RC_PLAN_TIMED;
    return RC_OK;
}

static rc_status_t take_first(tuning_t *t, rc_err_t *err)
{
    for (int i = 0; t->best < 0 && i < t->entry->part.candidates; i++)
        if (t->entry->candidate[i].status != RC_ENOTSUP) /* memory may do without the operands */
            RC_PASS(try_one(t, i, 0, err));
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
static int64_t most_of(const tuning_t *t)
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
    tuning_t t = {.plan = plan,
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
    rc_status_t st = have_operands(&t) ? time_candidates(&t, err) : RC_OK;
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
