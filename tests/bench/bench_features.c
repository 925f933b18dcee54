/* Entries per second of the 24 features, on generated matrices of different shape, with 1 and 2
 * threads; beside it a plain sum over the column indices, which is what reading them costs.
 * Then, for every matrix of a collection (the first argument, or ROWCAST_SHARED/matrices; skipped
 * without one), the features over one product of the fastest CPU kernel at K = 32 in fp32, both
 * with BENCH_THREADS threads (default 1).  BENCH_LIMIT: at most so many matrices.  BENCH_VERBOSE: a
 * line per matrix with rows, entries, ns per entry of both, and the ratio. */
#include "config.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/stats.h"
#include "catalog/catalog.h"
#include "feature/feature.h"
#include "product.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 5 };

static double seconds_of_features(const rc_csr_t *a, int threads)
{
    static const rc_geometry_t paper = {32, 32, 32};
    double out[RC_FEATURES_MEHRABI];
    double best = 1e300;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t start = rc_clock_ns();
        if (rc_features_compute(a, &paper, threads, out, NULL) < 0)
            return -1;
        double t = (double)(rc_clock_ns() - start) * 1e-9;
        best = t < best ? t : best;
    }
    return best;
}

static double seconds_of_sum(const rc_csr_t *a)
{
    double best = 1e300;
    volatile int64_t sink = 0;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t sum = 0;
        int64_t start = rc_clock_ns();
        for (int64_t e = 0; e < a->nnz; e++)
            sum += a->col_idx[e];
        sink = sink + sum;
        double t = (double)(rc_clock_ns() - start) * 1e-9;
        best = t < best ? t : best;
    }
    return best;
}

static int bench_generated(void)
{
    static const char *const specs[] = {"mesh3d:n=100", "mesh3d:n=40,dof=3", "banded:n=400000",
        "rmat:scale=18", "uniform:n=300000"};
    printf("%-20s %10s %12s %14s %14s %10s\n", "matrix", "rows", "nnz", "1 thread M/s",
        "2 threads M/s", "of a sum");
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        rc_csr_t a;
        rc_err_t err = {0};
        if (rc_generate(specs[i], &a, NULL, &err) < 0) {
            fprintf(stderr, "bench_features: %s\n", err.text);
            return 1;
        }
        double one = seconds_of_features(&a, 1);
        double two = seconds_of_features(&a, 2);
        double sum = seconds_of_sum(&a);
        if (one < 0 || two < 0)
            return 1;
        double m = (double)a.nnz * 1e-6;
        printf("%-20s %10" PRId64 " %12" PRId64 " %14.1f %14.1f %9.2fx\n", specs[i], a.rows, a.nnz,
            m / one, m / two, sum / one);
        rc_csr_free(&a);
    }
    return 0;
}

/* ------------------------------------------------------- against a product */

enum { K = 32, MATRIX_ROUNDS = 15 };

typedef struct product {
    rc_csr_t a;
    rc_schedule_t identity;
    float *b;
    float *c;
} product_t;

static double seconds_of_product(rc_device_t *d, const product_t *o, rc_err_t *err)
{
    const bench_product_t p = {&o->a, &o->identity, K, o->b, o->c};
    double cstat = bench_product_seconds(d, "cstat", &p, MATRIX_ROUNDS, NULL, err);
    double rowsplit = bench_product_seconds(d, "rowsplit", &p, MATRIX_ROUNDS, NULL, err);
    return cstat < 0 || rowsplit < 0 ? NAN : fmin(cstat, rowsplit);
}

/* Features over product of one matrix; NaN with err set. */
static double ratio_of(rc_device_t *d, const rc_entry_t *e, rc_err_t *err)
{
    product_t o = {.a = {0}};
    void *b = NULL;
    void *c = NULL;
    double ratio = NAN;
    rc_status_t st;
    RC_TRY(rc_entry_load(e, NULL, d->executor.threads, NULL, &o.a, NULL, err));
    RC_TRY(rc_order_build("csr", &o.a, NULL, 1, &o.identity, err));
    RC_TRY(d->executor.alloc(&d->executor, ((size_t)o.a.cols * K + 1) * sizeof(float), &b, err));
    RC_TRY(d->executor.alloc(&d->executor, ((size_t)o.a.rows * K + 1) * sizeof(float), &c, err));
    o.b = b;
    o.c = c;
    for (int64_t i = 0; i < o.a.cols * K; i++)
        o.b[i] = (float)rc_rng_signed(1, (uint64_t)i);
    double features = INFINITY;
    for (int i = 0; i < MATRIX_ROUNDS / ROUNDS; i++)
        features = fmin(features, seconds_of_features(&o.a, d->executor.threads));
    double product = seconds_of_product(d, &o, err);
    ratio = features / product;
    if (getenv("BENCH_VERBOSE"))
        printf("%-40s %9" PRId64 " %10" PRId64 " %8.3f %8.3f %8.3fx\n", e->name, o.a.rows, o.a.nnz,
            1e9 * features / (double)o.a.nnz, 1e9 * product / (double)o.a.nnz, ratio);
done:
    d->executor.release(&d->executor, b);
    d->executor.release(&d->executor, c);
    rc_schedule_free(&o.identity);
    rc_csr_free(&o.a);
    return ratio;
}

static void report_ratios(const rc_catalog_t *all, double *ratio, int64_t n, int threads)
{
    int64_t below = 0;
    int64_t worst = 0;
    for (int64_t i = 0; i < n; i++) {
        below += ratio[i] < 1;
        worst = ratio[i] > ratio[worst] ? i : worst;
    }
    printf("\nfeatures over a product at K = %d, %d thread%s, %" PRId64 " matrices: below 1x for "
           "%.1f %%, worst %s\n",
        K, threads, threads == 1 ? "" : "s", n, 100 * (double)below / (double)n,
        all->entry[worst].name);
    qsort(ratio, (size_t)n, sizeof *ratio, rc_stats_compare);
    printf("quantiles of the ratio:");
    static const double q[] = {0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1};
    for (size_t i = 0; i < sizeof q / sizeof *q; i++)
        printf("  %g: %.3fx", q[i], rc_stats_quantile(ratio, n, q[i]));
    putchar('\n');
}

static int bench_collection(const char *folder, int64_t limit, int threads)
{
    rc_catalog_t all = {0};
    rc_device_t *d = NULL;
    double *ratio = NULL;
    rc_err_t err = {0};
    rc_status_t st;
    RC_TRY(rc_catalog_scan(folder, NULL, &all, &err));
    rc_catalog_select(&all, NULL, limit);
    RC_TRY(rc_device_open_cpu(threads, &d, &err));
    ratio = malloc((size_t)(all.count ? all.count : 1) * sizeof *ratio);
    RC_TRY(ratio ? RC_OK : rc_fail(&err, RC_ENOMEM, "no memory"));
    for (int64_t i = 0; i < all.count; i++) {
        ratio[i] = ratio_of(d, &all.entry[i], &err);
        if (isnan(ratio[i]))
            RC_TRY(rc_fail(&err, RC_EWRONG, "%s: no ratio (%s)", all.entry[i].name, err.text));
    }
    if (all.count)
        report_ratios(&all, ratio, all.count, threads);
done:
    if (st < 0)
        fprintf(stderr, "bench_features: %s\n", err.text);
    free(ratio);
    if (d)
        rc_device_close(d);
    rc_catalog_free(&all);
    return st < 0;
}

int main(int argc, char **argv)
{
    char folder[4096];
    const char *shared = getenv("ROWCAST_SHARED");
    const char *threads = getenv("BENCH_THREADS");
    const char *limit = getenv("BENCH_LIMIT");
    snprintf(folder, sizeof folder, "%s%s",
        argc > 1 ? argv[1]
        : shared ? shared
                 : "",
        argc > 1 || !shared ? "" : "/matrices");
    int failed = bench_generated();
    if (!failed && folder[0])
        failed = bench_collection(folder, limit ? atoll(limit) : -1, threads ? atoi(threads) : 1);
    return failed;
}
