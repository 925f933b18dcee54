/** \file analysis/report/plot_data.h  What several figures are made of: lines of their CSV,
 *  variables of their templates, gnuplot's data blocks where a CSV has more than can be seen (a
 *  sample of the points and the course of their middle), and results that are compared.  Private to
 *  analysis/report. */
#ifndef RC_ANALYSIS_PLOT_DATA_H
#define RC_ANALYSIS_PLOT_DATA_H

#include "analysis/report/plot.h"
#include "base/alloc.h"
#include "table/print.h"

/** A line of a CSV file: texts in quotes where they have to be; of a real so many significant
 *  digits, and nothing when it is not finite, or with `digits` 0 or below -digits decimals. */
void rc_plot_put_row(FILE *csv, const rc_table_cell_t *cell, size_t n);

/** The same for cells that stand here. */
#define RC_PLOT_ROW(csv, ...)                                                                      \
    rc_plot_put_row(csv, (const rc_table_cell_t[]){__VA_ARGS__},                                   \
        sizeof((rc_table_cell_t[]){__VA_ARGS__}) / sizeof(rc_table_cell_t))

/** Set a variable of the template. */
void rc_plot_define_text(rc_plot_text_t *t, const char *name, const char *value);
void rc_plot_define_number(rc_plot_text_t *t, const char *name, double value);

/** Set element i of an array of it, from 1. */
void rc_plot_define_item(rc_plot_text_t *t, const char *array, int i, const char *value);

/** Points that one figure draws at most: more cannot be told apart. */
enum { RC_PLOT_POINTS = 6000 };

/** Begin a data block "$NAME"; its series are indexed from 0. */
void rc_plot_block_begin(rc_plot_text_t *t, const char *name);
void rc_plot_block_end(rc_plot_text_t *t);

/** A text in double quotes, as a field of a line: what is not printable and double quotes become
 *  blanks, so that no text ends the line or the block and goes on as commands. */
void rc_plot_block_text(rc_plot_text_t *t, const char *text);

/** A series of n points "x,y".  At most `most`, chosen by the number of the point, the same ones
 *  each time; one without numbers stands for an empty series.  Points with a NaN are left out.
 *  \return how many were left out because of `most` */
int64_t rc_plot_block_points(
    rc_plot_text_t *t, const double *x, const double *y, int64_t n, int64_t most);

/** Say in the caption how many points are not drawn, if any.
 *  \param[in] lines  what has all of them: "line", "lines" */
void rc_plot_say_hidden(rc_plot_text_t *t, int64_t hidden, const char *lines);

/** A series "x,median,first quartile,third quartile": points in order of x in groups of about equal
 *  size, at least 8 in each, at most 16 groups.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_plot_block_trend(
    rc_plot_text_t *t, const double *x, const double *y, int64_t n, rc_err_t *err);

/** What the row orders gain under one kernel in one setting: speedups over the original order of
 * the same kernel, as rc_view_speedup has them.  A matrix enters when it has the original order and
 *  another; of several geometries the fastest counts.  Free with rc_plot_orders_free. */
typedef struct rc_plot_orders {
    rc_pool_t memory;
    const rc_survey_setting_t *setting;
    int policies;        /**< at least 1 */
    const char **policy; /**< [policies] csr first, the others as the store came to know them;
                              borrowed from the view */
    int64_t matrices;
    int32_t *matrix; /**< [matrices] of the survey */
    double *gain;    /**< [matrices * policies] NaN where it was not measured; csr is 1 */
    int64_t *row;    /**< [matrices * policies] of the view, -1 */
    double *best;    /**< [matrices] the oracle's speedup: at least 1 */
    int *winner;     /**< [matrices] its policy; ties to the earlier one */
} rc_plot_orders_t;

/** \param[in] setting  of the survey; \param[in] kernel  "gstat:strip=8"
 *  \return RC_OK; policies is 1 or matrices 0 when there is nothing to compare.  RC_ENOMEM */
rc_status_t rc_plot_orders_make(
    const rc_survey_t *s, int setting, const char *kernel, rc_plot_orders_t *out, rc_err_t *err);
void rc_plot_orders_free(rc_plot_orders_t *o);

/** The main setting where it fits, else of those that do the one with most matrices; -1: none.
 *  \param[in] user  for fits */
int rc_plot_home_of(const rc_plot_input_t *in,
    int (*fits)(const rc_plot_input_t *in, int setting, const void *user), const void *user);

/** The setting that figures of row orders show where nobody asks for another: the main one; where
 *  no kernel ran another order than csr there, the one with most matrices of those where one did;
 *  -1 none. */
int rc_plot_home_orders(const rc_plot_input_t *in);

/** The main setting of the survey. */
int rc_plot_home_main(const rc_plot_input_t *in);

/** The orders of the reference kernel in the setting that is shown; where there is nothing to
 *  compare, what is missing is said and out->policies is 0. */
rc_status_t rc_plot_main_orders(
    const rc_plot_input_t *in, rc_plot_orders_t *out, rc_plot_text_t *text, rc_err_t *err);

/** What writes the figures of these orders: their `draw` where there is something to compare. */
rc_status_t rc_plot_write_orders(
    const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err);

/** The speedup of a policy, `policies` being the oracle, on matrix i. */
double rc_plot_orders_gain(const rc_plot_orders_t *o, int policy, int64_t i);

/** Those over the matrices that have it.
 *  \param[out] out  [matrices]  \return how many */
int64_t rc_plot_orders_column(const rc_plot_orders_t *o, int policy, double *out);

/** The fastest row of a pair in the original order, of the kernels that are taken; -1 none.
 *  \param[in] takes  whether a kernel ("name:params") is  \param[in] user  for it */
int64_t rc_plot_fastest(const rc_survey_t *s, int64_t pair,
    int (*takes)(const char *kernel, const void *user), const void *user);

/** The same of the kernels that are not the vendor's.  \param[in] csr_only  0: in any order */
int64_t rc_plot_own_best(const rc_survey_t *s, int64_t pair, int csr_only);

/** Operations in a ns, which are Gflop/s, of a row of the view; NaN: -1, or no operations. */
double rc_plot_gflops(const rc_survey_t *s, int64_t row);

/** The fastest result of each plan (table/reorder.h) on each matrix of a setting.
 *  \param[in]  setting  of the survey
 *  \param[in]  plans    "aspt-nr,aspt-rr"
 *  \param[in]  count    of them
 *  \param[out] row      [pairs of the setting * count] of the view, -1: none; free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_plot_plans(const rc_plot_input_t *in, int setting, const char *plans, int count,
    int64_t **row, rc_err_t *err);

/** Say what is missing of the setting that is shown, or, where there is none, of all: "no result of
 *  rs", which readers see with "at K = 8, fp32, row-major" behind it. */
void rc_plot_lacks(const rc_plot_input_t *in, const char *what, rc_plot_text_t *text);

/** Said of a store without results of the vendor's and of other kernels, and without any. */
extern const char rc_plot_no_vendor[];
extern const char rc_plot_no_results[];

#endif
