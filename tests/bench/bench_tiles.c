/* Row reordering for dense tiles on the host: finding tiles as a ratio to a copy of the CSR, dense_ratio of the order lsh
 * over that of clustering all pairs, and hidden clusters; of generated matrices and, with ROWCAST_SHARED set, of real
 * ones.  The time and memory of lsh are those of bench_lsh, products of aspt those of bench_gpu.
 * BENCH_TILES_THREADS: default 2.  BENCH_VERBOSE: every real matrix. */
#include "config.h"

#include "base/clock.h"
#include "base/stats.h"
#include "matrices.h"
#include "order/lsh.h"
#include "sparse/csr.h"
#include "sparse/generate/permute.h"
#include "sparse/similarity.h"
#include "sparse/tiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPEC = 128, MOST = 1024 };

static const rc_lsh_rule_t usual = {128, 2, 256, 1, 8, 256, NAN};

/* A figure of many matrices. */
typedef struct figures {
    int threads;
    int verbose;
    rc_tile_rule_t rule;
    int64_t count;
    double x[MOST];
} figures_t;

#define RULE_8                                                                                     \
    {                                                                                              \
        .panel = 128, .col_min = 8, .tile_cols = 128, .tile_min = 9                                \
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

static double ratio_of(const rc_csr_t *a, const rc_schedule_t *s, const rc_tile_rule_t *rule, int threads)
{
    rc_tiles_t t;
    double ratio = NAN;
    if (rc_tiles_find(a, s, rule, threads, &t, NULL) == RC_OK) {
        ratio = rc_tiles_ratio(&t, a);
        rc_tiles_free(&t);
    }
    return ratio;
}

/* ------------------------------------------------------------------ tiling */

static void time_tiling(void *of, const char *name, const rc_csr_t *a)
{
    enum { times = 3 };
    const rc_tile_rule_t rule = RC_TILE_RULE;
    figures_t *f = of;
    double tiling = 1e30;
    if (f->count == MOST)
        return;
    for (int i = 0; i < times; i++) {
        rc_tiles_t t;
        int64_t since = rc_clock_ns();
        if (rc_tiles_find(a, NULL, &rule, f->threads, &t, NULL) < 0)
            return;
        tiling = fmin(tiling, seconds(since));
        rc_tiles_free(&t);
    }
    f->x[f->count++] = tiling / copy_time(a);
    if (f->verbose)
        printf("%s: %" PRId64 " entries, %.2f of a copy, %.2f ns an entry\n", name, a->nnz, f->x[f->count - 1],
            1e9 * tiling / (double)a->nnz);
}

static void say_tiling(const char *what, figures_t *f)
{
    rc_stats_t x;
    int64_t above = 0;
    if (f->count == 0)
        return;
    rc_stats_compute(f->x, f->count, &x);
    for (int64_t i = 0; i < f->count; i++)
        above += f->x[i] > 3;
    printf("tiling over a copy of the CSR, %s, %" PRId64 " matrices: geomean %.2f, most %.2f, above 3 (the goal): %" PRId64 "\n",
        what, f->count, x.geomean, x.max, above);
}

static void compare_tiling(int threads)
{
    static const char *const specs[] = {"rowclusters:rows=100000,clusters=1333,own=24,share=0.875,shuffle=rows",
        "uniform:n=100000,mean=10", "banded:n=100000,lower=5,upper=4,shuffle=both", "rmat:scale=16,edges=12",
        "bipartite:rows=50000,cols=20000,mean=20", "sbm:n=100000,communities=1000",
        "block:n=65536,size=32,between=1,shuffle=both", "mesh3d:n=46,points=27,shuffle=both",
        "mesh2d:n=300,shuffle=both", "arrow:n=100000,width=1,band=2", "citation:n=100000", "uniform:n=1000000,mean=10"};
    figures_t generated = {.threads = threads, .verbose = 1};
    figures_t real = {.threads = threads, .verbose = getenv("BENCH_VERBOSE") != NULL};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a;
        if (!bench_generated(specs[i], &a))
            continue;
        time_tiling(&generated, specs[i], &a);
        rc_csr_free(&a);
    }
    say_tiling("generated", &generated);
    (void)bench_each_real(50000, INT32_MAX, time_tiling, &real);
    say_tiling("real, 50,000 entries or more", &real);
}

/* ----------------------------------------------------------------- quality */

/* Every pair of units that is similar enough. */
static rc_status_t all_pairs(rc_lsh_t *s, rc_err_t *err)
{
    const rc_csr_t *a = s->a;
    const rc_units_t *units = &s->units;
    double least = rc_lsh_sim_min(s->rule);
    for (int64_t i = 0; i < units->count; i++)
        for (int64_t k = i + 1; k < units->count; k++) {
            int32_t x = units->row[i];
            int32_t y = units->row[k];
            if (rc_jaccard_most(a->row_ptr[x + 1] - a->row_ptr[x], a->row_ptr[y + 1] - a->row_ptr[y]) < least)
                continue;
            double similarity = rc_row_similarity(a, x, y);
            if (similarity < least)
                continue;
            rc_status_t st = rc_pair_set_reserve(&s->seen, 1, err);
            if (st == RC_OK)
                st = rc_pair_list_reserve(&s->list, 1, err);
            if (st < 0)
                return st;
            (void)rc_pair_set_add(&s->seen, rc_pair(x, y));
            s->list.pair[s->list.count++] = (rc_ranked_t){rc_pair_key(similarity), rc_pair(x, y)};
        }
    s->facts.pairs = s->list.count;
    return RC_OK;
}

/* dense_ratio of lsh over that of all pairs, where that is above 0.02. */
static void compare_exact(void *of, const char *name, const rc_csr_t *a)
{
    figures_t *f = of;
    double ratio[2] = {NAN, NAN};
    for (int i = 0; i < 2 && f->count < MOST; i++) {
        rc_schedule_t s = {0};
        rc_err_t err = {0};
        rc_lsh_t l = {.a = a, .rule = &usual, .threads = f->threads, .find = i == 0 ? all_pairs : NULL};
        if (rc_lsh_schedule(&l, &s, &err) == RC_OK)
            ratio[i] = ratio_of(a, &s, &f->rule, f->threads);
        else
            fprintf(stderr, "bench_tiles: %s: %s\n", name, err.text);
        rc_schedule_free(&s);
        if (!(ratio[i] > (i == 0 ? 0.02 : 0)))
            return;
    }
    f->x[f->count++] = ratio[1] / ratio[0];
    if (f->verbose)
        printf("%s: %.4f of all pairs' %.4f\n", name, ratio[1] / ratio[0], ratio[0]);
}

static void say_exact(const char *what, figures_t *f)
{
    rc_stats_t x;
    if (f->count == 0)
        return;
    rc_stats_compute(f->x, f->count, &x);
    printf("dense_ratio of lsh over that of all pairs, %s, %" PRId64
           " matrices: median %.3f (goal 0.98), 5th percentile %.3f (0.88), least %.3f (0.65, next 0.40 at col_min = 8)\n",
        what, f->count, x.median, rc_stats_quantile(f->x, f->count, 0.05), x.min);
}

static void compare_pairs(int threads)
{
    static const char *const specs[] = {"rowclusters:rows=%d,clusters=40,own=24,share=0.875,shuffle=rows",
        "rowclusters:rows=%d,clusters=20,own=40,share=0.6,shuffle=rows", "sbm:n=%d,communities=30,mean=24",
        "block:n=%d,size=32,between=1,shuffle=both", "mesh3d:nx=%d,ny=5,nz=5,n=5,points=27,shuffle=both",
        "bipartite:rows=%d,cols=300,mean=20", "rmat:scale=11,edges=%d,shuffle=both",
        "banded:n=%d,lower=30,upper=30,fill=0.4,shuffle=both"};
    static const int size[] = {1000, 2000, 3000};
    figures_t generated = {.threads = threads, .rule = RC_TILE_RULE};
    static figures_t real[2];
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
            char text[SPEC];
            rc_csr_t a;
            int v = strncmp(specs[i], "mesh3d", 6) == 0 ? size[k] / 25 : strncmp(specs[i], "rmat", 4) == 0 ? size[k] / 60 : size[k];
            snprintf(text, sizeof text, specs[i], v);
            if (!bench_generated(text, &a))
                continue;
            compare_exact(&generated, text, &a);
            rc_csr_free(&a);
        }
    say_exact("generated", &generated);
    real[0] = (figures_t){.threads = threads, .verbose = getenv("BENCH_VERBOSE") != NULL, .rule = RULE_8};
    real[1] = (figures_t){.threads = threads, .verbose = real[0].verbose, .rule = RC_TILE_RULE};
    for (int i = 0; i < 2; i++) {
        (void)bench_each_real(0, 5000, compare_exact, &real[i]);
        say_exact(i ? "real, up to 5,000 rows" : "real, up to 5,000 rows, col_min 8, tile_min 9", &real[i]);
    }
}

/* The example of the definitions: 40 groups of rows with 24 columns of their own, 21 of them in a row and 2 of the others. */
static void find_hidden(int threads)
{
    enum { rows = 3000, groups = 40, own = 24, taken = 21, noise = 2, cols = 2000 };
    rc_triple_t *t = malloc(sizeof *t * rows * (taken + noise));
    rc_csr_t a;
    rc_schedule_t s = {0};
    int64_t n = 0;
    const rc_tile_rule_t rule = RC_TILE_RULE;
    const rc_permute_t mix = rc_permute_make(3, rows);
    for (int64_t r = 0; t && r < rows; r++) {
        int64_t group = rc_permute_at(&mix, r) * groups / rows;
        const rc_permute_t mine = rc_permute_make(100 + (uint64_t)r, own);
        const rc_permute_t any = rc_permute_make(100000 + (uint64_t)r, cols);
        for (int64_t k = 0; k < taken + noise; k++) {
            int64_t c = k < taken ? group * own + rc_permute_at(&mine, k) : rc_permute_at(&any, k);
            t[n++] = (rc_triple_t){.row = (int32_t)r, .col = (int32_t)c, .val = 1};
        }
    }
    if (t && rc_csr_from_triples(rows, cols, t, n, 1, &a, NULL, NULL) == RC_OK) {
        int64_t alike = 0;
        double before = ratio_of(&a, NULL, &rule, threads);
        rc_lsh_t l = {.a = &a, .rule = &usual, .threads = threads};
        if (rc_lsh_schedule(&l, &s, NULL) == RC_OK) {
            for (int64_t p = 1; p < s.slots; p++)
                alike += rc_permute_at(&mix, s.row[p]) * groups / rows == rc_permute_at(&mix, s.row[p - 1]) * groups / rows;
            printf("hidden clusters: %.1f %% of neighbours of one cluster (goal 95), dense_ratio %.3f, was %.3f (goal 0.8)\n",
                100 * (double)alike / (double)(s.slots - 1), ratio_of(&a, &s, &rule, threads), before);
        }
        rc_schedule_free(&s);
        rc_csr_free(&a);
    }
    free(t);
}

int main(void)
{
    const char *text = getenv("BENCH_TILES_THREADS");
    int threads = text ? (int)strtol(text, NULL, 10) : 2;
    compare_tiling(threads);
    find_hidden(threads);
    compare_pairs(threads);
    return 0;
}
