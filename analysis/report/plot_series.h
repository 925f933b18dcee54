/** \file analysis/report/plot_series.h  Figures with a point per matrix of the setting shown for
 *  each of a few ways to compute the product, side by side over the number of entries.  Private to
 *  analysis/report. */
#ifndef RC_ANALYSIS_PLOT_SERIES_H
#define RC_ANALYSIS_PLOT_SERIES_H

#include "analysis/report/plot_data.h"

enum { RC_PLOT_SERIES_MAX = 7 };

typedef struct rc_plot_series {
    int series;
    const char *name[RC_PLOT_SERIES_MAX];
    /** Row of the view that stands for a pair of the survey in a series, -1 none.
     *  \param[in] own  fastest row of ours for each pair  \param[in] user  of the figure */
    int64_t (*row)(
        const rc_survey_t *s, int64_t pair, int series, const int64_t *own, const void *user);
    const void *user;
    const char *x_name;                                         /**< NULL: the x are the entries */
    double (*x)(const rc_survey_matrix_t *m, const void *user); /**< with x_name; NaN: no point */
    const char *y_name; /**< column of the CSV with its unit */
    /** NaN: none.  \param[in] scale  of the caller */
    double (*y)(const rc_survey_t *s, int64_t row, double scale);
} rc_plot_series_t;

/** Write the CSV (what,matrix,x,kernel,policy,y) and define MATRICES, PANELS, the array PANEL
 *  of their names, blocks $POINTS1 ... and $TREND with a series for each; series without points are
 *  left out.  Adds to the caption how many matrices, and what is not drawn.
 *  \param[in] in  a setting is shown
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_plot_series_write(const rc_plot_series_t *p, const rc_plot_input_t *in, double scale,
    FILE *csv, rc_plot_text_t *text, rc_err_t *err);

/** Operations in a ns, which are GFLOP/s: a `y`. */
double rc_plot_gflops(const rc_survey_t *s, int64_t row, double scale);

/** Lines across a figure of throughput: two flops for each word that is read from shared memory and
 *  from the L1.  Defines LIMITS and the arrays LIMIT and LIMIT_NAME; 0 of them where the limits are
 *      not those of the setting.  \return how many */
int rc_plot_define_limits(const rc_plot_input_t *in, rc_plot_text_t *text);

/** The limits of the device of the setting shown; NULL: not known. */
const rc_report_limits_t *rc_plot_limits(const rc_plot_input_t *in);

#endif
