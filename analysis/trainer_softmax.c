#include "config.h"
#include "analysis/recipe.h"

static const rc_recipe_t recipe = {.output = RC_OUTPUT_SCORE,
    .loss = rc_loss_entropy,
    .hidden = "64,32",
    .l2 = 1e-4,
    .members = 1,
    .restarts = 8,
    .epochs = 400,
    .patience = 100,
    .validation = 0.15,
    .rate = 3e-3};

static rc_status_t fit(const rc_dataset_t *d, const int64_t *row, int64_t n, const double *x,
    const double *weight, const rc_fit_options_t *options, rc_model_t *m, rc_err_t *err)
{
    return rc_recipe_fit(&recipe, d, row, n, x, weight, options, m, err);
}

const rc_trainer_t rc_trainer_softmax = {.name = "softmax",
    .summary = "network 64-32 that predicts which class is best, weighted cross entropy",
    .source = "Mehrabi et al. 2021, section V",
    .version = 1,
    .has_times = 0,
    .fit = fit};
