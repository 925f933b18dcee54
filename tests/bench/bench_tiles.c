/* Row reordering for dense tiles on the host, as ratios: the order lsh to a copy of the CSR, per entry and from 10^5 to
 * 10^6 rows; its dense_ratio to that of clustering all pairs; hidden clusters; finding tiles to a copy of the CSR.
 * Products of aspt are those of bench_gpu.
 * BENCH_TILES_ROWS: of the largest matrices (default 1,000,000).  BENCH_TILES_THREADS: default 2. */
#include "config.h"

#include "base/clock.h"
#include "base/stats.h"
#include "order/lsh.h"
#include "sparse/csr.h"
#include "sparse/generate.h"
#include "sparse/similarity.h"
#include "sparse/tiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPEC = 128 };

static const rc_lsh_rule_t usual = {128, 2, 256, 1, 8, 256, NAN};

static int64_t setting(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

static int made(const char *spec, rc_csr_t *a)
{
    rc_err_t err = {0};
    if (rc_generate(spec, a, NULL, &err) == RC_OK)
        return 1;
    fprintf(stderr, "bench_tiles: %s: %s\n", spec, err.text);
    return 0;
}

static double seconds(int64_t since)
{
    return 1e-9 * (double)(rc_clock_ns() - since);
}

/* Copying pointers, columns and values once, s. */
static double copy_time(const rc_csr_t *a)
{
    size_t ptr = ((size_t)a->rows + 1) * sizeof *a->row_ptr;
    size_t col = (size_t)a->nnz * sizeof *a->col_idx;
    size_t val = (size_t)a->nnz * sizeof *a->val;
    char *to = malloc(ptr + col + val + 1);
    double best = 1e30;
    for (int i = 0; to && i < 4; i++) { /* the first one finds the pages */
        int64_t since = rc_clock_ns();
        memcpy(to, a->row_ptr, ptr);
        memcpy(to + ptr, a->col_idx, col);
        memcpy(to + ptr + col, a->val, val);
        best = i > 0 && seconds(since) < best ? seconds(since) : best;
    }
    free(to);
    return best;
}

/* The order lsh, s; negative on an error. */
static double lsh_time(const rc_csr_t *a, int threads, rc_schedule_t *out)
{
    rc_err_t err = {0};
    int64_t since = rc_clock_ns();
    if (rc_lsh_schedule(a, &usual, threads, NULL, out, NULL, &err) < 0) {
        fprintf(stderr, "bench_tiles: %s\n", err.text);
        return -1;
    }
    return seconds(since);
}

static double ratio_of(const rc_csr_t *a, const rc_schedule_t *s, int threads)
{
    const rc_tile_rule_t rule = RC_TILE_RULE;
    rc_tiles_t t;
    double ratio = NAN;
    if (rc_tiles_find(a, s, &rule, threads, &t, NULL) == RC_OK) {
        ratio = rc_tiles_ratio(&t, a);
        rc_tiles_free(&t);
    }
    return ratio;
}

/* ---------------------------------------------------------- time and tiling */

static void time_lsh(int threads)
{
    static const char *const specs[] = {"rowclusters:rows=100000,clusters=1333,own=24,share=0.875,shuffle=rows",
        "uniform:n=100000,mean=10", "banded:n=100000,lower=5,upper=4,shuffle=both", "rmat:scale=16,edges=12",
        "bipartite:rows=50000,cols=20000,mean=20", "sbm:n=100000,communities=1000", "block:n=65536,size=32,between=1,shuffle=both",
        "mesh3d:n=46,points=27,shuffle=both", "mesh2d:n=300,shuffle=both", "arrow:n=100000,width=1,band=2",
        "citation:n=100000"};
    enum { COUNT = sizeof specs / sizeof *specs };
    const rc_tile_rule_t rule = RC_TILE_RULE;
    double us[COUNT];
    int64_t n = 0;
    printf("matrix: lsh over a copy of the CSR, us per entry, tiling over a copy, dense_ratio before and after\n");
    for (int i = 0; i < COUNT; i++) {
        rc_csr_t a;
        rc_schedule_t s = {0};
        rc_tiles_t t;
        if (!made(specs[i], &a))
            continue;
        double copy = copy_time(&a);
        double lsh = lsh_time(&a, threads, &s);
        double tiling = 1e30;
        for (int again = 0; again < 3; again++) {
            int64_t since = rc_clock_ns();
            if (rc_tiles_find(&a, NULL, &rule, threads, &t, NULL) == RC_OK)
                rc_tiles_free(&t);
            tiling = seconds(since) < tiling ? seconds(since) : tiling;
        }
        if (lsh >= 0) {
            us[n] = lsh * 1e6 / (double)a.nnz;
            printf("%s: %.0f, %.3f, %.1f, %.3f, %.3f\n", specs[i], lsh / copy, us[n++], tiling / copy,
                ratio_of(&a, NULL, threads), ratio_of(&a, &s, threads));
        }
        rc_schedule_free(&s);
        rc_csr_free(&a);
    }
    if (n > 0) {
        rc_stats_t x;
        rc_stats_compute(us, n, &x);
        printf("us per entry: median %.3f (goal 0.6), most %.3f (goal 4)\n", x.median, x.max);
    }
}

static void time_growth(const char *spec, int64_t rows, int threads)
{
    double time[2] = {-1, -1};
    for (int i = 0; i < 2; i++) {
        char text[SPEC];
        rc_csr_t a;
        rc_schedule_t s = {0};
        snprintf(text, sizeof text, spec, i ? rows : rows / 10);
        if (!made(text, &a))
            return;
        time[i] = lsh_time(&a, threads, &s);
        rc_schedule_free(&s);
        rc_csr_free(&a);
        printf("%s: %.2f s\n", text, time[i]);
    }
    printf("ten times the rows: %.1f times as long (goal 13)\n", time[1] / time[0]);
}

/* ------------------------------------------------------------- quality */

/* Every pair of units that is similar enough. */
static rc_status_t all_pairs(const rc_lsh_finder_t *f, const rc_csr_t *a, const rc_units_t *units, const rc_lsh_rule_t *rule,
    rc_pair_set_t *seen, rc_pair_list_t *list, rc_lsh_facts_t *facts, rc_err_t *err)
{
    double least = rc_lsh_sim_min(rule);
    (void)f;
    for (int64_t i = 0; i < units->count; i++)
        for (int64_t k = i + 1; k < units->count; k++) {
            int32_t x = units->row[i];
            int32_t y = units->row[k];
            double similarity = rc_row_similarity(a, x, y);
            if (similarity < least)
                continue;
            rc_status_t st = rc_pair_set_reserve(seen, 1, err);
            if (st == RC_OK)
                st = rc_pair_list_reserve(list, 1, err);
            if (st < 0)
                return st;
            (void)rc_pair_set_add(seen, rc_pair(x, y));
            list->pair[list->count++] = (rc_ranked_t){rc_pair_key(similarity), rc_pair(x, y)};
        }
    facts->pairs = list->count;
    return RC_OK;
}

static void compare_exact(int threads)
{
    static const char *const specs[] = {"rowclusters:rows=%d,clusters=40,own=24,share=0.875,shuffle=rows",
        "rowclusters:rows=%d,clusters=20,own=40,share=0.6,shuffle=rows", "sbm:n=%d,communities=30,mean=24",
        "block:n=%d,size=32,between=1,shuffle=both", "mesh3d:nx=%d,ny=5,nz=5,n=5,points=27,shuffle=both",
        "bipartite:rows=%d,cols=300,mean=20", "rmat:scale=11,edges=%d,shuffle=both", "banded:n=%d,lower=30,upper=30,fill=0.4,shuffle=both"};
    enum { COUNT = sizeof specs / sizeof *specs, SIZES = 3 };
    static const int size[SIZES] = {1000, 2000, 3000};
    double x[COUNT * SIZES];
    int64_t n = 0;
    const rc_lsh_finder_t exact = {.find = all_pairs, .threads = threads};
    for (int i = 0; i < COUNT * SIZES; i++) {
        char text[SPEC];
        rc_csr_t a;
        rc_schedule_t s[2] = {{0}, {0}};
        int v = size[i % SIZES];
        v = strncmp(specs[i / SIZES], "mesh3d", 6) == 0 ? v / 25 : strncmp(specs[i / SIZES], "rmat", 4) == 0 ? v / 60 : v;
        snprintf(text, sizeof text, specs[i / SIZES], v);
        if (!made(text, &a))
            continue;
        if (lsh_time(&a, threads, &s[0]) >= 0 && rc_lsh_schedule_by(&a, &usual, &exact, &s[1], NULL, NULL) == RC_OK) {
            double all = ratio_of(&a, &s[1], threads);
            if (all > 0.02)
                x[n++] = ratio_of(&a, &s[0], threads) / all;
        }
        rc_schedule_free(&s[0]);
        rc_schedule_free(&s[1]);
        rc_csr_free(&a);
    }
    if (n == 0)
        return;
    rc_stats_t of;
    rc_stats_compute(x, n, &of);
    printf("dense_ratio of lsh over that of all pairs, %" PRId64
           " matrices: median %.3f (goal 0.98), 5th percentile %.3f (0.88), least %.3f (0.65)\n",
        n, of.median, rc_stats_quantile(x, n, 0.05), of.min);
}

int main(void)
{
    int threads = (int)setting("BENCH_TILES_THREADS", 2);
    int64_t rows = setting("BENCH_TILES_ROWS", 1000000);
    time_lsh(threads);
    compare_exact(threads);
    time_growth("uniform:n=%" PRId64 ",mean=10", rows, threads);
    time_growth("banded:n=%" PRId64 ",lower=5,upper=4", rows, threads);
    return 0;
}
