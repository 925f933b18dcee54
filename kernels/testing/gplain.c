#include "config.h"
#include "kernels/testing/gplain.h"
#include "base/alloc.h"
#include "kernels/kernel.h"

#include <stdlib.h>

rc_status_t rc_gplain_prepare(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, void **state, rc_err_t *err)
{
    (void)analysis;
    rc_gplain_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    s->x = x;
    rc_status_t st = rc_cuda_slots_build(x, p, &s->slots, err);
    if (st < 0) {
        free(s);
        return st;
    }
    *state = s;
    return RC_OK;
}

void rc_gplain_release(void *state)
{
    rc_gplain_t *s = state;
    if (!s)
        return;
    rc_cuda_slots_free(s->x, &s->slots);
    s->x->release(s->x, s->first);
    free(s);
}

int64_t rc_gplain_values(void *state, void **array)
{
    const rc_gplain_t *s = state;
    *array = s->slots.val;
    return s->slots.nnz;
}
