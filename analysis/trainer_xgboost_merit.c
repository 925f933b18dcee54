/* Boosted trees of one size on the merits of classes: what trees learn of the times of a row when
 * only the choice matters.  Where groups are held out, sizes that are searched for inside of the
 * training rows come out no better than a fixed one: what few groups say of the others is noise.
 *
 * log ns of a class = level of the row - merit + excess.  The merit is the mean of those of losses
 * that are cut at two caps: a soft cap, which tells a choice that is twice as slow from one that is
 * a third slower.  The level, log of the geometric mean of the times with losses so cut, decides
 * nothing; the excess is what was cut off, 0 where a class is near the best one. */
#include "config.h"
#include "analysis/boost_fit.h"
#include "analysis/compose.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

/* Of log(time / best time): 35 % slower than the best class is as bad as it gets, or 2.7 times. */
static const double caps[2] = {0.3, 1};

/* How a part is grown.  The level is in every output: few trees, in large steps. */
typedef struct growth {
    rc_boost_size_t size;
    double rate;
    double leaf_weight_min;
    int centre; /* 1: outputs start from the mean; 0: from 0 */
} growth_t;

static const growth_t of_merits = {{.rounds = 60, .depth = 4}, 0.2, 5, 1};
static const growth_t of_level = {{.rounds = 10, .depth = 4}, 0.5, 5, 1};
/* Few rows decide what is cut off, and next to the best classes it is 0: small leaves would only
 * disturb them. */
static const growth_t of_excess = {{.rounds = 10, .depth = 3}, 0.4, 20, 0};

static double capped_loss(const double *time, int c, int best, double cap)
{
    double loss = log(time[c] / time[best]);
    return loss < cap ? loss : cap;
}

/* Merits of the classes of a row: minus log(time / best time), at least -cap, and less their mean
 * over the classes.  The largest is that of the best class.  The cap keeps a few rows with huge
 * ratios from steering the trees, since between two bad classes nothing is to be decided; the mean
 * makes all classes err alike, the baseline too.
 * \param[out] merit  [classes] */
static void merits_of(const rc_dataset_t *d, int64_t row, double cap, double *merit)
{
    const double *time = d->time + row * d->classes;
    int best = rc_dataset_best(d, row);
    double mean = 0;
    for (int c = 0; c < d->classes; c++) {
        merit[c] = -capped_loss(time, c, best, cap);
        mean += merit[c] / d->classes;
    }
    for (int c = 0; c < d->classes; c++)
        merit[c] -= mean;
}

/* Log of the mean time of a row with losses cut at the cap, and what is cut off.
 * \param[out] excess  [classes], may be NULL */
static double level_of(const rc_dataset_t *d, int64_t row, double *excess)
{
    const double *time = d->time + row * d->classes;
    double best = time[rc_dataset_best(d, row)];
    double level = log(best);
    for (int c = 0; c < d->classes; c++) {
        double loss = log(time[c] / best);
        double cut = (fmin(loss, caps[0]) + fmin(loss, caps[1])) / 2;
        level += cut / d->classes;
        if (excess)
            excess[c] = loss - cut;
    }
    return level;
}

static rc_status_t grow(rc_boost_problem_t *p, const rc_fit_job_t *j, const growth_t *how,
    rc_forest_t **out, rc_err_t *err)
{
    rc_boost_size_t s = how->size;
    int most = j->options->epochs;
    if (most > 0 && most < s.rounds)
        s.rounds = most;
    p->options = rc_boost_defaults(j->options, p->boosters);
    p->options.rate = how->rate;
    p->options.leaf_weight_min = how->leaf_weight_min;
    if (how->centre)
        rc_boost_problem_centre(p);
    return rc_boost_grow(p, &s, j->options->threads, out, err);
}

static rc_status_t fit_level(const rc_fit_job_t *j, rc_forest_t **out, rc_err_t *err)
{
    rc_status_t st;
    rc_boost_problem_t p = {0};
    RC_TRY(rc_boost_problem_new(j, 1, &p, err));
    for (int64_t i = 0; i < j->n; i++)
        p.label[i] = (float)level_of(j->d, j->row[i], NULL);
    RC_TRY(grow(&p, j, &of_level, out, err));
done:
    rc_boost_problem_free(&p);
    return st;
}

/* \param[out] merit, excess  an output for each class */
static rc_status_t fit_classes(
    const rc_fit_job_t *j, rc_forest_t **merit, rc_forest_t **excess, rc_err_t *err)
{
    rc_status_t st;
    int classes = j->d->classes;
    rc_boost_problem_t p = {0};
    rc_boost_problem_t q = {0};
    double *value = rc_alloc(3 * (size_t)classes, sizeof *value, "labels of trees", err);
    RC_TRY(value ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_boost_problem_new(j, classes, &p, err));
    RC_TRY(rc_boost_problem_new(j, classes, &q, err));
    for (int64_t i = 0; i < j->n; i++) {
        merits_of(j->d, j->row[i], caps[0], value);
        merits_of(j->d, j->row[i], caps[1], value + classes);
        (void)level_of(j->d, j->row[i], value + 2 * classes);
        for (int c = 0; c < classes; c++) {
            p.label[c * j->n + i] = (float)((value[c] + value[classes + c]) / 2);
            q.label[c * j->n + i] = (float)value[2 * classes + c];
        }
    }
    RC_TRY(grow(&p, j, &of_merits, merit, err));
    RC_TRY(grow(&q, j, &of_excess, excess, err));
done:
    free(value);
    rc_boost_problem_free(&p);
    rc_boost_problem_free(&q);
    return st;
}

static rc_status_t fit(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    enum { TERMS = 3 };
    rc_status_t st;
    rc_forest_t *level = NULL;
    rc_forest_t *merit = NULL;
    rc_forest_t *excess = NULL;
    rc_forest_t *f = NULL;
    int classes = job->d->classes;
    (void)self;
    rc_forest_term_t *term = rc_alloc((size_t)classes * TERMS, sizeof *term, "trees", err);
    RC_TRY(term ? RC_OK : RC_ENOMEM);
    RC_TRY(fit_level(job, &level, err));
    RC_TRY(fit_classes(job, &merit, &excess, err));
    for (int c = 0; c < classes; c++) {
        term[TERMS * c] = (rc_forest_term_t){c, level, 0, 1};
        term[TERMS * c + 1] = (rc_forest_term_t){c, merit, c, -1};
        term[TERMS * c + 2] = (rc_forest_term_t){c, excess, c, 1};
    }
    RC_TRY(rc_forest_compose(job->d->inputs, classes, term, TERMS * classes, &f, err));
    rc_boost_serve(m, RC_OUTPUT_LOG_NS, f);
done:
    free(term);
    rc_forest_free(level);
    rc_forest_free(merit);
    rc_forest_free(excess);
    return st;
}

const rc_trainer_t rc_trainer_xgboost_merit_soft = {
    .name = "xgboost-merit-soft",
    .summary = "boosted trees per class on its loss with a soft cap, of one size, and times",
    .source = "Chen and Guestrin 2016, doi:10.1145/2939672.2939785",
    .version = 1,
    .has_times = 1,
    .fit = fit,
};
