/* Boosted trees that learn how much each class loses to the best one, and no times. */
#include "config.h"
#include "analysis/boost_fit.h"

static rc_status_t fit(const rc_dataset_t *d, const int64_t *row, int64_t n, const double *x,
    const double *weight, const rc_fit_options_t *options, rc_model_t *m, rc_err_t *err)
{
    static const int depth[] = {3, 4, 6};
    rc_boost_options_t trees = rc_boost_defaults(options, d->classes);
    rc_forest_t *f = NULL;
    rc_status_t st =
        rc_boost_fit_merits(d, row, n, x, weight, options, &trees, depth, 3, m, &f, err);
    if (st == RC_OK)
        rc_boost_serve(m, RC_OUTPUT_SCORE, f);
    return st;
}

const rc_trainer_t rc_trainer_xgboost_loss = {
    .name = "xgboost-loss",
    .summary = "boosted trees per class on its capped loss against the best class",
    .source = "Chen and Guestrin 2016, doi:10.1145/2939672.2939785",
    .version = 1,
    .has_times = 0,
    .fit = fit,
};
