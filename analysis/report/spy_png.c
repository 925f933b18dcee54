#include "config.h"
#include "analysis/report/png.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

/* With the background 16 colours: four bits a pixel. */
enum { steps = 15 };

/* Contrast 4 to 5 with both white and near-black. */
static const rc_rgba_t ink = {0x5b, 0x7f, 0xa6, 0xff};
static const double faintest = 0.5; /* opacity of the lowest step */

static unsigned char step_of(double count, double full)
{
    if (!(count > 0))
        return 0;
    if (full <= 1 || count >= full)
        return steps;
    double part = count > 1 ? log(count) / log(full) : 0;
    return (unsigned char)(1 + (int)(part * (steps - 1) + 0.5));
}

rc_status_t rc_spy_png(
    const double *count, int width, int height, double full, rc_str_t *out, rc_err_t *err)
{
    if (width < 1 || height < 1)
        return rc_fail(
            err, RC_EINVAL, "an image of %d x %d pixels: expected at least one", width, height);
    size_t n = (size_t)width * (size_t)height;
    rc_rgba_t palette[steps + 1] = {{0, 0, 0, 0}};
    for (int i = 1; i <= steps; i++) {
        double opacity = faintest + (1 - faintest) * (i - 1) / (steps - 1);
        palette[i] = ink;
        palette[i].alpha = (unsigned char)(255 * opacity + 0.5);
    }
    if (!(full > 0)) {
        full = 0;
        for (size_t i = 0; i < n; i++)
            full = count[i] > full ? count[i] : full;
    }
    unsigned char *pixel = rc_alloc(n, 1, "an image", err);
    RC_PASS(pixel ? RC_OK : RC_ENOMEM);
    for (size_t i = 0; i < n; i++)
        pixel[i] = step_of(count[i], full);
    rc_status_t st = rc_png_palette(pixel, width, height, palette, steps + 1, out, err);
    free(pixel);
    return st;
}
