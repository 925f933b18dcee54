/* One tree per class, without boosting: small enough to be read, and what boosting is measured
 * against. */
#include "config.h"
#include "analysis/boost_fit.h"

static rc_status_t fit(const rc_dataset_t *d, const int64_t *row, int64_t n, const double *x,
    const double *weight, const rc_fit_options_t *options, rc_model_t *m, rc_err_t *err)
{
    static const int depth[] = {2, 3, 4, 5, 6, 8};
    rc_boost_options_t trees = rc_boost_defaults(options, d->classes);
    trees.rounds = 1;
    trees.rate = 1;
    trees.lambda = options->l2 > 0 ? options->l2 : 0;
    rc_forest_t *f = NULL;
    rc_status_t st =
        rc_boost_fit_merits(d, row, n, x, weight, options, &trees, depth, 6, m, &f, err);
    if (st == RC_OK)
        rc_boost_serve(m, RC_OUTPUT_SCORE, f);
    return st;
}

const rc_trainer_t rc_trainer_tree = {
    .name = "tree",
    .summary = "a single tree per class on its capped loss against the best class",
    .source = "Breiman et al. 1984; grown by XGBoost",
    .version = 1,
    .has_times = 0,
    .fit = fit,
};
