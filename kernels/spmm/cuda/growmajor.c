/* Row-major product without atomics: a warp, or when K is small a part of one, per row; the lanes
 * hold neighbouring columns.  The plain kernel to compare the column-major ones with. */
#include "config.h"
#include "kernels/spmm/cuda/growmajor.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "format/cuda/slots.h"
#include "kernels/cuda/members.h"
#include "kernels/spmm/cuda/row_launch.h"

enum { PARAM_VECTORS, PARAM_STRIP };

typedef struct growmajor {
    rc_prepared_t base;
    rc_cuda_slots_t slots;
    rc_rowmajor_args_t args;
    rc_row_launch_t launch[RC_CUDA_WIDTHS];
} growmajor_t;

static rc_status_t fit(void *state, int64_t k, rc_err_t *err)
{
    (void)err;
    growmajor_t *s = state;
    rc_problem_t *p = &s->base.p;
    const rc_row_ask_t ask = {.precision = p->precision,
        .wide = s->slots.wide,
        .slots = s->slots.slots,
        .cols = p->a->cols,
        .k = k,
        .vectors = p->param[PARAM_VECTORS],
        .strip = p->param[PARAM_STRIP]};
    p->k = k;
    s->args.k = (int32_t)k;
    rc_row_launches(s->base.memory.x, &ask, s->launch);
    return RC_OK;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    growmajor_t *s = state;
    RC_PASS(rc_cuda_slots_build(&s->base.memory, p, &s->slots, err));
    s->base.val = s->slots.val;
    s->base.stored = p->a->nnz;
    s->args = (rc_rowmajor_args_t){.ptr = s->slots.ptr,
        .col = s->slots.col,
        .val = s->slots.val,
        .row = s->slots.row,
        .slots = (int32_t)s->slots.slots};
    return RC_OK;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const growmajor_t *s = state;
    const rc_executor_t *x = s->base.memory.x;
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_row_run(x, s->launch, &s->args, o, rc_cuda_scalars(o, alpha, beta), err);
    if (st == RC_OK)
        st = rc_cuda_slots_absent(x, &s->slots, o, beta, err);
    rc_cuda_leave(x, before);
    return st;
}

const rc_kernel_t rc_kernel_growmajor = {
    .name = "growmajor",
    .summary = "row-major B and C: a warp per row, lanes along K, vector loads, no atomics",
    .source = "rowcast; the layout of GE-SpMM, Huang et al. 2020, doi:10.1109/SC41405.2020.00076",
    .version = 2, /* 1: rows of B whole, however large B is */
    .layout = RC_ROW_MAJOR,
    .format = "slots",
    .rank = {{1, 6, 4}},
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .strict = rc_kernel_always,
    .param = {{"vectors", "vectors of 16 bytes per lane and entry, 0: automatic", 0, 0,
                  RC_ROWS_VECTORS_MAX, 1},
        {"strip",
            "vectors of 16 bytes of a row of B that CTAs take at a time, one per lane; 0: "
            "automatic",
            0, 0, RC_ROW_LANES, 1}},
    .analyse = rc_cuda_slots_analyse,
    RC_CUDA_SPMM_MEMBERS(growmajor_t, RC_BUILDS_ALONE),
    .k_max = INT32_MAX,
    .build = build,
    .fit = fit,
    .run = run,
};
