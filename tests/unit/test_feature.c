#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "feature/feature.h"
#include "feature/walk.h"
#include "order_matrix.h"
#include "rowcast_io.h"
#include "sparse/generate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = RC_FEATURES_MEHRABI };

/* ------------------------------------------------ straight from the definitions */

/* 1 when row r has an entry in columns [c0, c1) among its entries number e0 .. e1 - 1. */
static int row_touches(const rc_csr_t *a, int64_t r, int64_t e0, int64_t e1, int64_t c0, int64_t c1)
{
    for (int64_t e = a->row_ptr[r] + e0; e < a->row_ptr[r] + e1; e++)
        if (a->col_idx[e] >= c0 && a->col_idx[e] < c1)
            return 1;
    return 0;
}

static int64_t row_length(const rc_csr_t *a, int64_t r)
{
    return a->row_ptr[r + 1] - a->row_ptr[r];
}

static void min_mean_max(const double *x, int64_t n, double out[3])
{
    out[0] = n ? x[0] : 0;
    out[1] = 0;
    out[2] = n ? x[0] : 0;
    for (int64_t i = 0; i < n; i++) {
        out[0] = fmin(out[0], x[i]);
        out[2] = fmax(out[2], x[i]);
        out[1] += x[i];
    }
    out[1] = n ? out[1] / (double)n : 0;
}

static double *zeros(int64_t n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void reference(const rc_csr_t *a, const rc_geometry_t *g, double out[N])
{
    int64_t lines = (a->cols + g->line - 1) / g->line;
    int64_t blocks = (a->cols + g->nw - 1) / g->nw;
    double *length = zeros(a->rows);
    double *block = zeros(a->rows);
    double *distance = zeros(a->rows);
    double *load = zeros(g->nw);
    double *same = zeros(lines);
    double *distinct = zeros(g->nw);
    double *total = zeros(g->nw);
    out[0] = (double)a->rows;
    out[1] = (double)a->cols;
    out[2] = a->rows && a->cols ? (double)a->nnz / ((double)a->rows * (double)a->cols) : 0;
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t n = row_length(a, r);
        length[r] = (double)n;
        for (int64_t i = 0; i < blocks; i++)
            block[r] += row_touches(a, r, 0, n, i * g->nw, (i + 1) * g->nw);
        load[r % g->nw] += ceil((double)n / (double)g->nt);
        for (int64_t i = 0; i < lines; i++) {
            for (int64_t e = 0; e < n; e += g->nt) {
                int64_t stop = e + g->nt < n ? e + g->nt : n;
                int hit = row_touches(a, r, e, stop, i * g->line, (i + 1) * g->line);
                same[i] += hit;
                total[r % g->nw] += hit;
            }
            if (r > 0)
                distance[r - 1] +=
                    row_touches(a, r, 0, n, i * g->line, (i + 1) * g->line) !=
                    row_touches(a, r - 1, 0, row_length(a, r - 1), i * g->line, (i + 1) * g->line);
        }
    }
    for (int64_t w = 0; w < g->nw && w < a->rows; w++)
        for (int64_t i = 0; i < lines; i++) {
            int hit = 0;
            for (int64_t r = w; r < a->rows && !hit; r += g->nw)
                hit = row_touches(a, r, 0, row_length(a, r), i * g->line, (i + 1) * g->line);
            distinct[w] += hit;
        }
    min_mean_max(length, a->rows, out + 3);
    min_mean_max(block, a->rows, out + 6);
    min_mean_max(load, g->nw, out + 9);
    min_mean_max(same, lines, out + 12);
    min_mean_max(distinct, g->nw, out + 15);
    min_mean_max(total, g->nw, out + 18);
    min_mean_max(distance, a->rows > 0 ? a->rows - 1 : 0, out + 21);
    free(length);
    free(block);
    free(distance);
    free(load);
    free(same);
    free(distinct);
    free(total);
}

/* All counts are integers below 2^53, so the two must agree in every bit. */
static void compare(const rc_csr_t *a, const rc_geometry_t *g, const double *want,
    const double *got, const char *what)
{
    for (int i = 0; i < N; i++)
        if (want[i] != got[i])
            fail_msg(
                "%s: %s of %d x %d, %d entries, geometry %d %d %d: expected %.17g, found %.17g",
                what, rc_feature_name(i), (int)a->rows, (int)a->cols, (int)a->nnz, g->nw, g->nt,
                g->line, want[i], got[i]);
}

/* ----------------------------------------------------------------- tests */

static void random_matrices_match_the_definitions(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 2021);
    for (int round = 0; round < 600; round++) {
        rc_csr_t a;
        random_matrix(&rng, 60, &a);
        for (int k = 0; k < 3; k++) {
            rc_geometry_t g = random_geometry(&rng);
            double want[N];
            double got[N];
            reference(&a, &g, want);
            for (int threads = 1; threads <= 5; threads++) {
                assert_int_equal(rc_features_compute(&a, &g, threads, got, NULL), RC_OK);
                compare(&a, &g, want, got, "random");
            }
        }
        free_matrix(&a);
    }
}

/* Every geometry member changes what it should: divisors that are and are not powers of two. */
static void every_geometry(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 3, 5, 7, 8, 31, 32, 33, 64, 65, 129, 1000, 65536};
    enum { count = sizeof sizes / sizeof sizes[0] };
    rc_rng_t rng;
    rc_rng_seed(&rng, 5);
    rc_csr_t a;
    do
        random_matrix(&rng, 40, &a);
    while (a.nnz < 100 && (free_matrix(&a), 1));
    for (int i = 0; i < count * 3; i++)
        for (int j = 0; j < count; j++) {
            int32_t s = sizes[i % count];
            rc_geometry_t g = {i / count == 0 ? s : sizes[j], i / count == 1 ? s : sizes[j],
                i / count == 2 ? s : sizes[j]};
            double want[N];
            double got[N];
            reference(&a, &g, want);
            assert_int_equal(rc_features_compute(&a, &g, 2, got, NULL), RC_OK);
            compare(&a, &g, want, got, "geometry");
        }
    free_matrix(&a);
}

/* Threads get their own tables only on matrices with enough entries: make some. */
static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 77);
    for (int round = 0; round < 6; round++) {
        int64_t rows = 400 + 13 * round;
        int64_t cols = 150;
        unsigned char *flag = malloc((size_t)(rows * cols));
        assert_non_null(flag);
        for (int64_t i = 0; i < rows * cols; i++)
            flag[i] = rc_rng_below(&rng, 100) < (i / cols % 5 == 0 ? 0u : 20u);
        rc_csr_t a;
        matrix_from_flags(flag, rows, cols, &a);
        free(flag);
        rc_geometry_t g = {round % 2 ? 32 : 100, 8, round % 3 ? 16 : 3};
        double want[N];
        double got[N];
        reference(&a, &g, want);
        for (int threads = 1; threads <= 9; threads++) {
            assert_int_equal(rc_features_compute(&a, &g, threads, got, NULL), RC_OK);
            compare(&a, &g, want, got, "threads");
        }
        free_matrix(&a);
    }
}

/* The walk in two and three parts, against that in one. */
static void expect_same_walks(const rc_csr_t *a, const rc_geometry_t *g)
{
    rc_walk_t want;
    memset(&want, 0, sizeof want);
    assert_int_equal(rc_walk_in_parts(a, g, 1, &want, NULL), RC_OK);
    for (int parts = 2; parts <= 3 && parts <= a->rows; parts++) {
        rc_walk_t got;
        memset(&got, 0, sizeof got);
        assert_int_equal(rc_walk_in_parts(a, g, parts, &got, NULL), RC_OK);
        if (memcmp(&want, &got, sizeof got) != 0)
            fail_msg("%d x %d, %d entries, geometry %d %d %d, %d parts: another walk", (int)a->rows,
                (int)a->cols, (int)a->nnz, g->nw, g->nt, g->line, parts);
    }
}

static rc_geometry_t power_geometry(rc_rng_t *r)
{
    return (rc_geometry_t){
        1 << rc_rng_below(r, 6), 1 << rc_rng_below(r, 7), 1 << rc_rng_below(r, 8)};
}

static void walks_agree_on_random_matrices(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 512);
    for (int round = 0; round < 80; round++) {
        rc_csr_t a;
        random_matrix(&rng, round % 8 ? 60 : 500, &a);
        for (int k = 0; k < 4; k++) {
            rc_geometry_t g = k ? power_geometry(&rng) : random_geometry(&rng);
            expect_same_walks(&a, &g);
        }
        free_matrix(&a);
    }
}

/* Rows of several chunks, columns far apart, few rows with many lines, empty rows. */
static void walks_agree_on_large_matrices(void **state)
{
    (void)state;
    static const char *const specs[] = {"arrow:n=20000", "manyempty:n=30000", "uniform:n=15000",
        "rmat:scale=13", "mesh3d:n=12,dof=3", "banded:n=200000", "block:n=3000", "mesh2d:n=150",
        "lp:rows=3000,cols=9000"};
    static const rc_geometry_t geometries[] = {{32, 32, 32}, {32, 32, 16}, {2, 16, 64}, {1, 8, 1}};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a;
        rc_err_t err = {0};
        if (rc_generate(specs[i], &a, NULL, &err) < 0)
            fail_msg("%s: %s", specs[i], err.text);
        for (size_t k = 0; k < sizeof geometries / sizeof *geometries; k++)
            expect_same_walks(&a, &geometries[k]);
        rc_csr_free(&a);
    }
}

static void degenerate_shapes(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{0, 0}, {0, 7}, {7, 0}, {1, 1}, {3, 100}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        int64_t ptr[8] = {0};
        rc_csr_t a = {.rows = shapes[i][0], .cols = shapes[i][1], .row_ptr = ptr};
        double got[N];
        assert_int_equal(rc_features_compute(&a, NULL, 0, got, NULL), RC_OK);
        assert_true(got[0] == (double)a.rows && got[1] == (double)a.cols);
        for (int k = 2; k < N; k++)
            assert_true(got[k] == 0);
    }
}

/* One small matrix worked out by hand: N_w 2, N_t 2, line 2.
 *   row 0: columns 0 1 2   row 1: none   row 2: columns 1 4 */
static void worked_example(void **state)
{
    (void)state;
    int64_t ptr[] = {0, 3, 3, 5};
    int32_t col[] = {0, 1, 2, 1, 4};
    double val[] = {1, 1, 1, 1, 1};
    rc_csr_t a = {3, 5, 5, ptr, col, val};
    rc_geometry_t g = {2, 2, 2};
    /* lines {0,1} {2,3} {4}: row 0 requests line 0, then line 1; row 2 lines 0 and 2 in one go */
    double want[N] = {3, 5, 5.0 / 15, 0, 5.0 / 3, 3, 0, 4.0 / 3, 2, 0, 1.5, 3, 1, 4.0 / 3, 2, 0,
        1.5, 3, 0, 2, 4, 2, 2, 2};
    double got[N];
    assert_int_equal(rc_features_compute(&a, &g, 1, got, NULL), RC_OK);
    compare(&a, &g, want, got, "example");
}

static void arguments_are_checked(void **state)
{
    (void)state;
    int64_t ptr[] = {0, 0};
    rc_csr_t a = {.rows = 1, .cols = 1, .row_ptr = ptr};
    double got[N];
    rc_err_t err = {0};
    static const rc_geometry_t bad[] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {65537, 1, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(rc_features_compute(&a, &bad[i], 1, got, &err), RC_EINVAL);
    assert_int_equal(rc_features_compute(&a, NULL, -1, got, &err), RC_EINVAL);
    assert_int_equal(rc_features_compute(NULL, NULL, 1, got, &err), RC_EINVAL);
}

static void names_follow_the_table(void **state)
{
    (void)state;
    static const char *const stems[] = {"nnz_per_row", "nnz_blocks_per_row", "warp_load",
        "same_cache_lines", "distinct_cache_lines_per_warp", "total_cache_lines_per_warp",
        "adjacent_vector_distance"};
    static const char *const ends[] = {"min", "mean", "max"};
    assert_string_equal(rc_feature_name(0), "n_row");
    assert_string_equal(rc_feature_name(1), "n_col");
    assert_string_equal(rc_feature_name(2), "density");
    for (int i = 0; i < 21; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%s", stems[i / 3], ends[i % 3]);
        assert_string_equal(rc_feature_name(3 + i), name);
    }
    assert_null(rc_feature_name(-1));
    assert_null(rc_feature_name(N));
    const rc_feature_set_t *set = rc_feature_set_find("mehrabi");
    assert_non_null(set);
    assert_null(rc_feature_set_find("none"));
    for (int i = 0; i < set->count; i++)
        assert_true(strlen(set->feature[i].unit) > 0 && strlen(set->feature[i].help) > 0);
}

/* ------------------------------------------- the sets of the other papers */

enum { NISA = 17, HONG = 12, SET_MOST = 32 };

/* Mean, standard deviation, minimum and maximum of x[0 .. n). */
static void moments(const double *x, int64_t n, double out[4])
{
    double extent[3];
    min_mean_max(x, n, extent);
    long double square = 0;
    for (int64_t i = 0; i < n; i++)
        square += ((long double)x[i] - extent[1]) * ((long double)x[i] - extent[1]);
    out[0] = extent[1];
    out[1] = n ? (double)sqrtl(square / n) : 0;
    out[2] = extent[0];
    out[3] = extent[2];
}

/* Column by column: a chunk ends where the next column has no entry. */
static void reference_nisa(const rc_csr_t *a, double out[NISA])
{
    double *length = zeros(a->rows);
    double *chunks = zeros(a->rows);
    double *sizes = zeros(a->nnz);
    int64_t total = 0;
    for (int64_t r = 0; r < a->rows; r++) {
        length[r] = (double)row_length(a, r);
        int64_t run = 0;
        for (int64_t c = 0; c <= a->cols; c++) {
            if (c < a->cols && row_touches(a, r, 0, row_length(a, r), c, c + 1)) {
                run++;
            } else if (run) {
                chunks[r]++;
                sizes[total++] = (double)run;
                run = 0;
            }
        }
    }
    double l[4];
    double k[4];
    double s[4];
    moments(length, a->rows, l);
    moments(chunks, a->rows, k);
    moments(sizes, total, s);
    const double value[NISA] = {(double)a->rows, (double)a->cols, (double)a->nnz, l[0],
        a->rows && a->cols ? (double)a->nnz / ((double)a->rows * (double)a->cols) : 0, l[3], l[1],
        k[0], k[1], s[0], s[1], l[2], (double)total, k[2], k[3], s[2], s[3]};
    memcpy(out, value, sizeof value);
    free(length);
    free(chunks);
    free(sizes);
}

static void reference_hong(const rc_csr_t *a, double out[HONG])
{
    for (int i = 0; i < HONG; i++)
        out[i] = 0;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1] - 1; e++) {
            int64_t d = (int64_t)a->col_idx[e + 1] - a->col_idx[e];
            int bin = d == 1 ? 0 : 1;
            for (int64_t end = 4; d >= end && bin < HONG - 1; end *= 4)
                bin++;
            out[bin]++;
        }
}

static double reference_segments(const rc_csr_t *a)
{
    double n = 0;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            n += e == a->row_ptr[r] || a->col_idx[e] / 256 != a->col_idx[e - 1] / 256;
    return n;
}

/* Deviations are rounded; everything else must agree in every bit, and everything among threads. */
static void compare_set(const char *name, const rc_csr_t *a, const double *want, int most_threads)
{
    static const rc_geometry_t g = {32, 32, 32};
    const rc_feature_set_t *set = rc_feature_set_find(name);
    assert_non_null(set);
    double first[SET_MOST];
    double got[SET_MOST];
    assert_int_equal(set->compute(a, &g, 1, first, NULL), RC_OK);
    for (int i = 0; i < set->count; i++) {
        const char *feature = set->feature[i].name;
        int rounded = strstr(feature, "_sd") || strstr(feature, "_sigma");
        double slack = rounded ? 1e-12 * (want[i] + 1) : 0;
        if (!(fabs(first[i] - want[i]) <= slack))
            fail_msg("%s: %s of %d x %d, %d entries: expected %.17g, found %.17g", name, feature,
                (int)a->rows, (int)a->cols, (int)a->nnz, want[i], first[i]);
    }
    for (int threads = 2; threads <= most_threads; threads++) {
        assert_int_equal(set->compute(a, &g, threads, got, NULL), RC_OK);
        assert_memory_equal(first, got, (size_t)set->count * sizeof *got);
    }
}

static void compare_sets(const rc_csr_t *a, int most_threads)
{
    double nisa[NISA];
    double hong[HONG];
    reference_nisa(a, nisa);
    reference_hong(a, hong);
    compare_set("nisa", a, nisa, most_threads);
    compare_set("hong", a, hong, most_threads);
    double segments = reference_segments(a);
    compare_set("segments", a, &segments, most_threads);
}

static void other_sets_match_their_definitions(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 2018);
    for (int round = 0; round < 80; round++) {
        rc_csr_t a;
        random_matrix(&rng, 60, &a);
        compare_sets(&a, 4);
        free_matrix(&a);
    }
    /* enough entries that every thread gets some */
    int64_t rows = 6000;
    int64_t cols = 90;
    unsigned char *flag = malloc((size_t)(rows * cols));
    assert_non_null(flag);
    for (int64_t i = 0; i < rows * cols; i++)
        flag[i] = rc_rng_below(&rng, 100) < (uint64_t)(i / cols % 101);
    rc_csr_t a;
    matrix_from_flags(flag, rows, cols, &a);
    free(flag);
    compare_sets(&a, 9);
    free_matrix(&a);
    int64_t none[8] = {0};
    static const int64_t shapes[][2] = {{0, 0}, {0, 7}, {7, 0}, {3, 100}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        rc_csr_t empty = {.rows = shapes[i][0], .cols = shapes[i][1], .row_ptr = none};
        compare_sets(&empty, 2);
    }
}

/* Every edge of a bin, and the widest matrix. */
static void distances_at_the_edges(void **state)
{
    (void)state;
    enum { most = 32 };
    int32_t col[2 * most * 3];
    int64_t ptr[2 * most * 3 + 1] = {0};
    rc_csr_t a = {.cols = INT32_MAX, .row_ptr = ptr, .col_idx = col};
    for (int64_t edge = 1; edge <= INT32_MAX; edge *= 2)
        for (int64_t d = edge - 1; d <= edge + 1; d++) {
            if (d < 1 || d >= INT32_MAX)
                continue;
            col[a.nnz] = (int32_t)(d % 3 == 0 ? INT32_MAX - 1 - d : 0);
            col[a.nnz + 1] = col[a.nnz] + (int32_t)d;
            a.nnz += 2;
            ptr[++a.rows] = a.nnz;
        }
    double want[HONG];
    reference_hong(&a, want);
    for (int i = 0; i < HONG; i++)
        assert_true(want[i] > 0);
    compare_set("hong", &a, want, 3);
}

/* Chunks of one matrix counted by hand: row 0: 0 1 2 and 5, row 1: none, row 2: 1 and 3 4. */
static void chunks_by_hand(void **state)
{
    (void)state;
    int64_t ptr[] = {0, 4, 4, 7};
    int32_t col[] = {0, 1, 2, 5, 1, 3, 4};
    rc_csr_t a = {3, 6, 7, ptr, col, NULL};
    static const double nisa[NISA] = {3, 6, 7, 7.0 / 3, 7.0 / 18, 4, 1.699673171197595, 4.0 / 3,
        0.9428090415820634, 1.75, 0.82915619758885, 0, 4, 0, 2, 1, 3};
    static const double hong[HONG] = {3, 2};
    compare_set("nisa", &a, nisa, 2);
    compare_set("hong", &a, hong, 2);
    static const double segments = 2;
    compare_set("segments", &a, &segments, 2);
}

static void sets_are_described(void **state)
{
    (void)state;
    for (int s = 0; rc_feature_sets[s]; s++) {
        const rc_feature_set_t *set = rc_feature_sets[s];
        assert_in_range(set->count, 1, SET_MOST);
        assert_true(strlen(set->summary) > 0 && strlen(set->source) > 0 && set->version > 0);
        for (int i = 0; i < set->count; i++) {
            assert_true(strlen(set->feature[i].unit) > 0 && strlen(set->feature[i].help) > 0);
            for (int k = 0; k < i; k++)
                assert_string_not_equal(set->feature[i].name, set->feature[k].name);
        }
        for (int i = 0; set->product && i < set->product->count; i++) {
            const rc_feature_t *f = &set->product->input[i];
            assert_true(strlen(f->unit) > 0 && strlen(f->help) > 0);
            assert_ptr_equal(rc_feature_find(set, f->name), f); /* no feature, nor one before, has the name */
            assert_true(rc_feature_is_of_product(set, f->name));
            assert_string_not_equal(f->name, "k");
            assert_string_not_equal(f->name, "value_bytes");
        }
    }
}

/* Real matrices, small enough for the slow reference. */
static void real_matrices(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Pajek/GD99_b", "Meszaros/farm", "Meszaros/problem", "Hamrle/Hamrle1"};
    const char *shared = getenv("ROWCAST_SHARED");
    const char *top = getenv("top_srcdir");
    char path[4096];
    int seen = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s%s/matrices/%s.mtx.xz",
            shared ? shared
            : top  ? top
                   : ".",
            shared ? "" : "/../shared", names[i]);
        rc_csr_t a;
        if (rc_mtx_read(path, 1, &a, NULL, NULL) < 0)
            continue;
        seen++;
        static const rc_geometry_t gs[] = {{32, 32, 32}, {32, 32, 16}, {2, 16, 16}};
        for (size_t k = 0; k < sizeof gs / sizeof gs[0]; k++) {
            double want[N];
            double got[N];
            reference(&a, &gs[k], want);
            for (int threads = 1; threads <= 2; threads++) {
                assert_int_equal(rc_features_compute(&a, &gs[k], threads, got, NULL), RC_OK);
                compare(&a, &gs[k], want, got, names[i]);
            }
        }
        compare_sets(&a, 2);
        rc_csr_free(&a);
    }
    if (seen == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_match_the_definitions),
        cmocka_unit_test(every_geometry),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(walks_agree_on_random_matrices),
        cmocka_unit_test(walks_agree_on_large_matrices),
        cmocka_unit_test(degenerate_shapes),
        cmocka_unit_test(worked_example),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(names_follow_the_table),
        cmocka_unit_test(other_sets_match_their_definitions),
        cmocka_unit_test(distances_at_the_edges),
        cmocka_unit_test(chunks_by_hand),
        cmocka_unit_test(sets_are_described),
        cmocka_unit_test(real_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
