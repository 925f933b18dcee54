/* C-stationary product, Mehrabi et al. 2021, section II-B, Algorithm 1, on a team of threads: a
 * warp is a thread, its lanes are independent partial sums over the entries of a row.
 *
 * The lanes are scalar registers, not a vector: loading B for a vector of entries is a gather, and
 * with gathers a row of 8, 16 or 64 entries took 3.0, 2.8 and 1.8 times as long as with scalar
 * loads (AVX-512, Cascade Lake, where a microcode fix slows gathers down).
 *
 * Neighbouring rows belong to different threads, as in the paper, so on a CPU their results share
 * cache lines of C.  A thread stages the results of some of its rows and stores them together,
 * which moves such a line between cores once instead of once a row. */
#include "config.h"
#include "device/cpu/simd.h"
#include "kernels/cpu/plain.h"

enum {
    CSTAT_STRIP = 16,  /* columns of a strip at most */
    CSTAT_WIDTH = 8,   /* columns with partial sums in registers at once */
    CSTAT_LANES = 4,   /* entries in flight at most */
    CSTAT_STAGED = 32, /* rows whose results are stored together */
};

#define INSTANCES "kernels/spmm/cpu/cstat.inc"
#define COMPLEX
#define TARGET
#include "device/cpu/instances.inc"
#undef TARGET
#if RC_SIMD_X86
#define INSTANCES "kernels/spmm/cpu/cstat.inc"
#define COMPLEX
#define ISA avx2
#define TARGET RC_TARGET_AVX2
#include "device/cpu/instances.inc"
#undef TARGET
#endif

typedef void team_member_fn(
    const rc_slots_t *s, int64_t strip, int64_t workers, int t, const rc_cpu_run_t *run);

/* [instruction set][precision]; wider vectors than AVX2's have nothing to add */
static team_member_fn *const instances[][RC_TYPES] = {
    RC_INSTANCES_ANY_OF(team_member, base),
#if RC_SIMD_X86
    RC_INSTANCES_ANY_OF(team_member, avx2),
#endif
};

enum { PARAM_STRIP = 0 };

typedef struct cstat {
    rc_plain_t plain;
    team_member_fn *member;
} cstat_t;

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    cstat_t *s = state;
    const rc_executor_t *x = s->plain.base.memory.x;
    size_t level = (size_t)rc_simd_level(x->lanes32);
    size_t last = sizeof instances / sizeof instances[0] - 1;
    s->member = instances[level < last ? level : last][p->precision];
    return rc_plain_build(state, p, analysis, err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const cstat_t *s = state;
    const rc_problem_t *p = &s->plain.base.p;
    const rc_slots_t *slots = &s->plain.slots;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    /* static chunks of 1 give every index to some thread, whatever team the runtime grants */
#pragma omp parallel for num_threads(slots->threads) schedule(static, 1)
    for (int t = 0; t < slots->threads; t++)
        s->member(slots, p->param[PARAM_STRIP], p->geometry.nw, t, &run);
    rc_slots_scale_absent(slots, &o->out, run.beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_cstat = {
    .name = "cstat",
    .summary = "C-stationary, column-major B: slot p to worker p mod N_w, lanes along a row",
    .source = "Mehrabi et al. 2021, section II-B, Algorithm 1",
    .version = 1,
    .op = RC_OP_SPMM,
    .layout = RC_COL_MAJOR,
    .format = "slots",
    .rank = {{1, 1, 1}},
    .c_orders = RC_STORES_ANY,
    .param = {{"strip", "columns of C computed in one pass over A", 4, 1, CSTAT_STRIP}},
    .analyse = rc_slots_analyse,
    RC_PLAIN_MEMBERS,
    .state_bytes = RC_STATE(cstat_t),
    .build = build,
    .run = run,
};
