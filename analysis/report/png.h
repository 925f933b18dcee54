/** \file analysis/report/png.h  Small images for a page, made in memory with libpng.  A build
 *  without libpng has these calls, and they say so. */
#ifndef RC_ANALYSIS_REPORT_PNG_H
#define RC_ANALYSIS_REPORT_PNG_H

#include "base/str.h"

/** \return RC_OK: this build can make images; RC_ENOTSUP, and err says what is missing */
rc_status_t rc_png_check(rc_err_t *err);

/** Make a spy plot (of counts of rc_spy_ordered), a palette image (PNG): background transparent,
 *  one ink that reads on white and on near-black, its opacity in 15 steps over the logarithm of the
 *  count.  A pixel with a single entry has the lowest step and half of the full opacity, so it is
 *  always visible.
 *  \param[in]     count  [height * width] >= 0
 *  \param[in]     full   the count that gets full ink, so that two plots can share a scale; 0: the
 *                        largest of `count`
 *  \param[in,out] out    the file's bytes are appended (they may hold zeros: use out->len)
 *  \return RC_OK, RC_EINVAL (no pixels), RC_ENOMEM, RC_ENOTSUP */
rc_status_t rc_spy_png(
    const double *count, int width, int height, double full, rc_str_t *out, rc_err_t *err);

#endif
