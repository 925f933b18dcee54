/** \file analysis/report/headline.h  What a setting comes to: the figures that a reader wants
 *  first. Local. */
#ifndef RC_ANALYSIS_HEADLINE_H
#define RC_ANALYSIS_HEADLINE_H

#include "analysis/report/survey.h"
#include "base/stats.h"

/** Ratios of times over the matrices of a setting; `count` 0: none, and the rest is NaN. */
typedef struct rc_gain {
    rc_stats_t stats;
    int64_t over5; /**< ratios above 1.05 */
} rc_gain_t;

/** One setting. */
typedef struct rc_headline {
    int64_t matrices;
    int64_t leader;    /**< row of the view whose kernel and order is the fastest on most matrices
                            (ties: the one that comes first in the survey); -1 none */
    int64_t wins;      /**< on how many */
    rc_gain_t order;   /**< reference kernel: original order over its fastest order */
    rc_gain_t plan;    /**< fastest of all kernels in original order over the fastest of all */
    rc_gain_t vendor;  /**< fastest cuSPARSE kernel in original order over the fastest of all */
    int64_t reordered; /**< matrices whose fastest plan has another order than csr */
    int64_t pays;      /**< of these, with a finite break-even */
    double break_even_median; /**< over these, in products; NaN: none */
} rc_headline_t;

/** \param[out] out  [s->settings], free with free()
 *  \return RC_OK, RC_ENOMEM.  Cost O(pairs log pairs). */
rc_status_t rc_headline_make(const rc_survey_t *s, rc_headline_t **out, rc_err_t *err);

/** The row of the view whose order a picture of matrix m shows beside the original one: that of the
 *  fastest plan of the main setting (or of the first setting that has the matrix), or where that is
 *  csr the fastest order of the reference kernel.  \return -1: there is no other order */
int64_t rc_headline_shown(const rc_survey_t *s, int32_t m);

/** What reordering gains on matrix m in the setting that rc_headline_shown goes by: with every
 *  kernel free to choose, and for the reference kernel; 1 when nothing is known. */
void rc_headline_gains(const rc_survey_t *s, int32_t m, double *plan, double *order);

#endif
