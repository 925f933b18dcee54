/* One plan for the products with A and with A', on an application's stream and pointers: random matrices in either role, new
 * values, a graph of both.  Needs a GPU: without one it skips itself, or fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "application.h"
#include "device/device.h"
#include "operands.h"
#include "plan_fixture.h"
#include "rowcast_cuda.h"

#include <stdio.h>
#include <string.h>

/* One of both products. */
typedef struct product {
    const input_t *in; /* what it multiplies by: A of the plan, or A' */
    int transposed;    /* 1: by rc_plan_execute_transposed */
    double alpha;
    double beta;
    dense_t b;
    dense_t c;
    dense_t before;
    void *device_b;
    void *device_c;
} product_t;

static void product_new(
    rc_rng_t *rng, const rc_plan_problem_t *p, const input_t *in, int transposed, product_t *x)
{
    x->in = in;
    x->transposed = transposed;
    x->alpha = below(rng, 2) ? 1 : -0.5;
    x->beta = (double)below(rng, 3) / 2;
    fill_product(rng, p, in, p->k[0], &x->b, &x->c);
    x->before = x->c;
    x->device_b = upload(data_of(&x->b), data_bytes(p));
    x->device_c = upload(data_of(&x->c), data_bytes(p));
}

static void run(rc_plan_t *plan, const rc_plan_problem_t *p, const product_t *x, cudaStream_t stream)
{
    rc_err_t err = {0};
    ok((x->transposed ? rc_plan_execute_transposed : rc_plan_execute)(plan, p->k[0], x->alpha, x->device_b, x->b.ld, x->beta,
           x->device_c, x->c.ld, stream, &err),
        &err, x->transposed ? "rc_plan_execute_transposed" : "rc_plan_execute");
}

static void compare(const rc_plan_problem_t *p, product_t *x, cudaStream_t stream)
{
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(data_of(&x->c), x->device_c, data_bytes(p), cudaMemcpyDeviceToHost));
    compare_product(x->transposed ? "the twin" : "the product", p, x->in, p->k[0], x->alpha, x->beta, &x->b, &x->c, &x->before);
}

static void product_free(product_t *x)
{
    CUDA(cudaFree(x->device_b));
    CUDA(cudaFree(x->device_c));
}

/* Both products, each on its own or in a graph. */
static void check_both(rc_rng_t *rng, rc_plan_t *plan, const rc_plan_problem_t *p, const input_t *in, const input_t *turned,
    int graph, cudaStream_t stream)
{
    static product_t x[2];
    cudaGraph_t g;
    cudaGraphExec_t exec;
    const int of_t = p->op == RC_OP_SPMM_T;
    product_new(rng, p, in, of_t, &x[0]);
    product_new(rng, p, turned, !of_t, &x[1]);
    if (graph)
        CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < 2; i++)
        run(plan, p, &x[i], stream);
    if (graph) {
        CUDA(cudaStreamEndCapture(stream, &g));
        CUDA(cudaGraphInstantiate(&exec, g, 0));
        CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaStreamSynchronize(stream));
        CUDA(cudaGraphExecDestroy(exec));
        CUDA(cudaGraphDestroy(g));
    }
    for (int i = 0; i < 2; i++) {
        compare(p, &x[i], stream);
        product_free(&x[i]);
    }
}

/* New values of memory of the GPU, by a graph, of a plan that had some: both matrices have them. */
static void update_in_graph(rc_rng_t *rng, rc_plan_t *plan, input_t *in, input_t *turned, cudaStream_t stream)
{
    cudaGraph_t g;
    cudaGraphExec_t exec;
    rc_err_t err = {0};
    new_values(rng, in);
    transpose(in, turned);
    void *val = upload(in->val64, (size_t)(in->nnz + 1) * sizeof *in->val64);
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(rc_plan_update_values(plan, in->nnz, val, RC_FP64, 1, stream, &err), &err, "rc_plan_update_values");
    CUDA(cudaStreamEndCapture(stream, &g));
    CUDA(cudaGraphInstantiate(&exec, g, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(g));
    CUDA(cudaFree(val));
}

/* What any kernel has with A' prepared beside A: random problems, matrices of host and GPU. */
static void any_kernel_has_both(void **state)
{
    (void)state;
    enum { plans = 60, KERNELS = 3 };
    static const char *const kernels[] = {NULL, "gchunk,gchunk-col", "growmajor,gslice"};
    static input_t in, turned;
    rc_rng_t rng;
    cudaStream_t stream = NULL;
    rc_rng_seed(&rng, 19);
    if (!have_gpu())
        skip();
    stream = new_stream();
    for (int n = 0; n < plans; n++) {
        const int in_use = (int)below(&rng, 3) == 0;
        const int64_t k[] = {1 + below(&rng, WIDEST)};
        const rc_plan_problem_t p = {.op = n % 5 ? RC_OP_SPMM : RC_OP_SPMM_T, .layout = (rc_layout_t)below(&rng, 2), .k = k, .ks = 1};
        const rc_plan_options_t o = {.transposed = 1, .kernels = kernels[below(&rng, KERNELS)], .orders = below(&rng, 2) ? "csr" : NULL,
            .tune = in_use ? 0 : (int)below(&rng, 3), .tune_in_use = in_use ? 3 : 0};
        rc_plan_t *plan = NULL, *clone = NULL;
        rc_err_t err = {0};
        make(&rng, (int)below(&rng, 2), &in);
        transpose(&in, &turned);
        rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP64);
        void *there[] = {upload(in.ptr64, sizeof in.ptr64), upload(in.col, sizeof in.col), upload(in.val64, sizeof in.val64)};
        if (n % 2) {
            m.row_ptr = there[0];
            m.col_idx = there[1];
            m.val = there[2];
            m.on_device = 1;
        }
        ok(rc_plan_create(&p, &m, &o, stream, &plan, &err), &err, "rc_plan_create");
        for (int i = 0; i < 3; i++)
            CUDA(cudaFree(there[i]));
        for (int i = 0; i < (in_use ? 12 : 1); i++)
            check_both(&rng, plan, &p, &in, &turned, 0, stream);
        check_both(&rng, plan, &p, &in, &turned, 1, stream);
        ok(rc_plan_clone(plan, stream, &clone, &err), &err, "rc_plan_clone");
        check_both(&rng, clone, &p, &in, &turned, 0, stream);
        rc_plan_free(clone);
        new_values(&rng, &in);
        transpose(&in, &turned);
        ok(rc_plan_update_values(plan, in.nnz, in.val64, RC_FP64, 0, stream, &err), &err, "rc_plan_update_values");
        check_both(&rng, plan, &p, &in, &turned, n % 2, stream);
        if (in.nnz > 0 && o.kernels) /* which say where they have their values */
            update_in_graph(&rng, plan, &in, &turned, stream);
        check_both(&rng, plan, &p, &in, &turned, n % 2, stream);
        rc_plan_free(plan);
    }
    CUDA(cudaStreamDestroy(stream));
}

static void one_plan_serves_both(void **state)
{
    (void)state;
    enum { plans = 60, KERNELS = 3 };
    static const char *const kernels[2][KERNELS] = {{"rs", "rs:t=1:cfv=1:w=4", "rs:t=2:light=store:w=8:hblocks=0"},
        {"rs-spmm_t", "rs-spmm_t:t=1:cfv=1:w=4", "rs-spmm_t:t=3:w=16:hblocks=2"}};
    static input_t in;
    static input_t turned;
    rc_rng_t rng;
    cudaStream_t stream = NULL;
    rc_rng_seed(&rng, 17);
    if (!have_gpu())
        skip();
    stream = new_stream();
    for (int n = 0; n < plans; n++) {
        const int of_t = (int)below(&rng, 2);
        const int64_t k[] = {1 + below(&rng, WIDEST)};
        rc_plan_problem_t p = {.op = of_t ? RC_OP_SPMM_T : RC_OP_SPMM, .layout = RC_ROW_MAJOR, .k = k, .ks = 1};
        const rc_plan_options_t o = {.kernels = kernels[of_t][below(&rng, KERNELS)], .orders = below(&rng, 2) ? "csr" : "lpt"};
        rc_plan_t *plan = NULL;
        rc_plan_t *clone = NULL;
        rc_err_t err = {0};
        p.precision = some_type(&rng, types_for(RC_DEVICE_CUDA, &p, &o));
        make(&rng, (int)below(&rng, 2), &in);
        const rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP64);
        ok(rc_plan_create(&p, &m, &o, stream, &plan, &err), &err, "rc_plan_create");
        transpose(&in, &turned);
        check_both(&rng, plan, &p, &in, &turned, n % 2, stream);
        ok(rc_plan_clone(plan, stream, &clone, &err), &err, "rc_plan_clone");
        check_both(&rng, clone, &p, &in, &turned, 0, stream);
        new_values(&rng, &in);
        transpose(&in, &turned);
        ok(rc_plan_update_values(plan, in.nnz, in.val64, RC_FP64, 0, stream, &err), &err, "rc_plan_update_values");
        check_both(&rng, plan, &p, &in, &turned, n % 2, stream);
        rc_plan_free(plan);
        rc_plan_free(clone);
    }
    CUDA(cudaStreamDestroy(stream));
}

static void other_kernels_say_so(void **state)
{
    (void)state;
    static input_t in;
    static double any[16];
    const int64_t k[] = {4};
    const rc_plan_problem_t p = {.layout = RC_ROW_MAJOR, .k = k, .ks = 1};
    const rc_plan_options_t o = {.kernels = "gchunk"};
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    rc_rng_t rng;
    rc_rng_seed(&rng, 18);
    if (!have_gpu())
        skip();
    do
        make(&rng, 1, &in);
    while (in.nnz == 0);
    const rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP64);
    ok(rc_plan_create(&p, &m, &o, NULL, &plan, &err), &err, "rc_plan_create");
    assert_int_equal(rc_plan_execute_transposed(plan, 4, 1, any, 4, 0, any, 4, NULL, &err), RC_ENOTSUP);
    assert_non_null(strstr(err.text, "gchunk"));
    rc_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_plan_serves_both),
        cmocka_unit_test(any_kernel_has_both),
        cmocka_unit_test(other_kernels_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
