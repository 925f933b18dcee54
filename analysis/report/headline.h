/** \file analysis/report/headline.h  What a setting comes to: the figures that a reader wants
 *  first. Local. */
#ifndef RC_ANALYSIS_HEADLINE_H
#define RC_ANALYSIS_HEADLINE_H

#include "analysis/evaluation.h"
#include "analysis/report/survey.h"
#include "base/stats.h"

/** Ratios of times over the matrices of a setting; `count` 0: none, and the rest is NaN. */
typedef struct rc_gain {
    rc_stats_t stats;
    int64_t over5;          /**< ratios above 1.05 */
    int64_t over5_held_out; /**< of rc_headline_gain, those whose whole interval is above 1.05 */
    int64_t clear;          /**< of rc_headline_gain, those whose whole interval is above 1; none
                               where both sides are one result */
    int64_t clear_loss;     /**< likewise below 1 */
    int64_t two_cards;      /**< whose sides were timed on two cards (rc_card_fits) */
    rc_figure_t held_out;   /**< geometric mean of the same ratios with either side's choice made on
                               one half of what was measured and scored on the other
                               (table/split_half.h): what is left of a gain that luck is in.  With
                               its interval over the matrices, at least that of the timing
                               errors; NaN: no ratios */
} rc_gain_t;

/** One setting. */
typedef struct rc_headline {
    int64_t matrices;
    rc_gain_t order;   /**< reference kernel: original order over its fastest order; like the next
                          of matrices alone that it has in another order, too */
    rc_gain_t plan;    /**< fastest plan in original order over the fastest plan */
    rc_gain_t vendor;  /**< fastest cuSPARSE kernel in original order over the fastest plan */
    int64_t noisy_csr; /**< matrices without a gain of the plan, since the original order, which was
                          measured as another was, is noisy */
    int64_t noisy_orders;     /**< likewise the other orders */
    int64_t reordered;        /**< matrices that gain clearly by another order than csr */
    int64_t pays;             /**< of these, with a finite break-even */
    double break_even_median; /**< over these, in products; NaN: none */
} rc_headline_t;

/** The choices in a pair, held out (table/split_half.h). */
typedef struct rc_held_out {
    double log[RC_CHOICES]; /**< of their times in ns; NaN: there is nothing to choose */
} rc_held_out_t;

/** \param[out] out  [s->pairs], free with free()
 *  \return RC_OK, RC_ENOMEM.  Cost: splits each time a few times over (rc_split_half). */
rc_status_t rc_headline_held_out(const rc_survey_t *s, rc_held_out_t **out, rc_err_t *err);

/** \param[in]  held_out  of rc_headline_held_out
 *  \param[out] out       [s->settings], free with free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_headline_make(
    const rc_survey_t *s, const rc_held_out_t *held_out, rc_headline_t **out, rc_err_t *err);

/** A ratio of two choices in a pair, held out, with its interval: two standard errors of the ratio
 *  of the two times; none, where both are one row.  NaN: the pair lacks one of them, or it is what
 *  orders gain and no other order was measured. */
rc_figure_t rc_headline_gain(const rc_survey_t *s, int64_t pair, const rc_held_out_t *held_out,
    rc_choice_of_t above, rc_choice_of_t below);

/** Relative standard error of the time of a row of the view, whose median it is. */
double rc_headline_error(const rc_survey_t *s, int64_t row);

/** Geometric mean of ratios with its interval, from n logarithms; n 0: NaN.
 *  \param[in] variance  of their sum, by the timing errors: the interval is no narrower
 *  \return RC_OK, RC_ENOMEM.  Cost: a bootstrap. */
rc_status_t rc_headline_figure(
    const double *log, int64_t n, double variance, rc_figure_t *out, rc_err_t *err);

/** The row of the view whose order a picture of matrix m shows beside the original one: that of the
 *  fastest plan of the main setting (or of the first setting that has the matrix), or where that is
 *  csr the fastest order of the reference kernel.  \return -1: there is no other order */
int64_t rc_headline_shown(const rc_survey_t *s, int32_t m);

/** What reordering gains on matrix m in the setting that rc_headline_shown goes by: with every
 *  kernel free to choose, and for the reference kernel; 1 when nothing is known. */
void rc_headline_gains(const rc_survey_t *s, int32_t m, double *plan, double *order);

#endif
