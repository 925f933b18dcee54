/* Entries per second of the 24 features, on generated matrices of different shape, with 1 and 2
 * threads; beside it a plain sum over the column indices, which is what reading them costs. */
#include "config.h"

#include "base/clock.h"
#include "feature/feature.h"
#include "sparse/generate.h"

#include <inttypes.h>
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

int main(void)
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
