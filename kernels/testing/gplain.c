#include "config.h"
#include "kernels/testing/gplain.h"

rc_status_t rc_gplain_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    rc_gplain_t *s = state;
    rc_status_t st = rc_cuda_slots_build(&s->base.memory, p, &s->slots, err);
    s->base.val = s->slots.val;
    s->base.stored = p->a->nnz;
    return st;
}

rc_status_t rc_gplain_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_gplain_t *s = state;
    const rc_gplain_kind_t *kind = s->base.p.kernel->kind;
    const rc_executor_t *x = s->base.memory.x;
    int before = rc_cuda_enter(x);
    rc_status_t st = kind->run(s, o, alpha, beta, err);
    rc_cuda_leave(x, before);
    return st;
}
