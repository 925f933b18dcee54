#include "config.h"
#include "plan/use.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/type.h"
#include "kernels/prepared.h"

#include <math.h>
#include <stdlib.h>

/* What is measured of an entry now. */
typedef enum stage {
    CURRENT, /* the current choice alone, once */
    FIRST,   /* a candidate alone: a cold product, and one more */
    TURNS,   /* both in turns */
    OVER
} stage_t;

typedef struct lap {
    int busy;
    int entry;
    int candidate;
    int counts; /* 0: a cold one */
} lap_t;

typedef struct used {
    stage_t stage;
    int left;              /* candidates that may still be measured */
    unsigned char *tried;  /* [candidates] 1: or is the first choice */
    int challenger;        /* -1: none */
    rc_plan_trial_t trial; /* of it */
    int asked;             /* products of this stage so far */
    int pending;           /* of them without a time yet */
    int beta;              /* of those that are compared: 0 or not; -1: not known yet */
} used_t;

struct rc_plan_use {
    used_t *of;              /* [entries of the plan] */
    lap_t lap[RC_PLAN_LAPS]; /* products that are timed and not yet known: of all K */
    int64_t calls_left;      /* products after which it ends in any case */
    double reuse;            /* products that are expected; 0: not known */
    double spent_ns;         /* in preparing */
};

/* --------------------------------------------------------------- begin, end */

/* A program that runs far ahead of its device, or never asks for a K, gets no further. */
enum { CALLS_EACH = 2000 };

static rc_status_t begin_entry(
    used_t *u, const rc_plan_entry_t *e, const rc_plan_options_t *o, rc_err_t *err)
{
    *u = (used_t){.left = o->tune_in_use, .challenger = -1, .beta = -1};
    RC_PASS(RC_NEW0(u->tried, e->part.candidates, "candidates", err));
    u->tried[e->part.chosen] = 1;
    return RC_OK;
}

rc_status_t rc_plan_use_new(rc_plan_t *plan, const rc_plan_options_t *o, rc_err_t *err)
{
    rc_status_t st;
    plan->use = rc_alloc0(1, sizeof *plan->use, "tuning in use", err);
    RC_TRY(plan->use ? RC_OK : RC_ENOMEM);
    plan->use->reuse = o->reuse;
    plan->use->calls_left =
        rc_sat_mul(CALLS_EACH, rc_sat_mul((int64_t)o->tune_in_use + 1, plan->entries));
    RC_TRY(RC_NEW0(plan->use->of, plan->entries, "tuning in use", err));
    for (int i = 0; i < plan->entries; i++)
        RC_TRY(begin_entry(&plan->use->of[i], &plan->entry[i], o, err));
    return RC_OK;
done:
    rc_plan_use_free(plan);
    return st;
}

void rc_plan_use_free(rc_plan_t *plan)
{
    rc_plan_use_t *use = plan->use;
    if (!use)
        return;
    for (int i = 0; use->of && i < plan->entries; i++) {
        rc_plan_trial_free(&use->of[i].trial);
        free(use->of[i].tried);
    }
    free(use->of);
    free(use);
    plan->use = NULL;
    rc_plan_resident_drop(plan);
    rc_plan_orders_settle(plan);
    (void)rc_plan_values_settle(plan, NULL); /* which nothing waits for any more */
}

/* -------------------------------------------------------------------- laps */

/* A free lap; -1: there is none now. */
static int free_lap(const rc_plan_use_t *use)
{
    for (int i = 0; i < RC_PLAN_LAPS; i++)
        if (!use->lap[i].busy)
            return i;
    return -1;
}

static void lap_done(rc_plan_t *plan, lap_t *lap, int64_t ns)
{
    used_t *u = &plan->use->of[lap->entry];
    rc_plan_entry_t *e = &plan->entry[lap->entry];
    lap->busy = 0;
    u->pending--;
    if (lap->counts && ns >= 0 && e->timing[lap->candidate].samples < RC_PLAN_SAMPLES) {
        e->timing[lap->candidate].batch = 1;
        rc_plan_timing_few(&e->timing[lap->candidate], ns, &e->candidate[lap->candidate]);
    }
}

/* Times that are known by now. */
static rc_status_t collect(rc_plan_t *plan, rc_err_t *err)
{
    const rc_plan_laps_t *laps = plan->place.laps;
    for (int i = 0; laps && i < RC_PLAN_LAPS; i++) {
        int64_t ns = -1;
        lap_t *lap = &plan->use->lap[i];
        if (!lap->busy)
            continue;
        RC_PASS(laps->ns(plan->place.user, plan->place.first_lap + i, &ns, err));
        if (ns >= 0)
            lap_done(plan, lap, ns);
    }
    return RC_OK;
}

/* ------------------------------------------------------------------ choosing */

/* A trial that is in the entry from now on; that which was there goes. */
static void exchange(rc_plan_t *plan, rc_plan_entry_t *e, used_t *u)
{
    rc_plan_trial_t old = e->trial;
    e->trial = (rc_plan_trial_t){0}; /* which nothing is found to share with */
    rc_plan_trial_hand_over(plan, &old);
    rc_plan_trial_move(&u->trial, &e->trial);
    e->trial.shares = rc_plan_trial_has_owner(plan, &e->trial);
    rc_plan_trial_free(&old);
    e->part.chosen = u->challenger;
    e->part.why = RC_PLAN_TIMED;
    u->challenger = -1;
}

static void drop(used_t *u)
{
    rc_plan_trial_free(&u->trial);
    u->challenger = -1;
}

/* What is measured next: the reference first, then as listed; another of the vendor's algorithms
 * only where it may still win.  \return -1: nothing */
static int next_of(const rc_plan_entry_t *e, const used_t *u)
{
    int first = e->part.reference;
    int ours = e->part.candidates - e->others;
    if (!u->tried[first])
        return first;
    for (int i = 0; i < e->part.candidates; i++)
        if (!u->tried[i] && e->candidate[i].status == RC_OK &&
            (i < ours || rc_plan_others_can_win(e, e->part.chosen)))
            return i;
    return -1;
}

/* 1: preparing another one would cost more than it may. */
static int is_spent(const rc_plan_use_t *use, const rc_plan_entry_t *e)
{
    const double share = 0.05; /* of what the products will take */
    return use->reuse > 0 &&
           use->spent_ns > share * use->reuse * e->candidate[e->part.chosen].time_ns;
}

static int64_t bytes_kept(const rc_plan_t *plan)
{
    int64_t kept = 0;
    for (int i = 0; i < plan->entries; i++) {
        const used_t *u = &plan->use->of[i];
        const rc_plan_entry_t *e = &plan->entry[i];
        kept = rc_sat_add(kept, e->candidate[e->part.chosen].bytes);
        if (u->challenger >= 0)
            kept = rc_sat_add(kept, e->candidate[u->challenger].bytes);
    }
    return kept;
}

/* Prepare the next candidate that can be; without one it is over. */
static rc_status_t challenge(rc_plan_t *plan, rc_plan_entry_t *e, used_t *u, rc_err_t *err)
{
    u->stage = OVER;
    while (u->left > 0 && !is_spent(plan->use, e)) {
        rc_plan_scratch_t scratch = {0};
        int i = next_of(e, u);
        if (i < 0)
            return RC_OK;
        const rc_plan_try_t what = {.k = e->part.k,
            .kept = bytes_kept(plan),
            .scratch = &scratch,
            .candidate = &e->candidate[i]};
        int64_t start = rc_clock_ns();
        u->tried[i] = 1;
        rc_status_t st = rc_plan_trial_prepare(plan, &what, &u->trial, err);
        rc_plan_scratch_free(plan, &scratch);
        double ns = (double)(rc_clock_ns() - start);
        plan->use->spent_ns += ns;
        e->part.tune_ns += ns;
        RC_PASS(st);
        if (!u->trial.state)
            continue;
        u->left--;
        u->challenger = i;
        u->stage = FIRST;
        break;
    }
    return RC_OK;
}

/* Products that a stage measures: of the current choice a cold one and three; of a candidate a cold
 * one and one; in turns four of each. */
static int wanted(stage_t stage)
{
    static const int products[] = {[CURRENT] = 4, [FIRST] = 2, [TURNS] = 8, [OVER] = 0};
    return products[stage];
}

/* All of a stage is known. */
static rc_status_t decide(rc_plan_t *plan, rc_plan_entry_t *e, used_t *u, rc_err_t *err)
{
    enum { sure = 8, most = 12 }; /* of each: to be taken, and at all */
    const double clear = 1.5;
    const rc_plan_candidate_t *c = e->candidate;
    rc_plan_timing_t *now = &e->timing[e->part.chosen];
    u->asked = 0;
    if (u->stage == CURRENT)
        return challenge(plan, e, u, err);
    rc_plan_timing_t *then = &e->timing[u->challenger];
    if (c[u->challenger].status == RC_OK && u->stage == FIRST &&
        c[u->challenger].time_ns < clear * c[e->part.chosen].time_ns) {
        now->samples = then->samples = 0; /* times of both from one span of the program */
        u->stage = TURNS;
        return RC_OK;
    }
    if (c[u->challenger].status == RC_OK && u->stage == TURNS) {
        double gain = c[e->part.chosen].time_ns - c[u->challenger].time_ns;
        double off = rc_plan_timing_margin(now, c[e->part.chosen].time_ns) +
                     rc_plan_timing_margin(then, c[u->challenger].time_ns);
        if (gain > off && then->samples >= sure) {
            exchange(plan, e, u);
            return challenge(plan, e, u, err);
        }
        if (gain > -off && then->samples < most)
            return RC_OK; /* once more */
    }
    drop(u);
    return challenge(plan, e, u, err);
}

/* ----------------------------------------------------------------------- run */

typedef struct product {
    const rc_operands_t *o;
    double alpha;
    double beta;
} product_t; /* the imaginary parts of the factors are in `o` */

static rc_status_t run(const rc_plan_trial_t *t, const product_t *p, rc_err_t *err)
{
    return rc_kernel_run(t->spec.kernel, t->state, p->o, p->alpha, p->beta, err);
}

/* Whose turn it is: A B B A A B B A.  \param[out] counts  0: it is cold */
static int turn(const rc_plan_entry_t *e, const used_t *u, int *counts)
{
    enum { pair = 2 };
    int second = u->stage == TURNS && (u->asked + 1) / pair % pair == 0;
    *counts = u->stage == TURNS || u->asked > 0;
    return u->stage == CURRENT || second ? e->part.chosen : u->challenger;
}

/* A product that is timed.  \param[in] at  the lap for it */
static rc_status_t run_timed(
    rc_plan_t *plan, rc_plan_entry_t *e, int at, const product_t *p, rc_err_t *err)
{
    used_t *u = &plan->use->of[e - plan->entry];
    lap_t *lap = &plan->use->lap[at];
    const rc_plan_laps_t *laps = plan->place.laps;
    const int number = plan->place.first_lap + at;
    rc_err_t why = {0};
    *lap = (lap_t){.entry = (int)(e - plan->entry)};
    lap->candidate = turn(e, u, &lap->counts);
    int other = lap->candidate == u->challenger;
    int64_t start = rc_plan_now(&plan->place);
    RC_PASS(laps ? laps->begin(plan->place.user, number, err) : RC_OK);
    rc_status_t st = run(other ? &u->trial : &e->trial, p, &why);
    if ((st == RC_ENOTSUP || st == RC_ENOMEM) && other) { /* nothing was written */
        rc_plan_candidate_is(&e->candidate[u->challenger], st, &why);
        u->asked = wanted(u->stage);
        return run(&e->trial, p, err);
    }
    if (st < 0)
        return rc_fail(err, st, "%s", why.text);
    RC_PASS(laps ? laps->end(plan->place.user, number, err) : RC_OK);
    lap->busy = 1;
    u->asked++;
    u->pending++;
    if (!laps)
        lap_done(plan, lap, rc_plan_now(&plan->place) - start);
    return RC_OK;
}

/* 1: it takes what the others take that are compared: all K, and a C that is read or not. */
static int is_alike(const rc_plan_t *plan, const rc_plan_entry_t *e, used_t *u, const product_t *p)
{
    const rc_precision_t sum = rc_type(plan->precision)->sum;
    int beta = p->beta != 0 || p->o->beta_im != 0;
    if ((rc_precision_round(sum, p->alpha) == 0 && rc_precision_round(sum, p->o->alpha_im) == 0) ||
        (rc_operation_of(plan->op)->has_k && p->o->in[0].cols != e->part.k))
        return 0;
    if (u->beta < 0)
        u->beta = beta;
    return u->beta == beta;
}

/* 1: nothing is measured of any K any more. */
static int is_over(const rc_plan_t *plan)
{
    int over = 1;
    for (int i = 0; i < plan->entries; i++)
        over &= plan->use->of[i].stage == OVER;
    return over || plan->use->calls_left == 0;
}

int rc_plan_use_captured(rc_plan_t *plan, const rc_plan_entry_t *e)
{
    const rc_plan_laps_t *laps = plan->place.laps;
    if (!laps || !laps->capturing(plan->place.user))
        return 0;
    plan->use->of[e - plan->entry].stage = OVER;
    return 1;
}

rc_status_t rc_plan_use_run(rc_plan_t *plan, rc_plan_entry_t *e, const rc_operands_t *o,
    double alpha, double beta, rc_err_t *err)
{
    used_t *u = &plan->use->of[e - plan->entry];
    const product_t p = {o, alpha, beta};
    rc_err_t why = {0};
    if (rc_plan_use_captured(plan, e))
        return run(&e->trial, &p, err);
    RC_PASS(collect(plan, err));
    plan->use->calls_left--;
    if (u->stage != OVER && u->asked == wanted(u->stage) && u->pending == 0)
        if (decide(plan, e, u, &why) < 0)
            u->stage = OVER; /* what the program has goes on */
    if (u->stage == OVER && u->challenger >= 0)
        drop(u);
    if (is_over(plan)) {
        rc_plan_use_free(plan);
        return run(&e->trial, &p, err);
    }
    int measures = u->asked < wanted(u->stage) && is_alike(plan, e, u, &p);
    int at = measures ? free_lap(plan->use) : -1;
    return at < 0 ? run(&e->trial, &p, err) : run_timed(plan, e, at, &p, err);
}
