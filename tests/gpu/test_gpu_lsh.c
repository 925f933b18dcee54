/* The orders lsh and jiang built on a GPU, against those of the host: the same in every slot.  Needs a GPU: without one
 * it skips itself, or fails when ROWCAST_GPU is 1.  ROWCAST_GPU_SAMPLE=N takes one case in N (for
 * compute-sanitizer).
 *
 * "test_gpu_lsh --time POLICY SPEC..." instead prints what an order of generated matrices takes. */
#include "config.h"
#include "unit.h"

#include "base/clock.h"
#include "base/rng.h"
#include "device/device.h"
#include "operands.h"
#include "order/cuda/orders.h"
#include "order_times.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 200, THREADS = 4 };

typedef struct gpu {
    cudaStream_t stream;
    rc_executor_t x;
} gpu_t;

/* 0: there is none, and that is all right. */
static int begin(gpu_t *g, int threads)
{
    rc_err_t err = {0};
    rc_device_t *d = open_gpu();
    if (!d)
        return 0;
    rc_device_close(d);
    assert_int_equal(cudaSetDevice(0), cudaSuccess);
    assert_int_equal(cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking), cudaSuccess);
    ok(rc_executor_cuda(0, g->stream, NULL, threads, &g->x, &err), &err, "rc_executor_cuda");
    return 1;
}

static void end(gpu_t *g)
{
    rc_executor_cuda_close(&g->x);
    assert_int_equal(cudaStreamDestroy(g->stream), cudaSuccess);
}

/* \return rows that are not in their place */
static int64_t compare(gpu_t *gpu, const rc_csr_t *a, const char *policy, const char *name)
{
    rc_err_t err = {0};
    rc_schedule_t s = {0};
    int64_t moved = 0;
    gpu_pattern_t g = gpu_pattern_new(&gpu->x, a);
    gpu_order(&g, policy);
    ok(rc_order_build(policy, a, NULL, THREADS, &s, &err), &err, policy);
    assert_int_equal(s.slots, a->rows);
    for (int64_t p = 0; p < s.slots; p++) {
        if (s.row[p] != g.row[p])
            fail_msg("%s of %s, slot %" PRId64 " of %" PRId64 ": the host has row %" PRId32 ", the GPU %" PRId32, policy,
                name, p, s.slots, s.row[p], g.row[p]);
        moved += s.row[p] != p;
    }
    rc_schedule_free(&s);
    gpu_pattern_free(&g);
    return moved;
}

static void random_policy(rc_rng_t *r, char *text)
{
    static const int size[] = {1, 2, 3, 5, 16, 256};
    static const int window[] = {0, 1, 2, 8, 40};
    static const int pair_max[] = {0, 1, 2, 256};
    static const char *const least[] = {"auto", "0", "0.3", "1"};
    int bsize = 1 + (int)rc_rng_below(r, 5);
    int bands = 1 + (int)rc_rng_below(r, 8);
    snprintf(text, TEXT, "%s:siglen=%d:bsize=%d:size=%d:seed=%d:sim_min=%s:window=%d:pair_max=%d",
        rc_rng_below(r, 4) ? "lsh" : "jiang:col_min=2:tile_min=1:panel=8", bsize * bands, bsize, size[rc_rng_below(r, 6)],
        (int)rc_rng_below(r, 1000), least[rc_rng_below(r, 4)], window[rc_rng_below(r, 5)],
        pair_max[rc_rng_below(r, 4)]);
}

static rc_csr_t room_for(int64_t rows, int64_t cols, int64_t nnz)
{
    rc_csr_t a;
    assert_int_equal(rc_csr_alloc(rows, cols, nnz, &a, NULL), RC_OK);
    a.nnz = 0;
    a.row_ptr[0] = 0;
    return a;
}

/* Rows are new, empty, or an earlier one: as it is, or with some of its columns changed. */
static rc_csr_t random_rows(rc_rng_t *r, int64_t most)
{
    static const double density[] = {0.01, 0.05, 0.2, 0.7};
    int64_t rows = 1 + (int64_t)rc_rng_below(r, (uint64_t)most);
    int64_t cols = 1 + (int64_t)rc_rng_below(r, 200);
    double fill = density[rc_rng_below(r, 4)];
    int64_t hub = (int64_t)rc_rng_below(r, 3) ? -1 : (int64_t)rc_rng_below(r, (uint64_t)cols);
    unsigned char *flag = calloc((size_t)(rows * cols), 1);
    rc_csr_t a = room_for(rows, cols, rows * cols);
    assert_non_null(flag);
    for (int64_t i = 0; i < rows; i++) {
        uint64_t kind = rc_rng_below(r, 8);
        unsigned char *row = flag + i * cols;
        if (kind > 3 && i > 0)
            memcpy(row, flag + (int64_t)rc_rng_below(r, (uint64_t)i) * cols, (size_t)cols);
        for (int64_t c = 0; kind > 0 && kind < 7 && c < cols; c++)
            if (rc_rng_unit(r) < (kind > 3 ? 0.1 : 1))
                row[c] = rc_rng_unit(r) < fill;
        for (int64_t c = 0; c < cols; c++)
            if (row[c] || c == hub)
                a.col_idx[a.nnz++] = (int32_t)c;
        a.row_ptr[i + 1] = a.nnz;
    }
    free(flag);
    return a;
}

static void random_matrices(void **state)
{
    (void)state;
    rc_rng_t r;
    gpu_t gpu;
    int64_t moved = 0;
    if (!begin(&gpu, 2))
        skip();
    rc_rng_seed(&r, 17);
    for (int round = 0; round < 200; round++) {
        char policy[TEXT];
        char name[32];
        snprintf(name, sizeof name, "random %d", round);
        rc_csr_t a = random_rows(&r, round % 2 ? 45 : 400);
        for (int k = 0; k < 3; k++) {
            random_policy(&r, policy);
            if (round % (int)sample_of_runs() == 0)
                moved += compare(&gpu, &a, policy, name);
        }
        rc_csr_free(&a);
    }
    assert_true(moved > 100);
    end(&gpu);
}

/* Lists that grow, long rows, buckets longer than a window, one column that all rows have, rows that are all equal. */
static void generated_matrices(void **state)
{
    (void)state;
    static const char *const specs[] = {"rowclusters:rows=30000,clusters=400,own=24,share=0.875,shuffle=rows",
        "rmat:scale=14,edges=20", "block:n=30000,size=8,between=1,shuffle=both", "uniform:n=60000,cols=1000,mean=5",
        "arrow:n=100000,width=1,band=1", "arrow:n=4000,width=3", "banded:n=100000,lower=5,upper=4,shuffle=both",
        "bipartite:rows=20000,cols=5000", "sbm:n=20000", "rowclusters:rows=20000,clusters=50,own=40,share=0.98,noise=0.2",
        "block:n=2048,size=2048", "uniform:n=40,cols=1000000,mean=50000"};
    static const char *const policies[] = {"lsh:siglen=24:bsize=3:size=20:seed=3:window=4:sim_min=0.2",
        "lsh:window=40:pair_max=2:size=128", "jiang", "jiang:col_min=8:tile_min=9"};
    enum { POLICIES = sizeof policies / sizeof *policies };
    gpu_t gpu;
    int number = 0;
    if (!begin(&gpu, THREADS))
        skip();
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a;
        rc_err_t err = {0};
        ok(rc_generate(specs[i], &a, NULL, &err), &err, specs[i]);
        for (size_t k = 0; k < 2; k++)
            if (number++ % (int)sample_of_runs() == 0)
                compare(&gpu, &a, k ? policies[i % POLICIES] : "lsh", specs[i]);
        rc_csr_free(&a);
    }
    end(&gpu);
}

/* Row r has columns [first, first + length) and `own`, where that is not negative. */
static void put_row(rc_csr_t *a, int64_t r, int32_t first, int64_t length, int32_t own)
{
    for (int64_t i = 0; i < length; i++)
        a->col_idx[a->nnz++] = first + (int32_t)i;
    if (own >= 0)
        a->col_idx[a->nnz++] = own;
    a->row_ptr[r + 1] = a->nnz;
}

/* A million equal rows; rows that share one column of two; two that differ in one of 10^5 columns, beside a row of
 * a million entries. */
static void hard_rows(void **state)
{
    (void)state;
    enum { million = 1000000, hub_rows = 100000, wide = 100000 };
    gpu_t gpu;
    if (!begin(&gpu, THREADS))
        skip();
    rc_csr_t a = room_for(million, 8, million * 3);
    for (int64_t r = 0; r < million; r++)
        put_row(&a, r, 2, 3, -1);
    compare(&gpu, &a, "lsh", "equal rows");
    rc_csr_free(&a);
    a = room_for(hub_rows, hub_rows + 1, 2 * hub_rows);
    for (int64_t r = 0; r < hub_rows; r++)
        put_row(&a, r, 0, 1, (int32_t)r + 1);
    compare(&gpu, &a, "lsh", "a hub");
    compare(&gpu, &a, "lsh:sim_min=0:size=50", "a hub");
    rc_csr_free(&a);
    a = room_for(5, million, million + 3 * wide);
    put_row(&a, 0, 0, wide, -1);
    put_row(&a, 1, 0, million, -1);
    put_row(&a, 2, 0, 0, -1);
    put_row(&a, 3, 0, wide - 1, wide + 7);
    put_row(&a, 4, 20, 10, -1);
    compare(&gpu, &a, "lsh:sim_min=0", "long rows");
    assert_true(compare(&gpu, &a, "lsh", "long rows") > 0);
    rc_csr_free(&a);
    end(&gpu);
}

/* Without a window more pairs than fit anywhere are refused before one is kept, and a captured stream at once. */
static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    enum { rows = 3000000 };
    gpu_t gpu;
    rc_err_t err = {0};
    cudaGraph_t graph = NULL;
    if (!begin(&gpu, THREADS))
        skip();
    rc_csr_t a = room_for(rows, rows + 8, 9L * rows);
    for (int64_t r = 0; r < rows; r++)
        put_row(&a, r, 0, 8, 8 + (int32_t)r);
    gpu_pattern_t g = gpu_pattern_new(&gpu.x, &a);
    assert_int_equal(gpu_order_ask(&g, "lsh:siglen=2:window=0", &err), RC_ENOMEM);
    assert_non_null(strstr(err.text, " pairs of rows take "));
    assert_int_equal(gpu_order_ask(&g, "lsh:siglen=3", &err), RC_EINVAL);
    assert_int_equal(cudaStreamBeginCapture(gpu.stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    rc_status_t st = gpu_order_ask(&g, "jiang", &err);
    assert_int_equal(cudaStreamEndCapture(gpu.stream, &graph), cudaSuccess);
    assert_int_equal(st, RC_ENOTSUP);
    assert_non_null(strstr(err.text, "captured"));
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    gpu_pattern_free(&g);
    rc_csr_free(&a);
    end(&gpu);
}

static double seconds(int64_t since)
{
    return (double)(rc_clock_ns() - since) * 1e-9;
}

static int time_policy(const char *policy, int count, char **spec)
{
    static const int threads[] = {2, 8};
    gpu_t gpu;
    for (int t = 0; t < 2; t++) {
        if (!begin(&gpu, threads[t]))
            return 77;
        for (int i = 0; i < count; i++) {
            rc_csr_t a;
            rc_err_t err = {0};
            rc_schedule_t s = {0};
            double best = 1e9;
            ok(rc_generate(spec[i], &a, NULL, &err), &err, spec[i]);
            gpu_pattern_t g = gpu_pattern_new(&gpu.x, &a);
            for (int again = 0; again < 2; again++) {
                int64_t since = rc_clock_ns();
                gpu_order(&g, policy);
                best = seconds(since) < best ? seconds(since) : best;
            }
            printf("%s %s: %" PRId64 " rows, %" PRId64 " entries, %d threads: with the GPU %.3f s", policy, spec[i], a.rows,
                a.nnz, threads[t], best);
            if (t > 0) { /* the slower one of the host is not waited for */
                int64_t since = rc_clock_ns();
                ok(rc_order_build(policy, &a, NULL, threads[t], &s, &err), &err, policy);
                printf(", without %.3f s, %s", seconds(since),
                    memcmp(s.row, g.row, (size_t)a.rows * sizeof *s.row) ? "DIFFERENT" : "the same");
            }
            printf("\n");
            fflush(stdout);
            rc_schedule_free(&s);
            gpu_pattern_free(&g);
            rc_csr_free(&a);
        }
        end(&gpu);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(generated_matrices),
        cmocka_unit_test(hard_rows),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    if (argc > 3 && strcmp(argv[1], "--time") == 0)
        return time_policy(argv[2], argc - 3, argv + 3);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
