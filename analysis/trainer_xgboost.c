/* Times from boosted trees.  log(time of a class / time of the baseline) is the difference of two
 * merits (analysis/merit.h), which decide the choice and are learnt with all classes alike, plus
 * what the cap of the merits cut off, which makes it a time.  The baseline has its log ns. */
#include "config.h"
#include "analysis/boost_fit.h"
#include "analysis/compose.h"
#include "analysis/merit.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static const int depth[] = {3, 4, 6};
enum { DEPTHS = 3 };

static rc_status_t fit_baseline(
    const rc_fit_job_t *j, rc_model_t *m, rc_forest_t **out, rc_err_t *err)
{
    rc_status_t st;
    rc_boost_problem_t p = {0};
    RC_TRY(rc_boost_problem_new(j, 1, &p, err));
    p.options = rc_boost_defaults(j->options, 1);
    p.measure = RC_BOOST_ERROR;
    for (int64_t i = 0; i < j->n; i++)
        p.label[i] = (float)log(j->d->time[j->row[i] * j->d->classes + j->d->baseline]);
    rc_boost_problem_centre(&p);
    RC_TRY(rc_boost_fit_sized(&p, depth, DEPTHS, j->options, "baseline_trees", m, out, err));
done:
    rc_boost_problem_free(&p);
    return st;
}

/* What the cap cut off: merits without a cap are the sum of both. */
static rc_status_t fit_excess(
    const rc_fit_job_t *j, rc_model_t *m, rc_forest_t **out, rc_err_t *err)
{
    rc_status_t st;
    int classes = j->d->classes;
    rc_boost_problem_t p = {0};
    double *capped = rc_alloc((size_t)classes, sizeof *capped, "labels of trees", err);
    double *full = rc_alloc((size_t)classes, sizeof *full, "labels of trees", err);
    RC_TRY(capped && full ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_boost_problem_new(j, classes, &p, err));
    p.options = rc_boost_defaults(j->options, 1);
    p.options.rounds = rc_boost_rounds_max(4 * classes);
    p.measure = RC_BOOST_ERROR;
    for (int64_t i = 0; i < j->n; i++) {
        rc_merit(j->d, j->row[i], RC_MERIT_CAP, capped);
        rc_merit(j->d, j->row[i], INFINITY, full);
        for (int c = 0; c < classes; c++)
            p.label[c * j->n + i] = (float)(full[c] - capped[c]);
    }
    rc_boost_problem_centre(&p);
    RC_TRY(rc_boost_fit_sized(&p, depth, DEPTHS, j->options, "excess_trees", m, out, err));
done:
    free(capped);
    free(full);
    rc_boost_problem_free(&p);
    return st;
}

static rc_status_t put_together(const rc_dataset_t *d, const rc_forest_t *baseline,
    const rc_forest_t *merit, const rc_forest_t *excess, rc_forest_t **out, rc_err_t *err)
{
    int classes = d->classes;
    int b = d->baseline;
    int terms = 0;
    rc_forest_term_t *term = rc_alloc((size_t)classes * 4, sizeof *term, "trees", err);
    if (!term)
        return RC_ENOMEM;
    for (int c = 0; c < classes; c++) {
        if (c == b) {
            term[terms++] = (rc_forest_term_t){c, baseline, 0, 1};
            continue;
        }
        term[terms++] = (rc_forest_term_t){c, merit, b, 1};
        term[terms++] = (rc_forest_term_t){c, merit, c, -1};
        term[terms++] = (rc_forest_term_t){c, excess, b, 1};
        term[terms++] = (rc_forest_term_t){c, excess, c, -1};
    }
    rc_status_t st = rc_forest_compose(d->inputs, classes, term, terms, out, err);
    free(term);
    return st;
}

static rc_status_t fit(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    rc_status_t st;
    rc_forest_t *baseline = NULL;
    rc_forest_t *merit = NULL;
    rc_forest_t *more = NULL;
    rc_forest_t *f = NULL;
    rc_boost_options_t trees = rc_boost_defaults(job->options, 4 * job->d->classes);
    (void)self;
    RC_TRY(fit_baseline(job, m, &baseline, err));
    RC_TRY(rc_boost_fit_merits(job, &trees, depth, DEPTHS, m, &merit, err));
    RC_TRY(fit_excess(job, m, &more, err));
    RC_TRY(put_together(job->d, baseline, merit, more, &f, err));
    rc_boost_serve(m, RC_OUTPUT_LOG_RATIO, f);
done:
    rc_forest_free(baseline);
    rc_forest_free(merit);
    rc_forest_free(more);
    return st;
}

const rc_trainer_t rc_trainer_xgboost = {
    .name = "xgboost",
    .summary = "boosted trees per class on its time",
    .source = "Chen and Guestrin 2016, doi:10.1145/2939672.2939785",
    .version = 1,
    .has_times = 1,
    .fit = fit,
};
