/* Dense tiles, the sparse part, similarity and reuse of panels, against a second, slow implementation
 * of their definitions, and by hand. */
#include "config.h"
#include "unit.h"

#include "feature/feature.h"
#include "order/policy.h"
#include "order_matrix.h"
#include "real_names.h"
#include "rowcast_io.h"
#include "scratch.h"
#include "sparse/generate.h"
#include "sparse/similarity.h"
#include "sparse/tiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------ straight from the definitions */

static int has(const rc_csr_t *a, int64_t r, int32_t c)
{
    for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
        if (a->col_idx[e] == c)
            return 1;
    return 0;
}

static int64_t length(const rc_csr_t *a, int64_t r)
{
    return a->row_ptr[r + 1] - a->row_ptr[r];
}

/* Entries of every column in slots [from, to). */
static void count(const rc_csr_t *a, const int32_t *row, int64_t from, int64_t to, int64_t *n)
{
    memset(n, 0, (size_t)a->cols * sizeof *n);
    for (int64_t p = from; p < to; p++)
        for (int64_t e = row[p] < 0 ? 0 : a->row_ptr[row[p]];
             row[p] >= 0 && e < a->row_ptr[row[p] + 1]; e++)
            n[a->col_idx[e]]++;
}

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static double reuse(const rc_csr_t *a, const int32_t *row, int64_t slots, int64_t panel, int64_t *n)
{
    int64_t loads = 0;
    for (int64_t from = 0; from < slots; from += panel) {
        count(a, row, from, least(slots, from + panel), n);
        for (int64_t c = 0; c < a->cols; c++)
            loads += n[c] > 0;
    }
    return loads ? (double)a->nnz / (double)loads : 0;
}

static double mean_similarity(const rc_csr_t *a, const int32_t *row, int64_t slots)
{
    int64_t before = -1;
    int64_t pairs = 0;
    double sum = 0;
    for (int64_t p = 0; p < slots; p++) {
        int64_t r = row ? row[p] : p;
        if (r < 0 || length(a, r) == 0)
            continue;
        if (before >= 0) {
            int64_t common = 0;
            for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
                common += has(a, before, a->col_idx[e]);
            sum += (double)common / (double)(length(a, r) + length(a, before) - common);
            pairs++;
        }
        before = r;
    }
    return pairs ? sum / (double)pairs : 0;
}

/* Take the dense columns of a panel: in[c] becomes 1.  \return how many */
static int64_t take(const rc_tile_rule_t *rule, int64_t cols, const int64_t *n, char *in)
{
    int64_t dense = 0;
    memset(in, 0, (size_t)cols);
    for (int64_t c = 0; c < cols; c++)
        dense += n[c] >= rule->col_min;
    if (dense < rule->tile_min)
        return 0;
    if (dense > rule->tile_cols)
        dense = dense / rule->tile_cols * rule->tile_cols;
    for (int64_t k = 0; k < dense; k++) {
        int64_t best = -1;
        for (int64_t c = 0; c < cols; c++)
            if (!in[c] && n[c] >= rule->col_min && (best < 0 || n[c] > n[best]))
                best = c;
        in[best] = 1;
    }
    return dense;
}

/* \param[in] row  [slots] */
static rc_tile_figures_t reference(
    const rc_csr_t *a, const int32_t *row, int64_t slots, const rc_tile_rule_t *rule)
{
    rc_tile_figures_t f = {0};
    int64_t *n = calloc((size_t)a->cols + 1, sizeof *n);
    char *in = calloc((size_t)a->cols + 1, 1);
    rc_csr_t rest = {.rows = slots, .cols = a->cols};
    rest.row_ptr = calloc((size_t)slots + 1, sizeof *rest.row_ptr);
    rest.col_idx = calloc((size_t)a->nnz + 1, sizeof *rest.col_idx);
    assert_true(n && in && rest.row_ptr && rest.col_idx);
    for (int64_t from = 0; from < slots; from += rule->panel) {
        int64_t to = least(slots, from + rule->panel);
        count(a, row, from, to, n);
        int64_t dense = take(rule, a->cols, n, in);
        f.panels++;
        f.tiles += (dense + rule->tile_cols - 1) / rule->tile_cols;
        f.dense_columns += dense;
        for (int64_t p = from; p < to; p++) {
            for (int64_t e = row[p] < 0 ? 0 : a->row_ptr[row[p]];
                 row[p] >= 0 && e < a->row_ptr[row[p] + 1]; e++)
                if (!in[a->col_idx[e]])
                    rest.col_idx[rest.nnz++] = a->col_idx[e];
            rest.row_ptr[p + 1] = rest.nnz;
        }
    }
    f.nnz_dense = a->nnz - rest.nnz;
    f.dense_ratio = a->nnz ? (double)f.nnz_dense / (double)a->nnz : 0;
    f.similarity = mean_similarity(a, row, slots);
    f.rest_similarity = mean_similarity(&rest, NULL, slots);
    f.panel_reuse_8 = reuse(a, row, slots, 8, n);
    f.panel_reuse_128 = reuse(a, row, slots, 128, n);
    free(n);
    free(in);
    free(rest.row_ptr);
    free(rest.col_idx);
    return f;
}

/* Every figure of the two must agree in every bit. */
static void expect_same(const char *what, const rc_tile_figures_t *x, const rc_tile_figures_t *y)
{
    const double want[] = {(double)x->panels, (double)x->tiles, (double)x->dense_columns,
        (double)x->nnz_dense, x->dense_ratio, x->similarity, x->rest_similarity, x->panel_reuse_8,
        x->panel_reuse_128};
    const double got[] = {(double)y->panels, (double)y->tiles, (double)y->dense_columns,
        (double)y->nnz_dense, y->dense_ratio, y->similarity, y->rest_similarity, y->panel_reuse_8,
        y->panel_reuse_128};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (want[i] != got[i])
            fail_msg("%s: figure %zu: expected %.17g, found %.17g", what, i, want[i], got[i]);
}

static void check(
    const char *what, const rc_csr_t *a, const rc_schedule_t *s, const rc_tile_rule_t *rule)
{
    static const int threads[] = {1, 2, 7};
    const rc_tile_figures_t want = reference(a, s->row, s->slots, rule);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        rc_tile_figures_t got;
        assert_int_equal(rc_tile_figures(a, s, rule, threads[i], &got, NULL), RC_OK);
        expect_same(what, &want, &got);
        rc_tile_figures_t shares;
        assert_int_equal(rc_tile_shares(a, s, rule, threads[i], &shares, NULL), RC_OK);
        got.dense_ratio = shares.dense_ratio;
        got.rest_similarity = shares.rest_similarity;
        expect_same(what, &want, &got);
    }
}

/* ----------------------------------------------------------------- tests */

/* Rows in a random order, pads among them; some empty rows are left out. */
static rc_schedule_t shuffled(rc_rng_t *r, const rc_csr_t *a)
{
    rc_schedule_t s = {.rows = a->rows};
    s.row = calloc((size_t)(2 * a->rows) + 1, sizeof *s.row);
    assert_non_null(s.row);
    int pads = rc_rng_below(r, 2) == 0;
    for (int64_t i = 0; i < a->rows; i++) {
        if (length(a, i) > 0 || rc_rng_below(r, 2))
            s.row[s.slots++] = (int32_t)i;
        if (pads && rc_rng_below(r, 4) == 0)
            s.row[s.slots++] = -1;
    }
    for (int64_t p = s.slots - 1; p > 0 && rc_rng_below(r, 4); p--) {
        int64_t q = (int64_t)rc_rng_below(r, (uint64_t)p + 1);
        int32_t t = s.row[p];
        s.row[p] = s.row[q];
        s.row[q] = t;
    }
    return s;
}

static rc_tile_rule_t random_rule(rc_rng_t *r)
{
    static const int32_t size[] = {1, 2, 3, 5, 8, 16, 40, 128, INT32_MAX};
    return (rc_tile_rule_t){size[rc_rng_below(r, 9)], 1 + (int32_t)rc_rng_below(r, 9),
        size[rc_rng_below(r, 9)], 1 + (int32_t)rc_rng_below(r, 6)};
}

static void random_matrices(void **state)
{
    (void)state;
    static const rc_tile_rule_t usual = RC_TILE_RULE;
    rc_rng_t r;
    rc_rng_seed(&r, 2020);
    for (int round = 0; round < 200; round++) {
        rc_csr_t a;
        char what[32];
        (void)snprintf(what, sizeof what, "random %d", round);
        random_matrix(&r, 300, &a);
        rc_schedule_t s = shuffled(&r, &a);
        check(what, &a, &s, &usual);
        for (int k = 0; k < 3; k++) {
            const rc_tile_rule_t rule = random_rule(&r);
            check(what, &a, &s, &rule);
        }
        rc_schedule_free(&s);
        free_matrix(&a);
    }
}

/* Large enough for a team of threads; and what a schedule of the original order gives is what NULL
 * gives. */
static void several_threads(void **state)
{
    (void)state;
    static const rc_tile_rule_t rule = {50, 4, 20, 3};
    static const char *const specs[] = {"rmat:scale=14,edges=20", "block:n=9000,size=32,between=1"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a = {0};
        rc_schedule_t s = {0};
        rc_tile_figures_t ordered;
        rc_tile_figures_t plain;
        rc_err_t err = {0};
        if (rc_generate(specs[i], &a, NULL, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(rc_order_build("csr", &a, NULL, 1, &s, NULL), RC_OK);
        assert_int_equal(rc_tile_figures(&a, &s, &rule, 1, &ordered, NULL), RC_OK);
        for (int threads = 1; threads <= 7; threads += 3) {
            assert_int_equal(rc_tile_figures(&a, NULL, &rule, threads, &plain, NULL), RC_OK);
            expect_same(specs[i], &ordered, &plain);
        }
        assert_true(plain.tiles > 0);
        assert_true(plain.rest_similarity > 0);
        rc_schedule_free(&s);
        rc_csr_free(&a);
    }
}

/* Jiang et al., figure 1, rebuilt from the text. */
static const unsigned char figure_1[36] = {1, 0, 0, 0, 1, 0, /* */
    0, 0, 1, 1, 0, 1,                                        /* */
    0, 1, 0, 0, 1, 0,                                        /* */
    0, 0, 0, 0, 0, 1,                                        /* */
    1, 0, 0, 1, 1, 0,                                        /* */
    0, 1, 1, 0, 0, 0};

static void the_example_of_the_paper(void **state)
{
    (void)state;
    static const rc_tile_rule_t rule = {3, 2, 128, 1};
    int32_t row[] = {0, 2, 4, 1, 3, 5};
    const rc_schedule_t s = {.slots = 6, .rows = 6, .row = row};
    rc_csr_t a;
    rc_tile_figures_t f;
    matrix_from_flags(figure_1, 6, 6, &a);
    assert_int_equal(rc_tile_figures(&a, NULL, &rule, 1, &f, NULL), RC_OK);
    assert_int_equal(f.nnz_dense, 2);
    assert_int_equal(f.dense_columns, 1);
    assert_true(f.similarity == 0);
    rc_tiles_t t;
    rc_csr_t rest;
    assert_int_equal(rc_tiles_find(&a, &s, &rule, 1, &t, NULL), RC_OK);
    assert_int_equal(t.dense_ptr[2], 9);
    assert_int_equal(t.tiles, 2);
    assert_int_equal(t.col_ptr[1], 2); /* columns 4 (three entries) and 0 of rows 0, 2, 4 */
    assert_int_equal(t.col[0], 4);
    assert_int_equal(t.col[1], 0);
    assert_int_equal(t.col[2], 2); /* of equal counts the smaller column first */
    assert_int_equal(t.col[3], 5);
    assert_int_equal(rc_tiles_rest(&a, &s, &t, 1, &rest, NULL), RC_OK);
    assert_true(
        rc_row_similarity(&rest, 2, 3) == 1); /* rows 4 and 1, and 2 and 5, are equal there */
    assert_true(rc_row_similarity(&rest, 1, 5) == 1);
    rc_tiles_free(&t);
    rc_csr_free(&rest);
    free_matrix(&a);
}

/* Figure 7a: three equal rows, twice. */
static void equal_rows(void **state)
{
    (void)state;
    const unsigned char flag[24] = {
        1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
    rc_csr_t a;
    double mean;
    matrix_from_flags(flag, 6, 4, &a);
    assert_int_equal(rc_mean_similarity(&a, NULL, 1, &mean, NULL), RC_OK);
    assert_true(mean == 0.8);
    free_matrix(&a);
}

/* No rows, no columns, no entries, one row, one column, fewer rows than a panel. */
static void small_ones(void **state)
{
    (void)state;
    static const int64_t shape[][2] = {{0, 0}, {0, 5}, {5, 0}, {3, 4}, {1, 40}, {40, 1}, {20, 18}};
    static const rc_tile_rule_t rules[] = {RC_TILE_RULE, {1, 1, 1, 1}, {128, 16, 17, 17}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
            int64_t rows = shape[i][0];
            int64_t cols = shape[i][1];
            unsigned char *flag = calloc((size_t)(rows * cols) + 1, 1);
            rc_csr_t a;
            rc_schedule_t s = {0};
            assert_non_null(flag);
            memset(flag, rows > 3 || cols > 5, (size_t)(rows * cols));
            matrix_from_flags(flag, rows, cols, &a);
            assert_int_equal(rc_order_build("csr", &a, NULL, 1, &s, NULL), RC_OK);
            check("small", &a, &s, &rules[k]);
            rc_schedule_free(&s);
            free_matrix(&a);
            free(flag);
        }
}

/* Two entries 2^31 - 2 columns apart: memory follows the entries. */
static void very_wide(void **state)
{
    (void)state;
    int64_t ptr[] = {0, 2, 4};
    int32_t col[] = {0, INT32_MAX - 1, 7, INT32_MAX - 1};
    const rc_csr_t a = {2, INT32_MAX, 4, ptr, col, NULL};
    static const rc_tile_rule_t rule = {2, 2, 1, 1};
    rc_tile_figures_t f;
    assert_int_equal(rc_tile_figures(&a, NULL, &rule, 2, &f, NULL), RC_OK);
    assert_int_equal(f.nnz_dense, 2);
    assert_true(f.similarity == 1.0 / 3);
    assert_true(f.rest_similarity == 0);
    assert_true(f.panel_reuse_8 == 4.0 / 3);
}

/* Rows of very different lengths take another way. */
static void common_columns(void **state)
{
    (void)state;
    enum { most = 400 };
    rc_rng_t r;
    rc_rng_seed(&r, 7);
    for (int round = 0; round < 2000; round++) {
        int32_t x[most];
        int32_t y[most];
        int64_t nx = 0;
        int64_t ny = 0;
        int64_t want = 0;
        double dx = rc_rng_unit(&r) * rc_rng_unit(&r) * rc_rng_unit(&r);
        double dy = rc_rng_unit(&r);
        for (int32_t c = 0; c < most; c++) {
            int in_x = rc_rng_unit(&r) < dx;
            int in_y = rc_rng_unit(&r) < dy;
            if (in_x)
                x[nx++] = c;
            if (in_y)
                y[ny++] = c;
            want += in_x && in_y;
        }
        assert_int_equal(rc_common_columns(x, nx, y, ny), want);
        assert_int_equal(rc_common_columns(y, ny, x, nx), want);
    }
}

static void rules_are_checked(void **state)
{
    (void)state;
    static const rc_tile_rule_t bad[] = {{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, -1}};
    rc_csr_t a;
    rc_tiles_t t;
    double x;
    matrix_from_flags(figure_1, 6, 6, &a);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(rc_tiles_find(&a, NULL, &bad[i], 1, &t, NULL), RC_EINVAL);
    assert_int_equal(rc_panel_reuse(&a, NULL, 0, 1, &x, NULL), RC_EINVAL);
    free_matrix(&a);
}

/* The feature set is the figures of the original order. */
static void expect_features(const rc_csr_t *a, const rc_tile_figures_t *f)
{
    static const rc_geometry_t g = {32, 32, 32};
    const rc_feature_set_t *set = rc_feature_set_find("jiang");
    double got[5];
    assert_non_null(set);
    assert_int_equal(set->count, 5);
    assert_int_equal(set->compute(a, &g, 2, got, NULL), RC_OK);
    assert_true(
        got[0] == f->dense_ratio && got[1] == f->similarity && got[2] == f->rest_similarity);
    assert_true(got[3] == f->panel_reuse_8 && got[4] == f->panel_reuse_128);
}

static void real_matrices(void **state)
{
    (void)state;
    static const char *const names[] = {"Bai/dw1024", "HB/494_bus", "HB/lshp_577", "HB/mbeaflw",
        "Pajek/GD97_b", "SNAP/email-Eu-core", "VDOL/freeFlyingRobot_6", "Gset/G1",
        "MathWorks/Harvard500", "JGD_Homology/ch8-8-b1"};
    static const rc_tile_rule_t usual = RC_TILE_RULE;
    static const rc_tile_rule_t loose = {32, 3, 10, 4};
    enum { NAMES = sizeof names / sizeof *names };
    int read = 0;
    for (size_t i = 0; i < NAMES + REAL_NAMES; i++) {
        const char *of = i < NAMES ? names[i] : real_names[i - NAMES];
        char name[64];
        char path[SCRATCH_PATH];
        rc_csr_t a;
        rc_schedule_t s = {0};
        rc_tile_figures_t f;
        (void)snprintf(name, sizeof name, "matrices/%s.mtx.xz", of);
        if (!shared_path(name, path) || rc_mtx_read(path, 1, &a, NULL, NULL) != RC_OK)
            continue;
        read++;
        assert_int_equal(rc_order_build("random", &a, NULL, 1, &s, NULL), RC_OK);
        check(of, &a, &s, &loose);
        rc_schedule_free(&s);
        assert_int_equal(rc_order_build("csr", &a, NULL, 1, &s, NULL), RC_OK);
        check(of, &a, &s, &usual);
        assert_int_equal(rc_tile_figures(&a, NULL, &usual, 1, &f, NULL), RC_OK);
        expect_features(&a, &f);
        rc_schedule_free(&s);
        rc_csr_free(&a);
    }
    if (read == 0)
        skip();
}

static void features_of_a_generated_one(void **state)
{
    (void)state;
    static const rc_tile_rule_t usual = RC_TILE_RULE;
    rc_csr_t a = {0};
    rc_tile_figures_t f;
    assert_int_equal(rc_generate("block:n=2000,size=32", &a, NULL, NULL), RC_OK);
    assert_int_equal(rc_tile_figures(&a, NULL, &usual, 1, &f, NULL), RC_OK);
    assert_true(f.dense_ratio > 0 && f.similarity > 0);
    expect_features(&a, &f);
    rc_csr_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(several_threads),
        cmocka_unit_test(the_example_of_the_paper),
        cmocka_unit_test(equal_rows),
        cmocka_unit_test(small_ones),
        cmocka_unit_test(very_wide),
        cmocka_unit_test(common_columns),
        cmocka_unit_test(rules_are_checked),
        cmocka_unit_test(features_of_a_generated_one),
        cmocka_unit_test(real_matrices),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
