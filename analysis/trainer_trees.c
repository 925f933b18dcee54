/* Trees that learn how much each class loses to the best one, and no times: one fit, and a recipe
 * for each trainer. */
#include "config.h"
#include "analysis/boost_fit.h"

typedef struct recipe {
    int rounds;    /* of boosting; 0: as many as the options and the size of the model allow */
    double rate;   /* 0: the default of boosting */
    double lambda; /* < 0: the default of boosting */
    int depth[6];  /* tried, ascending */
    int depths;
} recipe_t;

static rc_status_t fit(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    const recipe_t *r = self->recipe;
    rc_boost_options_t trees = rc_boost_defaults(job->options, job->d->classes);
    rc_forest_t *f = NULL;
    if (r->rounds > 0)
        trees.rounds = r->rounds;
    if (r->rate > 0)
        trees.rate = r->rate;
    if (r->lambda >= 0 && !(job->options->l2 > 0))
        trees.lambda = r->lambda;
    rc_status_t st = rc_boost_fit_merits(job, &trees, r->depth, r->depths, m, &f, err);
    if (st == RC_OK)
        rc_boost_serve(m, RC_OUTPUT_SCORE, f);
    return st;
}

static const recipe_t boosted = {.lambda = -1, .depth = {3, 4, 6}, .depths = 3};

const rc_trainer_t rc_trainer_xgboost_loss = {
    .name = "xgboost-loss",
    .summary = "boosted trees per class on its capped loss against the best class",
    .source = "Chen and Guestrin 2016, doi:10.1145/2939672.2939785",
    .version = 1,
    .has_times = 0,
    .recipe = &boosted,
    .fit = fit,
};

/* One tree per class, without boosting: small enough to be read, and what boosting is measured
 * against. */
static const recipe_t single = {
    .rounds = 1, .rate = 1, .lambda = 0, .depth = {2, 3, 4, 5, 6, 8}, .depths = 6};

const rc_trainer_t rc_trainer_tree = {
    .name = "tree",
    .summary = "a single tree per class on its capped loss against the best class",
    .source = "Breiman et al. 1984; grown by XGBoost",
    .version = 1,
    .has_times = 0,
    .recipe = &single,
    .fit = fit,
};
