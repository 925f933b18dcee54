#include "config.h"
#include "sweep/notice.h"
#include "base/error.h"
#include "base/str.h"
#include "kernels/rs_notice.h"

#include <string.h>

/* Log a line that was not said; all that was said, each with a newline behind it, is `said`. */
static void say(const rc_log_t *log, const char *line, rc_str_t *said)
{
    if (said->text && strstr(said->text, line))
        return;
    rc_str_addf(said, "%s\n", line);
    rc_log(log, RC_LOG_WARN, "sweep", "%s", line);
}

rc_status_t rc_sweep_notice(
    const rc_sweep_config_t *c, const rc_device_t *d, const rc_log_t *log, rc_err_t *err)
{
    rc_str_t said = {0};
    for (int i = 0; i < c->kernels * c->ks * c->precisions; i++) {
        int64_t k = c->k[i / c->precisions % c->ks];
        rc_str_t line = {0};
        if (k > 0) /* n is another for each matrix */
            rc_rs_tuning_notice(&c->kernel[i / c->precisions / c->ks], d->class_name, k,
                c->precision[i % c->precisions], &line);
        if (line.text)
            say(log, line.text, &said);
        said.failed |= line.failed;
        rc_str_free(&line);
    }
    rc_status_t st = said.failed ? rc_fail(err, RC_ENOMEM, "no memory for a line") : RC_OK;
    rc_str_free(&said);
    return st;
}
