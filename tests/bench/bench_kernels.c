/* GFLOP/s of the CPU kernels in fp32, beside a plain scalar triple loop on one thread, and the
 * share of the memory bandwidth that their compulsory traffic makes up (above 1: B stays in the
 * caches). BENCH_KERNELS: kernel specs separated by blanks (default "cstat rowsplit").
 * BENCH_THREADS: team size (default: all). */
#include "config.h"

#include "base/clock.h"
#include "base/rng.h"
#include "base/str.h"
#include "product.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7 };

/* What everybody writes first; row-major, the fastest order of the three loops. */
static void triple_loop(const rc_csr_t *a, const float *val, int64_t k, const float *b, float *c)
{
    for (int64_t r = 0; r < a->rows; r++) {
        for (int64_t j = 0; j < k; j++)
            c[r * k + j] = 0;
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            for (int64_t j = 0; j < k; j++)
                c[r * k + j] += val[e] * b[a->col_idx[e] * k + j];
    }
}

typedef struct operands {
    rc_csr_t a;
    rc_schedule_t identity;
    float *val;
    float *b;
    float *c;
    int64_t k;
} operands_t;

static double seconds_of_loop(const operands_t *o)
{
    double best = 1e300;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t start = rc_clock_ns();
        triple_loop(&o->a, o->val, o->k, o->b, o->c);
        double t = (double)(rc_clock_ns() - start) * 1e-9;
        best = t < best ? t : best;
    }
    return best;
}

/* Bytes per second of a sum over a buffer far larger than the caches. */
static double read_bandwidth(const rc_device_t *d)
{
    int64_t n = (d->cache_bytes > 0 ? 4 * d->cache_bytes : 256 * 1024 * 1024) / 8;
    int64_t *x = malloc((size_t)n * sizeof *x);
    if (!x)
        return -1;
    for (int64_t i = 0; i < n; i++)
        x[i] = i;
    double best = 0;
    volatile int64_t sink = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t sum = 0;
        int64_t start = rc_clock_ns();
#pragma omp parallel for simd num_threads(d->executor.threads) reduction(+ : sum)
        for (int64_t i = 0; i < n; i++)
            sum += x[i];
        sink = sink + sum;
        double rate = (double)n * 8e9 / (double)(rc_clock_ns() - start);
        best = rate > best ? rate : best;
    }
    free(x);
    return best;
}

static int bench_matrix(
    rc_device_t *d, const char *spec, const rc_words_t *kernels, double bandwidth)
{
    static const int64_t ks[] = {8, 32, 128};
    operands_t o = {.k = 0};
    rc_err_t err = {0};
    int failed = rc_generate(spec, &o.a, NULL, &err) < 0;
    int64_t most = 128 * (o.a.rows > o.a.cols ? o.a.rows : o.a.cols);
    o.identity = (rc_schedule_t){
        .slots = o.a.rows, .rows = o.a.rows, .row = malloc((size_t)o.a.rows * 4)};
    o.val = malloc((size_t)o.a.nnz * sizeof *o.val);
    void *b = NULL;
    void *c = NULL;
    failed = failed || !o.identity.row || !o.val ||
             d->executor.alloc(&d->executor, (size_t)most * sizeof(float), &b, &err) < 0 ||
             d->executor.alloc(&d->executor, (size_t)most * sizeof(float), &c, &err) < 0;
    o.b = b;
    o.c = c;
    for (int64_t i = 0; i < o.a.rows && !failed; i++)
        o.identity.row[i] = (int32_t)i;
    for (int64_t i = 0; i < o.a.nnz && !failed; i++)
        o.val[i] = (float)o.a.val[i];
    for (int64_t i = 0; i < most && !failed; i++) {
        o.b[i] = (float)rc_rng_signed(1, (uint64_t)i);
        o.c[i] = 0;
    }
    for (size_t i = 0; i < sizeof ks / sizeof ks[0] && !failed; i++) {
        o.k = ks[i];
        double flops = 2.0 * (double)o.a.nnz * (double)o.k;
        double loop = seconds_of_loop(&o);
        printf("%-18s %8" PRId64 " %9" PRId64 " %4" PRId64 "  %-12s %8.2f\n", spec, o.a.rows,
            o.a.nnz, o.k, "triple loop", flops / loop * 1e-9);
        for (int j = 0; j < kernels->count && !failed; j++) {
            int64_t bytes = 0;
            const bench_product_t product = {&o.a, &o.identity, o.k, o.b, o.c};
            double t = bench_product_seconds(
                d, kernels->word[j], &product, ROUNDS, &bytes, &err);
            failed = t < 0;
            printf("%-18s %8" PRId64 " %9" PRId64 " %4" PRId64 "  %-12s %8.2f %7.2fx %8.2f\n", spec,
                o.a.rows, o.a.nnz, o.k, kernels->word[j], flops / t * 1e-9, loop / t,
                (double)bytes / t / bandwidth);
        }
    }
    if (failed)
        fprintf(stderr, "bench_kernels: %s\n", err.text);
    free(o.identity.row);
    free(o.val);
    d->executor.release(&d->executor, b);
    d->executor.release(&d->executor, c);
    rc_csr_free(&o.a);
    return failed;
}

int main(void)
{
    static const char *const specs[] = {
        "mesh3d:n=50", "mesh3d:n=24,dof=3", "banded:n=100000", "rmat:scale=16", "powerlaw:n=50000"};
    const char *threads = getenv("BENCH_THREADS");
    const char *list = getenv("BENCH_KERNELS");
    rc_words_t kernels;
    rc_device_t *d;
    rc_err_t err = {0};
    if (rc_words_split(list ? list : "cstat rowsplit", ' ', &kernels, &err) < 0 ||
        rc_device_open_cpu(threads ? atoi(threads) : 0, &d, &err) < 0) {
        fprintf(stderr, "bench_kernels: %s\n", err.text);
        return 1;
    }
    double bandwidth = read_bandwidth(d);
    printf("%s, %d threads, %d lanes, reads %.1f GB/s\n", d->name, d->executor.threads, d->executor.lanes32,
        bandwidth * 1e-9);
    printf("%-18s %8s %9s %4s  %-12s %8s %8s %8s\n", "matrix", "rows", "nnz", "K", "kernel",
        "GFLOP/s", "of loop", "of reads");
    int failed = 0;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0] && !failed; i++)
        failed = bench_matrix(d, specs[i], &kernels, bandwidth);
    rc_words_free(&kernels);
    rc_device_close(d);
    return failed;
}
