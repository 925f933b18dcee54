/* Row-major product without atomics: a warp, or when K is small a part of one, per row; the lanes
 * hold neighbouring columns.  The plain kernel to compare the column-major ones with. */
#include "config.h"
#include "kernels/cuda/growmajor.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/ranges.h"
#include "kernels/cuda/rowmajor.h"
#include "kernels/cuda/slots.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    PARAM_VECTORS,
    PARAM_STRIP,
    STRIP = 16,   /* vectors of a row of B that CTAs take at a time where it is large */
    LARGE = 16,   /* times the L2, from which strips gain more than reading A again costs */
    LANES = 32,
    GRID_Y_MAX = 65535,
    WARPS_PER_SM = 64 /* that fewer rows per warp should leave busy */
};

/* A launch for one width of loads. */
typedef struct launch {
    const void *entry; /* NULL: K or the precision does not allow this width */
    int32_t lanes;
    int32_t tiles;
    unsigned ctas;
} launch_t;

typedef struct growmajor {
    rc_cuda_memory_t memory;
    rc_problem_t p;
    rc_cuda_slots_t slots; /* in the memory */
    rc_rowmajor_args_t args;
    size_t value_bytes;
    launch_t launch[RC_CUDA_WIDTHS]; /* of 1 << i values */
} growmajor_t;

/* Vectors per lane when the user leaves it open: two where rows are wide and there are enough. */
static int64_t vectors_for(const growmajor_t *s, int64_t pieces)
{
    int64_t warps = s->slots.slots * rc_ceil_div(pieces, 2 * (int64_t)LANES);
    return pieces > LANES && warps >= (int64_t)WARPS_PER_SM * rc_cuda_sms(s->memory.x) ? 2 : 1;
}

/* Lanes of a row when the user leaves them open: those of a strip of B that the L2 keeps until
 * neighbouring rows have used it; other strips come later in the grid. */
static int64_t lanes_for(const growmajor_t *s, int width)
{
    const rc_problem_t *p = &s->p;
    int64_t row = rc_sat_mul(p->k, (int64_t)s->value_bytes);
    int64_t loads = RC_CUDA_VECTOR_BYTES / (width * (int64_t)s->value_bytes); /* of a vector */
    int64_t strip = p->param[PARAM_STRIP];
    if (strip == 0 && p->param[PARAM_VECTORS] == 0 &&
        rc_sat_mul(p->a->cols, row) / LARGE > rc_cuda_l2_bytes(s->memory.x))
        strip = STRIP;
    return strip > 0 && strip * loads < LANES ? strip * loads : LANES;
}

static void choose_launch(growmajor_t *s, int log_width)
{
    const rc_problem_t *p = &s->p;
    int width = 1 << log_width;
    if (p->k % width != 0 || (size_t)width * s->value_bytes > RC_CUDA_VECTOR_BYTES)
        return;
    launch_t *l = &s->launch[log_width];
    int64_t pieces = p->k / width; /* of a row */
    int64_t vectors = p->param[PARAM_VECTORS];
    l->lanes = (int32_t)lanes_for(s, width);
    if (vectors == 0)
        vectors = l->lanes < LANES ? 1 : vectors_for(s, pieces);
    if (vectors > 1)
        l->lanes = LANES;
    while (vectors == 1 && l->lanes / 2 >= pieces)
        l->lanes /= 2;
    l->entry = rc_cuda_growmajor_entry(p->precision, s->slots.wide, width, (int)vectors);
    l->tiles = (int32_t)rc_ceil_div(pieces, l->lanes * vectors);
    l->ctas = (unsigned)rc_ceil_div(s->slots.slots, RC_ROWS_THREADS / l->lanes);
}

/* For K columns. */
static void choose_launches(growmajor_t *s, int64_t k)
{
    s->p.k = k;
    s->args.k = (int32_t)k;
    for (int i = 0; i < RC_CUDA_WIDTHS; i++) {
        s->launch[i] = (launch_t){0};
        choose_launch(s, i);
    }
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
    s->value_bytes = rc_precision_bytes(p->precision);
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

/* The widest loads that K, the leading dimensions and the addresses allow. */
static const launch_t *launch_for(const growmajor_t *s, const rc_operands_t *o)
{
    int i = RC_CUDA_WIDTHS - 1;
    while (i > 0 && (!s->launch[i].entry || !rc_cuda_aligned(o, s->value_bytes << i)))
        i--;
    return &s->launch[i];
}

static rc_status_t launch(
    const growmajor_t *s, const rc_operands_t *o, rc_cuda_scalars_t scalars, rc_err_t *err)
{
    const launch_t *l = launch_for(s, o);
    if (l->ctas == 0)
        return RC_OK;
    rc_rowmajor_args_t args = s->args;
    rc_status_t st = rc_cuda_leading(o, &args.ldb, &args.ldc, err);
    if (st < 0)
        return st;
    args.b = o->in[0].data;
    args.c = o->out.data;
    args.lanes = l->lanes;
    args.tiles = l->tiles;
    args.scalars = scalars;
    unsigned rows_of_ctas = (unsigned)(l->tiles < GRID_Y_MAX ? l->tiles : GRID_Y_MAX);
    void *list[] = {&args};
    return rc_cuda_check(cudaLaunchKernel(l->entry, (dim3){l->ctas, rows_of_ctas, 1},
                             (dim3){RC_ROWS_THREADS, 1, 1}, list, 0, rc_cuda_stream(s->memory.x)),
        "launch of growmajor", err);
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
    rc_status_t st = launch(s, o, rc_cuda_scalars(alpha, beta), err);
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
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .builds = 1,
    .any_k = 1,
    .deterministic = rc_kernel_always,
    .param = {{"vectors", "vectors of 16 bytes per lane and entry, 0: automatic", 0, 0,
                  RC_ROWS_VECTORS_MAX, 1},
        {"strip",
            "vectors of 16 bytes of a row of B that CTAs take at a time, one per lane; 0: automatic",
            0, 0, LANES, 1}},
    .analyse = rc_cuda_slots_analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .share = share,
    .run = run,
    .release = release,
    .values = values,
};
