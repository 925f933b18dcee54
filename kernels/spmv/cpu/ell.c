/* y = A x of A in ELLPACK: RC_ELL_PITCH rows at a time, one entry of each after the other. */
#include "config.h"
#include "base/error.h"
#include "format/vector/ell.h"
#include "format/places.h"
#include "kernels/cpu/plain.h"

#include <stdlib.h>

#define INSTANCES "kernels/spmv/cpu/ell.inc"
#define COMPLEX
#include "device/cpu/instances.inc"

enum { PARAM_LIMIT };

typedef struct ell {
    rc_plain_t plain; /* where rows go; the entries are in `matrix` */
    rc_ell_t matrix;  /* without places */
} ell_t;

static void drop(void *state)
{
    rc_ell_free(&((ell_t *)state)->matrix);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_csr_view_t original = {.rows = p->a->rows, .ptr = p->a->row_ptr};
    const rc_csr_view_t slots = {
        .rows = p->schedule->slots, .nnz = p->a->nnz, .precision = p->precision};
    rc_format_size_t size = {0};
    int64_t width = rc_format_longest(&original);
    rc_ell_add(&size, &slots, width, "col", "val");
    RC_PASS(rc_ell_limit(&size, p->a->nnz, p->param[PARAM_LIMIT], err));
    RC_CHOSE(out, width);
    out->traffic = rc_sat_add(rc_format_bytes(&size), rc_slots_row_bytes(p));
    out->bytes = rc_sat_add(out->traffic, rc_slots_absent_bytes(p));
    out->stored_rows = rc_stored_rows(p);
    out->fill = rc_format_fill(&size, &slots);
    return RC_OK;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    ell_t *s = state;
    rc_prepared_t *base = &s->plain.base;
    rc_memory_t *m = &base->memory;
    rc_slots_t *slots = &s->plain.slots;
    int64_t width;
    rc_status_t st;
    RC_CHOSEN(analysis, width);
    RC_TRY(rc_slots_arrange(m->x, p, slots, err));
    const rc_csr_view_t view = rc_slots_view(slots, p);
    RC_TRY(rc_ell_build(&view, width, m->x->threads, &s->matrix, err));
    base->stored = s->matrix.width * s->matrix.pitch;
    RC_TRY(rc_places_values(m, p, s->matrix.entry, base->stored, &base->val, err));
    free(s->matrix.entry);
    s->matrix.entry = NULL;
    rc_slots_drop_entries(slots);
done:
    if (st < 0)
        rc_slots_free(slots);
    else
        st = rc_slots_keep(m, slots, err);
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    static void (*const block[])(const rc_ell_t *, const void *, const rc_slots_t *, int64_t,
        const rc_cpu_run_t *) = RC_INSTANCES_ANY(block);
    const ell_t *s = state;
    const rc_slots_t *slots = &s->plain.slots;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    enum { turn = 16 }; /* blocks: so few that a thread that is held up does not hold up all */
#pragma omp parallel for num_threads(slots->threads) schedule(dynamic, turn)
    for (int64_t p = 0; p < s->matrix.pitch; p += RC_ELL_PITCH)
        block[s->plain.base.p.precision](&s->matrix, s->plain.base.val, slots, p, &run);
    rc_slots_scale_absent(slots, &o->out, run.beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_ell = {
    .name = "ell",
    .summary = "y = A x of A in ELLPACK: as many places for every row as the longest has entries",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .version = 1,
    .format = "ell",
    RC_PLAIN_SPMV,
    .param = {RC_ELL_LIMIT_PARAM},
    .analyse = analyse,
    .state_bytes = RC_STATE(ell_t),
    .build = build,
    .run = run,
    .drop = drop,
};
