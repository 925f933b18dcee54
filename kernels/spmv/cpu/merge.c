/* y = A x in equal shares of row ends and entries: a part stores the rows that end in it, and
 * what it has of the row after them is added in the end, part after part.  The parts do not
 * depend on the threads, so neither do the bits. */
#include "config.h"
#include "format/vector/merge.h"
#include "kernels/cpu/plain.h"

/* Sums of a part. */
enum { MERGE_LEFT, MERGE_FIRST, MERGE_SUMS };

#define INSTANCES "kernels/spmv/cpu/merge.inc"
#define COMPLEX
#include "device/cpu/instances.inc"

enum { PARAM_ITEMS };

typedef struct merge {
    rc_plain_t plain;
    int64_t parts;
    int64_t *row; /* [parts] slot that a part leaves something for, -1: none */
    void *sums;   /* [parts * MERGE_SUMS] in the type of sums */
} merge_t;

static int64_t parts_of(const rc_problem_t *p)
{
    rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    return rc_merge_parts(&e, p->param[PARAM_ITEMS]);
}

static int64_t sum_bytes(const rc_problem_t *p)
{
    return rc_type(rc_type(p->precision)->sum)->bytes;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t part = (int64_t)sizeof(int64_t) + MERGE_SUMS * sum_bytes(p);
    rc_status_t st = rc_slots_analyse(p, out, err);
    out->bytes = rc_sat_add(out->bytes, rc_sat_mul(parts_of(p), part));
    return st;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    merge_t *s = state;
    rc_prepared_t *base = &s->plain.base;
    s->parts = parts_of(p);
    s->row = rc_prepared_array(base, (size_t)s->parts, sizeof *s->row, "rows of the parts", err);
    s->sums = rc_prepared_array(
        base, (size_t)s->parts * MERGE_SUMS, (size_t)sum_bytes(p), "sums of the parts", err);
    return s->row && s->sums ? rc_plain_build(state, p, analysis, err) : RC_ENOMEM;
}

static void (*const part[])(const rc_slots_t *, rc_merge_point_t, rc_merge_point_t,
    const rc_cpu_run_t *, void *, int64_t) = RC_INSTANCES_ANY(part);
static void (*const fix_up[])(const rc_slots_t *, int64_t, const int64_t *, const void *,
    const rc_cpu_run_t *) = RC_INSTANCES_ANY(fix_up);

static void run_part(merge_t *s, const rc_csr_view_t *view, int64_t k, const rc_cpu_run_t *run)
{
    const rc_problem_t *p = &s->plain.base.p;
    rc_merge_point_t begin = rc_merge_point(view, p->param[PARAM_ITEMS], k);
    rc_merge_point_t end = rc_merge_point(view, p->param[PARAM_ITEMS], k + 1);
    int64_t last = end.row > begin.row ? s->plain.slots.ptr[end.row] : begin.entry;
    s->row[k] = end.entry > last ? end.row : -1;
    part[p->precision](&s->plain.slots, begin, end, run, s->sums, k);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    merge_t *s = state;
    const rc_slots_t *slots = &s->plain.slots;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    const rc_csr_view_t view = rc_slots_pattern(slots);
    enum { turn = 16 }; /* parts: so few that a thread that is held up does not hold up all */
#pragma omp parallel for num_threads(slots->threads) schedule(dynamic, turn)
    for (int64_t k = 0; k < s->parts; k++)
        run_part(s, &view, k, &run);
    fix_up[s->plain.base.p.precision](slots, s->parts, s->row, s->sums, &run);
    rc_slots_scale_absent(slots, &o->out, run.beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_merge = {
    .name = "merge",
    .summary = "y = A x: equal shares of row ends and entries, a fix-up in their order",
    .source = "Merrill and Garland 2016, doi:10.1109/SC.2016.57, section III",
    .version = 1,
    .format = "merge",
    RC_PLAIN_SPMV,
    .param = {RC_MERGE_ITEMS_PARAM},
    .analyse = analyse,
    .state_bytes = RC_STATE(merge_t),
    .build = build,
    .run = run,
};
