/** \file analysis/report/gnuplot.h  Running gnuplot, and what its svg terminal writes made fit for
 *  a page.  Private to analysis/report. */
#ifndef RC_ANALYSIS_GNUPLOT_H
#define RC_ANALYSIS_GNUPLOT_H

#include "base/str.h"

#include <stdint.h>

/** The program: the environment variable GNUPLOT, else "gnuplot", looked up in PATH when it has no
 *  slash.  \param[out] out  absolute path
 *  \return RC_OK; RC_ENOENT: there is none that may be run; RC_ENOMEM */
rc_status_t rc_plot_program(rc_str_t *out, rc_err_t *err);

/** Run it on a script, without a shell and without its initialisation files.
 *  \param[in] program  from rc_plot_program
 *  \param[in] dir      where it runs: names in the script are relative to it
 *  \param[in] script   a file there
 *  \return RC_OK; RC_EIO with what it said when it failed, which has "line N: " in it where it
 *          names one; RC_ENOMEM */
rc_status_t rc_plot_run(const char *program, const char *dir, const char *script, rc_err_t *err);

/** A colour that templates draw with, and what stands for it on a page. */
typedef struct rc_plot_colour {
    uint32_t rgb;  /**< 0xRRGGBB */
    char name[40]; /**< "--figure-1": a variable of the page's style sheet; "currentColor" */
} rc_plot_colour_t;

enum { RC_PLOT_COLOURS_MAX = 32 };

/** The colours that a common.gp names in lines "#colour RRGGBB NAME".
 *  \param[out] out  [RC_PLOT_COLOURS_MAX]; the last one has no name
 *  \return how many; lines of another shape are comments like any other */
int rc_plot_colours(const char *common, rc_plot_colour_t *out);

/** Rewrite a drawing: no XML declaration; ids and references to them begin with the name of the
 *  figure; points of one colour are one path, which is a tenth of the size; no group without
 *  contents, no unused definitions.
 *  \param[in] raw     what gnuplot wrote, NUL-terminated
 *  \param[in] title   for readers who do not see the drawing: no text of a store
 *  \param[in] colour  for a page: named colours, up to one without a name, become variables of the
 *                     page with the colour as fallback, fonts are the page's.  NULL: to stand
 *                     alone: colours as they are, a sans-serif font
 *  \return RC_OK, RC_EFORMAT (no drawing), RC_ENOMEM */
rc_status_t rc_plot_svg(const char *raw, const char *name, const char *title,
    const rc_plot_colour_t *colour, rc_str_t *out, rc_err_t *err);

#endif
