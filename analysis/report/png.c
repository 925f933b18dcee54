#include "config.h"
#include "analysis/report/png.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <png.h>
#include <string.h>

rc_status_t rc_png_check(rc_err_t *err)
{
    (void)err;
    return RC_OK;
}

/* With the background 16 colours: four bits a pixel. */
enum { steps = 15 };

/* Contrast 4 to 5 with both white and near-black. */
static const unsigned char ink[] = {0x5b, 0x7f, 0xa6};
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
    unsigned char palette[steps + 1][4] = {{0}};
    png_image image = {.version = PNG_IMAGE_VERSION,
        .width = (png_uint_32)width,
        .height = (png_uint_32)height,
        .format = PNG_FORMAT_RGBA_COLORMAP,
        .colormap_entries = steps + 1};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    rc_pool_t pool = {0};
    double most = full > 0 ? full : 0; /* gets full ink */
    rc_status_t st;
    for (int i = 1; i <= steps; i++) {
        double opacity = faintest + (1 - faintest) * (i - 1) / (steps - 1);
        memcpy(palette[i], ink, sizeof ink);
        palette[i][3] = (unsigned char)(255 * opacity + 0.5);
    }
    for (size_t i = 0; i < n && !(full > 0); i++)
        most = count[i] > most ? count[i] : most;
    unsigned char *pixel = rc_pool_get(&pool, n, 1);
    void *file = rc_pool_get(&pool, size, 1);
    RC_TRY(rc_pool_check(&pool, "an image", err));
    for (size_t i = 0; i < n; i++)
        pixel[i] = step_of(count[i], most);
    if (!png_image_write_to_memory(&image, file, &size, 0, pixel, 0, palette))
        st = rc_fail(err, RC_ENOMEM, "libpng: %s", image.message);
    png_image_free(&image);
    if (st == RC_OK)
        rc_str_addn(out, file, size);
    if (st == RC_OK && out->failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for an image");
done:
    rc_pool_free(&pool);
    return st;
}
