/* The limits of a device as `rowcast calibrate --limits` writes them. */
#include "config.h"
#include "base/error.h"
#include "device/limits.h"
#include "kernels/tuning/tuning.h"

#include <string.h>

/* What is read into. */
typedef struct file {
    rc_limits_t *limits;
    char *device;
} file_t;

static rc_status_t parse(const json_t *root, void *user, rc_err_t *err)
{
    const file_t *f = user;
    rc_limits_t *l = f->limits;
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *read = json_object_get(root, "read_gbs");
    const json_t *flops = json_object_get(root, "multiply_add_gflops");
    const double least = 1e-3; /* a limit of nothing would make shares of it */
    if (!format || strcmp(format, "rowcast limits") != 0 ||
        json_integer_value(json_object_get(root, "version")) != 1)
        return rc_fail(err, RC_EFORMAT, "expected \"format\": \"rowcast limits\" of version 1");
    RC_PASS(rc_tuning_device(root, f->device, RC_LIMITS_DEVICE, err));
    RC_PASS(rc_tuning_number(read, "read_gbs", "memory", least, &l->memory, err));
    RC_PASS(rc_tuning_number(read, "read_gbs", "l2", least, &l->l2, err));
    RC_PASS(rc_tuning_number(read, "read_gbs", "l1", least, &l->l1, err));
    RC_PASS(rc_tuning_number(read, "read_gbs", "shared", least, &l->shared, err));
    RC_PASS(rc_tuning_number(flops, "multiply_add_gflops", "fp32", least, &l->fp32, err));
    return rc_tuning_number(flops, "multiply_add_gflops", "fp64", least, &l->fp64, err);
}

rc_status_t rc_limits_read(
    const char *word, rc_limits_t *out, char device[RC_LIMITS_DEVICE], rc_err_t *err)
{
    file_t f = {out, device};
    return rc_tuning_read(word, NULL, parse, &f, err);
}

rc_status_t rc_limits_read_of(
    const char *class_name, rc_limits_t *out, char device[RC_LIMITS_DEVICE], rc_err_t *err)
{
    rc_str_t word;
    rc_status_t st = rc_limits_read(
        rc_tuning_of_device("limits", class_name, &word) ? word.text : RC_LIMITS_USUAL, out, device,
        err);
    rc_str_free(&word);
    return st;
}
