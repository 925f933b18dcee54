/** \file analysis/learn.h  What 'rowcast train' and 'rowcast evaluate' share: the options that
 *  select data, divide it and steer a fit, and the progress line. */
#ifndef RC_ANALYSIS_LEARN_H
#define RC_ANALYSIS_LEARN_H

#include "analysis/experiment.h"
#include "base/opt.h"

#include <stdio.h>

/** Options in a command's own struct; start from RC_LEARN_DEFAULTS. */
typedef struct rc_learn_options {
    const char *task;
    const char *op;
    const char *kernel;
    const char *classes;
    const char *baseline;
    const char *features;
    const char *missing;
    const char *k;
    const char *precision;
    const char *device;
    const char *where;
    int64_t portfolio;
    const char *split;
    double test_share; /**< 0: not given */
    int64_t folds;     /**< 0: not given */
    int64_t seed;
    const char *weights;
    const char *hidden;
    double l2; /**< < 0: the trainer's default */
    int64_t restarts;
    int64_t members;
    int64_t epochs;
    int64_t threads;
    int quiet;
} rc_learn_options_t;

#define RC_LEARN_DEFAULTS                                                                          \
    {                                                                                              \
        .seed = 1, .l2 = -1                                                                        \
    }

/** Rows of an option table; `at(member)` is the offset of a member of rc_learn_options_t in the
 *  command's struct. */
#define RC_LEARN_SELECTION(at)                                                                     \
    {"task", 0, RC_OPT_TEXT, at(task), "order|plan|format|parameters",                             \
        "order (default): which row order, for one kernel; plan: which pair of kernel and order; " \
        "format (default of spmv): which of coo, ell, csr, hyb, csr5, merge, each our own kernel " \
        "at its defaults in original order; parameters (of train): which t, cfv and cfh rs "       \
        "takes.",                                                                                  \
        0, 0},                                                                                     \
        {"op", 0, RC_OPT_TEXT, at(op), "OP",                                                       \
            "Operation: spmm (default), spmv, spmm_t or sddmm. One: times of two are not mixed.",  \
            0, 0},                                                                                 \
        {"kernel", 'x', RC_OPT_TEXT, at(kernel), "KERNEL",                                         \
            "Task order: the kernel with its parameters, or a glob that fits one. Default: the "   \
            "one with most results.",                                                              \
            0, 0},                                                                                 \
        {"classes", 0, RC_OPT_TEXT, at(classes), "LIST",                                           \
            "What is chosen among. Task order: orders, globs or all (default: csr,dcsr,lpt,warp "  \
            "as far as measured). Task plan: KERNEL/ORDER or KERNEL@ORDER, both globs (default: "  \
            "the pairs that a greedy portfolio takes of those measured on at least 95 % of the "   \
            "rows). Task format: formats (default: all six); without coo the matrices where it "   \
            "is fastest are left out.",                                                            \
            0, 0},                                                                                 \
        {"missing", 0, RC_OPT_TEXT, at(missing), "drop|worst",                                     \
            "Task format, a matrix on which a format failed or was skipped: drop (default) "       \
            "leaves it out; worst keeps it, with an infinite time of that format.",                \
            0, 0},                                                                                 \
        {"portfolio", 0, RC_OPT_INT, at(portfolio), "N",                                           \
            "Task plan without --classes: at most so many pairs (default 16; it ends before when " \
            "the oracle over them is within 0.5 % of that over all).",                             \
            2, 1000},                                                                              \
        {"baseline", 0, RC_OPT_TEXT, at(baseline), "CLASS",                                        \
            "Class that speedups are over. Default: csr; task plan: the class that is best "       \
            "always taken.",                                                                       \
            0, 0},                                                                                 \
        {"features", 0, RC_OPT_TEXT, at(features), "SET",                                          \
            "Inputs: a feature set (default mehrabi, task format: nisa); matrix: the matrix-only " \
            "part of mehrabi; nisa-1, nisa-2: set 1, and sets 1 and 2, of Nisa et al.; "           \
            "storage+product, shares+product: these sets and what follows from them, K and the "   \
            "precision; top:N:MODEL: the N that split most often in the folds of an "              \
            "xgboost-nisa model; or names of features. K and precision are added where they "      \
            "vary.",                                                                               \
            0, 0},                                                                                 \
        {"k", 'k', RC_OPT_TEXT, at(k), "LIST",                                                     \
            "Only these K; n is the number of columns of the matrix, e.g. '32,128,n'. Default: "   \
            "all.",                                                                                \
            0, 0},                                                                                 \
        {"precision", 0, RC_OPT_TEXT, at(precision), "PRECISIONS",                                 \
            "Value types, by commas. Default: all.", 0, 0},                                        \
        {"device", 'd', RC_OPT_TEXT, at(device), "NAME",                                           \
            "Device class, or a glob that fits one. Needed when the store has several.", 0, 0},    \
    {                                                                                              \
        "where", 'w', RC_OPT_TEXT, at(where), "EXPR",                                              \
            "Only results that match; the fields are those of 'rowcast query --fields'.", 0, 0     \
    }

#define RC_LEARN_PROTOCOL(at)                                                                      \
    {"split", 0, RC_OPT_TEXT, at(split), "group|random|stratified",                                \
        "group (default): matrices of one group are never on both sides; random: by matrix, the "  \
        "protocol of Mehrabi et al.; stratified: by matrix, with equal shares of the labels in "   \
        "each fold, that of Nisa et al.",                                                          \
        0, 0},                                                                                     \
        {"test-share", 0, RC_OPT_DOUBLE, at(test_share), "X", "Share of the rows that test.",      \
            0.001, 0.999},                                                                         \
        {"folds", 0, RC_OPT_INT, at(folds), "N",                                                   \
            "Cross-validation with so many folds instead of one test part.", 2, 10000},            \
    {                                                                                              \
        "seed", 0, RC_OPT_INT, at(seed), "S",                                                      \
            "Seed of split, fit and bootstrap (default 1). Equal seeds give equal models, "        \
            "whatever the number of threads.",                                                     \
            0, 9007199254740991.0                                                                  \
    }

#define RC_LEARN_FIT(at)                                                                           \
    {"weights", 0, RC_OPT_TEXT, at(weights), "inverse|regret|none",                                \
        "Weight of a row: inverse (default): inversely to the number of rows that its best class " \
        "has; regret: in proportion to what the baseline loses on it; none.",                      \
        0, 0},                                                                                     \
        {"hidden", 0, RC_OPT_TEXT, at(hidden), "LIST",                                             \
            "Networks: hidden layers, e.g. '64,32'. Default: the trainer's.", 0, 0},               \
        {"l2", 0, RC_OPT_DOUBLE, at(l2), "X",                                                      \
            "Networks: factor of the L2 penalty. Default: the trainer's.", 0, 1e6},                \
        {"restarts", 0, RC_OPT_INT, at(restarts), "N",                                             \
            "Networks: seeded restarts, the best on the validation part counts. Default: the "     \
            "trainer's.",                                                                          \
            1, 1000},                                                                              \
        {"members", 0, RC_OPT_INT, at(members), "N",                                               \
            "Ensembles: networks that are averaged. Default: the trainer's.", 1, 1000},            \
        {"epochs", 0, RC_OPT_INT, at(epochs), "N",                                                 \
            "At most so many passes over the training part (boosting: trees). Default: the "       \
            "trainer's.",                                                                          \
            1, 1e9},                                                                               \
        {"threads", 't', RC_OPT_INT, at(threads), "N",                                             \
            "Threads (default 0: all). The result does not depend on it.", 0, 4096},               \
    {                                                                                              \
        "quiet", 'q', RC_OPT_FLAG, at(quiet), NULL, "No progress, no talk on stderr.", 0, 0        \
    }

/** The options as the analysis takes them.
 *  \return RC_OK, RC_EINVAL that names the option */
rc_status_t rc_learn_dataset(const rc_learn_options_t *o, rc_dataset_options_t *out, rc_err_t *err);
/** \param[in] folds  when neither --folds nor --test-share is given; 0: one test part of 20 % */
rc_status_t rc_learn_protocol(
    const rc_learn_options_t *o, int folds, rc_protocol_t *out, rc_err_t *err);
rc_status_t rc_learn_fit(const rc_learn_options_t *o, rc_fit_options_t *out, rc_err_t *err);

/** The trainer of a name; an unknown one lists those of this build. */
rc_status_t rc_learn_trainer(const char *name, const rc_trainer_t **out, rc_err_t *err);

/** Progress of fits on a stream: a live line on a terminal, else a line every ten seconds. */
typedef struct rc_learn_progress {
    const char *command; /**< in front of lines */
    FILE *out;           /**< NULL: silent */
    int terminal;
    int64_t started_ns;
    int64_t shown_ns;
    double loss; /**< the last one that was told */
    char of[96]; /**< what is fitted, where that changes; "" unsaid */
} rc_learn_progress_t;

/** Start, and let a fit report to it.  \param[out] fit  its progress and context are set */
void rc_learn_progress_start(
    rc_learn_progress_t *p, const char *command, int quiet, rc_fit_options_t *fit);
/** Another fit begins.  \param[in] of  in front of what it says, "svm, fp32: " */
void rc_learn_progress_next(rc_learn_progress_t *p, const char *of);
/** Clear the live line; with `what` say how long it took and what the last loss was. */
void rc_learn_progress_end(rc_learn_progress_t *p, const char *what);

/** Say on a stream what a data set is: rows, groups, classes, what was left out. */
void rc_learn_describe(const rc_dataset_t *d, const char *command, FILE *out);

/** Matrices of a data set. */
int64_t rc_learn_matrices(const rc_dataset_t *d);

/** "5 folds by group, seed 1" in text. */
void rc_learn_protocol_text(const rc_protocol_t *p, char *text, size_t size);

/** What the figures are of, as members of a JSON object; NULL with err set. */
json_t *rc_learn_about(const rc_dataset_t *d, const char *store, const char *model, rc_err_t *err);

/** The options that select data, for the training record: null where not given. */
json_t *rc_learn_selection(const rc_learn_options_t *o);

#endif
