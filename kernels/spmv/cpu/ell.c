/* y = A x of A in ELLPACK: RC_ELL_PITCH rows at a time, one entry of each after the other. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/ell.h"
#include "format/places.h"
#include "format/slots.h"

#include <stdlib.h>

#define INSTANCES "kernels/spmv/cpu/ell.inc"
#include "device/cpu/instances.inc"
#include "kernels/kernel.h"

enum { PARAM_LIMIT, CHOSEN_WIDTH = 0 };

typedef struct ell {
    rc_slots_t slots; /* where rows go; the entries are in `matrix` */
    rc_ell_t matrix; /* without places */
    void *val;
    rc_precision_t precision;
} ell_t;

static void release(void *state)
{
    ell_t *s = state;
    if (!s)
        return;
    rc_slots_free(&s->slots);
    rc_ell_free(&s->matrix);
    free(s->val);
    free(s);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_csr_view_t original = {.rows = p->a->rows, .ptr = p->a->row_ptr};
    const rc_csr_view_t slots = {
        .rows = p->schedule->slots, .nnz = p->a->nnz, .precision = p->precision};
    rc_format_size_t size = {0};
    int64_t width = rc_format_longest(&original);
    rc_ell_add(&size, &slots, width, "col", "val");
    rc_status_t st = rc_ell_limit(&size, p->a->nnz, p->param[PARAM_LIMIT], err);
    if (st < 0)
        return st;
    out->chosen[CHOSEN_WIDTH] = width;
    out->traffic = rc_sat_add(rc_format_bytes(&size), rc_slots_row_bytes(p));
    out->bytes = rc_sat_add(out->traffic, rc_slots_absent_bytes(p));
    out->stored_rows = rc_stored_rows(p);
    out->fill = rc_format_fill(&size, &slots);
    return RC_OK;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    rc_status_t st;
    rc_places_t places = {0};
    ell_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    s->precision = p->precision;
    RC_TRY(rc_slots_arrange(x, p, &s->slots, err));
    const rc_csr_view_t view = rc_slots_view(&s->slots, p);
    RC_TRY(rc_ell_build(&view, analysis->chosen[CHOSEN_WIDTH], x->threads, &s->matrix, err));
    int64_t count = s->matrix.width * s->matrix.pitch;
    s->val = rc_alloc((size_t)count, rc_precision_bytes(p->precision), "values of ELLPACK", err);
    RC_TRY(s->val ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_places_keep(x, p, s->matrix.entry, count, &places, err));
    RC_TRY(rc_places_fill(p, &places, s->val, err));
    free(s->matrix.entry);
    s->matrix.entry = NULL;
    rc_slots_drop_entries(&s->slots);
done:
    if (st == RC_OK)
        *state = s;
    else
        release(s);
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    static void (*const block[])(const rc_ell_t *, const void *, const rc_slots_t *, int64_t,
        const rc_cpu_run_t *) = RC_INSTANCES(block);
    const ell_t *s = state;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    enum { turn = 16 }; /* blocks: so few that a thread that is held up does not hold up all */
#pragma omp parallel for num_threads(s->slots.threads) schedule(dynamic, turn)
    for (int64_t p = 0; p < s->matrix.pitch; p += RC_ELL_PITCH)
        block[s->precision](&s->matrix, s->val, &s->slots, p, &run);
    rc_slots_scale_absent(&s->slots, &o->out, beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_ell = {
    .name = "ell",
    .summary = "y = A x of A in ELLPACK: as many places for every row as the longest has entries",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .version = 1,
    .device = RC_DEVICE_CPU,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .format = "ell",
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .strict = rc_kernel_always,
    .deterministic = rc_kernel_always,
    .param = {RC_ELL_LIMIT_PARAM},
    .analyse = analyse,
    .geometry = rc_cpu_geometry,
    .prepare = prepare,
    .run = run,
    .release = release,
};
