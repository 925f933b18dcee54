/** \file analysis/report/plot_svg.h  What gnuplot's svg terminal writes, made fit for a page.
 *  Private to analysis/report. */
#ifndef RC_ANALYSIS_PLOT_SVG_H
#define RC_ANALYSIS_PLOT_SVG_H

#include "base/str.h"

#include <stdint.h>

/** A colour that templates draw with, and what stands for it on a page. */
typedef struct rc_plot_colour {
    uint32_t rgb;  /**< 0xRRGGBB */
    char name[40]; /**< "--figure-1": a variable of the page's style sheet; "currentColor" */
} rc_plot_colour_t;

enum { RC_PLOT_COLOURS_MAX = 32 };

/** The colours that a common.gp names in lines "#colour RRGGBB NAME".
 *  \param[out] out  [RC_PLOT_COLOURS_MAX]
 *  \return how many; lines of another shape are comments like any other */
int rc_plot_colours(const char *common, rc_plot_colour_t *out);

/** Rewrite a drawing: no XML declaration; ids and references to them begin with the name of the
 *  figure; points of one colour are one path, which is a tenth of the size; no group without
 *  contents, no unused definitions.
 *  \param[in] raw     what gnuplot wrote, NUL-terminated
 *  \param[in] title   for readers who do not see the drawing
 *  \param[in] inlined 1: for a page: named colours become variables of the page with the colour as
 *                     fallback, fonts are the page's.  0: to stand alone: colours as they are,
 *                     a sans-serif font
 *  \return RC_OK, RC_EFORMAT (no drawing), RC_ENOMEM */
rc_status_t rc_plot_svg(const char *raw, const char *name, const char *title,
    const rc_plot_colour_t *colour, int colours, int inlined, rc_str_t *out, rc_err_t *err);

#endif
