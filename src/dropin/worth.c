/* Whether a plan is worth its making.  All figures here are in seconds.
 *
 * Two rules, and both have to hold.  A plan is begun when the calls of its pattern so far would
 * have won what making it costs: who knows nothing of the future loses at most as much as that,
 * and every call after it is won.  A better one is begun at half of that, as it is paid for by what
 * plans have won.  And whatever was made may cost the program at most the share of its time: making
 * and plans that were slower count against it in full, and so does what a trial and a change may
 * still cost.  What plans won counts half, since it is known from few times. */
#include "config.h"
#include "dropin/dropin.h"

/* What is expected before this process has figures of its own. */
static const double first_gain = 1.5; /* cuSPARSE's time over a plan's: 1.35 to 3.7 in programs, the
                                          median of real matrices 1.7 */
static const double way_gain = 1.25;  /* the same of kernels on the program's arrays: 1.02 to 2.1
                                          in solvers */
static const double better_gain = 1.1;  /* a plan's time over that of a tuned one */
static const double weight[2] = {2, 1}; /* plans that these two figures count as */
static const double sooner = 0.5;
static const double fixed[2] = {0.25e-3, 3e-3}; /* making a first and a tuned plan */
static const double an_entry[2] = {0.6e-9, 2e-9};
static const double products[2] = {0, 40}; /* that timing takes */
static const double first_of_all = 10e-3;  /* kernels and libraries are loaded */
static const double first_way = 12e-3;     /* the same of kernels on the program's arrays */

/* What it may be beyond the estimate, and what a plan that is slower costs until that is known, in
 * products of cuSPARSE. */
static const double doubt = 3;
static const double trial = 2;
static const double of_way = 8; /* the same of a kernel on the program's arrays, which runs as often
                                      and may take twice cuSPARSE's time */
static const double repair = 5; /* a product that a check found wrong is made twice, the second
                                      time by a plain kernel */

/* Time before the first product counts up to here: what a program loses while it computes has a
 * bound that does not depend on how long it has read its data. */
static const double before_most = 5;

/* Patterns that begin until one more call of each is not looked at; and the most such calls. */
enum { STRANGERS = 16, PATIENCE = 32 };

int rc_worth_patience(const rc_dropin_t *d)
{
    int calls = d->account.fresh / STRANGERS + (d->cache.path ? 0 : 1);
    return calls < PATIENCE ? calls : PATIENCE;
}

int rc_worth_is_time(const rc_known_t *known)
{
    return known->turns < 16 || known->turns % 8 < 2;
}

/* Seconds of one product by cuSPARSE; 0: not known. */
static double product_of(const rc_known_t *known)
{
    if (known->reference.count > 0)
        return 1e-9 * rc_times_median(&known->reference);
    if (known->product_ns > 0)
        return 1e-9 * known->product_ns;
    return known->choice ? 1e-9 * known->choice->reference_ns : 0;
}

static double expected(const rc_known_t *known, int tuned)
{
    return fixed[tuned] + an_entry[tuned] * (double)known->key.nnz +
           products[tuned] * product_of(known);
}

double rc_worth_estimate(const rc_dropin_t *d, const rc_known_t *known, int tuned)
{
    double ratio = d->account.ratio[tuned];
    return (ratio > 0 ? ratio : 1) * expected(known, tuned);
}

double rc_worth_most(const rc_dropin_t *d, const rc_known_t *known, int tuned)
{
    double first = !tuned && d->account.ratio[0] == 0 ? first_of_all : 0;
    return doubt * (rc_worth_estimate(d, known, tuned) + first);
}

/* Of two makings the newer counts as much as all before.  The first of all loads kernels, too. */
void rc_worth_learn(rc_dropin_t *d, const rc_known_t *known, int tuned, double seconds)
{
    double *ratio = &d->account.ratio[tuned];
    double was = expected(known, tuned) + (!tuned && *ratio == 0 ? first_of_all : 0);
    double now = seconds / was;
    *ratio = *ratio > 0 ? 0.5 * (*ratio + now) : now;
    *ratio = *ratio > 0.1 ? *ratio : 0.1;
}

/* What a product is expected to win by a plan, or by a kernel on the program's arrays, of which the
 * plans of a program say nothing. */
static double win_of(const rc_dropin_t *d, const rc_known_t *known)
{
    double gain = way_gain;
    if (!known->key.direct)
        gain = (weight[0] * first_gain + d->account.gains) / (weight[0] + d->account.tried);
    if (known->choice)
        gain = known->choice->reference_ns / known->choice->plan_ns;
    return gain > 1 ? product_of(known) * (1 - 1 / gain) : 0;
}

int rc_worth_calls(const rc_dropin_t *d, const rc_known_t *known, double part)
{
    double calls = (double)(known->calls - known->since);
    double cost = rc_worth_estimate(d, known, 0);
    if (known->choice)
        calls += (double)known->choice->calls; /* it is the same program */
    for (int i = 0; i < known->changes; i++)
        cost *= 2;
    return calls * win_of(d, known) >= part * cost;
}

int rc_worth_better(const rc_dropin_t *d, const rc_known_t *known)
{
    double gain = (weight[1] * better_gain + d->account.better) / (weight[1] + d->account.improved);
    double won = gain > 1 ? 1e-9 * rc_times_median(&known->ours) * (1 - 1 / gain) : 0;
    return (double)known->held->runs * won >= sooner * rc_worth_estimate(d, known, 1);
}

/* What products have brought, of which each took that long; 0: that is not known. */
static void book(rc_dropin_t *d, rc_known_t *known, uint64_t runs, double ns)
{
    if (known->reference.count == 0 || ns == 0)
        return;
    double won = 1e-9 * (double)runs * (rc_times_median(&known->reference) - ns);
    known->won += won;
    *(won > 0 ? &d->account.won : &d->account.lost) += won > 0 ? won : -won;
}

void rc_worth_settle(rc_dropin_t *d, rc_known_t *known)
{
    if (known->reference.count == 0 || rc_trial_kept(known) == 0)
        return;
    book(d, known, known->by_plan - known->settled, rc_trial_kept(known));
    known->settled = known->by_plan;
}

void rc_worth_tried(rc_dropin_t *d, rc_known_t *known)
{
    book(d, known, known->next->runs, rc_times_median(&known->better));
}

void rc_worth_repaired(rc_dropin_t *d, const rc_known_t *known)
{
    d->account.lost += repair * product_of(known);
}

/* What a pattern may still lose: a trial that is not over, and a product that is made twice because
 * it has changed, until its plan has won that. */
static double risk_of(const rc_known_t *known)
{
    int plans = !known->key.direct;
    double product = product_of(known);
    double tried = (plans ? trial : of_way) * product;
    double twice = plans ? repair * product : 0;
    double lost = twice - known->won;
    if (known->stage == RC_STAGE_ON)
        return (lost > 0 ? lost : 0) + (known->next ? tried : 0);
    return known->stage == RC_STAGE_MAKING || known->stage == RC_STAGE_TRYING ? tried + twice : 0;
}

/* 1: the program can lose that beside what it may lose already. */
static int affords(rc_dropin_t *d, double making, double risk)
{
    const rc_account_t *a = &d->account;
    for (int i = 0; i < d->count; i++) {
        if (d->known[i]->kept_ns == 0) /* else its next time comes first */
            rc_worth_settle(d, d->known[i]);
        risk += risk_of(d->known[i]);
    }
    double before = d->start < before_most ? d->start : before_most;
    double may = d->settings.share * (before + rc_making_now(d) - d->start);
    return a->spent + a->lost + making + risk <= may + 0.5 * a->won;
}

int rc_worth_budget(rc_dropin_t *d, const rc_known_t *known, int tuned)
{
    double risk = (tuned ? trial : trial + repair) * product_of(known);
    return affords(d, rc_worth_most(d, known, tuned), risk);
}

/* Until an operation has had a kernel on the program's arrays there is one to be loaded. */
static double loading(const rc_dropin_t *d, const rc_known_t *known)
{
    return d->done[known->key.op][1] == 0 ? first_way : 0;
}

/* What one more kernel costs until its times are there. */
static double trial_of(const rc_dropin_t *d, const rc_known_t *known, double making)
{
    return loading(d, known) + making + of_way * product_of(known);
}

static int affords_way(rc_dropin_t *d, const rc_known_t *known, double making)
{
    return affords(d, loading(d, known) + making, of_way * product_of(known));
}

int rc_worth_trial(rc_dropin_t *d, const rc_known_t *known, double making)
{
    double won = 1e-9 * rc_trial_kept(known) * (1 - 1 / better_gain);
    return (double)known->held->runs * won >= sooner * making && affords_way(d, known, making);
}

int rc_worth_way(rc_dropin_t *d, const rc_known_t *known, double making)
{
    double calls = (double)(known->calls - known->since);
    return calls * win_of(d, known) >= trial_of(d, known, making) && affords_way(d, known, making);
}
