#include "config.h"
#include "cmd/calibrate_limits.h"
#include "base/error.h"
#include "base/replace.h"
#include "cmd/open_device.h"
#include "kernels/limits.h"

#include <jansson.h>
#include <string.h>

enum { DIGITS = 5 };

static rc_status_t write_limits(
    const rc_limits_t *l, const char *class_name, FILE *to, const char *name, rc_err_t *err)
{
    json_t *file = json_pack("{s:s, s:i, s:s, s:{s:f, s:f, s:f, s:f}, s:{s:f, s:f}}", "format", "rowcast limits",
        "version", 1, "device", class_name, "read_gbs", "memory", l->memory, "l2", l->l2, "l1", l->l1, "shared",
        l->shared, "multiply_add_gflops", "fp32", l->fp32, "fp64", l->fp64);
    int failed = !file || json_dumpf(file, to, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS)) < 0 ||
                 fputc('\n', to) == EOF || fflush(to) != 0;
    json_decref(file);
    return failed ? rc_fail(err, RC_EIO, "%s: cannot be written", name) : RC_OK;
}

rc_status_t rc_calibrate_limits(const char *device, const char *output, rc_err_t *err)
{
    rc_device_t *d = NULL;
    rc_limits_t limits;
    rc_replace_t file = {0};
    rc_status_t st;
    /* those of a CPU are not measured: a machine without a GPU is to say why it has none */
    RC_TRY(rc_command_open_device(device && strcmp(device, "auto") != 0 ? device : "cuda", 0, &d, err));
    RC_TRY(rc_limits_measure(d, &limits, err));
    if (output)
        RC_TRY(rc_replace_begin(output, &file, err));
    st = write_limits(
        &limits, d->class_name, output ? file.file : stdout, output ? output : "standard output", err);
    rc_status_t ended = rc_replace_end(&file, st == RC_OK, st == RC_OK ? err : NULL);
    st = st == RC_OK ? ended : st;
done:
    if (d)
        rc_device_close(d);
    return st;
}
