/** \file analysis/report/png.h  Small images for a page, made in memory with libpng.  A build
 *  without libpng has these calls, and they say so (RC_ENOTSUP). */
#ifndef RC_ANALYSIS_REPORT_PNG_H
#define RC_ANALYSIS_REPORT_PNG_H

#include "base/str.h"

/** A colour with its opacity: 0 is transparent. */
typedef struct rc_rgba {
    unsigned char red, green, blue, alpha;
} rc_rgba_t;

/** 1 when this build can make images. */
int rc_png_available(void);

/** Make a palette image (PNG).
 *  \param[in]     pixel    [height * width] index into the palette, row by row from the top
 *  \param[in]     palette  [colors]; transparency is kept.  At most 16 colours give half the bytes
 *  \param[in,out] out      the file's bytes are appended (they may hold zeros: use out->len)
 *  \return RC_OK, RC_EINVAL (no pixels, a bad palette or index), RC_ENOMEM, RC_ENOTSUP */
rc_status_t rc_png_palette(const unsigned char *pixel, int width, int height,
    const rc_rgba_t *palette, int colors, rc_str_t *out, rc_err_t *err);

/** Make a spy plot out of counts (rc_spy_counts): background transparent, one ink that reads on
 *  white and on near-black, its opacity in 15 steps over the logarithm of the count.  A pixel with
 *  a single entry has the lowest step and half of the full opacity, so it is always visible.
 *  \param[in]     count  [height * width] >= 0
 *  \param[in]     full   the count that gets full ink, so that two plots can share a scale; 0: the
 *                        largest of `count`
 *  \param[in,out] out    the file's bytes are appended
 *  \return as rc_png_palette */
rc_status_t rc_spy_png(
    const double *count, int width, int height, double full, rc_str_t *out, rc_err_t *err);

#endif
