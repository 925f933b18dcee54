#include "config.h"
#include "sweep/threads.h"
#include "base/error.h"
#include "base/str.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int rc_threads_of_class(const rc_device_t *d, const char *class_name)
{
    char own[32];
    int64_t threads = 0;
    char digits[16] = "";
    /* "cpu:<model>:<threads>t:<instructions>"; a model may have a colon */
    const char *last = strrchr(d->class_name, ':');
    snprintf(own, sizeof own, ":%dt", d->executor.threads);
    size_t n = strlen(own);
    if (d->executor.kind != RC_DEVICE_CPU || !last || (size_t)(last - d->class_name) < n ||
        strncmp(last - n, own, n) != 0 || strcmp(class_name, d->class_name) == 0)
        return 0;
    size_t prefix = (size_t)(last - d->class_name) - n + 1; /* with the colon */
    if (strncmp(class_name, d->class_name, prefix) != 0)
        return 0;
    const char *at = class_name + prefix;
    for (size_t i = 0; i + 1 < sizeof digits && isdigit((unsigned char)*at); i++)
        digits[i] = *at++;
    if (at[0] != 't' || strcmp(at + 1, last) != 0 ||
        rc_parse_int(digits, 1, INT32_MAX, "threads", &threads, NULL) < 0)
        return 0;
    return (int)threads;
}

/* Cases of a selection that the store holds under the class of a device. */
static rc_status_t count_done(const rc_sweep_config_t *c, const rc_device_t *d, const rc_view_t *v,
    rc_map_t *known, int64_t *out, rc_err_t *err)
{
    rc_profile_t profile;
    rc_worklist_t work;
    rc_profile_make(c, d, &profile);
    rc_sweep_config_t once = *c;
    once.repeat = 0;
    RC_PASS(rc_worklist_make(&once, &profile, 1, v, NULL, known, &work, err));
    *out = work.plan.done;
    rc_worklist_free(&work);
    return RC_OK;
}

rc_status_t rc_threads_find(const rc_sweep_config_t *c, const rc_device_t *d, const rc_view_t *v,
    rc_map_t *known, rc_other_threads_t *out, rc_err_t *err)
{
    int32_t devices = 0;
    memset(out, 0, sizeof *out);
    for (int64_t i = 0; i < rc_view_count(v); i++)
        if (rc_view_result(v, i)->device >= devices)
            devices = rc_view_result(v, i)->device + 1;
    for (int32_t id = 0; id < devices; id++) {
        const char *class_name = rc_view_device(v, id);
        rc_device_t other = *d;
        int64_t cases = 0;
        other.executor.threads = rc_threads_of_class(d, class_name);
        if (other.executor.threads == 0)
            continue;
        snprintf(other.class_name, sizeof other.class_name, "%s", class_name);
        RC_PASS(count_done(c, &other, v, known, &cases, err));
        if (cases > out->cases) {
            memcpy(out->class_name, other.class_name, sizeof out->class_name);
            out->threads = other.executor.threads;
            out->cases = cases;
        }
    }
    return RC_OK;
}

rc_status_t rc_threads_tell(const rc_sweep_config_t *c, const rc_device_t *d, const rc_view_t *v,
    rc_map_t *known, const rc_worklist_t *work, const rc_log_t *log, rc_err_t *err)
{
    rc_other_threads_t other = {.cases = 0};
    rc_status_t st = RC_OK;
    if (v && work->plan.done == 0 && work->plan.cases > 0)
        st = rc_threads_find(c, d, v, known, &other, err);
    if (st == RC_OK && other.cases > 0)
        rc_log(log, RC_LOG_WARN, "sweep",
            "all %" PRId64 " cases are new: %s holds %" PRId64
            " of this selection, but of %s, and this is %s; --threads %d matches it%s",
            work->plan.cases, c->store, other.cases, other.class_name, d->class_name, other.threads,
            other.threads > d->executor.threads ? ", with as many CPUs for each rank" : "");
    return st;
}
