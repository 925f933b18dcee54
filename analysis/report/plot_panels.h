/** \file analysis/report/plot_panels.h  Figures with a panel per row order and a point per matrix.
 *  Private to analysis/report. */
#ifndef RC_ANALYSIS_PLOT_PANELS_H
#define RC_ANALYSIS_PLOT_PANELS_H

#include "analysis/report/plot_data.h"

typedef struct rc_plot_panels {
    const char *x_name; /**< of the column of the CSV, with its unit */
    const char *y_name;
    /** Across: of the matrix. */
    double (*x)(const rc_survey_matrix_t *m);
    /** Upwards: of matrix number i of the orders under one of them, NaN none; policy
     *  o->policies is the oracle. */
    double (*y)(const rc_plot_orders_t *o, const rc_view_t *v, int policy, int64_t i);
    int oracle;          /**< 1: has a panel of its own */
    const char *caption; /**< begin of a sentence that ends in "over N matrices, ..." */
} rc_plot_panels_t;

/** Write the CSV (policy,matrix,x,y) and define what a template of panels draws: MATRICES, PANELS,
 *  array PANEL of their names, $POINTS and $TREND with a series for each, XMIN, XMAX, YMIN, YMAX
 *  around all points, ROWS of three panels each.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_plot_panels_write(const rc_plot_panels_t *p, const rc_plot_input_t *in, FILE *csv,
    rc_plot_text_t *text, rc_err_t *err);

#endif
