#include "config.h"
#include "kernels/cpu/plain.h"

rc_status_t rc_plain_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    rc_plain_t *s = state;
    rc_status_t st = rc_slots_build(&s->base.memory, p, &s->slots, err);
    s->base.val = s->slots.val;
    s->base.stored = p->a->nnz;
    return st;
}
