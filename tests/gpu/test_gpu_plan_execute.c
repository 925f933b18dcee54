/* Runs of a plan that were looked at before, and several by one call, on a stream.  Needs a GPU: without one it skips
 * itself, or fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "application.h"
#include "device/device.h"
#include "operands.h"
#include "plan_fixture.h"
#include "rowcast_cuda.h"

#include <string.h>

static rc_plan_t *plan_of(
    const rc_plan_problem_t *p, const input_t *in, const char *kernels, cudaStream_t stream)
{
    const rc_plan_options_t o = {.kernels = kernels};
    const rc_plan_matrix_t m = matrix_of(in, 4, RC_FP32);
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    ok(rc_plan_create(p, &m, &o, stream, &plan, &err), &err, kernels ? kernels : "any kernel");
    return plan;
}

static void make_filled(rc_rng_t *rng, input_t *in)
{
    do
        make(rng, 1, in);
    while (in->nnz < 40 || in->rows < 8 || in->cols < 8);
}

/* ------------------------------------------------------------- one plan, many calls */

/* Operands in one of two places each. */
typedef struct places {
    dense_t b;
    dense_t c;
    dense_t before;
    void *device_b[2];
    void *device_c[2];
} places_t;

static void run_in(rc_plan_t *plan, const rc_plan_problem_t *p, const input_t *in, int64_t k, int which, places_t *x,
    rc_rng_t *rng, cudaStream_t stream)
{
    const size_t bytes = data_bytes(p);
    double alpha = below(rng, 2) ? 1 : -0.5;
    double beta = (double)below(rng, 3) / 2;
    void *c = x->device_c[which / 2];
    rc_err_t err = {0};
    fill_product(rng, p, in, k, &x->b, &x->c);
    x->before = x->c;
    CUDA(cudaMemcpy(x->device_b[which % 2], data_of(&x->b), bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(c, data_of(&x->c), bytes, cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize());
    ok(rc_plan_execute(plan, k, alpha, x->device_b[which % 2], x->b.ld, beta, c, x->c.ld, stream, &err), &err,
        "rc_plan_execute");
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(data_of(&x->c), c, bytes, cudaMemcpyDeviceToHost));
    compare_product("a run", p, in, k, alpha, beta, &x->b, &x->c, &x->before);
}

/* After the right call each wrong one is refused and writes nothing. */
static void refuse(rc_plan_t *plan, const rc_plan_problem_t *p, int64_t k, places_t *x, cudaStream_t stream)
{
    enum { WRONG = 8 };
    char *b = x->device_b[0];
    char *c = x->device_c[0];
    const int64_t ld = x->b.ld;
    for (int i = 0; i < WRONG; i++) {
        rc_err_t err = {0};
        ok(rc_plan_execute(plan, k, 1, b, ld, 0, c, ld, stream, &err), &err, "rc_plan_execute");
        CUDA(cudaStreamSynchronize(stream));
        CUDA(cudaMemcpy(data_of(&x->before), c, data_bytes(p), cudaMemcpyDeviceToHost));
        const void *from = i == 0 ? NULL : i == 1 ? (const void *)(b + 1) : i == 2 ? (const void *)(c + 8) : (const void *)b;
        void *to = i == 3 ? NULL : i == 4 ? (void *)(c + 1) : (void *)c;
        rc_status_t st = rc_plan_execute(plan, i == 5 ? WIDEST + 1 : k, 1, from, i == 6 ? 0 : ld, 0, to, i == 7 ? -1 : ld,
            stream, &err);
        assert_int_equal(st, i == 5 ? RC_ERANGE : RC_EINVAL);
        CUDA(cudaStreamSynchronize(stream));
        CUDA(cudaMemcpy(data_of(&x->c), c, data_bytes(p), cudaMemcpyDeviceToHost));
        assert_memory_equal(data_of(&x->before), data_of(&x->c), data_bytes(p));
    }
}

/* Other memory, K, factors, streams and values between runs that are the same. */
static void another_call_is_looked_at_anew(void **state)
{
    (void)state;
    static const char *const kernels[] = {NULL, "gchunk", "growmajor", "gpanel", "gstage", "cusparse-csr-row", "aspt"};
    static input_t in;
    static places_t x;
    rc_rng_t rng;
    rc_rng_seed(&rng, 41);
    if (!have_gpu())
        skip();
    for (size_t n = 0; n < sizeof kernels / sizeof kernels[0]; n++) {
        const int64_t k[] = {1, 8};
        const rc_plan_problem_t p = {.layout = RC_ROW_MAJOR, .k = k, .ks = 2, .k_range = 1, .ld_in = {MOST}, .ld_out = MOST};
        cudaStream_t stream[2] = {new_stream(), new_stream()};
        rc_err_t err = {0};
        make_filled(&rng, &in);
        rc_plan_t *plan = plan_of(&p, &in, kernels[n], stream[0]);
        for (int i = 0; i < 2; i++) {
            x.device_b[i] = upload(data_of(&x.b), data_bytes(&p));
            x.device_c[i] = upload(data_of(&x.c), data_bytes(&p));
        }
        for (int i = 0; i < 40; i++) {
            int64_t of = below(&rng, 2) ? 8 : 1 + below(&rng, 8);
            int which = below(&rng, 2) ? 0 : (int)below(&rng, 4);
            run_in(plan, &p, &in, of, which, &x, &rng, stream[i / 8 % 2]);
            if (i % 8 == 7) {
                new_values(&rng, &in);
                ok(rc_plan_update_values(plan, in.nnz, values_in(&in, RC_FP32), RC_FP32, 0, stream[i / 16 % 2], &err), &err, "new values");
            }
        }
        refuse(plan, &p, 8, &x, stream[0]);
        rc_plan_free(plan);
        for (int i = 0; i < 2; i++) {
            CUDA(cudaFree(x.device_b[i]));
            CUDA(cudaFree(x.device_c[i]));
            CUDA(cudaStreamDestroy(stream[i]));
        }
    }
}

/* ------------------------------------------------------------- several plans, one call */

enum { PLANS = 3, CALLS = 5, K = 8, VALUES = MOST * K };

static void compare_calls(float *const c[], float want[][VALUES], cudaStream_t stream)
{
    static float found[VALUES];
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < CALLS; i++) {
        CUDA(cudaMemcpy(found, c[i], sizeof found, cudaMemcpyDeviceToHost));
        assert_memory_equal(want[i], found, sizeof found);
    }
}

static void refuse_calls(rc_plan_call_t *call, cudaStream_t stream)
{
    rc_err_t err = {0};
    for (int i = 0; i < CALLS; i++) {
        const rc_plan_call_t right = call[i];
        call[i].ldb = K - 1;
        assert_int_equal(rc_plan_execute_many(call, CALLS, stream, &err), RC_EINVAL);
        assert_true(strncmp(err.text, "call ", 5) == 0 && err.text[5] == (char)('0' + i));
        call[i] = right;
        call[i].plan = NULL;
        assert_int_equal(rc_plan_execute_many(call, CALLS, stream, &err), RC_EINVAL);
        call[i] = right;
        call[i].k = K + 1;
        assert_int_equal(rc_plan_execute_many(call, CALLS, stream, &err), RC_ERANGE);
        call[i] = right;
    }
    assert_int_equal(rc_plan_execute_many(call, -1, stream, &err), RC_EINVAL);
    assert_int_equal(rc_plan_execute_many(NULL, 1, stream, &err), RC_EINVAL);
    ok(rc_plan_execute_many(NULL, 0, stream, &err), &err, "no call");
}

/* The same calls as a graph. */
static void run_in_a_graph(const rc_plan_call_t *call, cudaStream_t stream)
{
    rc_err_t err = {0};
    cudaGraph_t g;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ok(rc_plan_execute_many(call, CALLS, stream, &err), &err, "several in a graph");
    CUDA(cudaStreamEndCapture(stream, &g));
    CUDA(cudaGraphInstantiate(&exec, g, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(g));
}

/* The bits of one call after the other, of whole numbers, whose sums no order changes; with a wrong one nothing is
 * written. */
static void several_products_by_one_call(void **state)
{
    (void)state;
    static input_t in[PLANS];
    static float b[VALUES], want[CALLS][VALUES], zeros[CALLS][VALUES];
    const int64_t k = K;
    const rc_plan_problem_t p = {.layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_plan_t *plan[PLANS];
    rc_plan_call_t call[CALLS];
    float *c[CALLS];
    rc_err_t err = {0};
    rc_rng_t rng;
    rc_rng_seed(&rng, 42);
    if (!have_gpu())
        skip();
    cudaStream_t stream = new_stream();
    for (int i = 0; i < VALUES; i++)
        b[i] = (float)(i % 8);
    void *device_b = upload(b, sizeof b);
    for (int i = 0; i < PLANS; i++) {
        make_filled(&rng, &in[i]);
        for (int64_t e = 0; e < in[i].nnz; e++)
            ((float *)values_in(&in[i], RC_FP32))[e] = (float)(e % 3 + 1);
        plan[i] = plan_of(&p, &in[i], i == 1 ? "gchunk" : i == 2 ? "rs" : NULL, stream);
    }
    for (int i = 0; i < CALLS; i++) {
        c[i] = upload(zeros[i], sizeof zeros[i]);
        call[i] = (rc_plan_call_t){plan[i % PLANS], K, i + 1, device_b, K, 0, c[i], K, i == 2};
        ok((i == 2 ? rc_plan_execute_transposed : rc_plan_execute)(
               plan[i % PLANS], K, i + 1, device_b, K, 0, c[i], K, stream, &err),
            &err, "one alone");
        CUDA(cudaStreamSynchronize(stream));
        CUDA(cudaMemcpy(want[i], c[i], sizeof want[i], cudaMemcpyDeviceToHost));
    }
    for (int graph = 0; graph < 2; graph++) {
        for (int i = 0; i < CALLS; i++)
            CUDA(cudaMemset(c[i], 0, sizeof zeros[i]));
        CUDA(cudaDeviceSynchronize());
        refuse_calls(call, stream);
        compare_calls(c, zeros, stream);
        if (graph)
            run_in_a_graph(call, stream);
        else
            ok(rc_plan_execute_many(call, CALLS, stream, &err), &err, "rc_plan_execute_many");
        compare_calls(c, want, stream);
    }
    for (int i = 0; i < PLANS; i++)
        rc_plan_free(plan[i]);
    for (int i = 0; i < CALLS; i++)
        CUDA(cudaFree(c[i]));
    CUDA(cudaFree(device_b));
    CUDA(cudaStreamDestroy(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_call_is_looked_at_anew),
        cmocka_unit_test(several_products_by_one_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
