/** \file analysis/papers/nisa/nisa.h  Formats of y = A x, and how well models choose them: five
 *  parts, each predicted by models that are fitted on the others, by format and by group. */
#ifndef RC_ANALYSIS_PAPERS_NISA_NISA_H
#define RC_ANALYSIS_PAPERS_NISA_NISA_H

#include "analysis/learn.h"
#include "analysis/papers/paper.h"

/** What the command line says; zero-initialised, NULL and 0 stand for defaults. */
typedef struct rc_nisa_fits {
    const rc_learn_options_t *learn;
    const char *models;       /**< trainers; NULL: the paper's that this build has */
    const char *tolerance;    /**< "0,5" in % */
    const char *tolerance_of; /**< "measured", "predicted" */
    const char *generated;    /**< an expression over result rows; NULL: what the store says */
    const char *data;         /**< "real", "all"; NULL: both */
} rc_nisa_fits_t;

/** Print a table of fits.
 *  \return RC_OK; RC_EINVAL (an option, a store without the formats or with several devices,
 *    fewer matrices than parts: says so), RC_ENOENT, RC_ESTORE, RC_ENOMEM, RC_EIO */
rc_status_t rc_study_print(
    const struct rc_study_mode *mode, const rc_summary_options_t *o, rc_err_t *err);

extern const rc_summary_t rc_nisa_accuracy_table;
extern const rc_summary_t rc_nisa_slowdown_table;
extern const rc_summary_t rc_nisa_rme_table;
extern const rc_summary_t rc_nisa_indirect_table;
extern const rc_summary_t rc_nisa_importance_table;

/** Write the contradictions of the paper of a set of numbers (bits 1u << (number - 1)), a line
 *  each. */
void rc_nisa_notes(unsigned numbers, FILE *out);

#endif
