/* C = A B as K products with a vector, on the columns of column-major B and C: what a user gets
 * who has no SpMM.  The launches follow each other on the stream; the host waits for none. */
#include "config.h"
#include "base/error.h"
#include "format/cuda/slots.h"
#include "kernels/prepared.h"

extern const rc_kernel_t rc_kernel_cusparse_spmv_csr;
extern const rc_kernel_t rc_kernel_cuda_merge;
extern const rc_kernel_t rc_kernel_cuda_csr5;

enum { PARAM_KERNEL };

static const char *const choices[] = {"cusparse-csr", "merge", "csr5", NULL};

typedef struct loop {
    rc_prepared_t base;
    const rc_kernel_t *inner;
    void *state;
} loop_t;

static const rc_kernel_t *inner_of(const rc_problem_t *p)
{
    static const rc_kernel_t *const kernel[] = {
        &rc_kernel_cusparse_spmv_csr, &rc_kernel_cuda_merge, &rc_kernel_cuda_csr5};
    return kernel[p->param[PARAM_KERNEL]];
}

/* The problem of one column, with the defaults of the kernel. */
static rc_problem_t column_of(const rc_problem_t *p)
{
    const rc_kernel_t *inner = inner_of(p);
    rc_problem_t q = *p;
    q.k = 1;
    for (int i = 0; i < RC_KERNEL_PARAMS_MAX; i++)
        q.param[i] = inner->param[i].name ? inner->param[i].value : 0;
    return q;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_problem_t q = column_of(p);
    RC_PASS(rc_kernel_analyse(inner_of(p), &q, out, err));
    out->bytes = rc_sat_add(out->bytes, out->bytes_per_column); /* of one column at a time */
    out->bytes_per_column = 0;
    return RC_OK;
}

static void release(void *state)
{
    loop_t *s = state;
    rc_kernel_release(s->inner, s->state);
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    const rc_problem_t q = column_of(p);
    loop_t *s = state;
    s->inner = inner_of(p);
    return rc_kernel_prepare(s->inner, s->base.memory.x, &q, analysis, &s->state, err);
}

static rc_dense_t column_at(const rc_dense_t *m, int64_t j)
{
    rc_dense_t v = *m;
    size_t step = (size_t)m->ld * rc_precision_bytes(m->precision);
    v.data = (char *)m->data + (size_t)j * step;
    v.cols = 1;
    v.ld = m->rows;
    return v;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const loop_t *s = state;
    rc_status_t st = RC_OK;
    for (int64_t j = 0; j < o->out.cols && st == RC_OK; j++) {
        const rc_operands_t column = {.in = {column_at(&o->in[0], j)},
            .out = column_at(&o->out, j),
            .alpha_im = o->alpha_im,
            .beta_im = o->beta_im};
        st = rc_kernel_run(s->inner, s->state, &column, alpha, beta, err);
    }
    return st;
}

const rc_kernel_t rc_kernel_loop_spmv = {
    .name = "loop-spmv",
    .summary = "column-major B and C: a product with a vector for each column of B",
    .source = "Hong et al. 2018, figure 12",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMM,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .any_k = 1,
    .param = {{.name = "kernel",
        .help = "that multiplies a column, with its defaults",
        .type = RC_PARAM_CHOICE,
        .choices = choices}},
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .state_bytes = RC_STATE(loop_t),
    .build = build,
    .run = run,
    .release = release,
};
