/* RS-SpMM on a CPU, to be read: the reference of the kernels of that name for a GPU.  A thread owns
 * columns of C, so nothing is added by two threads, and the sums have one order: heavy segments panel
 * after panel, then light entries. */
#include "config.h"
#include "base/alloc.h"
#include "format/slots.h"
#include "kernels/kernel.h"
#include "kernels/tuning/rs.h"

#include <stdlib.h>

typedef struct rs {
    rc_slots_t slots; /* only its rows */
    rc_segments_t parts;
    rc_precision_t precision;
    int threads;
    rc_users_t *users; /* of slots and parts; NULL: one */
} rs_t;

#define INSTANCES "kernels/spmm/cpu/rs.inc"
#include "device/cpu/instances.inc"

extern const rc_kernel_t rc_kernel_rs;

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_rs_count(p, out, err);
    if (st < 0)
        return st;
    const rc_rs_shape_t shape = rc_rs_shape(p, out);
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    int64_t heavy = out->chosen[RC_RS_NNZ_HEAVY];
    int64_t panels = (p->a->cols + shape.rule.w - 1) / shape.rule.w;
    int64_t bytes = rc_sat_mul(heavy, rc_rs_col_bytes(&shape) + value);
    bytes = rc_sat_add(
        bytes, rc_sat_mul(p->a->nnz - heavy, (int64_t)sizeof(int32_t) + value));
    bytes = rc_sat_add(bytes, out->chosen[RC_RS_HEAVY] * (int64_t)(sizeof(int32_t) + sizeof(int64_t)));
    bytes = rc_sat_add(bytes, (panels + p->schedule->slots + 3) * (int64_t)sizeof(int64_t));
    out->traffic = rc_sat_add(bytes, rc_slots_row_bytes(p));
    out->bytes = rc_sat_add(out->traffic, rc_slots_absent_bytes(p));
    out->stored_rows = rc_stored_rows(p);
    return RC_OK;
}

static void release(void *state)
{
    rs_t *s = state;
    if (!s)
        return;
    if (rc_users_leave(s->users)) {
        rc_segments_free(&s->parts);
        rc_slots_free(&s->slots);
    }
    free(s);
}

static rc_status_t build(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis, rs_t *s,
    rc_err_t *err)
{
    const rc_rs_shape_t shape = rc_rs_shape(p, analysis);
    rc_status_t st = rc_slots_build(x, p, &s->slots, err);
    if (st < 0)
        return st;
    const rc_segments_source_t source = {.rows = s->slots.slots,
        .cols = s->slots.cols,
        .ptr = s->slots.ptr,
        .col = s->slots.col,
        .val = s->slots.val,
        .value_bytes = (int)rc_precision_bytes(p->precision)};
    st = rc_segments_split(&source, &shape.rule, x->threads, &s->parts, err);
    rc_slots_drop_entries(&s->slots);
    return st;
}

static rc_status_t share(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void *of, void **state, rc_err_t *err)
{
    rs_t *from = of;
    rc_status_t st = RC_OK;
    if (from && !from->users)
        st = rc_users_new(&from->users, err);
    rs_t *s = st == RC_OK ? rc_alloc0(1, sizeof *s, "kernel state", err) : NULL;
    if (!s)
        return RC_ENOMEM;
    if (from) {
        *s = *from;
        rc_users_join(s->users);
    } else
        st = build(x, p, analysis, s, err);
    if (st < 0) {
        release(s);
        return st;
    }
    s->precision = p->precision;
    s->threads = x->threads;
    *state = s;
    return RC_OK;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    return share(x, p, analysis, NULL, state, err);
}

static void multiply(
    const rs_t *s, const rc_operands_t *o, int transposed, double alpha, double beta)
{
    static void (*const strip[])(const rs_t *, const rc_operands_t *, int, int64_t, int64_t,
        double, double) = RC_INSTANCES(strip);
    int64_t k = o->out.cols;
    int64_t width = (k + s->threads - 1) / s->threads;
#pragma omp parallel for num_threads(s->threads) schedule(static, 1)
    for (int t = 0; t < s->threads; t++) {
        int64_t j0 = t * width < k ? t * width : k;
        int64_t j1 = j0 + width < k ? j0 + width : k;
        strip[s->precision](s, o, transposed, j0, j1, alpha, beta);
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

/* Of both, which have the same parameters. */
static rc_status_t identify(const rc_params_t *values, char *text, rc_err_t *err)
{
    return rc_rs_identify(rc_kernel_rs.param, values, text, err);
}

/* What both descriptors say.  They are the reference of the GPU's, not rivals: by name alone. */
#define SHARED                                                                                     \
    .source = "Hong et al. 2018, doi:10.1145/3208040.3208062", .version = 2, .identify = identify,                       \
    .device = RC_DEVICE_CPU, .layout = RC_ROW_MAJOR, .computes = 1, .for_testing = 1, .any_k = 1,                    \
    .format = "segments",                                                                          \
    .deterministic = rc_kernel_always, .strict = rc_kernel_always, .param = {RC_RS_PARAMS}, .analyse = analyse,                \
    .geometry = rc_cpu_geometry, .prepare = prepare, .share = share, .release = release

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
