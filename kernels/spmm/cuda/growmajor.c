/* Row-major product without atomics: a warp, or when K is small a part of one, per row; the lanes
 * hold neighbouring columns.  The plain kernel to compare the column-major ones with. */
#include "config.h"
#include "kernels/spmm/cuda/growmajor.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "format/cuda/slots.h"
#include "kernels/kernel.h"
#include "kernels/spmm/cuda/row_launch.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PARAM_VECTORS, PARAM_STRIP };

typedef struct growmajor {
    rc_cuda_memory_t memory;
    rc_problem_t p;
    rc_cuda_slots_t slots; /* in the memory */
    rc_rowmajor_args_t args;
    rc_row_launch_t launch[RC_CUDA_WIDTHS];
} growmajor_t;

/* For K columns. */
static void choose_launches(growmajor_t *s, int64_t k)
{
    const rc_row_ask_t ask = {.precision = s->p.precision,
        .wide = s->slots.wide,
        .slots = s->slots.slots,
        .cols = s->p.a->cols,
        .k = k,
        .vectors = s->p.param[PARAM_VECTORS],
        .strip = s->p.param[PARAM_STRIP]};
    s->p.k = k;
    s->args.k = (int32_t)k;
    rc_row_launches(s->memory.x, &ask, s->launch);
}

static void release(void *state)
{
    growmajor_t *s = state;
    if (!s)
        return;
    rc_cuda_memory_free(&s->memory);
    free(s);
}

static rc_status_t build(
    growmajor_t *s, rc_executor_t *x, const rc_problem_t *p, rc_err_t *err)
{
    s->memory.x = x;
    rc_status_t st = rc_cuda_slots_build(x, p, &s->slots, err);
    if (st == RC_OK)
        st = rc_cuda_slots_keep(&s->memory, &s->slots, err);
    s->args = (rc_rowmajor_args_t){.ptr = s->slots.ptr,
        .col = s->slots.col,
        .val = s->slots.val,
        .row = s->slots.row,
        .slots = (int32_t)s->slots.slots};
    return st;
}

static rc_status_t share(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void *of, void **state, rc_err_t *err)
{
    (void)analysis;
    growmajor_t *from = of;
    if (p->k > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP, "shape: K = %" PRId64 ", at most %d", p->k, INT32_MAX);
    growmajor_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    if (from)
        *s = *from;
    rc_status_t st =
        from ? rc_cuda_memory_share(&from->memory, x, &s->memory, err) : build(s, x, p, err);
    if (st < 0) {
        release(s);
        return st;
    }
    s->p = *p;
    choose_launches(s, p->k);
    *state = s;
    return RC_OK;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    return share(x, p, analysis, NULL, state, err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const growmajor_t *s = state;
    growmajor_t narrow;
    if (o->in[0].cols != s->p.k) {
        narrow = *s;
        choose_launches(&narrow, o->in[0].cols);
        s = &narrow;
    }
    rc_executor_t *x = s->memory.x;
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_row_run(x, s->launch, &s->args, o, rc_cuda_scalars(alpha, beta), err);
    if (st == RC_OK)
        st = rc_cuda_slots_absent(x, &s->slots, &o->out, beta, err);
    rc_cuda_leave(x, before);
    return st;
}

static int64_t values(void *state, void **array)
{
    const growmajor_t *s = state;
    *array = s->slots.val;
    return s->slots.nnz;
}

const rc_kernel_t rc_kernel_growmajor = {
    .name = "growmajor",
    .summary = "row-major B and C: a warp per row, lanes along K, vector loads, no atomics",
    .source = "rowcast; the layout of GE-SpMM, Huang et al. 2020, doi:10.1109/SC41405.2020.00076",
    .version = 2, /* 1: rows of B whole, however large B is */
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMM,
    .layout = RC_ROW_MAJOR,
    .format = "slots",
    .rank = {{1, 6, 4}},
    .c_orders = RC_STORES_ANY,
    .types = RC_TYPES_IEEE | 1 << RC_BF16,
    .computes = 1,
    .strict = rc_kernel_always,
    .builds = 1,
    .any_k = 1,
    .deterministic = rc_kernel_always,
    .param = {{"vectors", "vectors of 16 bytes per lane and entry, 0: automatic", 0, 0,
                  RC_ROWS_VECTORS_MAX, 1},
        {"strip",
            "vectors of 16 bytes of a row of B that CTAs take at a time, one per lane; 0: automatic",
            0, 0, RC_ROW_LANES, 1}},
    .analyse = rc_cuda_slots_analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .share = share,
    .run = run,
    .release = release,
    .values = values,
};
