/* Plans of O = A .* (Y X') on an application's stream and pointers: every kernel, a range of K, new values, a graph.
 * Needs a GPU: without one it skips itself, or fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "application.h"
#include "device/device.h"
#include "operands.h"
#include "plan_fixture.h"
#include "rowcast_cuda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Leading dimensions: a wide one, which keeps vectors of 16 bytes aligned (eight values of 16 bits), and an odd one,
 * which cuSPARSE refuses where K is a multiple of four. */
enum { K_LEAST = 3, K_MOST = 40, LD_WIDE = K_MOST + 8, LD_ODD = K_MOST + 3 };

/* Kernels to choose from, and how. */
typedef struct choice {
    const char *kernels; /* NULL: any */
    int any_k;           /* they serve ranges */
    int any_order;
    int64_t ld;
    int declared; /* the problem says what ld runs will have */
} choice_t;

static const choice_t choices[] = {
    {NULL, 1, 1, LD_ODD, 1}, /* cuSPARSE's is timed first, which takes no such ld */
    {"row-sddmm", 1, 1, LD_ODD, 0},
    {"row-sddmm:entries=4", 1, 1, LD_WIDE, 0},
    {"row-sddmm:vectors=2", 1, 1, LD_ODD, 0},
    {"gplain-sddmm", 0, 1, LD_ODD, 0},
    {"cusparse-sddmm-row", 0, 0, LD_WIDE, 0},
    {"cusparse-sddmm-row,row-sddmm", 0, 0, LD_ODD, 1},
};
static const char *const orders[] = {"csr", "random:seed=3", "dcsr"};

/* A plan, and its operands in device memory. */
typedef struct trial {
    rc_plan_t *plan;
    input_t *in;
    rc_precision_t precision;
    cudaStream_t stream;
    void *dense[2]; /* Y [rows * ld], X [cols * ld] */
    void *out;      /* [nnz] */
    const char *kernel;
    int64_t ld; /* of both */
} trial_t;

/* Values of the inputs and of what the output holds before, which every type has; sums of them are exact in fp32. */
static double value_at(int which, int64_t r, int64_t j)
{
    return which == 0 ? 1 + (double)((r + 3 * j) % 7) / 4 : (double)((5 * j + r) % 5) - 2;
}

static double old_at(int64_t e)
{
    return (double)(e % 9) / 2;
}

/* [rows * cols] values; of one column: the old output. */
static void *upload_values(const trial_t *t, int which, int64_t rows, int64_t cols)
{
    size_t value = rc_precision_bytes(t->precision);
    size_t bytes = (size_t)(rows * cols) * value;
    char *host = malloc(bytes + 1);
    assert_non_null(host);
    for (int64_t i = 0; i < rows * cols; i++) {
        double v = cols > 1 ? value_at(which, i / cols, i % cols) : old_at(i);
        rc_type(t->precision)->store(host, i, v);
    }
    void *p = upload(host, bytes);
    free(host);
    return p;
}

/* What the output is: `factor` times the sampled product, and `old` times what it was at first. */
static void compare(const trial_t *t, int64_t k, double factor, double old)
{
    enum { SUMMED = 1000, STORED = 16 }; /* roundings */
    static double out[2 * MOST * MOST]; /* two parts each */
    const input_t *in = t->in;
    const rc_type_t *type = rc_type(t->precision);
    const double off = SUMMED * rc_type(type->sum)->unit + STORED * type->unit;
    CUDA(cudaStreamSynchronize(t->stream));
    CUDA(cudaMemcpy(out, t->out, (size_t)in->nnz * (size_t)type->bytes, cudaMemcpyDeviceToHost));
    for (int64_t r = 0; r < in->rows; r++)
        for (int64_t e = in->ptr64[r]; e < in->ptr64[r + 1]; e++) {
            double sum = 0;
            for (int64_t j = 0; j < k; j++)
                sum += value_at(0, r, j) * value_at(1, in->col[e], j);
            double want = factor * in->val64[e] * sum + old * old_at(e);
            double found = type->load(out, e);
            if (!(fabs(found - want) <= off * (1 + fabs(factor * in->val64[e]) * 6 * (double)k)))
                fail_msg("%s, %s, K %d, entry %d in row %d: expected %g, found %g", t->kernel ? t->kernel : "any",
                    rc_precision_name(t->precision), (int)k, (int)e, (int)r, want, found);
        }
}

static void execute(const trial_t *t, int64_t k, double alpha, double beta)
{
    rc_err_t err = {0};
    ok(rc_plan_execute_sddmm(t->plan, k, alpha, t->dense[0], t->ld, t->dense[1], t->ld, beta, t->out, t->stream,
           &err),
        &err, t->kernel ? t->kernel : "any kernel");
}

/* Two runs as nodes of a graph: twice the product, and half of what the first stored. */
static void run_in_a_graph(const trial_t *t, int64_t k)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeThreadLocal));
    execute(t, k, 1, 0);
    execute(t, k, 2, 0.5);
    CUDA(cudaStreamEndCapture(t->stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CUDA(cudaGraphLaunch(exec, t->stream));
    compare(t, k, 2.5, 0);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

/* New values are exact multiples of the old ones. */
static void update(trial_t *t, int64_t k)
{
    rc_err_t err = {0};
    input_t *in = t->in;
    for (int64_t i = 0; i < in->nnz; i++) {
        in->val64[i] *= i % 2 ? 2.0 : -0.5;
        rc_type(in->exact)->store(values_in(in, in->exact), i, in->val64[i]);
    }
    void *val = upload(values_in(in, in->exact), (size_t)in->nnz * rc_precision_bytes(in->exact));
    ok(rc_plan_update_values(t->plan, in->nnz, val, in->exact, 1, t->stream, &err), &err, "new values");
    execute(t, k, 1, 0);
    compare(t, k, 1, 0);
    CUDA(cudaFree(val));
}

static void run_all(trial_t *t, const int64_t *k, int ks)
{
    execute(t, k[0], -0.5, 2);
    compare(t, k[0], -0.5, 2);
    for (int i = 0; i < ks; i++) {
        execute(t, k[i], 1, 0);
        compare(t, k[i], 1, 0);
    }
    run_in_a_graph(t, k[0]);
    update(t, k[0]);
    update(t, k[ks - 1]);
}

static void one_plan(rc_rng_t *rng, const choice_t *c, const char *order, rc_precision_t precision, int range)
{
    static input_t in;
    static const int64_t list[] = {8, 5, 32};
    static const int64_t between[] = {K_LEAST, K_MOST};
    static const int64_t some[] = {7, K_LEAST, 16, 33, K_MOST};
    rc_err_t err = {0};
    in.exact = precision;
    make(rng, 1, &in);
    void *ptr = upload(in.ptr32, ((size_t)in.rows + 1) * sizeof *in.ptr32);
    void *col = upload(in.col, (size_t)in.nnz * sizeof *in.col);
    void *val = upload(values_in(&in, in.exact), (size_t)in.nnz * rc_precision_bytes(in.exact));
    const rc_plan_problem_t p = {.op = RC_OP_SDDMM, .precision = precision, .layout = RC_ROW_MAJOR,
        .k = range ? between : list, .ks = range ? 2 : 3, .k_range = range,
        .ld_in = {c->declared ? c->ld : 0, c->declared ? c->ld : 0}};
    const rc_plan_matrix_t m = {in.rows, in.cols, in.nnz, ptr, 4, col, val, in.exact, 1, 0, RC_PLAN_CSR};
    const rc_plan_options_t o = {.kernels = c->kernels, .orders = order, .tune = c->kernels ? 0 : 3, .threads = 1};
    trial_t t = {.in = &in, .precision = precision, .kernel = c->kernels, .ld = c->ld};
    t.stream = new_stream();
    ok(rc_plan_create(&p, &m, &o, t.stream, &t.plan, &err), &err, c->kernels ? c->kernels : "any kernel");
    CUDA(cudaFree(ptr));
    CUDA(cudaFree(col));
    CUDA(cudaFree(val));
    t.dense[0] = upload_values(&t, 0, in.rows, t.ld);
    t.dense[1] = upload_values(&t, 1, in.cols, t.ld);
    t.out = upload_values(&t, 0, in.nnz, 1);
    run_all(&t, range ? some : list, range ? 5 : 3);
    rc_plan_free(t.plan);
    CUDA(cudaFree(t.dense[0]));
    CUDA(cudaFree(t.dense[1]));
    CUDA(cudaFree(t.out));
    CUDA(cudaStreamDestroy(t.stream));
}

static void need_gpu(void)
{
    rc_device_t *d = open_gpu(); /* says when there must be one */
    if (!d)
        skip();
    rc_device_close(d);
}

static void plans_sample(void **state)
{
    enum { rounds = 2 };
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 78);
    need_gpu();
    for (int round = 0; round < rounds; round++)
        for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
            const rc_plan_problem_t p = {.op = RC_OP_SDDMM, .layout = RC_ROW_MAJOR};
            const unsigned types = types_for(RC_DEVICE_CUDA, &p, &(rc_plan_options_t){.kernels = choices[k].kernels});
            for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
                for (int variant = 0; variant < 2 * RC_TYPES; variant++) {
                    int range = variant / RC_TYPES;
                    int t = variant % RC_TYPES;
                    if ((range && !choices[k].any_k) || (i > 0 && !choices[k].any_order) || !(types >> t & 1u))
                        continue;
                    one_plan(&rng, &choices[k], orders[i], (rc_precision_t)t, range);
                }
        }
}

/* What no kernel takes is said when the plan is made. */
static void strides_that_no_kernel_takes_are_refused(void **state)
{
    static input_t in;
    static const int64_t k[] = {8};
    (void)state;
    rc_rng_t rng;
    rc_err_t err = {0};
    rc_plan_t *plan = NULL;
    rc_rng_seed(&rng, 79);
    need_gpu();
    do
        make(&rng, 1, &in);
    while (in.nnz == 0);
    const rc_plan_matrix_t m = matrix_of(&in, 4, RC_FP32);
    const rc_plan_problem_t p = {.op = RC_OP_SDDMM, .precision = RC_FP32, .layout = RC_ROW_MAJOR, .k = k, .ks = 1,
        .ld_in = {LD_ODD, LD_ODD}};
    const rc_plan_options_t o = {.kernels = "cusparse-sddmm-row", .threads = 1};
    assert_int_equal(rc_plan_create(&p, &m, &o, NULL, &plan, &err), RC_ENOTSUP);
    assert_null(plan);
    assert_non_null(strstr(err.text, "leading dimension"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_sample),
        cmocka_unit_test(strides_that_no_kernel_takes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
