/* The order lsh at its defaults on the host: us per entry of generated and of real matrices of 50,000 entries or more
 * (with ROWCAST_SHARED set), from 10^5 to 10^6 rows, and memory beside the matrix, hub columns and equal rows included.
 * BENCH_LSH_ROWS: of the largest matrices (default 1,000,000).  BENCH_LSH_THREADS: default 2.  BENCH_VERBOSE: every
 * real matrix. */
#include "config.h"

#include "base/clock.h"
#include "base/stats.h"
#include "matrices.h"
#include "order/lsh.h"
#include "process.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SPEC = 128, MOST = 1024 };

static const rc_lsh_rule_t usual = {128, 2, 256, 1, 8, 256, NAN};

static int64_t setting(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

/* Least time of up to three, s; negative on an error. */
static double lsh_time(const rc_csr_t *a, int threads)
{
    enum { times = 3 };
    const double enough = 1;
    double best = -1;
    double total = 0;
    for (int i = 0; i < times && total < enough; i++) {
        rc_err_t err = {0};
        rc_schedule_t s = {0};
        int64_t since = rc_clock_ns();
        rc_lsh_t l = {.a = a, .rule = &usual, .threads = threads};
        rc_status_t st = rc_lsh_schedule(&l, &s, &err);
        double t = 1e-9 * (double)(rc_clock_ns() - since);
        rc_schedule_free(&s);
        if (st < 0) {
            fprintf(stderr, "bench_lsh: %s\n", err.text);
            return -1;
        }
        best = best < 0 || t < best ? t : best;
        total += t;
    }
    return best;
}

/* ------------------------------------------------------------ us per entry */

typedef struct rates {
    int threads;
    int verbose;
    int64_t count;
    double us[MOST];
    char worst[SPEC];
} rates_t;

static void rate(void *of, const char *name, const rc_csr_t *a)
{
    rates_t *r = of;
    double t = r->count < MOST ? lsh_time(a, r->threads) : -1;
    if (t < 0)
        return;
    double us = 1e6 * t / (double)a->nnz;
    double most = 0;
    for (int64_t i = 0; i < r->count; i++)
        most = fmax(most, r->us[i]);
    if (us >= most)
        snprintf(r->worst, sizeof r->worst, "%s", name);
    r->us[r->count++] = us;
    if (r->verbose)
        printf("%s: %" PRId64 " rows, %" PRId64 " entries, %.3f\n", name, a->rows, a->nnz, us);
}

static void say_rates(const char *what, rates_t *r)
{
    rc_stats_t x;
    if (r->count == 0)
        return;
    rc_stats_compute(r->us, r->count, &x);
    printf("%s, %" PRId64 " matrices, us per entry: median %.3f (goal 0.6), most %.3f (goal 4) %s\n", what, r->count,
        x.median, x.max, r->worst);
}

static void time_entries(int threads)
{
    static const char *const specs[] = {"rowclusters:rows=100000,clusters=1333,own=24,share=0.875,shuffle=rows",
        "uniform:n=100000,mean=10", "banded:n=100000,lower=5,upper=4,shuffle=both", "rmat:scale=16,edges=12",
        "bipartite:rows=50000,cols=20000,mean=20", "sbm:n=100000,communities=1000",
        "block:n=65536,size=32,between=1,shuffle=both", "mesh3d:n=46,points=27,shuffle=both",
        "mesh2d:n=300,shuffle=both", "arrow:n=100000,width=1,band=2", "citation:n=100000"};
    rates_t generated = {.threads = threads, .verbose = 1};
    static rates_t real;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a;
        if (!bench_generated(specs[i], &a))
            continue;
        rate(&generated, specs[i], &a);
        rc_csr_free(&a);
    }
    say_rates("generated", &generated);
    real = (rates_t){.threads = threads, .verbose = getenv("BENCH_VERBOSE") != NULL};
    (void)bench_each_real(50000, INT32_MAX, rate, &real);
    say_rates("real, 50,000 entries or more", &real);
}

/* ------------------------------------------------------------------ growth */

/* Of the spec head, rows, tail. */
static void time_growth(const char *head, const char *tail, int64_t rows, int threads)
{
    double time[2] = {-1, -1};
    int64_t entries = 0;
    for (int i = 0; i < 2; i++) {
        char text[SPEC];
        rc_csr_t a;
        snprintf(text, sizeof text, "%s%" PRId64 "%s", head, i ? rows : rows / 10, tail);
        if (!bench_generated(text, &a))
            return;
        time[i] = lsh_time(&a, threads);
        entries = a.nnz;
        rc_csr_free(&a);
    }
    printf("%s%" PRId64 "%s: %" PRId64 " entries, %.2f s (goal 10 s of 10^7), %.1f times as long as a tenth of the rows (goal 13, next 20)\n",
        head, rows, tail, entries, time[1], time[1] / time[0]);
}

/* ------------------------------------------------------------------ memory */

static void say_memory(const char *name, const rc_csr_t *a, int threads)
{
    const double of_row = 64;
    const double of_pair = 32;
    rc_lsh_t l = {.a = a, .rule = &usual, .threads = threads};
    rc_schedule_t s = {0};
    bench_forget_peak();
    double before = bench_memory();
    if (rc_lsh_schedule(&l, &s, NULL) < 0)
        return;
    double bytes = bench_peak() - before;
    rc_schedule_free(&s);
    printf("%s: %" PRId64 " rows, %" PRId64 " pairs, %.0f MB beside the matrix, %.2f of 64 bytes a row and 32 a pair (goal 1, next 1.1)\n",
        name, a->rows, l.facts.pairs, 1e-6 * bytes, bytes / (of_row * (double)a->rows + of_pair * (double)l.facts.pairs));
}

/* Rows of the same ten columns. */
static int equal_rows(int64_t rows, rc_csr_t *a)
{
    enum { cols = 10 };
    if (rc_csr_alloc(rows, cols, rows * cols, a, NULL) < 0)
        return 0;
    for (int64_t e = 0; e < a->nnz; e++) {
        a->col_idx[e] = (int32_t)(e % cols);
        a->row_ptr[e / cols + 1] = e + 1;
    }
    return 1;
}

static void measure_memory(int64_t rows, int threads)
{
    static const char *const specs[] = {"uniform:n=%" PRId64 ",mean=10", "banded:n=%" PRId64 ",lower=5,upper=4,shuffle=both",
        "rowclusters:rows=%" PRId64 ",clusters=13333,own=12,share=0.8,shuffle=rows", "arrow:n=%" PRId64 ",width=1,band=2",
        "bipartite:rows=%" PRId64 ",cols=100000,mean=10", "sbm:n=%" PRId64 ",communities=4000",
        "uniform:n=%" PRId64 ",cols=10000000,mean=10"};
    rc_csr_t a;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char text[SPEC];
        snprintf(text, sizeof text, specs[i], rows);
        if (!bench_generated(text, &a))
            continue;
        say_memory(text, &a, threads);
        rc_csr_free(&a);
    }
    if (equal_rows(rows, &a)) {
        double t = lsh_time(&a, threads);
        printf("equal rows: %.2f s\n", t);
        say_memory("equal rows", &a, threads);
        rc_csr_free(&a);
    }
}

int main(void)
{
    int threads = (int)setting("BENCH_LSH_THREADS", 2);
    int64_t rows = setting("BENCH_LSH_ROWS", 1000000);
    time_entries(threads);
    time_growth("uniform:n=", ",mean=10", rows, threads);
    time_growth("banded:n=", ",lower=5,upper=4", rows, threads);
    time_growth("citation:n=", "", rows, threads);
    measure_memory(rows, threads);
    return 0;
}
