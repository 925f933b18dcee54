/* Row-split product with row-major B and C, vectorised over the columns of C: what a CPU user would
 * pick.  A thread owns a contiguous run of slots with about the same number of entries; the sums of
 * a row stay in registers. */
#include "config.h"
#include "base/alloc.h"
#include "device/cpu/simd.h"
#include "format/slots.h"
#include "kernels/kernel.h"

#include <stdlib.h>

/* Vectors of C held in registers at once: half of the 16 registers of AVX2, so that the loads of B
 * and the value of A have room. */
enum { ROWSPLIT_VECTORS = 8 };

/* The vectors of columns of C that are computed at once. */
typedef struct cover {
    int64_t at[ROWSPLIT_VECTORS];  /* first column */
    int64_t own[ROWSPLIT_VECTORS]; /* columns at its begin that another vector stores */
} cover_t;

#define VALUE float
#define LANES 4
#define TARGET
#define NAME(x) x##_f32_base
#include "kernels/spmm/cpu/rowsplit.inc"
#define VALUE double
#define LANES 2
#define TARGET
#define NAME(x) x##_f64_base
#include "kernels/spmm/cpu/rowsplit.inc"
#if RC_SIMD_X86
#define VALUE float
#define LANES 8
#define TARGET RC_TARGET_AVX2
#define NAME(x) x##_f32_avx2
#include "kernels/spmm/cpu/rowsplit.inc"
#define VALUE double
#define LANES 4
#define TARGET RC_TARGET_AVX2
#define NAME(x) x##_f64_avx2
#include "kernels/spmm/cpu/rowsplit.inc"
#define VALUE float
#define LANES 16
#define TARGET RC_TARGET_AVX512
#define NAME(x) x##_f32_avx512
#include "kernels/spmm/cpu/rowsplit.inc"
#define VALUE double
#define LANES 8
#define TARGET RC_TARGET_AVX512
#define NAME(x) x##_f64_avx512
#include "kernels/spmm/cpu/rowsplit.inc"
#endif

typedef void chunk_fn(const rc_slots_t *s, int64_t p0, int64_t p1, const rc_cpu_run_t *run);

/* [instruction set][precision] */
static chunk_fn *const instances[][RC_TYPES] = {
    {[RC_FP32] = chunk_f32_base, [RC_FP64] = chunk_f64_base},
#if RC_SIMD_X86
    {[RC_FP32] = chunk_f32_avx2, [RC_FP64] = chunk_f64_avx2},
    {[RC_FP32] = chunk_f32_avx512, [RC_FP64] = chunk_f64_avx512},
#endif
};

typedef struct rowsplit {
    rc_slots_t slots;
    int64_t *cut; /* [threads + 1], slots of thread t: [cut[t], cut[t + 1]) */
    chunk_fn *chunk;
} rowsplit_t;

static void release(void *state)
{
    rowsplit_t *s = state;
    if (!s)
        return;
    rc_slots_free(&s->slots);
    free(s->cut);
    free(s);
}

static rc_status_t share(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void *of, void **state, rc_err_t *err)
{
    (void)analysis;
    rowsplit_t *from = of;
    enum { row_cost = 2 }; /* storing a row of C costs about as much as two entries */
    rowsplit_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    s->cut = rc_alloc((size_t)x->threads + 1, sizeof *s->cut, "chunks of the threads", err);
    rc_status_t st = !s->cut ? RC_ENOMEM
                     : from  ? rc_slots_share(&from->slots, x->threads, &s->slots, err)
                             : rc_slots_build(x, p, &s->slots, err);
    if (st < 0) {
        release(s);
        return st;
    }
    rc_slots_cut(&s->slots, row_cost, x->threads, s->cut);
    s->chunk = instances[rc_simd_level(x->lanes32)][p->precision];
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
    (void)err;
    const rowsplit_t *s = state;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
#pragma omp parallel for num_threads(s->slots.threads) schedule(static, 1)
    for (int t = 0; t < s->slots.threads; t++)
        s->chunk(&s->slots, s->cut[t], s->cut[t + 1], &run);
    rc_slots_scale_absent(&s->slots, &o->out, beta);
    return RC_OK;
}

static int64_t values(void *state, void **array)
{
    const rowsplit_t *s = state;
    *array = s->slots.val;
    return s->slots.ptr[s->slots.slots];
}

const rc_kernel_t rc_kernel_rowsplit = {
    .name = "rowsplit",
    .summary = "row-major B: contiguous slots per thread, vectors along the columns of C",
    .source = "the usual CPU row-split product; register blocking over K",
    .version = 1,
    .device = RC_DEVICE_CPU,
    .op = RC_OP_SPMM,
    .layout = RC_ROW_MAJOR,
    .format = "slots",
    .rank = {{1, 1, 1}},
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .strict = rc_kernel_always,
    .any_k = 1,
    .deterministic = rc_kernel_always,
    .analyse = rc_slots_analyse,
    .geometry = rc_cpu_geometry,
    .prepare = prepare,
    .share = share,
    .run = run,
    .release = release,
    .values = values,
};
