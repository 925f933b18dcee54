/* Row orders built on a GPU, and samples, against those of the host: the same in every slot.  Needs a GPU: without one
 * it skips itself, or fails when ROWCAST_GPU is 1.  ROWCAST_GPU_SAMPLE=N takes one generated matrix in N
 * (for compute-sanitizer).
 *
 * "test_gpu_orders --time [alike|apart|natural] SPEC..." instead prints what orders take and gain on
 * generated matrices (tests/gpu/order_times.h). */
#include "config.h"
#include "unit.h"

#include "base/str.h"
#include "device/device.h"
#include "operands.h"
#include "order/cuda/orders.h"
#include "order/policy.h"
#include "order/sample.h"
#include "order_times.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const orders[] = {"mincol", "minlabel",
    "minlabel:fine=0:middle=0:coarse=0", "minlabel:fine=1:middle=4:coarse=4", "labels", "labels:rounds=0", "labels:rounds=3", "cells",
    "cells:rounds=0", "cells:size=2:branch=2:rounds=1", "cells:size=300:branch=5", "multilevel", "multilevel:size=2:rounds=0",
    "multilevel:size=300:rounds=1", "auto"};
enum { ORDERS = sizeof orders / sizeof *orders };

typedef struct gpu {
    cudaStream_t stream;
    rc_executor_t x;
} gpu_t;

/* 0: there is none, and that is all right. */
static int begin(gpu_t *g)
{
    rc_err_t err = {0};
    rc_device_t *d = open_gpu();
    if (!d)
        return 0;
    rc_device_close(d);
    assert_int_equal(cudaSetDevice(0), cudaSuccess);
    assert_int_equal(cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking), cudaSuccess);
    ok(rc_executor_cuda(0, g->stream, NULL, 1, &g->x, &err), &err, "rc_executor_cuda");
    return 1;
}

static void end(gpu_t *g)
{
    rc_executor_cuda_close(&g->x);
    assert_int_equal(cudaStreamDestroy(g->stream), cudaSuccess);
}

/* What g->row holds is the order of the host. */
static void expect_same(const gpu_pattern_t *g, const char *policy, const char *name)
{
    rc_err_t err = {0};
    rc_schedule_t s = {0};
    ok(rc_order_build(policy, g->a, NULL, 0, &s, &err), &err, policy);
    assert_int_equal(s.slots, g->a->rows);
    for (int64_t p = 0; p < s.slots; p++)
        if (s.row[p] != g->row[p])
            fail_msg("%s of %s, slot %" PRId64 " of %" PRId64 ": the host has row %" PRId32
                     ", the GPU %" PRId32, policy, name, p, s.slots, s.row[p], g->row[p]);
    rc_schedule_free(&s);
}

static void expect_same_samples(gpu_pattern_t *g, const char *name)
{
    static const char *const what[] = {"runs", "balls", "columns", "agreement"};
    rc_err_t err = {0};
    rc_local_samples_t host;
    rc_local_samples_t gpu;
    ok(rc_sample_all(g->a, 2, &host, &err), &err, "samples");
    gpu_sample(g, &gpu);
    const rc_sharing_t want[] = {host.run, host.ball, host.column, host.agreement};
    const rc_sharing_t got[] = {gpu.run, gpu.ball, gpu.column, gpu.agreement};
    for (int i = 0; i < 4; i++)
        if (got[i].entries != want[i].entries || got[i].distinct != want[i].distinct)
            fail_msg("%s of %s: the host has %" PRId64 " and %" PRId64 ", the GPU %" PRId64
                     " and %" PRId64, what[i], name, want[i].entries, want[i].distinct, got[i].entries,
                got[i].distinct);
    if (gpu.longest != host.longest)
        fail_msg("longest row of %s: expected %" PRId64 ", found %" PRId64, name, host.longest, gpu.longest);
}

static void check(gpu_t *gpu, const rc_csr_t *a, const char *name)
{
    gpu_pattern_t g = gpu_pattern_new(&gpu->x, a);
    expect_same_samples(&g, name);
    for (int i = 0; i < ORDERS; i++) {
        gpu_order(&g, orders[i]);
        expect_same(&g, orders[i], name);
    }
    gpu_pattern_free(&g);
}

static void generated_matrices(void **state)
{
    (void)state;
    gpu_t gpu;
    if (!begin(&gpu))
        skip();
    for (int i = 0; i < rc_builtin_count; i += (int)sample_of_runs()) {
        rc_csr_t a;
        rc_err_t err = {0};
        ok(rc_generate(rc_builtins[i].spec, &a, NULL, &err), &err, rc_builtins[i].name);
        check(&gpu, &a, rc_builtins[i].name);
        rc_csr_t b = shuffled(&a, i % 2, NULL);
        check(&gpu, &b, rc_builtins[i].name);
        rc_csr_free(&a);
        rc_csr_free(&b);
    }
    end(&gpu);
}

static void small_matrices(void **state)
{
    (void)state;
    gpu_t gpu;
    if (!begin(&gpu))
        skip();
    for (int i = 0; i < shape_count; i++) {
        rc_csr_t a = make_matrix(&shapes[i], 40 + (uint64_t)i);
        check(&gpu, &a, shapes[i].name);
        free_matrix(&a);
    }
    end(&gpu);
}

/* A path: searches go on for as many rounds as they may. */
static void long_searches(void **state)
{
    (void)state;
    static const char *const specs[] = {"cells:size=2000:rounds=0", "cells:size=2000:branch=200",
        "cells:size=700:branch=2", "multilevel:size=2", "multilevel:size=30"};
    gpu_t gpu;
    rc_csr_t a;
    rc_err_t err = {0};
    if (!begin(&gpu))
        skip();
    ok(rc_generate("banded:n=200000,lower=1,upper=1", &a, NULL, &err), &err, "a path");
    gpu_pattern_t g = gpu_pattern_new(&gpu.x, &a);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        gpu_order(&g, specs[i]);
        expect_same(&g, specs[i], "a path");
    }
    gpu_pattern_free(&g);
    rc_csr_free(&a);
    end(&gpu);
}

/* The graph of an order gives it again. */
static void expect_captured(gpu_t *gpu, gpu_pattern_t *g, const char *policy)
{
    rc_err_t err = {0};
    cudaGraph_t graph = NULL;
    cudaGraphExec_t run = NULL;
    size_t bytes = (size_t)g->a->rows * sizeof *g->row;
    assert_int_equal(cudaStreamBeginCapture(gpu->stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    ok(gpu_order_ask(g, policy, &err), &err, policy);
    assert_int_equal(cudaStreamEndCapture(gpu->stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&run, graph, 0), cudaSuccess);
    for (int again = 0; again < 2; again++) {
        ok(gpu->x.fill(&gpu->x, g->slots, 0xff, bytes, &err), &err, "slots");
        assert_int_equal(cudaGraphLaunch(run, gpu->stream), cudaSuccess);
        ok(gpu->x.download(&gpu->x, g->row, g->slots, bytes, &err), &err, policy);
        expect_same(g, policy, "a captured order");
    }
    assert_int_equal(cudaGraphExecDestroy(run), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
}

/* Nothing is asked of the host: the stream can be captured.  auto takes each of its orders. */
static void orders_can_be_captured(void **state)
{
    (void)state;
    static const char *const specs[] = {"mesh2d:n=120", "uniform:n=9000", "rmat:scale=13,edges=4,shuffle=both",
        "geometric:n=40000,dim=3,mean=14,shuffle=both", "lfr:n=40000,shuffle=both",
        "sbm:n=30000,communities=600,shuffle=both", "citation:n=20000"};
    gpu_t gpu;
    if (!begin(&gpu))
        skip();
    for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
        rc_csr_t a;
        rc_err_t err = {0};
        ok(rc_generate(specs[m], &a, NULL, &err), &err, specs[m]);
        gpu_pattern_t g = gpu_pattern_new(&gpu.x, &a);
        for (int i = 0; i < ORDERS; i++) {
            gpu_order(&g, orders[i]);
            expect_same(&g, orders[i], specs[m]);
            expect_captured(&gpu, &g, orders[i]);
        }
        gpu_pattern_free(&g);
        rc_csr_free(&a);
    }
    end(&gpu);
}

static void what_is_no_order_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        rc_status_t status;
        const char *says;
    } bad[] = {{"rcm", RC_ENOTSUP, "order rcm is not built on a GPU"},
        {"celles", RC_ENOENT, "did you mean 'cells'"},
        {"labels:rounds=-1", RC_ERANGE, "order labels: rounds"},
        {"minlabel:fine=9", RC_EINVAL, "fine <= middle <= coarse"}};
    gpu_t gpu;
    if (!begin(&gpu))
        skip();
    rc_csr_t a = make_matrix(&shapes[0], 1);
    gpu_pattern_t g = gpu_pattern_new(&gpu.x, &a);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rc_err_t err = {0};
        rc_status_t st = gpu_order_ask(&g, bad[i].policy, &err);
        if (st != bad[i].status || !strstr(err.text, bad[i].says))
            fail_msg("%s: found %d '%s'", bad[i].policy, (int)st, err.text);
    }
    gpu_pattern_free(&g);
    free_matrix(&a);
    end(&gpu);
}

static int time_orders(int count, char **spec)
{
    gpu_t gpu;
    if (!begin(&gpu))
        return 77;
    int wrong = order_times(&gpu.x, gpu.stream, count, spec);
    end(&gpu);
    return wrong;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_matrices),
        cmocka_unit_test(generated_matrices),
        cmocka_unit_test(long_searches),
        cmocka_unit_test(orders_can_be_captured),
        cmocka_unit_test(what_is_no_order_is_refused),
    };
    if (argc > 1 && strcmp(argv[1], "--time") == 0)
        return time_orders(argc - 2, argv + 2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
