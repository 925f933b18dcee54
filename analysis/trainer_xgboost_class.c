/* A classifier of boosted trees: a row counts for what a choice can lose on it. */
#include "config.h"
#include "analysis/boost_fit.h"
#include "analysis/merit.h"
#include "base/error.h"

static rc_status_t fit(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    static const int depth[] = {3, 4, 6};
    const rc_dataset_t *d = job->d;
    rc_status_t st;
    rc_boost_problem_t p = {0};
    rc_forest_t *f = NULL;
    double mean = 0;
    (void)self;
    RC_TRY(rc_boost_problem_new(job, 1, &p, err));
    p.options = rc_boost_defaults(job->options, d->classes);
    p.options.objective = "multi:softprob";
    p.options.outputs = d->classes;
    p.options.leaf_weight_min = 1;
    p.measure = RC_BOOST_LARGEST;
    for (int64_t i = 0; i < job->n; i++) {
        p.label[i] = (float)rc_dataset_best(d, job->row[i]);
        mean += job->weight[i] * rc_merit_stake(d, job->row[i], RC_MERIT_CAP) / (double)job->n;
    }
    for (int64_t i = 0; i < job->n && mean > 0; i++)
        p.weight[i] = (float)(job->weight[i] * rc_merit_stake(d, job->row[i], RC_MERIT_CAP) / mean);
    RC_TRY(rc_boost_fit_sized(&p, depth, 3, job->options, "trees", m, &f, err));
    rc_boost_serve(m, RC_OUTPUT_SCORE, f);
done:
    rc_boost_problem_free(&p);
    return st;
}

const rc_trainer_t rc_trainer_xgboost_class = {
    .name = "xgboost-class",
    .summary = "boosted trees as a classifier, rows weighted by what is at stake",
    .source = "Chen and Guestrin 2016, doi:10.1145/2939672.2939785",
    .version = 1,
    .has_times = 0,
    .fit = fit,
};
