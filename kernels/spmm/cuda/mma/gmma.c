/* Row-major product on tensor cores: 16 rows of A by their distinct columns, as dense tiles.  Each
 * row of B that a panel needs is loaded once for its 16 rows. */
#include "config.h"
#include "kernels/spmm/cuda/mma/gmma.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/ranges.h"
#include "format/cuda/forms.h"
#include "format/cuda/slots.h"
#include "kernels/cuda/members.h"
#include "kernels/spmm/cuda/rowmajor.h"

enum {
    PARAM_FILL,
    WIDTH_MAX = 8,      /* columns of a lane: 16 bytes */
    WIDTH_LEAST = 2,    /* a word */
    CAPABILITY = 8,     /* of m16n8k16 */
    MEAN_MOST = 100000, /* entries of a row: a warp walks over those of 16 rows */
    WARPS = RC_GMMA_THREADS / 32
};

typedef struct gmma {
    rc_prepared_t base;
    rc_cuda_slots_t slots;
    rc_gmma_args_t args;
    int width;
} gmma_t;

static rc_status_t count_tiles(const rc_problem_t *p, int64_t *tiles, rc_err_t *err)
{
    rc_build_t b;
    if (!p->resident) {
        *tiles = rc_mma_count(p, 1);
        return RC_OK;
    }
    rc_status_t st = rc_build_begin(p, &b, err);
    if (st == RC_OK)
        st = rc_build_mma_measure(&b, tiles, err);
    rc_build_end(&b);
    return st;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t tiles = 0;
    RC_PASS(rc_cuda_slots_analyse(p, out, err));
    if (p->a->nnz / MEAN_MOST > p->a->rows)
        return rc_fail(err, RC_ENOTSUP, "shape: rows of more than %d entries", MEAN_MOST);
    RC_PASS(count_tiles(p, &tiles, err));
    const double fill = p->a->nnz > 0 ? (double)tiles * RC_MMA_PLACES / (double)p->a->nnz : 1;
    if (fill > (double)p->param[PARAM_FILL])
        return rc_fail(err, RC_ENOTSUP, "fill: %.1f places for an entry, at most %d", fill,
            (int)p->param[PARAM_FILL]);
    out->fill = fill;
    out->traffic = rc_sat_add(rc_mma_bytes(p, tiles), rc_cuda_rows_bytes(p));
    out->bytes = out->traffic;
    return RC_OK;
}

static rc_status_t can_multiply(const rc_executor_t *x, rc_err_t *err)
{
    int device = 0;
    int major = 0;
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_cuda_check(cudaGetDevice(&device), "cudaGetDevice", err);
    if (st == RC_OK)
        st =
            rc_cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
                "cudaDeviceGetAttribute", err);
    rc_cuda_leave(x, before);
    if (st == RC_OK && major < CAPABILITY)
        st = rc_fail(
            err, RC_ENOTSUP, "tensor cores of compute capability %d, found %d", CAPABILITY, major);
    return st;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    gmma_t *s = state;
    rc_mma_t m = {0};
    (void)analysis;
    RC_PASS(can_multiply(s->base.memory.x, err));
    RC_PASS(rc_cuda_slots_rows(&s->base.memory, p, &s->slots, err));
    rc_keeping_t k = rc_keep_begin(&s->base.memory, p, err);
    rc_status_t st = rc_cuda_mma_keep(&k, &m);
    s->base.val = k.val;
    s->base.stored = k.stored;
    s->args = (rc_gmma_args_t){.ptr = m.ptr,
        .col = m.col,
        .val = k.val,
        .row = s->slots.row,
        .panels = (int32_t)m.panels,
        .slots = (int32_t)s->slots.slots};
    if (st < 0 || p->resident) /* that was waited for */
        return st;
    return s->base.memory.x->wait(s->base.memory.x, err);
}

static rc_status_t fit(void *state, int64_t k, rc_err_t *err)
{
    gmma_t *s = state;
    s->base.p.k = k;
    s->width = WIDTH_MAX;
    while (s->width > WIDTH_LEAST && k <= RC_GMMA_LANES * s->width / 2)
        s->width /= 2;
    s->args.k = (int32_t)k;
    s->args.strips = (int32_t)rc_ceil_div(k, RC_GMMA_LANES * (int64_t)s->width);
    const int64_t ctas = rc_ceil_div(s->args.panels * (int64_t)s->args.strips, WARPS);
    if (ctas > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP, "shape: more than %d CTAs", INT32_MAX);
    return RC_OK;
}

static rc_status_t launch(
    const gmma_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    rc_gmma_args_t a = s->args;
    const size_t bytes = (size_t)s->width * s->base.value_bytes;
    const int whole = a.k % s->width == 0 && rc_cuda_aligned(o, bytes);
    const int64_t ctas = rc_ceil_div(a.panels * (int64_t)a.strips, WARPS);
    if (ctas == 0)
        return RC_OK;
    RC_PASS(rc_cuda_leading(o, &a.ldb, &a.ldc, err));
    a.b = o->in[0].data;
    a.c = o->out.data;
    a.scalars = rc_cuda_scalars(o, alpha, beta);
    void *list_of_args[] = {&a};
    return rc_cuda_check(cudaLaunchKernel(rc_cuda_gmma_entry(s->base.p.precision, s->width, whole),
                             (dim3){(unsigned)ctas, 1, 1}, (dim3){RC_GMMA_THREADS, 1, 1},
                             list_of_args, 0, rc_cuda_stream(s->base.memory.x)),
        "launch of gmma", err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const gmma_t *s = state;
    const rc_executor_t *x = s->base.memory.x;
    int before = rc_cuda_enter(x);
    rc_status_t st = launch(s, o, alpha, beta, err);
    if (st == RC_OK)
        st = rc_cuda_slots_absent(x, &s->slots, o, beta, err);
    rc_cuda_leave(x, before);
    return st;
}

/* A tile multiplies the rows of B that any of its 16 rows needs. */
static int never_strict(const int64_t *param)
{
    (void)param;
    return 0;
}

const rc_kernel_t rc_kernel_gmma = {
    .name = "gmma",
    .summary = "row-major B and C on tensor cores: 16 rows by their distinct columns",
    .source = "rowcast; panels by distinct columns as TC-GNN, Wang et al. 2023 (USENIX ATC)",
    .version = 2, /* 1: built on the host, which the time to prepare had in it */
    .layout = RC_ROW_MAJOR,
    .format = "mma",
    .rank = {{1, 7, 5}},
    .types = RC_TYPES_SHORT,
    .out_sums = 1,
    .strict = never_strict,
    .param = {{"fill", "places for an entry at most", RC_MMA_PLACES, 1, RC_MMA_PLACES, 0}},
    .analyse = analyse,
    RC_CUDA_SPMM_MEMBERS(gmma_t, RC_BUILDS_ALONE),
    .k_max = INT32_MAX,
    .build = build,
    .fit = fit,
    .run = run,
};
