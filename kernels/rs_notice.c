#include "config.h"
#include "kernels/rs_notice.h"
#include "kernels/tuning/rs.h"
#include "kernels/tuning/rs_tuning.h"
#include "kernels/tuning/tuning.h"

#include <inttypes.h>
#include <string.h>

/* What a tuning does not fit, a clause each; nothing: all of it fits. */
static void differs(const rc_rs_tuning_t *t, const rc_kernel_t *kernel, const char *device,
    int64_t k, rc_precision_t precision, rc_str_t *out)
{
    const rc_rs_setting_t *s = rc_rs_tuning_setting(t, k, precision);
    if (strcmp(t->device, device) != 0) {
        rc_str_t other;
        rc_str_addf(out, "; it was measured on %s, this is %s", t->device, device);
        if (rc_tuning_of_device("rs", device, &other))
            rc_str_addf(out, ", for which there is tune=%s", other.text);
        rc_str_free(&other);
    }
    if (t->kernel_version != kernel->version)
        rc_str_addf(out, "; it is of version %d of the kernel, this is %d", t->kernel_version,
            kernel->version);
    if (!s)
        rc_str_addf(out, "; it has no %s, so t = %d and cfv = %d", rc_precision_name(precision),
            RC_RS_USUAL_T, RC_RS_USUAL_CFV);
    else if (s->k != k)
        rc_str_addf(out, "; K = %" PRId64 " takes what it has for K = %" PRId64, k, s->k);
}

void rc_rs_tuning_notice(const rc_kernel_spec_t *spec, const char *device, int64_t k,
    rc_precision_t precision, rc_str_t *out)
{
    const rc_kernel_t *kernel = spec->kernel;
    rc_rs_tuning_t t = {.settings = 0};
    rc_str_t says = {0};
    if ((strcmp(kernel->name, "rs") != 0 && strcmp(kernel->name, "rs-spmm_t") != 0) ||
        !rc_rs_is_open(spec->param))
        return;
    const char *word = spec->text[0] ? spec->text : "auto";
    if (rc_rs_tuning_is_none(word)) {
        rc_str_addf(out,
            "%s: there is no tuning file " RC_RS_TUNING_USUAL ", so t = %d and cfv = %d",
            kernel->name, RC_RS_USUAL_T, RC_RS_USUAL_CFV);
        return;
    }
    if (rc_rs_tuning_read(word, &t, NULL) < 0)
        return;
    differs(&t, kernel, device, k, precision, &says);
    if (says.len > 0)
        rc_str_addf(out, "%s: tuning %s%s", kernel->name,
            strcmp(word, "auto") == 0 ? RC_RS_TUNING_USUAL : word, says.text);
    out->failed |= says.failed;
    rc_str_free(&says);
    rc_rs_tuning_free(&t);
}
