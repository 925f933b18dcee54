/* Who else uses the device that candidates are timed on. */
#include "config.h"
#include "plan/plan_private.h"

/* No more launches in a batch than a device times at once. */
static rc_status_t time_alone(
    void *user, rc_launch_fn *fn, void *state, int64_t batch, int64_t *ns, rc_err_t *err)
{
    rc_device_t *d = user;
    int64_t most = d->batch_max > 0 && batch > d->batch_max ? d->batch_max : batch;
    rc_status_t st = rc_device_time_alone(d, fn, state, most, ns, err);
    if (most < batch) /* launches of a batch are alike */
        *ns = (int64_t)((double)*ns * (double)batch / (double)most);
    return st;
}

static void look(void *user, int anew)
{
    rc_device_t *d = user;
    d->watch(d, anew ? RC_WATCH_AGAIN : 0);
}

static int is_alone(void *user)
{
    return rc_device_is_alone(user);
}

void rc_plan_place_watched(rc_plan_place_t *place, rc_device_t *d)
{
    place->time = time_alone;
    place->look = look;
    place->alone = is_alone;
    place->unsteady = d->executor.kind == RC_DEVICE_CPU;
    place->user = d;
}

void rc_plan_note_company(rc_plan_t *plan, rc_device_t *d)
{
    rc_device_company(d, plan->company);
}

const char *rc_plan_company(const rc_plan_t *plan)
{
    return plan ? plan->company : "";
}
