#include "config.h"
#include "analysis/report/png.h"
#include "base/error.h"

/* A build without libpng. */

int rc_png_available(void)
{
    return 0;
}

rc_status_t rc_png_palette(const unsigned char *pixel, int width, int height,
    const rc_rgba_t *palette, int colors, rc_str_t *out, rc_err_t *err)
{
    (void)pixel;
    (void)width;
    (void)height;
    (void)palette;
    (void)colors;
    (void)out;
    return rc_fail(err, RC_ENOTSUP,
        "this program was built without libpng, which makes images; install it (Debian: "
        "libpng-dev), then configure and build again");
}
