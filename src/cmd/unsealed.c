#include "config.h"
#include "cmd/unsealed.h"
#include "base/error.h"
#include "store/guard.h"

int rc_command_unsealed(const rc_command_t *c, int allowed, char *const *stores, int n, int *code)
{
    int child = 0;
    const char *found = NULL;
    rc_guard_limits_t limits = {.file = stores, .files = n};
    rc_err_t err = {0};
    rc_status_t st = RC_OK;
    for (int i = 0; i < n && stores[i] && !found && st == RC_OK; i++) {
        int unsealed = 0;
        st = rc_guard_look(stores[i], &unsealed, &err);
        found = unsealed ? stores[i] : NULL;
    }
    if (st == RC_OK && !found)
        return 0;
    if (st == RC_OK && !allowed)
        st = rc_fail(&err, RC_ESTORE,
            "%s: has no seal: an older rowcast wrote it, it was cut short, or another program "
            "changed it, and damage can crash its reader; --unsealed reads it all the same, "
            "'rowcast archive --unsealed' makes a sealed copy",
            found);
    if (st == RC_OK)
        st = rc_guard_idle(&limits.idle_s, &err);
    if (st == RC_OK)
        st = rc_guard_fork(found, &limits, &child, code, &err);
    if (st < 0)
        *code = rc_command_fail(c, &err);
    return !child;
}
