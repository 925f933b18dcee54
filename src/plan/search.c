/* Searching: row orders beside the kernels, and a last comparison in turns. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/infer.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/str.h"
#include "kernels/vendor/vendor.h"
#include "plan/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of products that take less ns than this two runs of a program may differ by as much as that. */
static const double short_ns = 50e3;
static const double slight = 1.3;

/* Row orders from the cheapest on, and what one thread takes about to build them. */
static const struct dear {
    const char *order;
    double ns; /* of an entry or a row */
} dear[] = {{"lpt", 30}, {"mincol", 10}, {"multilevel", 150}, {"community", 200}, {"lsh", 700},
    {"metis", 1000}};

/* A candidate more.  \param[in] of  whose kernel it has  \param[out] index  of it */
static rc_status_t append(rc_tuning_t *t, int of, const char *order, int *index, rc_err_t *err)
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
static int is_dear(const rc_tuning_t *t, const struct dear *d, rc_plan_candidate_t *c)
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
    if (ns <= left && left > 0 && !rc_tuning_is_asked(t, NULL))
        return 0;
    (void)snprintf(c->text, sizeof c->text, "not tried: takes up to %s, %s were left",
        rc_text_seconds(ns * 1e-9).text, rc_text_seconds(fmax(left, 0) * 1e-9).text);
    return 1;
}

/* Each order with the fastest kernel, and with the second where it does not harm the first. */
rc_status_t rc_tuning_search_orders(rc_tuning_t *t, rc_err_t *err)
{
    const double harm = 1.1;
    rc_plan_entry_t *e = t->entry;
    rc_status_t st = RC_OK;
    int i = 0;
    int first = rc_tuning_fastest(e, 0, -1, -1);
    const int sole = rc_vendor_is_dense(e->candidate[t->best].kernel) ? -1 : t->best;
    const int kernel[] = {first < 0 ? sole : first, rc_tuning_fastest(e, 0, first, -1)};
    t->plan->until_ns = t->start_ns + t->most_ns;
    for (const struct dear *d = dear; d < dear + sizeof dear / sizeof *dear; d++)
        for (int k = 0; st == RC_OK && k < 2 && kernel[k] >= 0; k++) {
            st = append(t, kernel[k], d->order, &i, err);
            if (st < 0 || is_dear(t, d, &e->candidate[i]))
                break;
            st = rc_tuning_try(t, i, 1, err);
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
    int anew;                        /* 1: all are prepared anew, also the one in the plan */
    int held;                        /* that one; -1: not compared */
    int alone;                       /* 1: no other program made batches longer */
    rc_plan_timing_t half[2][COMPARED];
    double ns[2][COMPARED];
    rc_rng_t rng;
} final_t;

/* 1: other programs made batches longer: they disagree, or most took much more than the fastest,
 * which without others is how products of that candidate are. */
static int is_put_off(const final_t *f, const rc_plan_timing_t *timing, double median_ns)
{
    const double disturbed = 0.05;
    const double apart = 1.25;
    return timing->rel_err > disturbed || (!f->alone && median_ns > apart * timing->ns[0]);
}

/* Who stands for an order: the best so far, else the fastest.  \return -1: none that was timed */
static int best_of_order(const rc_tuning_t *t, const char *order)
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

static void list_final(const rc_tuning_t *t, final_t *f)
{
    const rc_plan_entry_t *e = t->entry;
    f->of[f->count++] = e->part.reference;
    if (!t->searches) {
        f->of[f->count++] = t->best;
        return;
    }
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
static rc_status_t prepare_final(rc_tuning_t *t, final_t *f, rc_err_t *err)
{
    enum { few = 1000, none = 40, no_others = 200 };
    rc_plan_entry_t *e = t->entry;
    rc_status_t st = RC_OK;
    int64_t kept = rc_tuning_kept_bytes(t);
    f->held = -1;
    for (int j = 0; st == RC_OK && j < f->count; j++) {
        rc_plan_candidate_t c = e->candidate[f->of[j]];
        const rc_plan_try_t what = {e->part.k, NULL, kept, &t->scratch, &c, f->anew};
        int is_best = f->of[j] == t->best;
        double part = (double)t->most_ns / (j < 2 || is_best ? none : no_others);
        const rc_plan_timing_t *before = &e->timing[f->of[j]];
        double ns = before->samples > 0 ? before->ns[0] : c.time_ns;
        f->half[0][j].slow_ns = f->half[1][j].slow_ns =
            t->searches && ns > (double)(t->most_ns / few) ? 1 : 0;
        if (ns > part)
            continue;
        if (is_best && !f->anew)
            f->trial[j] = e->trial;
        else
            st = rc_plan_trial_prepare(t->plan, &what, &f->trial[j], err);
        if (is_best && f->trial[j].state)
            f->held = j;
        kept = rc_sat_add(kept, c.bytes);
    }
    return st;
}

/* The times of one half become those of the candidates. */
static void show_half(rc_tuning_t *t, const final_t *f, int half)
{
    for (int j = 0; j < f->count; j++) {
        rc_plan_timing_t *timing = &t->entry->timing[f->of[j]];
        rc_plan_candidate_t *c = &t->entry->candidate[f->of[j]];
        if (!f->trial[j].state)
            continue;
        *timing = f->half[half][j];
        timing->again = 1 + f->anew;
        c->time_ns = f->ns[half][j];
        if (is_put_off(f, timing, c->time_ns))
            rc_plan_timing_fastest(timing, c);
    }
}

/* Whom one half chooses, and the other half, which is shown then, does not contradict: there, too,
 * it is better than each of those before it. */
static int best_of_halves(rc_tuning_t *t, const final_t *f)
{
    int given_up[COMPARED] = {0};
    for (;;) {
        int best = -1;
        int before = 0;
        show_half(t, f, 0);
        for (int j = 0; j < f->count; j++)
            if (f->trial[j].state && !given_up[j] &&
                (best < 0 || rc_tuning_beats(t, f->of[j], f->of[best])))
                best = j;
        show_half(t, f, 1);
        while (before < best &&
               (!f->trial[before].state || rc_tuning_beats(t, f->of[best], f->of[before])))
            before++;
        if (before >= best)
            return best;
        given_up[best] = 1;
    }
}

/* What batches of one that is compared would cost, of a half, ascending.  \return how many */
static int costs_of(
    const rc_tuning_t *t, const final_t *f, int half, int j, double gain, double *cost)
{
    int n = f->half[half][j].samples;
    for (int i = 0; i < n; i++)
        cost[i] = rc_tuning_cost_at(t, f->of[j], f->half[half][j].ns[i] / gain);
    return n;
}

/* 1: batches of one are shorter than those of another in a half, by chance at most so rarely, and
 * by no slight gain.  Both were timed in turns and met other programs alike: however far they are
 * off, that orders them.  What disturbs several batches in a row may be one candidate's alone, but
 * it makes none shorter: the fastest one has to be the shorter one, too. */
static int is_shorter(const rc_tuning_t *t, const final_t *f, int half, int a, int b, double chance)
{
    const double usual = 1.1;
    const double fastest = fmin(f->half[0][a].ns[0], f->half[1][a].ns[0]);
    double x[RC_PLAN_SAMPLES_MOST] = {0};
    double y[RC_PLAN_SAMPLES_MOST] = {0};
    const int n = costs_of(t, f, half, a, 1, x);
    const int m = costs_of(t, f, half, b, fastest < short_ns ? slight : usual, y);
    return n > 0 && m > 0 && x[0] < y[0] && rc_smirnov_p(x, n, y, m) < chance;
}

/* Whom the halves choose, or in a search who has shorter batches where their errors hide it: in the
 * half that chooses, and in the other one. */
static int best_of_final(rc_tuning_t *t, const final_t *f)
{
    const double chance = 0.001;
    const double confirmed = 0.05;
    int best = best_of_halves(t, f);
    for (int j = 0; t->searches && j < f->count; j++)
        if (j != best && f->trial[j].state && is_shorter(t, f, 0, j, best, chance) &&
            is_shorter(t, f, 1, j, best, confirmed))
            best = j;
    return best;
}

/* Who has the original order: the best so far, else the fastest, else the reference.
 * \return -1: none */
static int original(const rc_tuning_t *t)
{
    const int best = best_of_order(t, "csr");
    const int first = t->entry->part.reference;
    return best < 0 && strcmp(t->entry->candidate[first].order, "csr") == 0 ? first : best;
}

/* Who keeps the original order, where another one was chosen for a gain by which two runs of a
 * program may differ: a short product has one time in all batches of a run and another one in the
 * next, for its arrays lie elsewhere, and other programs come and go.  Long products are timed once
 * more while there is time.  \return -1: none */
static int slightly_beaten(const rc_tuning_t *t)
{
    const double clear = 1.5;
    const rc_plan_candidate_t *best = &t->entry->candidate[t->best];
    const int is_over = rc_plan_now(&t->plan->place) - t->start_ns > t->most_ns;
    const int may_differ = t->searches || t->plan->place.unsteady;
    const int keep = original(t);
    if (!may_differ || keep < 0 || strcmp(best->order, "csr") == 0 ||
        (is_over && !(best->time_ns < short_ns)))
        return -1;
    return t->entry->candidate[keep].time_ns < clear * best->time_ns ? keep : -1;
}

/* 1: what was chosen is to be confirmed: always by a search, else where batches disagree, and
 * another order where they may agree on too much. */
int rc_tuning_is_doubtful(const rc_tuning_t *t)
{
    const double small = 0.02;
    const rc_plan_timing_t *timing = t->entry->timing;
    int first = t->entry->part.reference;
    if (t->best < 0 || t->searches || t->best == first)
        return t->best >= 0 && t->searches;
    return timing[first].rel_err > small || timing[t->best].rel_err > small ||
           (t->plan->place.unsteady && original(t) >= 0 &&
               strcmp(t->entry->candidate[t->best].order, "csr") != 0);
}

/* A batch that does not count, of products that are short: who follows a loop of one thread finds
 * its own threads asleep, and in the caches what that one read. */
static rc_status_t follow(rc_tuning_t *t, const final_t *f, int j, rc_err_t *err)
{
    const int64_t batch = f->half[0][j].batch;
    int64_t ns = 0;
    return batch > 1 ? rc_plan_trial_batch(t->plan, &t->scratch, &f->trial[j], batch, &ns, err)
                     : RC_OK;
}

/* Who follows whom in a round is drawn, where there are several: what a candidate leaves behind,
 * such as threads asleep on a CPU that another program takes, is not always the same one's. */
static void draw_turns(final_t *f, int several, int turn[COMPARED])
{
    for (int i = 0; i < f->count; i++) {
        const int at = several ? (int)rc_rng_below(&f->rng, (uint64_t)i + 1) : i;
        turn[i] = i;
        turn[i] = turn[at];
        turn[at] = i;
    }
}

/* A round: each that is compared, into one half. */
static rc_status_t time_round(rc_tuning_t *t, final_t *f, int half, rc_err_t *err)
{
    int turn[COMPARED];
    draw_turns(f, t->searches, turn);
    for (int i = 0; i < f->count; i++) {
        const int j = turn[i];
        rc_plan_candidate_t c = {.time_ns = f->ns[half][j]};
        if (!f->trial[j].state)
            continue;
        f->half[1][j].batch = f->half[0][j].batch; /* one warm-up will do */
        f->half[1][j].single = f->half[0][j].single;
        RC_PASS(follow(t, f, j, err));
        RC_PASS(rc_plan_trial_time(t->plan, &t->scratch, &c, &f->trial[j], &f->half[half][j], err));
        f->ns[half][j] = c.time_ns;
    }
    return RC_OK;
}

/* 1: batches of what may be the fastest disagree. */
static int is_disturbed(const final_t *f)
{
    const double near = 2;
    double best = INFINITY;
    for (int j = 0; j < f->count; j++)
        if (f->trial[j].state)
            best = fmin(best, f->half[0][j].ns[0]);
    for (int j = 0; j < f->count; j++)
        for (int half = 0; half < 2; half++)
            if (f->trial[j].state && f->half[half][j].ns[0] < near * best &&
                is_put_off(f, &f->half[half][j], f->ns[half][j]))
                return 1;
    return 0;
}

/* Rounds in both halves, and as many more as there is time for where other programs disturb them:
 * some of the batches meet none. */
static rc_status_t time_final(rc_tuning_t *t, final_t *f, rc_err_t *err)
{
    enum { few = 2, some = 3, most = 15 };
    const int usual = t->searches || t->plan->place.unsteady ? some : few;
    const rc_plan_place_t *at = &t->plan->place;
    if (at->look) /* who was there for a moment in the beginning is not now */
        at->look(at->user, 1);
    for (int round = 0; round < most; round++) {
        f->alone = at->alone && at->alone(at->user);
        t->others = at->alone && !f->alone;
        if (round >= usual &&
            (!t->searches || rc_plan_now(&t->plan->place) - t->start_ns > t->most_ns ||
                rc_tuning_is_asked(t, NULL) || !is_disturbed(f)))
            break;
        RC_PASS(time_round(t, f, 0, err));
        RC_PASS(time_round(t, f, 1, err));
    }
    return RC_OK;
}

/* Those that are listed, in turns: one half of the batches chooses, the figures are those of the
 * other, and where it does not confirm the choice that is given up. */
static rc_status_t compare(rc_tuning_t *t, final_t *f, rc_err_t *err)
{
    rc_status_t st = prepare_final(t, f, err);
    const int of_plan = f->anew ? -1 : f->held;
    if (st == RC_OK && f->held >= 0)
        st = time_final(t, f, err);
    if (st == RC_OK && f->held >= 0) {
        int best = best_of_final(t, f);
        if (best != of_plan)
            rc_tuning_take(t, f->of[best], &f->trial[best]);
        f->trial[best] = (rc_plan_trial_t){0};
    }
    for (int j = 0; j < f->count; j++)
        if (j != of_plan)
            rc_plan_trial_free(&f->trial[j]);
    return st;
}

/* What was timed early met another machine than what was timed late, and what was chosen was
 * lucky. */
rc_status_t rc_tuning_confirm(rc_tuning_t *t, rc_err_t *err)
{
    const int first = t->entry->part.reference;
    final_t *f = rc_alloc0(1, sizeof *f, "times", err);
    RC_PASS(f ? RC_OK : RC_ENOMEM);
    rc_rng_seed(&f->rng, 1);
    list_final(t, f);
    rc_status_t st = compare(t, f, err);
    const int keep = st == RC_OK ? slightly_beaten(t) : -1;
    if (keep >= 0 && !rc_tuning_is_asked(t, NULL)) {
        *f = (final_t){.of = {first}, .count = 1, .anew = 1, .rng = f->rng};
        if (keep != first)
            f->of[f->count++] = keep;
        f->of[f->count++] = t->best;
        st = compare(t, f, err);
    }
    free(f);
    return st;
}
