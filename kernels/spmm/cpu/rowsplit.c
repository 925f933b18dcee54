/* Row-split product with row-major B and C, vectorised over the columns of C: what a CPU user would
 * pick.  A thread owns a contiguous run of slots with about the same number of entries; the sums of
 * a row stay in registers. */
#include "config.h"
#include "base/error.h"
#include "device/cpu/simd.h"
#include "kernels/cpu/plain.h"

/* Vectors of C held in registers at once: half of the 16 registers of AVX2, so that the loads of B
 * and the value of A have room. */
enum { ROWSPLIT_VECTORS = 8 };

/* The vectors of columns of C that are computed at once. */
typedef struct cover {
    int64_t at[ROWSPLIT_VECTORS];  /* first column */
    int64_t own[ROWSPLIT_VECTORS]; /* columns at its begin that another vector stores */
} cover_t;

#define INSTANCES "kernels/spmm/cpu/rowsplit.inc"
#define COMPLEX
#define TARGET
#define REGISTER 16
#include "device/cpu/instances.inc"
#undef TARGET
#undef REGISTER
#if RC_SIMD_X86
#define INSTANCES "kernels/spmm/cpu/rowsplit.inc"
#define COMPLEX
#define ISA avx2
#define TARGET RC_TARGET_AVX2
#define REGISTER 32
#include "device/cpu/instances.inc"
#undef TARGET
#undef REGISTER
#define INSTANCES "kernels/spmm/cpu/rowsplit.inc"
#define COMPLEX
#define ISA avx512
#define TARGET RC_TARGET_AVX512
#define REGISTER 64
#include "device/cpu/instances.inc"
#undef TARGET
#undef REGISTER
#endif

typedef void chunk_fn(const rc_slots_t *s, int64_t p0, int64_t p1, const rc_cpu_run_t *run);

/* [instruction set][precision] */
static chunk_fn *const instances[][RC_TYPES] = {
    RC_INSTANCES_ANY_OF(chunk, base),
#if RC_SIMD_X86
    RC_INSTANCES_ANY_OF(chunk, avx2),
    RC_INSTANCES_ANY_OF(chunk, avx512),
#endif
};

typedef struct rowsplit {
    rc_plain_t plain;
    chunk_fn *chunk;
    int64_t *cut; /* [threads + 1] its own: the slots of thread t are [cut[t], cut[t + 1]) */
} rowsplit_t;

static rc_status_t own(void *state, rc_err_t *err)
{
    enum { row_cost = 2 }; /* storing a row of C costs about as much as two entries */
    rowsplit_t *s = state;
    const rc_executor_t *x = s->plain.base.memory.x;
    s->cut = rc_prepared_array(
        &s->plain.base, (size_t)x->threads + 1, sizeof *s->cut, "chunks of the threads", err);
    RC_PASS(s->cut ? RC_OK : RC_ENOMEM);
    s->plain.slots.threads = x->threads;
    rc_slots_cut(&s->plain.slots, row_cost, x->threads, s->cut);
    s->chunk = instances[rc_simd_level(x->lanes32)][s->plain.base.p.precision];
    return RC_OK;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const rowsplit_t *s = state;
    const rc_slots_t *slots = &s->plain.slots;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
#pragma omp parallel for num_threads(slots->threads) schedule(static, 1)
    for (int t = 0; t < slots->threads; t++)
        s->chunk(slots, s->cut[t], s->cut[t + 1], &run);
    rc_slots_scale_absent(slots, &o->out, run.beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_rowsplit = {
    .name = "rowsplit",
    .summary = "row-major B: contiguous slots per thread, vectors along the columns of C",
    .source = "the usual CPU row-split product; register blocking over K",
    .version = 1,
    .op = RC_OP_SPMM,
    .layout = RC_ROW_MAJOR,
    .format = "slots",
    .rank = {{1, 1, 1}},
    .c_orders = RC_STORES_ANY,
    .any_k = 1,
    .analyse = rc_slots_analyse,
    RC_PLAIN_MEMBERS,
    .state_bytes = RC_STATE(rowsplit_t),
    .shares = sizeof(rc_plain_t),
    .build = rc_plain_build,
    .own = own,
    .run = run,
};
