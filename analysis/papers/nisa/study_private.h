/** \file analysis/papers/nisa/study_private.h  What the loop over the parts of a study and its
 *  tables share. */
#ifndef RC_ANALYSIS_PAPERS_NISA_STUDY_PRIVATE_H
#define RC_ANALYSIS_PAPERS_NISA_STUDY_PRIVATE_H

#include "analysis/papers/nisa/protocol.h"
#include "analysis/papers/nisa/nisa.h"

enum { RC_STUDY_MODELS = 32 };

typedef struct rc_study_mode rc_study_mode_t;

/** A study in hand. */
typedef struct rc_study {
    const rc_study_mode_t *mode;
    const char *store;
    const rc_learn_options_t *learn;
    const char *generated; /**< an expression, NULL: none */
    const char *data;      /**< "real", "all", NULL: both */
    const rc_trainer_t *model[RC_STUDY_MODELS];
    int models;
    double tolerance[RC_STUDY_TOLERANCES]; /**< shares */
    int tolerances;
    int predicted;          /**< 1: tolerances are of predicted times */
    int set[RC_STUDY_SETS]; /**< 1: wanted */
    rc_study_options_t o;
    rc_learn_progress_t progress;
    rc_table_format_t format;
    rc_table_t *t; /**< NULL until there are rows */
    rc_err_t *err;
} rc_study_t;

/** What a line is of. */
typedef struct rc_study_part {
    rc_dataset_t d;
    const char *precision;
    rc_precision_t type; /**< the same */
    const char *data;       /**< "real", "all" */
    const char *formats;    /**< "6", "3", or a list of classes */
    int paper;              /**< 6 or 3 formats as in the paper; 0 */
    rc_study_ranks_t ranks; /**< once they are needed */
    rc_study_run_t ranked;  /**< what the model that told them chose */
    rc_study_run_t run;     /**< the last other one */
} rc_study_part_t;

/** What can be asked. */
struct rc_study_mode {
    const char *name;
    const char *models; /**< defaults */
    const char *tolerances;
    int three;           /**< 1: with three formats too */
    int times;           /**< 1: models predict times */
    unsigned notes;      /**< contradictions of the paper that concern it */
    const char *columns; /**< behind those of the part, as of rc_table_of */
    const char *behind;  /**< behind one of each tolerance; NULL: the table has none of these */
    rc_status_t (*print)(rc_study_t *s, rc_study_part_t *p);
};

extern const rc_study_mode_t rc_study_rme_mode;
extern const rc_study_mode_t rc_study_indirect;

/** Cells of a part. */
void rc_study_put_part(rc_study_t *s, const rc_study_part_t *p);

/** Fit and predict a part; importances are made for the set of the most important.
 *  \param[out] out  borrowed until the next call */
rc_status_t rc_study_fit(rc_study_t *s, rc_study_part_t *p, const rc_trainer_t *t,
    rc_study_set_t set, const rc_study_run_t **out);

/** Importances of a part, once. */
rc_status_t rc_study_need_ranks(rc_study_t *s, rc_study_part_t *p);

/** A figure in %: value, low, high, first part. */
void rc_study_put_figure(rc_study_t *s, const rc_study_figure_t *f);

#endif
