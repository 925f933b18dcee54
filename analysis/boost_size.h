/** \file analysis/boost_size.h  How many boosted trees, and how deep: found by cross-validation
 *  inside of the training rows, on what the choices lose and not on an error of the fit, since
 *  that is what the trees are for.  Boosters and folds are independent and run at once; the result
 *  does not depend on how many do. */
#ifndef RC_ANALYSIS_BOOST_SIZE_H
#define RC_ANALYSIS_BOOST_SIZE_H

#include "analysis/boost.h"
#include "analysis/trainer.h"

/** What the outputs of the boosters say about the classes of a row. */
typedef enum rc_boost_measure {
    RC_BOOST_LARGEST = 0,  /**< the class of the largest output is chosen */
    RC_BOOST_SMALLEST = 1, /**< the class of the smallest output */
    RC_BOOST_ERROR = 2     /**< nothing is chosen: squared error of the labels */
} rc_boost_measure_t;

/** Boosters that are fitted together: one with an output per class, or one per output. */
typedef struct rc_boost_problem {
    const rc_dataset_t *d; /**< borrowed */
    const int64_t *row;    /**< [n] rows of it, borrowed */
    int64_t n;
    float *x;      /**< [n * d->inputs] */
    float *weight; /**< [n] */
    int boosters;
    int *cls;     /**< [boosters] class of the first output of each; classes without one have the
                       output 0 */
    float *label; /**< [boosters * n], booster by booster */
    double *base; /**< [boosters] what its outputs start from */
    rc_boost_measure_t measure;
    rc_boost_options_t options; /**< of each booster; `base` is overwritten, `rounds` is the most */
} rc_boost_problem_t;

typedef struct rc_boost_size {
    int rounds;
    int depth;
    double measure; /**< mean over the rows when they are held out: log(time of choice / best), or
                         the squared error */
} rc_boost_size_t;

enum { RC_BOOST_ROWS_MIN = 20 }; /**< fewer rows are refused */

/** Allocate the arrays, and fill x, weight, cls (0, 1, ...) and base (0).
 *  \param[out] out    free with rc_boost_problem_free
 *  \return RC_OK, RC_EINVAL (too few rows), RC_ENOMEM */
rc_status_t rc_boost_problem_new(
    const rc_fit_job_t *job, int boosters, rc_boost_problem_t *out, rc_err_t *err);
void rc_boost_problem_free(rc_boost_problem_t *p);

/** Set base to the weighted mean of the labels of each booster. */
void rc_boost_problem_centre(rc_boost_problem_t *p);

/** The best of some depths and of the rounds up to the most, in steps of a twentieth.
 *  \param[in] depth   [depths] ascending; the first of equals is taken
 *  \param[in] o       seed, threads, kind of split, progress
 *  \return RC_OK, RC_EINVAL (no two groups, or matrices, to hold out), what rc_boost_fit returns.
 *  Cost: five fits per depth and booster. */
rc_status_t rc_boost_size(const rc_boost_problem_t *p, const int *depth, int depths,
    const rc_fit_options_t *o, rc_boost_size_t *out, rc_err_t *err);

/** Fit on all rows.  \param[out] out  an output per booster and class of it, in order; free with
 *  rc_forest_free */
rc_status_t rc_boost_grow(const rc_boost_problem_t *p, const rc_boost_size_t *size, int threads,
    rc_forest_t **out, rc_err_t *err);

/** Most rounds such that this many boosted outputs can be evaluated in a few microseconds. */
int rc_boost_rounds_max(int outputs);

#endif
