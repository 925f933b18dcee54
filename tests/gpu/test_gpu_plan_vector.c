/* Plans of y = A x on an application's stream and pointers: every kernel, new values, a graph.  Needs a GPU:
 * without one it skips itself, or fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "application.h"
#include "device/device.h"
#include "operands.h"
#include "plan_fixture.h"
#include "rowcast_cuda.h"
#include "rowcast_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kernels[] = {NULL, "merge", "merge:items=5", "csr", "csr5", "csr5:sigma=2", "coo",
    "ell", "hyb", "hyb:width=1", "csr2", "csr3", "csr35", "csr35:tune=volta", "csrk-split", "gplain-spmv",
    "cusparse-spmv-csr"};
static const char *const orders[] = {"csr", "random:seed=3", "dcsr"};

/* A plan, its matrix in device memory, and its vectors there. */
typedef struct trial {
    rc_plan_t *plan;
    input_t *in;
    rc_precision_t precision;
    cudaStream_t stream;
    void *x; /* device, [cols] */
    void *y; /* device, [rows] */
    const char *kernel;
} trial_t;

/* i -> first + (i mod 7) / 4, exact in every type. */
static void *upload_vector(rc_precision_t precision, int64_t n, double first)
{
    enum { most = MOST };
    static double host[2 * most]; /* two parts each */
    assert_true(n <= most);
    for (int64_t i = 0; i < n; i++)
        rc_type(precision)->store(host, i, first + (double)(i % 7) / 4);
    return upload(host, (size_t)n * rc_precision_bytes(precision));
}

/* y = alpha A x + beta y, where y was first + (r mod 7) / 4 and x likewise of 1. */
static void compare(const trial_t *t, double alpha, double beta, double first)
{
    enum { SUMMED = 2000, STORED = 16 }; /* roundings */
    static double y[2 * MOST];
    const input_t *in = t->in;
    const rc_type_t *type = rc_type(t->precision);
    const double off = SUMMED * rc_type(type->sum)->unit + STORED * type->unit;
    CUDA(cudaStreamSynchronize(t->stream));
    CUDA(cudaMemcpy(y, t->y, (size_t)in->rows * (size_t)type->bytes, cudaMemcpyDeviceToHost));
    for (int64_t r = 0; r < in->rows; r++) {
        double sum = 0;
        double size = 1;
        for (int64_t i = in->ptr64[r]; i < in->ptr64[r + 1]; i++) {
            double term = in->val64[i] * (1 + (double)(in->col[i] % 7) / 4);
            sum += term;
            size += fabs(term);
        }
        double want = alpha * sum + beta * (first + (double)(r % 7) / 4);
        double found = type->load(y, r);
        if (!(fabs(found - want) <= off * size))
            fail_msg("%s, %s, row %d: expected %g, found %g", t->kernel ? t->kernel : "any",
                rc_precision_name(t->precision), (int)r, want, found);
    }
}

static void execute(const trial_t *t, double alpha, double beta, cudaStream_t stream)
{
    rc_err_t err = {0};
    ok(rc_plan_execute(t->plan, 0, alpha, t->x, 0, beta, t->y, 0, stream, &err), &err,
        t->kernel ? t->kernel : "any kernel");
}

static void run_twice(trial_t *t)
{
    execute(t, -0.5, 2, t->stream);
    compare(t, -0.5, 2, 3);
    execute(t, 1, 0, t->stream);
    compare(t, 1, 0, 0);
}

/* Two runs as nodes of a graph: twice the product, and half of what the first stored. */
static void run_in_a_graph(const trial_t *t)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeThreadLocal));
    execute(t, 1, 0, t->stream);
    execute(t, 2, 0.5, t->stream);
    CUDA(cudaStreamEndCapture(t->stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CUDA(cudaGraphLaunch(exec, t->stream));
    compare(t, 2.5, 0, 0);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

/* New values are exact multiples of the old ones. */
static void update(trial_t *t)
{
    rc_err_t err = {0};
    input_t *in = t->in;
    for (int64_t i = 0; i < in->nnz; i++) {
        in->val64[i] *= i % 2 ? 2.0 : -0.5;
        rc_type(in->exact)->store(values_in(in, in->exact), i, in->val64[i]);
    }
    void *val = upload(values_in(in, in->exact), (size_t)in->nnz * rc_precision_bytes(in->exact));
    ok(rc_plan_update_values(t->plan, in->nnz, val, in->exact, 1, t->stream, &err), &err, "new values");
    execute(t, 1, 0, t->stream);
    compare(t, 1, 0, 0);
    CUDA(cudaFree(val));
}

/* Those with a rank say where their values are, which the drop-in asks of them.  Without values there is no such place. */
static void check_places(const trial_t *t)
{
    static const char *const ranked[] = {"merge", "csr", "coo", "ell", "hyb"};
    rc_err_t err = {0};
    rc_plan_places_t at = {0};
    for (size_t i = 0; t->kernel && t->in->nnz > 0 && i < sizeof ranked / sizeof *ranked; i++)
        if (strlen(ranked[i]) == strcspn(t->kernel, ":") && strncmp(t->kernel, ranked[i], strlen(ranked[i])) == 0) {
            ok(rc_plan_places(t->plan, 1, &at, &err), &err, t->kernel);
            assert_true(at.to && at.place && at.precision == t->precision && at.place_bytes == 4 && at.count >= t->in->nnz);
        }
}

static void one_plan(rc_rng_t *rng, const char *kernel, const char *order, rc_precision_t precision)
{
    static input_t in;
    rc_err_t err = {0};
    in.exact = precision;
    make(rng, 1, &in);
    void *ptr = upload(in.ptr32, ((size_t)in.rows + 1) * sizeof *in.ptr32);
    void *col = upload(in.col, (size_t)in.nnz * sizeof *in.col);
    void *val = upload(values_in(&in, in.exact), (size_t)in.nnz * rc_precision_bytes(in.exact));
    const rc_plan_problem_t p = {.op = RC_OP_SPMV, .precision = precision};
    const rc_plan_matrix_t m = {in.rows, in.cols, in.nnz, ptr, 4, col, val, in.exact, 1, 0, RC_PLAN_CSR};
    const rc_plan_options_t o = {.kernels = kernel, .orders = order, .tune = kernel ? 0 : 3, .threads = 1};
    trial_t t = {.in = &in, .precision = precision, .kernel = kernel};
    t.stream = new_stream();
    ok(rc_plan_create(&p, &m, &o, t.stream, &t.plan, &err), &err, kernel ? kernel : "any kernel");
    CUDA(cudaFree(ptr));
    CUDA(cudaFree(col));
    CUDA(cudaFree(val));
    t.x = upload_vector(precision, in.cols, 1);
    t.y = upload_vector(precision, in.rows, 3);
    run_twice(&t);
    run_in_a_graph(&t);
    update(&t);
    check_places(&t);
    update(&t);
    rc_plan_free(t.plan);
    CUDA(cudaFree(t.x));
    CUDA(cudaFree(t.y));
    CUDA(cudaStreamDestroy(t.stream));
}

static void plans_multiply(void **state)
{
    enum { rounds = 3 };
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 77);
    rc_device_t *d = open_gpu(); /* says when there must be one */
    if (!d)
        skip();
    rc_device_close(d);
    for (int round = 0; round < rounds; round++)
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            const rc_plan_problem_t p = {.op = RC_OP_SPMV};
            const unsigned types = types_for(RC_DEVICE_CUDA, &p, &(rc_plan_options_t){.kernels = kernels[k]});
            for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
                for (int t = 0; t < RC_TYPES; t++)
                    if (types >> t & 1u)
                        one_plan(&rng, kernels[k], orders[i], (rc_precision_t)t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_multiply)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
