#include "config.h"
#include "analysis/recipe.h"

/* Orders of one matrix differ by a few percent and matrices by factors of thousands, so an error of
 * absolute times hardly sees what decides the choice.  Here the outputs are ratios to the baseline
 * and the loss is what a soft choice among them costs. */
static const rc_recipe_t recipe = {.output = RC_OUTPUT_LOG_RATIO,
    .loss = rc_loss_regret,
    .hidden = "64,32",
    .l2 = 1e-3,
    .members = 10,
    .levels = 2,
    .restarts = 1,
    .epochs = 300,
    .patience = 100,
    .validation = 0.15,
    .by_matrix = 1,
    .rate = 2e-3,
    .temperature = 0.05,
    .mix = 0.3};

static rc_status_t fit(const rc_dataset_t *d, const int64_t *row, int64_t n, const double *x,
    const double *weight, const rc_fit_options_t *options, rc_model_t *m, rc_err_t *err)
{
    return rc_recipe_fit(&recipe, d, row, n, x, weight, options, m, err);
}

const rc_trainer_t rc_trainer_regret = {.name = "regret",
    .summary = "mean of 10 networks 64-32 trained on the expected time that a soft choice loses",
    .source = "Mehrabi et al. 2021, section V, with another loss: analysis/loss.h; bagging: "
              "Breiman 1996",
    .version = 1,
    .has_times = 1,
    .fit = fit};
