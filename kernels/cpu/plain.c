#include "config.h"
#include "kernels/cpu/plain.h"
#include "base/alloc.h"
#include "kernels/kernel.h"

#include <stdlib.h>

rc_status_t rc_plain_new(rc_executor_t *x, const rc_problem_t *p, int entries, rc_plain_t **out,
    rc_err_t *err)
{
    rc_plain_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    s->precision = p->precision;
    rc_status_t st = rc_slots_build(x, p, &s->slots, err);
    if (st == RC_OK && entries) {
        s->first = rc_alloc((size_t)s->slots.slots, sizeof *s->first, "entries of the slots", err);
        st = s->first ? RC_OK : RC_ENOMEM;
    }
    if (st < 0) {
        rc_plain_release(s);
        return st;
    }
    for (int64_t i = 0; s->first && i < s->slots.slots; i++) {
        int64_t r = p->schedule->row[i];
        s->first[i] = r < 0 ? 0 : p->a->row_ptr[r];
    }
    *out = s;
    return RC_OK;
}

rc_status_t rc_plain_prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    (void)analysis;
    rc_plain_t *s = NULL;
    rc_status_t st = rc_plain_new(x, p, 0, &s, err);
    *state = s;
    return st;
}

void rc_plain_release(void *state)
{
    rc_plain_t *s = state;
    if (!s)
        return;
    rc_slots_free(&s->slots);
    free(s->first);
    free(s);
}
