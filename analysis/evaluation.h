/** \file analysis/evaluation.h  How good choices are, measured against the times of a data set.
 *  Every figure that definitions of rowcast list under "The selector".  Speedups are of the
 *  baseline class's time over that of the chosen class; loss is chosen time over best time minus 1.
 *  Local; depends on choices only, not on how they were made.
 *
 *  The oracle chooses on the times that score it, so its gain is too large and the share of it that
 *  a selector recovers too small.  Held out (table/split_half.h) it chooses on one half of what was
 *  measured and is scored on the other, as is the selector, whose choice must not have seen these
 *  times.  Losses, accuracies and shares are against the plain oracle. */
#ifndef RC_ANALYSIS_EVALUATION_H
#define RC_ANALYSIS_EVALUATION_H

#include "analysis/dataset.h"
#include "base/alloc.h"
#include <jansson.h>

/** Choices for some rows. */
typedef struct rc_predictions {
    int64_t count;
    int64_t *row;    /**< [count] rows of the data set */
    int32_t *choice; /**< [count] class */
    double *time;    /**< [count * classes] predicted ns; NULL: none were predicted */
} rc_predictions_t;

/** Ask a model for some rows.  Free with rc_predictions_free.
 *  \param[in] d    with the inputs and classes of the model
 *  \param[in] row  [n] NULL: all, n = d->rows
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_predict_rows(const rc_model_t *m, const rc_dataset_t *d, const int64_t *row,
    int64_t n, rc_predictions_t *out, rc_err_t *err);
void rc_predictions_free(rc_predictions_t *p);

/** A figure with its 95 % bootstrap interval: percentiles over 1,000 resamples of the matrices,
 *  each with all of its rows.  NaN interval for fewer than two matrices. */
typedef struct rc_figure {
    double value;
    double low;
    double high;
} rc_figure_t;

/** Speedup of some way of choosing. */
typedef struct rc_choosing {
    rc_figure_t geomean;
    rc_figure_t mean;
    double min;
    double max;
} rc_choosing_t;

enum {
    RC_TOLERANCES = 3,
    RC_LOSS_SHARES = 4,
    RC_LOSS_BINS = 12,
    RC_ERROR_QUANTILES = 9,
    RC_PART_ROWS_MIN = 10,
    RC_TIMED = 3, /**< classes that a plan may time on the matrix itself */
    RC_LIBRARY_LIMITS = 2,
    RC_RESAMPLES = 1000
};

extern const double rc_tolerances[RC_TOLERANCES];         /**< 0, 0.02, 0.05 */
extern const double rc_loss_shares[RC_LOSS_SHARES];       /**< 0.02, 0.04, 0.05, 0.10 */
extern const double rc_library_limits[RC_LIBRARY_LIMITS]; /**< 0.9, 0.97 */
extern const double rc_loss_edges[RC_LOSS_BINS + 1]; /**< of the histogram; the last is INFINITY.
    Bin i: above edge i, at most edge i + 1; a loss of 0 is in bin 0 */
extern const double rc_error_quantiles[RC_ERROR_QUANTILES]; /**< 0.05 ... 0.99 */

/** Speedup of choices over the fastest kernel of the vendor's library on the same row, over the
 *  rows that have one. */
typedef struct rc_over_library {
    int64_t rows;
    double geomean; /**< NaN without rows, as the others */
    double min;
    double share_below[RC_LIBRARY_LIMITS]; /**< share of the rows with a speedup below
                                                rc_library_limits */
} rc_over_library_t;

/** What is chosen where what is best, and how far predicted times are off, over some rows. */
typedef struct rc_cells {
    int64_t *confusion;     /**< [best * classes + chosen] rows; NULL: these are of no part */
    double *confusion_loss; /**< mean loss of the cell, NaN for an empty one */
    double *error_quantile; /**< [classes * RC_ERROR_QUANTILES] of |predicted / measured - 1|, then
                                 [RC_ERROR_QUANTILES] over all; NULL: no times */
    double *error_mean;     /**< [classes + 1] MAPE; NULL: no times */
} rc_cells_t;

/** The same figures over a part of the rows: all of them, one K, one class of matrix. */
typedef struct rc_part {
    char name[129]; /**< "", "k=128 fp32", "structural problem" */
    int64_t rows;
    int64_t matrices;
    rc_choosing_t selector;
    rc_choosing_t oracle;
    rc_choosing_t single; /**< always one class, rc_evaluation_t.single */
    rc_choosing_t random; /**< expected value: the mean over classes of log speedup, and of speedup;
                               min and max over all classes of all rows */
    rc_figure_t gain;     /**< (geomean selector - 1) / (geomean oracle - 1); NaN when the oracle
                               gains less than 0.1 %; resamples in which it does are left out */
    rc_figure_t of_oracle;          /**< geomean selector / geomean oracle */
    rc_figure_t of_oracle_timed;    /**< of_oracle when the RC_TIMED classes of the least predicted
                                      times
                                     are timed and the best is taken; NaN where none are
                                     predicted */
    rc_over_library_t over_library; /**< of the classes that are chosen */
    rc_over_library_t over_library_timed; /**< of the best of the RC_TIMED classes of the least
                                               predicted times */
    rc_over_library_t over_library_tuned; /**< of these and the library's kernels that plans time
                                               beside them, over the rows that have one */
    rc_figure_t oracle_held_out;    /**< geomean speedup; NaN, as the next two, where the data set
                                         knows no errors */
    rc_figure_t gain_held_out;      /**< as gain; of_oracle */
    rc_figure_t of_oracle_held_out; /**< above 1: better than an oracle that has half of the data */
    rc_figure_t mean_loss;          /**< mean of the loss */
    double worst_loss;
    int64_t worst_row;              /**< of the data set; the first of equals */
    double within[RC_LOSS_SHARES];  /**< share of rows with loss at most rc_loss_shares */
    double accuracy[RC_TOLERANCES]; /**< share with loss at most the tolerance */
    double balanced[RC_TOLERANCES]; /**< mean of the accuracy over the classes that are best
                                         somewhere, each on the rows that it is best on */
    int64_t histogram[RC_LOSS_BINS];
    rc_cells_t cells; /**< of all and of each K; of kinds none */
} rc_part_t;

typedef struct rc_evaluation {
    rc_pool_t memory;
    int classes;
    int single;          /**< class of the always-best-single baseline */
    int single_is_given; /**< 1: chosen on the training part; 0: on the evaluated rows */
    rc_part_t all;
    int by_k_count;
    rc_part_t *by_k; /**< by K and precision, ascending, n last */
    int by_kind_count;
    rc_part_t *by_kind; /**< by kind of matrix, most rows first, no kind as "unknown"; those with
                             fewer than RC_PART_ROWS_MIN rows are one part "other", the last */
    double *portfolio;  /**< [classes] geomean speedup of the oracle over the greedy first i + 1
                                 classes */
    double *portfolio_held_out; /**< [classes] the same with classes and choices held out; NaN:
                                     unknown */
    int *portfolio_class;       /**< [classes] which one is added: the one that helps most, from the
                                 best single one on; the first of equals */
} rc_evaluation_t;

/** Evaluate.
 *  \param[in] p       rows in any order; a row may come more than once and then counts so often
 *  \param[in] single  class of the always-best-single baseline as found on the training part; -1:
 *                     the best on the evaluated rows (and that is said)
 *  \param[in] seed    of the bootstrap
 *  \param[out] out    free with rc_evaluation_free
 *  \return RC_OK, RC_EINVAL (no rows), RC_ENOMEM.
 *  Depends on the set of rows only, not on their order; one thread. */
rc_status_t rc_evaluate(const rc_dataset_t *d, const rc_predictions_t *p, int single, uint64_t seed,
    rc_evaluation_t *out, rc_err_t *err);
void rc_evaluation_free(rc_evaluation_t *e);

/** Name of the part of a K and precision: "k=128 fp32", "k=n fp64", without K "fp32".
 *  \param[in] k  0: of an operation without K */
void rc_evaluation_k_name(int64_t k, int k_is_n, rc_precision_t type, char *name, size_t size);

/** Everything as a JSON object with units in the names, a new reference; NULL with err set.
 *  \param[in] brief  1: what model files carry: no kinds, no portfolio */
json_t *rc_evaluation_json(
    const rc_dataset_t *d, const rc_evaluation_t *e, int brief, rc_err_t *err);

#endif
