/* y = A x of CSR-k (Lane and Booth 2022, Listing 1, of which CSR-2 leaves out the outer level): the
 * groups of the outermost level are shared out among the threads in equal runs (static schedule), a
 * row is a plain sum, y is stored once.  Works under any order: super-rows and super-super-rows are
 * the groups sr_ptr and ssr_ptr of the order, or runs cut to size. */
#include "config.h"
#include "format/super_rows.h"
#include "base/error.h"
#include "kernels/cpu/plain.h"

typedef struct csrk {
    rc_plain_t plain;
    rc_super_rows_t super;
} csrk_t;

/* Levels of a kernel: 1 of CSR-2, 2 of CSR-3.  The parameters are their sizes. */
static int levels_of(const rc_problem_t *p)
{
    return *(const int *)p->kernel->kind;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_super_rows_t s;
    RC_PASS(rc_slots_analyse(p, out, err));
    RC_PASS(rc_super_rows_count(p, levels_of(p), p->param, NULL, &s, err));
    out->traffic = rc_sat_add(out->traffic, rc_super_rows_bytes(&s));
    out->bytes = rc_sat_add(out->bytes, rc_super_rows_bytes(&s));
    out->pointers = rc_super_rows_bytes(&s);
    return RC_OK;
}

static void drop(void *state)
{
    rc_super_rows_free(&((csrk_t *)state)->super);
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    csrk_t *k = state;
    RC_PASS(rc_super_rows_build(p, levels_of(p), p->param, NULL, &k->super, err));
    return rc_plain_build(state, p, analysis, err);
}

/* Groups are runs of slots, and so are the rows of a thread. */
static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const csrk_t *k = state;
    const rc_slots_t *slots = &k->plain.slots;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    const rc_super_rows_t *s = &k->super;
    const int64_t count = s->count[s->levels - 1];
    const int threads = slots->threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        int64_t from = count * t / threads;
        int64_t to = count * (t + 1) / threads;
        for (int level = s->levels - 1; level >= 0; level--) {
            from = s->ptr[level][from];
            to = s->ptr[level][to];
        }
        rc_plain_rows(slots, k->plain.base.p.precision, from, to, &run);
    }
    rc_slots_scale_absent(slots, &o->out, run.beta);
    return RC_OK;
}

/* A kernel of so many levels. */
#define KERNEL(id, levels, about, ...)                                                             \
    const rc_kernel_t rc_kernel_##id = {.name = #id,                                               \
        .summary = about,                                                                          \
        .source = "Lane and Booth 2022, Listing 1",                                                \
        .version = 2,                                                                              \
        .format = "super_rows",                                                                    \
        RC_PLAIN_SPMV,                                                                             \
        .param = {__VA_ARGS__},                                                                    \
        .kind = &(const int){levels},                                                              \
        .analyse = analyse,                                                                        \
        .state_bytes = RC_STATE(csrk_t),                                                           \
        .build = build,                                                                            \
        .run = run,                                                                                \
        .drop = drop}

/* Version 1 had a call for each super-row. */
KERNEL(csr2, 1, "y = A x: super-rows shared out in equal runs (CSR-2)", RC_SRS_PARAM);
KERNEL(csr3, 2, "y = A x: super-super-rows shared out in equal runs (CSR-3)", RC_SRS_PARAM,
    RC_SSRS_PARAM);
