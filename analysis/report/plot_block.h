/** \file analysis/report/plot_block.h  Numbers that a template draws where a CSV has more than can
 *  be seen: a sample of the points and the course of their middle, as gnuplot's data blocks.
 *  Private to analysis/report. */
#ifndef RC_ANALYSIS_PLOT_BLOCK_H
#define RC_ANALYSIS_PLOT_BLOCK_H

#include "analysis/report/plot.h"

/** Points that one figure draws at most: more cannot be told apart. */
enum { RC_PLOT_POINTS = 6000 };

/** Begin a data block "$NAME"; its series are indexed from 0. */
void rc_plot_block_begin(rc_plot_text_t *t, const char *name);
void rc_plot_block_end(rc_plot_text_t *t);

/** A series of n points "x,y".  At most `most`, chosen by the number of the point, the same ones
 *  each time; one without numbers stands for an empty series.  Points with a NaN are left out.
 *  \return how many were left out because of `most` */
int64_t rc_plot_block_points(
    rc_plot_text_t *t, const double *x, const double *y, int64_t n, int64_t most);

/** A series "x,median,first quartile,third quartile": points in order of x in groups of about equal
 *  size, at least 8 in each, at most 16 groups.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_plot_block_trend(
    rc_plot_text_t *t, const double *x, const double *y, int64_t n, rc_err_t *err);

#endif
