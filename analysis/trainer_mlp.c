#include "config.h"
#include "analysis/recipe.h"

static const rc_recipe_t recipe = {.output = RC_OUTPUT_LOG_NS,
    .loss = rc_loss_mape,
    .warm = rc_loss_square,
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

const rc_trainer_t rc_trainer_mlp = {.name = "mlp",
    .summary =
        "network 64-32 that predicts the time of every class, mean absolute percentage error",
    .source = "Mehrabi et al. 2021, section V",
    .version = 1,
    .has_times = 1,
    .fit = fit};
