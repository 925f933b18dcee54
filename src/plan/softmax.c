/* The softmax of the scores of each row, and its gradient, on the host. */
#include "config.h"
#include "base/error.h"
#include "base/threads.h"
#include "base/type.h"
#include "format/given.h"
#include "plan/softmax.h"

#include <math.h>

enum {
    ROWS = 64,      /* that a thread takes at once */
    ALONE = 1 << 13 /* entries, below which a team costs more than it brings */
};

/* The power of e in the width of its sum. */
#define POWER(bytes, x) ((bytes) == sizeof(float) ? expf((float)(x)) : exp(x))
#define INSTANCES "kernels/softmax/cpu/softmax.inc"
#include "device/cpu/instances.inc"

rc_status_t rc_softmax_check(
    const rc_plan_matrix_t *a, const rc_softmax_t *x, int on_device, rc_err_t *err)
{
    if (!a || !x)
        return rc_fail(err, RC_EINVAL, "softmax: expected a matrix and what is asked, found NULL");
    if (a->form != RC_PLAN_CSR || !a->on_device != !on_device)
        return rc_fail(
            err, RC_EINVAL, "matrix: expected CSR of the %s", on_device ? "GPU" : "host");
    RC_PASS(rc_given_check_pattern(a, err));
    RC_PASS(rc_type_check_real(a->precision, "scores", err));
    if (!isfinite(x->slope))
        return rc_fail(err, RC_EINVAL, "slope: expected a number, found %g", x->slope);
    if (a->nnz > 0 && (!x->out || (x->gradient && !x->of_entry)))
        return rc_fail(err, RC_EINVAL, "%s: expected an array, found NULL",
            x->out ? "gradient of an entry" : "out");
    return RC_OK;
}

rc_status_t rc_softmax_host(
    const rc_plan_matrix_t *a, const rc_softmax_t *x, int threads, rc_err_t *err)
{
    static void (*const all[])(const rc_plan_matrix_t *, const rc_softmax_t *, int64_t) =
        RC_INSTANCES(row);
    RC_PASS(rc_softmax_check(a, x, 0, err));
    if (threads < 0)
        return rc_fail(err, RC_EINVAL, "threads: expected at least 0, found %d", threads);
    const int team = a->nnz < ALONE ? 1 : rc_thread_count(threads);
#pragma omp parallel for num_threads(team) schedule(dynamic, ROWS)
    for (int64_t r = 0; r < a->rows; r++)
        all[a->precision](a, x, r);
    return RC_OK;
}
