/* CSR-k on a CPU: what its orders take beside reverse Cuthill-McKee, and csr2 over the plain static row loop in the
 * same order, SRS 96 and the best of the paper's 18 sizes.  Ratios are of the same run; orders have the CPU time of all
 * their threads. The anchor of rcm, SciPy on the first grid, is not run here.
 * BENCH_CSRK_N: side of the grids (default 1000: 1,000,000 rows, and 4.8 times as many). */
#include "config.h"

#include "base/str.h"
#include "kernels/tuning/csrk_fit.h"
#include "order/graph.h"
#include "order/policy.h"
#include "process.h"
#include "product.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Least CPU time of so many builds in seconds; negative on an error.
 * \param[out] bytes  what the first one needed at once beside A */
static double order_seconds(const char *policy, const rc_csr_t *a, int threads, int builds, double *bytes)
{
    double best = -1;
    for (int i = 0; i < builds; i++) {
        rc_err_t err = {0};
        rc_schedule_t s = {0};
        bench_forget_peak();
        double before = bench_memory();
        double start = bench_cpu_seconds();
        rc_status_t st = rc_order_build(policy, a, NULL, threads, &s, &err);
        double t = bench_cpu_seconds() - start;
        *bytes = i == 0 ? bench_peak() - before : *bytes;
        rc_schedule_free(&s);
        if (st < 0) {
            fprintf(stderr, "bench_csrk: %s\n", err.text);
            return -1;
        }
        best = best < 0 || t < best ? t : best;
    }
    return best;
}

/* Bytes of the pattern of A + A', its diagonal left out; NaN: no memory. */
static double pattern_bytes(const rc_csr_t *a)
{
    rc_graph_t g = {0};
    if (rc_graph_build(a, &g, NULL) < 0)
        return NAN;
    double bytes = (double)g.ptr[g.n] * sizeof *g.adj + ((double)g.n + 1) * sizeof *g.ptr;
    rc_graph_free(&g);
    return bytes;
}

static int print_orders(const char *spec, int threads, int builds, double goal)
{
    static const char *const policies[] = {"rcm", "bandk:srs=8:ssrs=8", "bandk:srs=8:ssrs=8:coarsen=band"};
    rc_csr_t a = {0};
    rc_err_t err = {0};
    double t[3] = {0, 0, 0};
    double bytes[3] = {0, 0, 0};
    if (rc_generate(spec, &a, NULL, &err) < 0) {
        fprintf(stderr, "bench_csrk: %s\n", err.text);
        return 0;
    }
    double pattern = pattern_bytes(&a);
    for (int i = 0; i < 3; i++)
        t[i] = order_seconds(policies[i], &a, threads, builds, &bytes[i]);
    printf("%s, %" PRId64 " rows, %" PRId64 " entries, %d threads, CPU time: rcm %.2f s, bandk heavy %.2f s (%.1f of rcm, goal 4",
        spec, a.rows, a.nnz, threads, t[0], t[1], t[1] / t[0]);
    if (goal > 0)
        printf("; goal %g s", goal);
    printf("), band %.2f s (%.1f); memory over the pattern: %.2f, %.2f, %.2f (goal 3)\n", t[2], t[2] / t[0],
        bytes[0] / pattern, bytes[1] / pattern, bytes[2] / pattern);
    rc_csr_free(&a);
    return t[0] > 0 && t[1] > 0 && t[2] > 0;
}

/* \param[in,out] sum  of logs: SRS 96, the best size; and the least of SRS 96 */
static int print_kernels(rc_device_t *d, const char *spec, double *sum, double *least)
{
    enum { rounds = 15 };
    rc_csr_t a = {0};
    rc_schedule_t s = {0};
    rc_err_t err = {0};
    if (rc_generate(spec, &a, NULL, &err) < 0 || rc_order_build("csr", &a, NULL, 1, &s, &err) < 0) {
        fprintf(stderr, "bench_csrk: %s\n", err.text);
        return 0;
    }
    bench_product_t o = {.a = &a, .identity = &s, .k = 1};
    o.b = calloc((size_t)a.cols + 1, sizeof *o.b);
    o.c = calloc((size_t)a.rows + 1, sizeof *o.c);
    double loop = o.b && o.c ? bench_product_seconds(d, "plain-spmv-static", &o, rounds, NULL, &err) : -1;
    double constant = -1;
    double best = INFINITY;
    int best_size = 0;
    for (int i = 0; i < RC_CSRK_SRS_SIZES && loop > 0; i++) {
        char kernel[32];
        (void)snprintf(kernel, sizeof kernel, "csr2:srs=%d", (int)rc_csrk_srs_sizes[i]);
        double t = bench_product_seconds(d, kernel, &o, rounds, NULL, &err);
        constant = rc_csrk_srs_sizes[i] == 96 ? t : constant;
        if (t > 0 && t < best) {
            best = t;
            best_size = (int)rc_csrk_srs_sizes[i];
        }
    }
    if (loop > 0 && constant > 0) {
        printf("%s: csr2 over the static loop, SRS 96 %.3f, best %.3f (SRS %d)\n", spec, loop / constant, loop / best,
            best_size);
        sum[0] += log(loop / constant);
        sum[1] += log(loop / best);
        *least = fmin(*least, loop / constant);
    } else
        fprintf(stderr, "bench_csrk: %s\n", err.text);
    free(o.b);
    free(o.c);
    rc_schedule_free(&s);
    rc_csr_free(&a);
    return loop > 0 && constant > 0;
}

int main(void)
{
    static const char *const matrices[] = {"mesh2d:n=1000", "mesh3d:n=90", "mesh3d:n=50,points=27",
        "triangulation:n=500000", "road:n=1000000", "rmat:scale=17"};
    enum { count = sizeof matrices / sizeof *matrices };
    const char *side = getenv("BENCH_CSRK_N");
    char grid[64];
    double sum[2] = {0, 0};
    double least = INFINITY;
    rc_device_t *d = NULL;
    rc_err_t err = {0};
    (void)snprintf(grid, sizeof grid, "mesh2d:n=%d,shuffle=both", side ? atoi(side) : 1000);
    int is_good = print_orders(grid, 1, 3, 0);
    (void)snprintf(grid, sizeof grid, "mesh2d:n=%d,shuffle=both", (int)((side ? atoi(side) : 1000) * 2.191));
    is_good &= print_orders(grid, 2, 1, 12);
    is_good &= print_orders(side ? "rmat:scale=14,edges=16" : "rmat:scale=20,edges=16", 1, 1, 6);
    if (rc_device_open_cpu(0, &d, &err) < 0) {
        fprintf(stderr, "bench_csrk: %s\n", err.text);
        return 1;
    }
    for (int i = 0; i < count; i++)
        is_good &= print_kernels(d, matrices[i], sum, &least);
    if (is_good)
        printf("csr2 over the static loop, %d threads, geomean: SRS 96 %.3f (goal 1.0), least %.3f (goal 0.9), best size %.3f "
               "(goal 1.03 with the best of each, 1.02 as one constant)\n", d->executor.threads, exp(sum[0] / count), least, exp(sum[1] / count));
    rc_device_close(d);
    return !is_good;
}
