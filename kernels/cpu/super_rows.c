#include "config.h"
#include "kernels/cpu/super_rows.h"
#include "base/alloc.h"

#include <stdlib.h>

#define VALUE float
#define NAME(x) x##_f32
#include "kernels/cpu/super_rows.inc"
#define VALUE double
#define NAME(x) x##_f64
#include "kernels/cpu/super_rows.inc"

rc_status_t rc_csrk_analyse(
    const rc_problem_t *p, int levels, rc_analysis_t *out, rc_err_t *err)
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

rc_status_t rc_csrk_new(
    rc_executor_t *x, const rc_problem_t *p, int levels, void **state, rc_err_t *err)
{
    rc_csrk_t *k = rc_alloc0(1, sizeof *k, "kernel state", err);
    if (!k)
        return RC_ENOMEM;
    k->precision = p->precision;
    rc_status_t st = rc_super_rows_build(p, levels, p->param, NULL, &k->super, err);
    if (st == RC_OK)
        st = rc_slots_build(x, p, &k->slots, err);
    if (st < 0) {
        rc_csrk_release(k);
        return st;
    }
    *state = k;
    return RC_OK;
}

void rc_csrk_release(void *state)
{
    rc_csrk_t *k = state;
    if (!k)
        return;
    rc_slots_free(&k->slots);
    rc_super_rows_free(&k->super);
    free(k);
}

void rc_plain_rows(const rc_slots_t *slots, rc_precision_t precision, int64_t p0, int64_t p1,
    const rc_cpu_run_t *run)
{
    if (precision == RC_FP32)
        rows_f32(slots, p0, p1, run);
    else
        rows_f64(slots, p0, p1, run);
}

void rc_csrk_product(const rc_csrk_t *k, const rc_cpu_run_t *run)
{
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
        rc_plain_rows(&k->slots, k->precision, from, to, run);
    }
}
