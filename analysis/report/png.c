#include "config.h"
#include "analysis/report/png.h"
#include "base/alloc.h"
#include "base/error.h"

#include <png.h>
#include <stdlib.h>

int rc_png_available(void)
{
    return 1;
}

static rc_status_t check(
    const unsigned char *pixel, int width, int height, int colors, rc_err_t *err)
{
    if (width < 1 || height < 1 || colors < 1 || colors > 256)
        return rc_fail(err, RC_EINVAL,
            "an image of %d x %d pixels in %d colours: expected at least one pixel, and 1 to 256",
            width, height, colors);
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
        if (pixel[i] >= colors)
            return rc_fail(err, RC_EINVAL, "pixel %zu has colour %d of %d", i, pixel[i], colors);
    return RC_OK;
}

rc_status_t rc_png_palette(const unsigned char *pixel, int width, int height,
    const rc_rgba_t *palette, int colors, rc_str_t *out, rc_err_t *err)
{
    RC_PASS(check(pixel, width, height, colors, err));
    rc_status_t st = RC_OK;
    png_image image = {.version = PNG_IMAGE_VERSION,
        .width = (png_uint_32)width,
        .height = (png_uint_32)height,
        .format = PNG_FORMAT_RGBA_COLORMAP,
        .colormap_entries = (png_uint_32)colors};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    void *file = rc_alloc(size, 1, "an image", err);
    RC_PASS(file ? RC_OK : RC_ENOMEM);
    if (!png_image_write_to_memory(&image, file, &size, 0, pixel, 0, palette))
        st = rc_fail(err, RC_ENOMEM, "libpng: %s", image.message);
    png_image_free(&image);
    if (st == RC_OK)
        rc_str_addn(out, file, size);
    if (st == RC_OK && out->failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for an image");
    free(file);
    return st;
}
