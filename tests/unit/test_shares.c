/* The feature set `shares` against its definitions, written plainly: shares are walked through entry by entry. */
#include "config.h"
#include "unit.h"

#include "feature/feature.h"
#include "order_matrix.h"
#include "rowcast.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIN = 4, MAX, SIGMA, EMPTY, LONG, WARP, OVER, PIECES, OPEN_ENTRIES, OPEN_ITEMS, COUNT };

/* Shares of 896 whose first entry has more than 128 of its row before it.  \param[in] ends  1: rows end in a place */
static double open_shares(const rc_csr_t *a, int ends)
{
    int64_t place = 0;
    double n = 0;
    for (int64_t r = 0; r < a->rows; r++) {
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++, place++)
            n += place % 896 == 0 && e - a->row_ptr[r] > 128;
        place += ends;
    }
    return n;
}

static void rows_of(const rc_csr_t *a, double out[COUNT])
{
    double mean = (double)a->nnz / (double)a->rows;
    double warp = 0;
    out[MIN] = INFINITY;
    for (int64_t r = 0; r < a->rows; r++) {
        double n = (double)(a->row_ptr[r + 1] - a->row_ptr[r]);
        out[MIN] = fmin(out[MIN], n);
        out[MAX] = fmax(out[MAX], n);
        out[SIGMA] += (n - mean) * (n - mean) / (double)a->rows;
        out[EMPTY] += (n == 0) / (double)a->rows;
        out[LONG] += n > 256 ? n / (double)a->nnz : 0;
        out[OVER] += n > ceil(mean) ? (n - ceil(mean)) / (double)a->nnz : 0;
        out[PIECES] += n > 256;
        for (double rest = n - 4096; rest >= 256; rest -= 4096)
            out[PIECES]++;
        warp = r % 32 == 0 ? n : fmax(warp, n);
        if (r % 32 == 31 || r + 1 == a->rows)
            out[WARP] += a->nnz > 0 ? 32 * warp / (double)a->nnz : 0;
    }
    out[SIGMA] = sqrt(out[SIGMA]);
    out[3] = mean;
}

static void check(const rc_csr_t *a, const char *name)
{
    const rc_feature_set_t *set = rc_feature_set_find("shares");
    const rc_geometry_t g = {.nw = 32, .nt = 32, .line = 32};
    double want[COUNT] = {(double)a->rows, (double)a->cols, (double)a->nnz};
    double found[COUNT];
    rc_err_t err = {0};
    assert_non_null(set);
    assert_int_equal(set->count, COUNT);
    if (a->rows > 0)
        rows_of(a, want);
    want[WARP] = a->nnz == 0 ? 1 : want[WARP];
    want[OPEN_ENTRIES] = open_shares(a, 0);
    want[OPEN_ITEMS] = open_shares(a, 1);
    assert_int_equal(set->compute(a, &g, 2, found, &err), RC_OK);
    for (int i = 0; i < COUNT; i++)
        if (!(fabs(found[i] - want[i]) <= 1e-9 * fmax(1, fabs(want[i]))))
            fail_msg("%s, %s: expected %.12g, found %.12g", name, set->feature[i].name, want[i], found[i]);
}

static void random_matrices(void **state)
{
    rc_rng_t rng;
    (void)state;
    rc_rng_seed(&rng, 72);
    for (int i = 0; i < 150; i++) {
        rc_csr_t a;
        random_matrix(&rng, 700, &a);
        check(&a, "random");
        rc_csr_free(&a);
    }
}

static void generated_matrices(void **state)
{
    static const char *const specs[] = {"mesh2d:n=40", "arrow:n=30000", "manyempty:n=2000", "rmat:scale=15,edges=30",
        "block:n=800", "uniform:n=400,mean=300"};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a;
        rc_err_t err = {0};
        assert_int_equal(rc_generate(specs[i], &a, NULL, &err), RC_OK);
        check(&a, specs[i]);
        rc_csr_free(&a);
    }
}

/* Row pointers alone, with lengths about the limits: what a share looks back, and what a piece may have. */
static void limits(void **state)
{
    static const int64_t first[] = {766, 767, 768, 895, 896};
    static const int64_t second[] = {127, 128, 129, 130, 131, 256, 257, 4352, 4353, 9000};
    (void)state;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        for (size_t k = 0; k < sizeof second / sizeof *second; k++) {
            int64_t row_ptr[] = {0, first[i], first[i], first[i] + second[k]};
            rc_csr_t a = {.rows = 3, .cols = 9000, .nnz = row_ptr[3], .row_ptr = row_ptr};
            check(&a, "limits");
        }
}

/* Rows of 0, 3 and 2,000 entries; a share begins at 896 and 1,792, each far inside of the last row. */
static void product(void **state)
{
    static const struct {
        const char *name;
        double value;
    } want[] = {{"a_bytes", 2003 * 12 + 12}, {"all_bytes", 2003 * 12 + 12 + 9003 * 8}, {"x_bytes", 9000 * 8},
        {"ell_bytes", 6000 * 12}, {"ell_fill", 6000 / 2003.0}, {"warp_places", 64000}, {"skew", 6000 / 2003.0},
        {"over_entries", 2000 - 668}, {"shares_entries", 2003 / 896.0}, {"shares_items", 2006 / 896.0},
        {"open_entries_share", 2 * 896 / 2003.0}, {"open_items_share", 2 * 896 / 2006.0}};
    const rc_feature_set_t *set = rc_feature_set_find("shares");
    const rc_geometry_t g = {.nw = 32, .nt = 32, .line = 32};
    int64_t row_ptr[] = {0, 0, 3, 2003};
    rc_csr_t a = {.rows = 3, .cols = 9000, .nnz = 2003, .row_ptr = row_ptr};
    double feature[COUNT];
    double found[sizeof want / sizeof *want];
    rc_err_t err = {0};
    (void)state;
    assert_int_equal(set->compute(&a, &g, 1, feature, &err), RC_OK);
    assert_int_equal(set->product->count, sizeof want / sizeof *want);
    set->product->compute(feature, 0, 8, found);
    for (int i = 0; i < set->product->count; i++) {
        assert_string_equal(set->product->input[i].name, want[i].name);
        assert_true(fabs(found[i] - want[i].value) <= 1e-9 * want[i].value);
    }
    set->product->compute(feature, 0, 2, found); /* 16 bits: a_bytes, all_bytes, x_bytes, ell_bytes */
    assert_true(found[0] == 2003 * 6 + 12 && found[1] == found[0] + 9003 * 2 && found[2] == 9000 * 2);
    assert_true(found[3] == 6000 * 6);
}

/* Enough rows for several threads, the last share of which is short, with lengths about the limits in some. */
static void many_rows(void **state)
{
    enum { rows = 300000 };
    int64_t *row_ptr = calloc(rows + 1, sizeof *row_ptr);
    rc_rng_t rng;
    (void)state;
    assert_non_null(row_ptr);
    rc_rng_seed(&rng, 73);
    for (int i = 0; i < rows; i++)
        row_ptr[i + 1] = row_ptr[i] + (int64_t)(rc_rng_below(&rng, 1000) == 0 ? rc_rng_below(&rng, 1200) : rc_rng_below(&rng, 4));
    rc_csr_t a = {.rows = rows, .cols = 1200, .nnz = row_ptr[rows], .row_ptr = row_ptr};
    check(&a, "many rows");
    free(row_ptr);
}

/* Lengths beyond 32 bits. */
static void very_long_rows(void **state)
{
    const int64_t n = INT64_C(3000000000);
    int64_t row_ptr[] = {0, n, n, 2 * n};
    const rc_csr_t a = {.rows = 3, .cols = n, .nnz = 2 * n, .row_ptr = row_ptr};
    const rc_geometry_t g = {.nw = 32, .nt = 32, .line = 32};
    const double over = (double)(2 * n - 2 * (2 * n / 3));
    const double want[] = {[0] = 3, [1] = (double)n, [2] = 2 * (double)n, [3] = 2e9, [4] = 0, [5] = (double)n,
        [6] = sqrt(2.0) * 1e9, [7] = 1 / 3.0, [8] = 1, [9] = 16, [10] = over / 6e9, [11] = 2 * 732422.0,
        [12] = 6696428, [13] = 6696428};
    double found[COUNT];
    rc_err_t err = {0};
    (void)state;
    assert_int_equal(rc_feature_set_find("shares")->compute(&a, &g, 1, found, &err), RC_OK);
    for (int i = 0; i < COUNT; i++)
        if (!(fabs(found[i] - want[i]) <= 1e-9 * fmax(1, fabs(want[i]))))
            fail_msg("%d: expected %.12g, found %.12g", i, want[i], found[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(generated_matrices),
        cmocka_unit_test(limits),
        cmocka_unit_test(product),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(very_long_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
