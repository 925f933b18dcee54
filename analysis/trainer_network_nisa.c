/* The networks of Nisa et al. 2018: hidden layers 96, 48 and 16, mini-batches of 16, Adam at 1e-3,
 * at most 300 epochs, ended by a validation part of a tenth of the matrices that has not become
 * better for 30 epochs (the paper names no patience).  As classifiers (cross entropy) and as
 * regressors (log time with the relative error of the time as loss), these with one output for each
 * class, or with a network for each class. */
#include "config.h"
#include "analysis/recipe.h"

static const char nisa[] = "Nisa et al. 2018, sections V and VI";

/* What the six have in common. */
#define NETWORK_MEMBERS                                                                            \
    .hidden = "96,48,16", .restarts = 1, .epochs = 300, .patience = 30, .validation = 0.1,         \
    .by_matrix = 1, .rate = 1e-3, .steady = 1, .batch = 16, .unweighted = 1
#define CLASS_MEMBERS .output = RC_OUTPUT_SCORE, .loss = rc_loss_entropy, NETWORK_MEMBERS
#define TIME_MEMBERS .output = RC_OUTPUT_LOG_NS, .loss = rc_loss_mape, NETWORK_MEMBERS

#define TRAINER_MEMBERS                                                                            \
    .source = nisa, .version = 1, .rows_min = RC_RECIPE_ROWS_MIN, .fit = rc_recipe_fit

static const rc_recipe_t mlp = {CLASS_MEMBERS, .members = 1};
static const rc_recipe_t ensemble = {CLASS_MEMBERS, .members = 10};
static const rc_recipe_t mlp_time = {TIME_MEMBERS, .members = 1};
static const rc_recipe_t ensemble_time = {TIME_MEMBERS, .members = 10};
static const rc_recipe_t mlp_each = {TIME_MEMBERS, .members = 1, .separate = 1};
static const rc_recipe_t ensemble_each = {TIME_MEMBERS, .members = 10, .separate = 1};

const rc_trainer_t rc_trainer_mlp_nisa = {.name = "mlp-nisa",
    .summary = "network 96-48-16 that predicts which class is best, unweighted cross entropy",
    TRAINER_MEMBERS,
    .recipe = &mlp};

const rc_trainer_t rc_trainer_ensemble_nisa = {.name = "ensemble-nisa",
    .summary = "mean of 10 networks as of mlp-nisa, each with its own validation part",
    TRAINER_MEMBERS,
    .recipe = &ensemble};

const rc_trainer_t rc_trainer_mlp_nisa_time = {.name = "mlp-nisa-time",
    .summary = "network 96-48-16 that predicts the time of every class, relative error",
    TRAINER_MEMBERS,
    .has_times = 1,
    .recipe = &mlp_time};

const rc_trainer_t rc_trainer_ensemble_nisa_time = {.name = "ensemble-nisa-time",
    .summary = "mean of 10 networks as of mlp-nisa-time",
    TRAINER_MEMBERS,
    .has_times = 1,
    .recipe = &ensemble_time};

const rc_trainer_t rc_trainer_mlp_nisa_each = {.name = "mlp-nisa-each",
    .summary = "a network 96-48-16 for each class that predicts its time, relative error",
    TRAINER_MEMBERS,
    .has_times = 1,
    .recipe = &mlp_each};

const rc_trainer_t rc_trainer_ensemble_nisa_each = {.name = "ensemble-nisa-each",
    .summary = "for each class the mean of 10 networks as of mlp-nisa-each",
    TRAINER_MEMBERS,
    .has_times = 1,
    .recipe = &ensemble_each};
