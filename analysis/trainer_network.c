/* Networks: one fit (analysis/recipe.h), and a recipe for each trainer. */
#include "config.h"
#include "analysis/recipe.h"

static const char mehrabi[] = "Mehrabi et al. 2021, section V";

static const rc_recipe_t mlp = {.output = RC_OUTPUT_LOG_NS,
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

const rc_trainer_t rc_trainer_mlp = {.name = "mlp",
    .summary =
        "network 64-32 that predicts the time of every class, mean absolute percentage error",
    .source = mehrabi,
    .version = 1,
    .rows_min = RC_RECIPE_ROWS_MIN,
    .has_times = 1,
    .recipe = &mlp,
    .fit = rc_recipe_fit};

static const rc_recipe_t softmax = {.output = RC_OUTPUT_SCORE,
    .loss = rc_loss_entropy,
    .hidden = "64,32",
    .l2 = 1e-4,
    .members = 1,
    .restarts = 8,
    .epochs = 400,
    .patience = 100,
    .validation = 0.15,
    .rate = 3e-3};

const rc_trainer_t rc_trainer_softmax = {.name = "softmax",
    .summary = "network 64-32 that predicts which class is best, weighted cross entropy",
    .source = mehrabi,
    .version = 1,
    .rows_min = RC_RECIPE_ROWS_MIN,
    .recipe = &softmax,
    .fit = rc_recipe_fit};

/* Orders of one matrix differ by a few percent and matrices by factors of thousands, so an error of
 * absolute times hardly sees what decides the choice.  Here the outputs are ratios to the baseline
 * and the loss is what a soft choice among them costs. */
static const rc_recipe_t regret = {.output = RC_OUTPUT_LOG_RATIO,
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

const rc_trainer_t rc_trainer_regret = {.name = "regret",
    .summary = "mean of 10 networks 64-32 trained on the expected time that a soft choice loses",
    .source = "Mehrabi et al. 2021, section V, with another loss: analysis/loss.h; bagging: "
              "Breiman 1996",
    .version = 1,
    .rows_min = RC_RECIPE_ROWS_MIN,
    .has_times = 1,
    .recipe = &regret,
    .fit = rc_recipe_fit};
