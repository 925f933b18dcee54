/* Plans for programs with kernels of their own: places of values, runs that the device calls off.  Needs a GPU: without
 * one it skips itself, or fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "operands.h"
#include "plan_fixture.h"
#include "rowcast_device.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#define CUDA(call) assert_int_equal(call, cudaSuccess)

enum { K = 8 };

/* Every kernel that can, and of those with several device functions each. */
static const struct {
    const char *kernel;
    rc_layout_t layout;
} cases[] = {{"gchunk:rounds=1", RC_ROW_MAJOR}, {"gchunk:rounds=2", RC_ROW_MAJOR}, {"growmajor", RC_ROW_MAJOR},
    {"gpanel", RC_ROW_MAJOR}, {"gstage", RC_ROW_MAJOR}, {"gstage:rows=1", RC_ROW_MAJOR}, {"gslice:b=shared", RC_COL_MAJOR},
    {"gslice:b=columns", RC_COL_MAJOR}, {"gchunk-col:b=rows", RC_COL_MAJOR}, {"gchunk-col:b=columns", RC_COL_MAJOR},
    {"gchunk-brow-ccol", RC_ROW_COL}, {"gchunk-bcol-crow", RC_COL_ROW}};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct trial {
    rc_plan_problem_t p;
    int64_t k;
    input_t in;
    dense_t b;
    dense_t c;
    dense_t before;
    void *device_b;
    void *device_c;
    uint32_t *closed;
    cudaStream_t stream;
    rc_plan_t *plan;
    const char *kernel;
} trial_t;

static void *on_device(const void *from, size_t bytes)
{
    void *p = NULL;
    CUDA(cudaMalloc(&p, bytes));
    CUDA(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize());
    return p;
}

static void put(trial_t *t)
{
    CUDA(cudaMemcpy(t->device_c, data_of(&t->p, &t->before), data_bytes(&t->p), cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize());
}

static void compare(trial_t *t, double alpha, double beta)
{
    static dense_t before;
    before = t->before;
    CUDA(cudaStreamSynchronize(t->stream));
    CUDA(cudaMemcpy(data_of(&t->p, &t->c), t->device_c, data_bytes(&t->p), cudaMemcpyDeviceToHost));
    compare_product(t->kernel, &t->p, &t->in, K, alpha, beta, &t->b, &t->c, &before);
}

/* NULL: there is no GPU. */
static trial_t *begin(int i)
{
    static trial_t t;
    const uint32_t open = 0;
    rc_err_t err = {0};
    rc_rng_t rng;
    struct rc_device *device = open_gpu();
    if (!device)
        return NULL;
    rc_device_close(device);
    memset(&t, 0, sizeof t);
    rc_rng_seed(&rng, (uint64_t)i + 1);
    t.k = K;
    t.kernel = cases[i].kernel;
    t.p = (rc_plan_problem_t){.layout = cases[i].layout, .k = &t.k, .ks = 1};
    do
        make(&rng, 1, &t.in);
    while (t.in.rows < 8 || t.in.cols < 8 || t.in.nnz < 40);
    fill_product(&rng, &t.p, &t.in, K, &t.b, &t.c);
    t.before = t.c;
    t.device_b = on_device(data_of(&t.p, &t.b), data_bytes(&t.p));
    t.device_c = on_device(data_of(&t.p, &t.c), data_bytes(&t.p));
    t.closed = on_device(&open, sizeof open);
    CUDA(cudaStreamCreateWithFlags(&t.stream, cudaStreamNonBlocking));
    const rc_plan_matrix_t m = matrix_of(&t.in, 8, 4);
    const rc_plan_options_t o = {.kernels = t.kernel};
    ok(rc_plan_create(&t.p, &m, &o, t.stream, &t.plan, &err), &err, t.kernel);
    return &t;
}

static void end(trial_t *t)
{
    rc_plan_free(t->plan);
    CUDA(cudaStreamDestroy(t->stream));
    CUDA(cudaFree(t->device_b));
    CUDA(cudaFree(t->device_c));
    CUDA(cudaFree(t->closed));
}

/* Values that the caller puts where a plan says that it has them. */
static void places_take_values(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        trial_t *t = begin(i);
        rc_err_t err = {0};
        rc_plan_places_t at = {0};
        rc_rng_t rng;
        if (!t)
            skip();
        rc_rng_seed(&rng, 78);
        assert_int_equal(rc_plan_places(t->plan, K, &at, &err), RC_ENOTSUP);
        ok(rc_plan_update_values(t->plan, t->in.nnz, t->in.val32, 4, 0, t->stream, &err), &err, "first update");
        assert_int_equal(rc_plan_places(t->plan, K + 1, &at, &err), RC_ERANGE);
        ok(rc_plan_places(t->plan, K, &at, &err), &err, t->kernel);
        assert_int_equal(at.value_bytes, 4);
        assert_int_equal(at.place_bytes, 4);
        new_values(&rng, &t->in);
        int32_t *place = calloc((size_t)at.count, sizeof *place);
        float *to = calloc((size_t)at.count, sizeof *to);
        assert_true(place && to);
        CUDA(cudaMemcpy(place, at.place, (size_t)at.count * sizeof *place, cudaMemcpyDeviceToHost));
        for (int64_t e = 0; e < at.count; e++)
            to[e] = place[e] > 0 ? t->in.val32[place[e] - 1] : 0;
        CUDA(cudaMemcpy(at.to, to, (size_t)at.count * sizeof *to, cudaMemcpyHostToDevice));
        ok(rc_plan_execute(t->plan, K, 1, t->device_b, t->b.ld, 0, t->device_c, t->c.ld, t->stream, &err), &err, t->kernel);
        compare(t, 1, 0);
        free(place);
        free(to);
        end(t);
    }
}

/* C stays while the word says so, and is stored when it does not any more. */
static void the_device_calls_off(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int beta = 0; beta < 2; beta++) {
            trial_t *t = begin(i);
            rc_err_t err = {0};
            if (!t)
                skip();
            for (uint32_t closed = 2; closed-- > 0;) {
                put(t);
                CUDA(cudaMemcpy(t->closed, &closed, sizeof closed, cudaMemcpyHostToDevice));
                CUDA(cudaDeviceSynchronize());
                for (int run = 0; run < 2; run++) /* back to back: the second overlaps with the first */
                    ok(rc_plan_execute_unless(t->plan, K, 2, t->device_b, t->b.ld, run ? 1 : beta, t->device_c, t->c.ld,
                           t->closed, t->stream, &err),
                        &err, t->kernel);
                if (closed)
                    compare(t, 0, 1);
                else
                    compare(t, 4, beta);
            }
            ok(rc_plan_execute(t->plan, K, 1, t->device_b, t->b.ld, 0, t->device_c, t->c.ld, t->stream, &err), &err, t->kernel);
            compare(t, 1, 0);
            end(t);
        }
}

static void others_refuse(void **state)
{
    (void)state;
    trial_t *t = begin(0);
    rc_err_t err = {0};
    rc_plan_t *other = NULL;
    if (!t)
        skip();
    const rc_plan_matrix_t m = matrix_of(&t->in, 8, 4);
    const rc_plan_options_t o = {.kernels = "cusparse-csr-row"};
    ok(rc_plan_create(&t->p, &m, &o, t->stream, &other, &err), &err, "cusparse-csr-row");
    assert_int_equal(rc_plan_execute_unless(other, K, 1, t->device_b, t->b.ld, 0, t->device_c, t->c.ld, t->closed, t->stream, &err),
        RC_ENOTSUP);
    assert_int_equal(rc_plan_execute_unless(t->plan, K, 1, t->device_b, t->b.ld, 0, t->device_c, t->c.ld, NULL, t->stream, &err),
        RC_EINVAL);
    assert_int_equal(
        rc_plan_execute_unless(t->plan, K + 1, 1, t->device_b, t->b.ld, 0, t->device_c, t->c.ld, t->closed, t->stream, &err),
        RC_ERANGE);
    compare(t, 0, 1);
    rc_plan_free(other);
    end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_take_values),
        cmocka_unit_test(the_device_calls_off),
        cmocka_unit_test(others_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
