/* A classifier of boosted trees: a row counts for what a choice can lose on it. */
#include "config.h"
#include "analysis/boost_fit.h"
#include "analysis/merit.h"
#include "base/error.h"

static rc_status_t fit(const rc_dataset_t *d, const int64_t *row, int64_t n, const double *x,
    const double *weight, const rc_fit_options_t *options, rc_model_t *m, rc_err_t *err)
{
    static const int depth[] = {3, 4, 6};
    rc_status_t st;
    rc_boost_problem_t p = {0};
    rc_forest_t *f = NULL;
    double mean = 0;
    RC_TRY(rc_boost_problem_new(d, row, n, x, weight, 1, &p, err));
    p.options = rc_boost_defaults(options, d->classes);
    p.options.objective = "multi:softprob";
    p.options.outputs = d->classes;
    p.options.leaf_weight_min = 1;
    p.measure = RC_BOOST_LARGEST;
    for (int64_t i = 0; i < n; i++) {
        p.label[i] = (float)rc_dataset_best(d, row[i]);
        mean += weight[i] * rc_merit_stake(d, row[i], RC_MERIT_CAP) / (double)n;
    }
    for (int64_t i = 0; i < n && mean > 0; i++)
        p.weight[i] = (float)(weight[i] * rc_merit_stake(d, row[i], RC_MERIT_CAP) / mean);
    RC_TRY(rc_boost_fit_sized(&p, depth, 3, options, "trees", m, &f, err));
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
