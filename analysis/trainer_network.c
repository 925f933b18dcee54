/* Networks: one fit (analysis/recipe.h), and a recipe for each trainer. */
#include "config.h"
#include "analysis/recipe.h"

static const char mehrabi[] = "Mehrabi et al. 2021, section V";

#define PAPER_MEMBERS                                                                              \
    .hidden = "64,32", .net.l2 = 1e-4, .members = 1, .restarts = 8, .net.epochs = 400,             \
    .net.patience = 100, .validation = 0.15, .net.rate = 3e-3

const rc_trainer_t rc_trainer_mlp = {.name = "mlp",
    .summary =
        "network 64-32 that predicts the time of every class, mean absolute percentage error",
    .source = mehrabi,
    .version = 1,
    .rows_min = RC_RECIPE_ROWS_MIN,
    .has_times = 1,
    .recipe = &(const rc_recipe_t){.output = RC_OUTPUT_LOG_NS,
        .loss = rc_loss_mape,
        .warm = rc_loss_square,
        PAPER_MEMBERS},
    .fit = rc_recipe_fit};

const rc_trainer_t rc_trainer_softmax = {.name = "softmax",
    .summary = "network 64-32 that predicts which class is best, weighted cross entropy",
    .source = mehrabi,
    .version = 1,
    .rows_min = RC_RECIPE_ROWS_MIN,
    .recipe =
        &(const rc_recipe_t){.output = RC_OUTPUT_SCORE, .loss = rc_loss_entropy, PAPER_MEMBERS},
    .fit = rc_recipe_fit};

/* Orders of one matrix differ by a few percent and matrices by factors of thousands, so an error of
 * absolute times hardly sees what decides the choice.  Here the outputs are ratios to the baseline
 * and the loss is what a soft choice among them costs. */
const rc_trainer_t rc_trainer_regret = {.name = "regret",
    .summary = "mean of 10 networks 64-32 trained on the expected time that a soft choice loses",
    .source = "Mehrabi et al. 2021, section V, with another loss: analysis/loss.h; bagging: "
              "Breiman 1996",
    .version = 1,
    .rows_min = RC_RECIPE_ROWS_MIN,
    .has_times = 1,
    .recipe = &(const rc_recipe_t){.output = RC_OUTPUT_LOG_RATIO,
        .loss = rc_loss_regret,
        .hidden = "64,32",
        .net.l2 = 1e-3,
        .members = 10,
        .levels = 2,
        .restarts = 1,
        .net.epochs = 300,
        .net.patience = 100,
        .validation = 0.15,
        .by_matrix = 1,
        .net.rate = 2e-3,
        .temperature = 0.05,
        .mix = 0.3},
    .fit = rc_recipe_fit};

/* The networks of Nisa et al. 2018: hidden layers 96, 48 and 16, mini-batches of 16, Adam at 1e-3,
 * at most 300 epochs, ended by a validation part of a tenth of the matrices that has not become
 * better for 30 epochs (the paper names no patience).  As classifiers (cross entropy) and as
 * regressors (log time with the relative error of the time as loss), these with one output for each
 * class, or with a network for each class. */
static const char nisa[] = "Nisa et al. 2018, sections V and VI";

/* What the six have in common. */
#define NETWORK_MEMBERS                                                                            \
    .hidden = "96,48,16", .restarts = 1, .net.epochs = 300, .net.patience = 30, .validation = 0.1, \
    .by_matrix = 1, .net.rate = 1e-3, .net.steady = 1, .net.batch = 16, .unweighted = 1
#define CLASS_MEMBERS .output = RC_OUTPUT_SCORE, .loss = rc_loss_entropy, NETWORK_MEMBERS
#define TIME_MEMBERS .output = RC_OUTPUT_LOG_NS, .loss = rc_loss_mape, NETWORK_MEMBERS

#define TRAINER_MEMBERS                                                                            \
    .source = nisa, .version = 1, .rows_min = RC_RECIPE_ROWS_MIN, .fit = rc_recipe_fit

const rc_trainer_t rc_trainer_mlp_nisa = {.name = "mlp-nisa",
    .summary = "network 96-48-16 that predicts which class is best, unweighted cross entropy",
    TRAINER_MEMBERS,
    .recipe = &(const rc_recipe_t){CLASS_MEMBERS, .members = 1}};

const rc_trainer_t rc_trainer_ensemble_nisa = {.name = "ensemble-nisa",
    .summary = "mean of 10 networks as of mlp-nisa, each with its own validation part",
    TRAINER_MEMBERS,
    .recipe = &(const rc_recipe_t){CLASS_MEMBERS, .members = 10}};

const rc_trainer_t rc_trainer_mlp_nisa_time = {.name = "mlp-nisa-time",
    .summary = "network 96-48-16 that predicts the time of every class, relative error",
    TRAINER_MEMBERS,
    .has_times = 1,
    .recipe = &(const rc_recipe_t){TIME_MEMBERS, .members = 1}};

const rc_trainer_t rc_trainer_ensemble_nisa_time = {.name = "ensemble-nisa-time",
    .summary = "mean of 10 networks as of mlp-nisa-time",
    TRAINER_MEMBERS,
    .has_times = 1,
    .recipe = &(const rc_recipe_t){TIME_MEMBERS, .members = 10}};

const rc_trainer_t rc_trainer_mlp_nisa_each = {.name = "mlp-nisa-each",
    .summary = "a network 96-48-16 for each class that predicts its time, relative error",
    TRAINER_MEMBERS,
    .has_times = 1,
    .recipe = &(const rc_recipe_t){TIME_MEMBERS, .members = 1, .separate = 1}};

const rc_trainer_t rc_trainer_ensemble_nisa_each = {.name = "ensemble-nisa-each",
    .summary = "for each class the mean of 10 networks as of mlp-nisa-each",
    TRAINER_MEMBERS,
    .has_times = 1,
    .recipe = &(const rc_recipe_t){TIME_MEMBERS, .members = 10, .separate = 1}};
