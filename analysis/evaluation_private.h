/** \file analysis/evaluation_private.h  The rows of an evaluation while it is made.  Private to
 *  analysis/evaluation*.c. */
#ifndef RC_ANALYSIS_EVALUATION_PRIVATE_H
#define RC_ANALYSIS_EVALUATION_PRIVATE_H

#include "analysis/evaluation.h"

/** A prediction beside what was measured. */
typedef struct entry {
    const rc_sample_t *sample;
    const double *time; /* [classes] measured */
    int64_t row;
    int64_t at; /* of the predictions */
    int chosen;
    int best;
    double loss;
    int timed;         /* the best of the RC_TIMED classes of the least predicted times; -1: none
                          are */
    double log_chosen; /* log speedups in the halves, NaN unknown */
    double log_oracle;
} entry_t;

/** What the parts of an evaluation are made of. */
typedef struct evaluator {
    const rc_dataset_t *d;
    const rc_predictions_t *p;
    entry_t *entry; /* sorted: one matrix after the other */
    int64_t entries;
    double *unit; /* [entries * SUMS] scratch */
    int64_t *row;
    uint64_t seed;
    rc_pool_t *scratch;
    rc_evaluation_t *out;
    rc_err_t *err;
} evaluator_t;

/** The cells of the entries that are numbered `number`; of NULL: of all.
 *  \param[in] of    [entries]
 *  \param[out] out  of the memory of the evaluation
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_evaluation_cells(const evaluator_t *e, const int *of, int number, rc_cells_t *out);

#endif
