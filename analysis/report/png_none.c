#include "config.h"
#include "analysis/report/png.h"
#include "base/error.h"

/* A build without libpng. */

rc_status_t rc_png_check(rc_err_t *err)
{
    return rc_fail(err, RC_ENOTSUP,
        "this program was built without libpng, which makes images; install it (Debian: "
        "libpng-dev), then configure and build again");
}

rc_status_t rc_spy_png(
    const double *count, int width, int height, double full, rc_str_t *out, rc_err_t *err)
{
    (void)count;
    (void)width;
    (void)height;
    (void)full;
    (void)out;
    return rc_png_check(err);
}
