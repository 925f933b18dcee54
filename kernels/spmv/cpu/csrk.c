/* y = A x of CSR-k (Lane and Booth 2022, Listing 1, of which CSR-2 leaves out the outer level): the
 * groups of the outermost level are shared out among the threads in equal runs (static schedule), a
 * row is a plain sum, y is stored once.  Works under any order: super-rows and super-super-rows are
 * the groups sr_ptr and ssr_ptr of the order, or runs cut to size. */
#include "config.h"
#include "base/alloc.h"
#include "format/super_rows.h"
#include "kernels/cpu/plain.h"
#include "kernels/kernel.h"

#include <stdlib.h>

typedef struct csrk {
    rc_slots_t slots;
    rc_super_rows_t super;
    rc_precision_t precision;
} csrk_t;

/* The parameters are the sizes of the levels. */
static rc_status_t analyse(const rc_problem_t *p, int levels, rc_analysis_t *out, rc_err_t *err)
{
    rc_super_rows_t s;
    rc_status_t st = rc_slots_analyse(p, out, err);
    if (st == RC_OK)
        st = rc_super_rows_count(p, levels, p->param, NULL, &s, err);
    if (st < 0)
        return st;
    out->traffic = rc_sat_add(out->traffic, rc_super_rows_bytes(&s));
    out->bytes = rc_sat_add(out->bytes, rc_super_rows_bytes(&s));
    out->pointers = rc_super_rows_bytes(&s);
    return RC_OK;
}

static void release(void *state)
{
    csrk_t *k = state;
    if (!k)
        return;
    rc_slots_free(&k->slots);
    rc_super_rows_free(&k->super);
    free(k);
}

static rc_status_t prepare(
    rc_executor_t *x, const rc_problem_t *p, int levels, void **state, rc_err_t *err)
{
    csrk_t *k = rc_alloc0(1, sizeof *k, "kernel state", err);
    if (!k)
        return RC_ENOMEM;
    k->precision = p->precision;
    rc_status_t st = rc_super_rows_build(p, levels, p->param, NULL, &k->super, err);
    if (st == RC_OK)
        st = rc_slots_build(x, p, &k->slots, err);
    if (st < 0) {
        release(k);
        return st;
    }
    *state = k;
    return RC_OK;
}

/* Groups are runs of slots, and so are the rows of a thread. */
static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const csrk_t *k = state;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    const rc_super_rows_t *s = &k->super;
    const int64_t count = s->count[s->levels - 1];
    const int threads = k->slots.threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        int64_t from = count * t / threads;
        int64_t to = count * (t + 1) / threads;
        for (int level = s->levels - 1; level >= 0; level--) {
            from = s->ptr[level][from];
            to = s->ptr[level][to];
        }
        rc_plain_rows(&k->slots, k->precision, from, to, &run);
    }
    rc_slots_scale_absent(&k->slots, &o->out, beta);
    return RC_OK;
}

#define SHARED                                                                                     \
    .source = "Lane and Booth 2022, Listing 1", .version = 2, .device = RC_DEVICE_CPU,             \
    .op = RC_OP_SPMV, .layout = RC_COL_MAJOR, .c_orders = RC_STORES_ANY, .computes = 1,            \
    .format = "super_rows",                                                                        \
    .strict = rc_kernel_always, .deterministic = rc_kernel_always, .geometry = rc_cpu_geometry,    \
    .run = run, .release = release

/* A kernel of so many levels. */
#define KERNEL(id, levels, about, ...)                                                             \
    static rc_status_t analyse_##id(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)      \
    {                                                                                              \
        return analyse(p, levels, out, err);                                                       \
    }                                                                                              \
    static rc_status_t prepare_##id(rc_executor_t *x, const rc_problem_t *p,                       \
        const rc_analysis_t *analysis, void **state, rc_err_t *err)                                \
    {                                                                                              \
        (void)analysis;                                                                            \
        return prepare(x, p, levels, state, err);                                                  \
    }                                                                                              \
    const rc_kernel_t rc_kernel_##id = {.name = #id,                                               \
        .summary = about,                                                                          \
        .param = {__VA_ARGS__},                                                                    \
        .analyse = analyse_##id,                                                                   \
        .prepare = prepare_##id,                                                                   \
        SHARED}

/* Version 1 had a call for each super-row. */
KERNEL(csr2, 1, "y = A x: super-rows shared out in equal runs (CSR-2)", RC_SRS_PARAM);
KERNEL(csr3, 2, "y = A x: super-super-rows shared out in equal runs (CSR-3)", RC_SRS_PARAM,
    RC_SSRS_PARAM);
