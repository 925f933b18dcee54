/** \file cmd/study.h  The study of Nisa et al. 2018 from a store, on stdout: 'rowcast evaluate --protocol nisa'. */
#ifndef RC_CMD_STUDY_H
#define RC_CMD_STUDY_H

#include "cmd/learn.h"
#include "cmd/table.h"

/** What the command line says; zero-initialised, NULL and 0 stand for defaults. */
typedef struct rc_study_command {
    const char *protocol; /**< "nisa"; NULL: this is no study */
    int tables;
    int importance;
    int slowdown;
    int rme;
    int indirect;
    const char *tolerance;    /**< "0,5" in % */
    const char *tolerance_of; /**< "measured", "predicted" */
    const char *generated;    /**< an expression over result rows; NULL: what the store says */
    const char *data;         /**< "real", "all"; NULL: both */
} rc_study_command_t;

/** Rows of an option table; `at(member)` is the offset of a member of rc_study_command_t in the command's struct. */
#define RC_STUDY_OPTIONS(at)                                                                       \
    {"protocol", 0, RC_OPT_TEXT, at(protocol), "nisa",                                             \
        "The study of Nisa et al. 2018 with --op spmv: five parts, each predicted by models that " \
        "are fitted on the others, with the paper's figures beside. What is asked: --tables, "     \
        "--slowdown, --rme, --indirect or --importance.",                                          \
        0, 0},                                                                                     \
        {"tables", 0, RC_OPT_FLAG, at(tables), NULL,                                               \
            "With --protocol: accuracies by formats, feature set and model (tables IV to X); --features 1,1-2,1-3,top7 " \
            "names fewer sets.",                                                                   \
            0, 0},                                                                                 \
        {"slowdown", 0, RC_OPT_FLAG, at(slowdown), NULL,                                           \
            "With --protocol: how many matrices are slowed by how much (tables XI to XIII).", 0, 0}, \
        {"rme", 0, RC_OPT_FLAG, at(rme), NULL,                                                     \
            "With --protocol and --task time: relative mean error of predicted times, of one model for all formats " \
            "and of one for each (figures 6 and 7).",                                              \
            0, 0},                                                                                 \
        {"indirect", 0, RC_OPT_FLAG, at(indirect), NULL,                                           \
            "With --protocol: choosing the least predicted time against the classifier (table XIV).", 0, 0}, \
        {"importance", 0, RC_OPT_FLAG, at(importance), NULL,                                       \
            "With --protocol: how important each feature is (figures 4 and 5).", 0, 0},            \
        {"tolerance", 0, RC_OPT_TEXT, at(tolerance), "LIST",                                       \
            "With --protocol: a choice counts as right within so many percent. Default: 0,2,5; with --indirect 0,5.", \
            0, 0},                                                                                 \
        {"generated", 0, RC_OPT_TEXT, at(generated), "EXPR",                                       \
            "With --protocol: take matrices for generated, too, that match, e.g. 'group == vector'.", 0, 0}, \
        {"data", 0, RC_OPT_TEXT, at(data), "real|all",                                             \
            "With --protocol: of the real matrices alone, or of all. Default: one after the other.", 0, 0}, \
    {                                                                                              \
        "tolerance-of", 0, RC_OPT_TEXT, at(tolerance_of), "measured|predicted",                    \
            "With --indirect: of the least measured time (default), or the label's predicted time of the least " \
            "predicted one.",                                                                      \
            0, 0                                                                                   \
    }

/** 1: an option of the study is given. */
int rc_study_is_asked(const rc_study_command_t *c);

/** Print what is asked.
 *  \param[in] models  trainers, e.g. "svm-nisa,xgboost-nisa"; NULL: those of the paper that this build has
 *  \return RC_OK; RC_EINVAL (an option, a store without the formats or with several devices, fewer matrices than
 *          parts: says so), RC_ENOENT, RC_ESTORE, RC_ENOMEM, RC_EIO */
rc_status_t rc_study_print(const char *store, const rc_study_command_t *c, const rc_learn_options_t *learn,
    const char *models, rc_table_format_t format, rc_err_t *err);

#endif
