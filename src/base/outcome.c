#include "config.h"
#include "base/outcome.h"

#include <stddef.h>

const char *const rc_case_status_names[] = {
    "pending", "ok", "wrong", "skipped", "failed", "crashed", NULL};
const char *const rc_phase_names[] = {
    "none", "load", "feature", "order", "prepare", "verify", "time", NULL};
const char *const rc_stop_names[] = {"none", "target", "time", "count", "signal", NULL};

static const char *name_of(const char *const *names, int i)
{
    for (int k = 0; names[k]; k++)
        if (k == i)
            return names[k];
    return "?";
}

const char *rc_case_status_name(rc_case_status_t s)
{
    return name_of(rc_case_status_names, (int)s);
}

const char *rc_phase_name(rc_phase_t p)
{
    return name_of(rc_phase_names, (int)p);
}

const char *rc_stop_name(rc_stop_t s)
{
    return name_of(rc_stop_names, (int)s);
}
