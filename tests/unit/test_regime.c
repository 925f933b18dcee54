/* The feature set `regime` against its definitions in src/order/sample.h and src/feature/set_regime.c, written plainly
 * and anew; and what it is for: it tells a matrix whose numbering has lost its locality from one that
 * has none, and from one that has it. */
#include "config.h"
#include "unit.h"

#include "feature/feature.h"
#include "order_matrix.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK = 64, RUN = 64, RUNS = 256, NONE = -1 };
enum { RUN_REUSE, BALL_REUSE, COLUMN_REUSE, AGREEMENT, ROW_SKEW, COLUMN_BYTES, FEATURES };

static uint32_t hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    x ^= x >> 16;
    return x;
}

static int64_t all_of(const rc_csr_t *a, int64_t r)
{
    return a->row_ptr[r + 1] - a->row_ptr[r];
}

static int64_t length_of(const rc_csr_t *a, int64_t r)
{
    return all_of(a, r) < LOOK ? all_of(a, r) : LOOK;
}

static int64_t column(const rc_csr_t *a, int64_t r, int64_t e)
{
    return a->col_idx[a->row_ptr[r] + e];
}

static int is_long(const rc_csr_t *a, int64_t r)
{
    return (double)all_of(a, r) > 4 * (double)a->nnz / (double)a->rows + 8;
}

static int64_t seeds(const rc_csr_t *a)
{
    return a->rows / RUN < RUNS ? a->rows / RUN : RUNS;
}

static int64_t seed_of(const rc_csr_t *a, int64_t i)
{
    return i * a->rows / seeds(a);
}

static int64_t *numbers(int64_t n, int64_t value)
{
    int64_t *x = malloc(((size_t)n + 1) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i <= n; i++)
        x[i] = value;
    return x;
}

/* Sums of a sample of rows, but for one column. */
static void add(const rc_csr_t *a, const int64_t *row, int64_t rows, int64_t without, int64_t sum[2])
{
    int64_t *seen = numbers(a->cols, 0);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t e = 0; e < length_of(a, row[i]); e++) {
            int64_t c = column(a, row[i], e);
            sum[0] += c != without;
            sum[1] += c != without && !seen[c];
            seen[c] = 1;
        }
    free(seen);
}

static int64_t ball(const rc_csr_t *a, int64_t seed, int64_t row[RUN])
{
    int64_t n = 0;
    if (!is_long(a, seed))
        row[n++] = seed;
    for (int64_t next = 0; next < n; next++)
        for (int64_t e = 0; e < length_of(a, row[next]); e++) {
            int64_t c = column(a, row[next], e);
            int known = c >= a->rows || is_long(a, c);
            for (int64_t i = 0; i < n && !known; i++)
                known = row[i] == c;
            if (!known && n < RUN)
                row[n++] = c;
        }
    return n;
}

static int64_t holders(const rc_csr_t *a, int64_t c, int64_t row[RUN])
{
    int64_t slot[RUN];
    int64_t n = 0;
    for (int s = 0; s < RUN; s++)
        slot[s] = NONE;
    for (int64_t r = a->rows - 1; r >= 0; r--)
        for (int64_t e = 0; e < length_of(a, r) && !is_long(a, r); e++)
            if (column(a, r, e) == c)
                slot[hash((uint32_t)r) % RUN] = r;
    for (int s = 0; s < RUN; s++)
        if (slot[s] != NONE)
            row[n++] = slot[s];
    return n;
}

static int holds(const rc_csr_t *a, int64_t r, int64_t c)
{
    for (int64_t e = 0; e < all_of(a, r); e++)
        if (column(a, r, e) == c)
            return 1;
    return 0;
}

static void agreement(const rc_csr_t *a, int64_t seed, int64_t sum[2])
{
    for (int64_t e = 0; e < length_of(a, seed); e++) {
        int64_t j = column(a, seed, e);
        int found = j < a->rows && holds(a, j, seed);
        if (j == seed)
            continue;
        for (int64_t k = 0; k < length_of(a, seed) && j < a->rows; k++)
            found |= k != e && holds(a, j, column(a, seed, k));
        sum[0]++;
        sum[1] += found;
    }
}

static double ratio(const int64_t sum[2])
{
    return sum[1] > 0 ? (double)sum[0] / (double)sum[1] : 1;
}

static void define(const rc_csr_t *a, double out[FEATURES])
{
    int64_t sum[4][2] = {{0}};
    int64_t row[RUN];
    int64_t *taken = numbers(a->cols, 0);
    int64_t most = 0;
    for (int64_t i = 0; i < seeds(a); i++) {
        int64_t seed = seed_of(a, i);
        for (int64_t p = 0; p < RUN; p++)
            row[p] = seed + p;
        add(a, row, RUN, NONE, sum[0]);
        add(a, row, ball(a, seed, row), NONE, sum[1]);
        if (length_of(a, seed) > 0) {
            int64_t c = column(a, seed, hash((uint32_t)seed) % (uint32_t)length_of(a, seed));
            if (!taken[c])
                add(a, row, holders(a, c, row), c, sum[2]);
            taken[c] = 1;
        }
        agreement(a, seed, sum[3]);
    }
    for (int64_t r = 0; r < a->rows; r++)
        most = all_of(a, r) > most ? all_of(a, r) : most;
    for (int i = 0; i < 3; i++)
        out[i] = ratio(sum[i]);
    out[AGREEMENT] = sum[3][0] > 0 ? (double)sum[3][1] / (double)sum[3][0] : 0;
    out[ROW_SKEW] = a->nnz > 0 ? (double)most * (double)a->rows / (double)a->nnz : 1;
    out[COLUMN_BYTES] = 4 * (double)a->cols;
    free(taken);
}

static void compute(const rc_csr_t *a, int threads, double out[FEATURES])
{
    static const rc_geometry_t g = {32, 32, 32};
    const rc_feature_set_t *set = rc_feature_set_find("regime");
    assert_non_null(set);
    assert_int_equal(set->count, FEATURES);
    assert_int_equal(set->compute(a, &g, threads, out, NULL), RC_OK);
}

static void expect(const rc_csr_t *a, const char *what)
{
    const rc_feature_set_t *set = rc_feature_set_find("regime");
    double want[FEATURES];
    double got[FEATURES];
    define(a, want);
    for (int threads = 1; threads <= 5; threads += 2) {
        compute(a, threads, got);
        for (int i = 0; i < FEATURES; i++)
            if (got[i] != want[i])
                fail_msg("%s: %s of %d x %d: expected %.17g, found %.17g", what, set->feature[i].name,
                    (int)a->rows, (int)a->cols, want[i], got[i]);
    }
}

static void it_follows_its_definition(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 17);
    for (int round = 0; round < 60; round++) {
        rc_csr_t a;
        random_matrix(&r, 300, &a);
        expect(&a, "random");
        free_matrix(&a);
    }
}

/* The mesh is large enough for a team of threads. */
static void also_on_generated_matrices(void **state)
{
    (void)state;
    static const char *const specs[] = {"mesh2d:n=22", "powerlaw:n=500", "lp:rows=200,cols=700",
        "lp:rows=700,cols=100", "manyempty:n=600", "banded:n=700,lower=1,upper=0",
        "uniform:n=400,cols=90", "mesh3d:n=33,shuffle=both", "rmat:scale=12,edges=12",
        "sbm:n=4000,communities=16,outside=0.1,shuffle=cols"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a;
        rc_err_t err = {0};
        if (rc_generate(specs[i], &a, NULL, &err) < 0)
            fail_msg("%s", err.text);
        expect(&a, specs[i]);
        rc_csr_free(&a);
    }
}

static void it_tells_the_regime(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int feature;
        double least;
        double most;
    } want[] = {{"mesh3d:n=30", RUN_REUSE, 1.5, 7}, {"mesh3d:n=30", AGREEMENT, 0.9, 1},
        {"mesh3d:n=30,shuffle=both", RUN_REUSE, 1, 1.1}, {"mesh3d:n=30,shuffle=both", BALL_REUSE, 2.5, 7},
        {"mesh3d:n=30,shuffle=both", AGREEMENT, 0.9, 1}, {"mesh3d:n=30,shuffle=cols", BALL_REUSE, 1, 1.2},
        {"mesh3d:n=30,shuffle=cols", AGREEMENT, 0, 0.1},
        {"mesh3d:n=30,shuffle=cols", COLUMN_REUSE, 1.6, 7}, {"uniform:n=40000,mean=8", RUN_REUSE, 1, 1.05},
        {"uniform:n=40000,mean=8", BALL_REUSE, 1, 1.1}, {"uniform:n=40000,mean=8", COLUMN_REUSE, 1, 1.05},
        {"sbm:n=20000,communities=80,shuffle=both", COLUMN_REUSE, 1.1, 7},
        {"mesh3d:n=30", ROW_SKEW, 1, 1.1}, {"rmat:scale=14,edges=12", ROW_SKEW, 10, 1e9}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        rc_csr_t a;
        double got[FEATURES];
        assert_int_equal(rc_generate(want[i].spec, &a, NULL, NULL), RC_OK);
        compute(&a, 2, got);
        if (got[want[i].feature] < want[i].least || got[want[i].feature] > want[i].most)
            fail_msg("%s: feature %d: expected %g to %g, found %g", want[i].spec, want[i].feature,
                want[i].least, want[i].most, got[want[i].feature]);
        rc_csr_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_follows_its_definition),
        cmocka_unit_test(also_on_generated_matrices),
        cmocka_unit_test(it_tells_the_regime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
