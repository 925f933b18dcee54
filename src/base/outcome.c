#include "config.h"
#include "base/outcome.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const rc_case_status_names[] = {
    "pending", "ok", "wrong", "skipped", "failed", "crashed", "noisy", NULL};
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

void rc_memory_reason(char *text, size_t size, const char *what, int64_t need, int64_t limit)
{
    snprintf(
        text, size, "memory: %s about %" PRId64 " bytes, the limit is %" PRId64, what, need, limit);
}

int64_t rc_memory_needed(const char *text)
{
    int64_t need;
    if (strncmp(text, "memory:", 7) != 0)
        return -1;
    const char *limit = strstr(text, ", the limit is ");
    const char *about = strstr(text, " about ");
    if (!limit)
        return 0;
    return about && about < limit && sscanf(about, " about %" SCNd64 " bytes,", &need) == 1
               ? need
               : INT64_MAX;
}
