/* RS-SpMM on a CPU, to be read: the reference of the kernels of that name for a GPU.  A thread
 * owns columns of C, so nothing is added by two threads, and the sums have one order: heavy
 * segments panel after panel, then light entries. */
#include "config.h"
#include "kernels/cpu/sums.h"
#include "base/error.h"
#include "kernels/tuning/rs.h"

#include <stddef.h>

typedef struct rs {
    rc_plain_t plain; /* only its rows */
    rc_segments_t parts;
    void *sums; /* its own: rc_c_sums_own */
} rs_t;

/* What a thread does in a run. */
typedef struct turn {
    rc_c_sums_t sums;
    rc_strip_t own;
    int transposed;
} turn_t;

#define INSTANCES "kernels/spmm/cpu/rs.inc"
#include "device/cpu/instances.inc"

/* Of the output of either product: a state serves both. */
static int64_t sum_rows(const rc_problem_t *p)
{
    int64_t most = p->a->rows > p->a->cols ? p->a->rows : p->a->cols;
    return p->c_rows > most ? p->c_rows : most;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    RC_PASS(rc_rs_count(p, out, err));
    const rc_rs_shape_t shape = rc_rs_shape(p, out);
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    rc_rs_chosen_t n;
    RC_CHOSEN(out, n);
    int64_t heavy = n.nnz_heavy;
    int64_t panels = (p->a->cols + shape.rule.w - 1) / shape.rule.w;
    int64_t bytes = rc_sat_mul(heavy, rc_rs_col_bytes(&shape) + value);
    bytes = rc_sat_add(bytes, rc_sat_mul(p->a->nnz - heavy, (int64_t)sizeof(int32_t) + value));
    bytes = rc_sat_add(bytes, n.heavy * (int64_t)(sizeof(int32_t) + sizeof(int64_t)));
    bytes = rc_sat_add(bytes, (panels + p->schedule->slots + 3) * (int64_t)sizeof(int64_t));
    out->traffic = rc_sat_add(bytes, rc_slots_row_bytes(p));
    out->bytes = rc_sat_add(out->traffic, rc_slots_absent_bytes(p));
    out->bytes_per_column = rc_sat_add(out->bytes_per_column, rc_c_sums_bytes(p, sum_rows(p)));
    out->stored_rows = rc_stored_rows(p);
    return RC_OK;
}

static void drop(void *state)
{
    rc_segments_free(&((rs_t *)state)->parts);
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rs_t *s = state;
    rc_memory_t *m = &s->plain.base.memory;
    rc_slots_t *slots = &s->plain.slots;
    const rc_rs_shape_t shape = rc_rs_shape(p, analysis);
    RC_PASS(rc_slots_fill(m->x, p, slots, err));
    const rc_segments_source_t source = rc_slots_source(slots, p);
    rc_status_t st = rc_segments_split(&source, &shape.rule, m->x->threads, &s->parts, err);
    rc_slots_drop_entries(slots);
    rc_status_t kept = rc_slots_keep(m, slots, err);
    return st < 0 ? st : kept;
}

static rc_status_t own(void *state, rc_err_t *err)
{
    rs_t *s = state;
    return rc_c_sums_own(&s->plain.base, sum_rows(&s->plain.base.p), &s->sums, err);
}

static void multiply(
    const rs_t *s, const rc_operands_t *o, int transposed, double alpha, double beta)
{
    static void (*const strip[])(
        const rs_t *, const rc_operands_t *, const turn_t *, double, double) = RC_INSTANCES(strip);
    const rc_c_sums_t sums = rc_c_sums_of(s->sums, &o->out);
    const int threads = s->plain.base.memory.x->threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        const turn_t turn = {sums, rc_strip_of(o->out.cols, t, threads), transposed};
        strip[s->plain.base.p.precision](s, o, &turn, alpha, beta);
    }
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    multiply(state, o, 0, alpha, beta);
    return RC_OK;
}

static rc_status_t run_transposed(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    multiply(state, o, 1, alpha, beta);
    return RC_OK;
}

/* What both descriptors say.  They are the reference of the GPU's, not rivals: by name alone. */
#define SHARED                                                                                     \
    .source = "Hong et al. 2018, doi:10.1145/3208040.3208062", .version = 2, .format = "segments", \
    .identify = rc_rs_identify, .device = RC_DEVICE_CPU, .types = RC_TYPES_REAL, .out_sums = 1,    \
    .layout = RC_ROW_MAJOR, .computes = 1, .for_testing = 1, .any_k = 1,                           \
    .deterministic = rc_kernel_always, .strict = rc_kernel_always, .param = {RC_RS_PARAMS},        \
    .analyse = analyse, .geometry = rc_cpu_geometry, .state_bytes = RC_STATE(rs_t),                \
    .shares = offsetof(rs_t, sums), .build = build, .own = own, .drop = drop

const rc_kernel_t rc_kernel_rs = {
    .name = "rs",
    .summary = "RS-SpMM, row-major: heavy row segments panel after panel, then light rows (the "
               "reference of the GPU's)",
    .op = RC_OP_SPMM,
    .c_orders = RC_STORES_ANY,
    .twin = "rs-spmm_t",
    .run = run,
    SHARED,
};

const rc_kernel_t rc_kernel_rs_spmm_t = {
    .name = "rs-spmm_t",
    .summary = "C = A' B from the structure of rs",
    .op = RC_OP_SPMM_T,
    .c_orders = RC_STORES_ORIGINAL,
    .twin = "rs",
    .run = run_transposed,
    SHARED,
};
