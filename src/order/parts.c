#include "config.h"
#include "base/error.h"
#include "order/parts.h"

rc_status_t rc_order_go_on(const rc_order_input_t *in, rc_err_t *err)
{
    int ended = 0;
    if (in && in->watch.stop) {
#pragma omp critical(rc_order_stop)
        ended = in->watch.stop(in->watch.user);
    }
    return ended ? rc_fail(err, RC_EINTR, "drained") : RC_OK;
}

extern const rc_policy_t rc_policy_auto;

rc_status_t rc_parts_number(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    rc_order_input_t of_auto = *in;
    of_auto.watch.facts = NULL;
    of_auto.watch.placed = NULL;
    return rc_policy_auto.build(&of_auto, out, err);
}

rc_status_t rc_parts_share(
    int64_t parts, int threads, rc_parts_take_fn *take, void *of, rc_err_t *err)
{
    rc_status_t all = RC_OK;
    _Atomic int64_t next = 0;
    int team = parts < threads ? (int)parts : threads;
    if (team <= 1) /* the part may have a team of its own, which inside another one is made anew for
                      each search */
        return take(of, &next, err);
#pragma omp parallel num_threads(team)
    {
        rc_err_t why = {0};
        rc_status_t st = take(of, &next, &why);
        if (st < 0)
            next = parts;
        rc_err_keep(st, &why, &all, err);
    }
    return all;
}
