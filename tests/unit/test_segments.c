/* Heavy and light row segments: figure 5 of the paper array by array, the scan rule of its section
 * 5.2, and every entry in exactly one part. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "feature/feature.h"
#include "order_matrix.h"
#include "rowcast_io.h"
#include "scratch.h"
#include "sparse/generate.h"
#include "sparse/segments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------ straight from the definitions */

/* Section 5.2: entries e and e + t of a row and of a panel make e .. e + t heavy.  \param[out] heavy  [nnz] */
static void scan_rule(const rc_csr_t *a, const rc_segments_rule_t *rule, unsigned char *heavy)
{
    memset(heavy, 0, (size_t)a->nnz);
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; rule->t < a->row_ptr[r + 1] - e; e++)
            if (a->col_idx[e] / rule->w == a->col_idx[e + rule->t] / rule->w)
                memset(heavy + e, 1, (size_t)rule->t + 1);
}

/* Walk a split as its definition says and find every entry in the part where the rule has it. */
static void check_parts(
    const char *what, const rc_csr_t *a, const rc_segments_t *s, const unsigned char *heavy)
{
    const rc_segments_rule_t *rule = &s->size.rule;
    int64_t *from = calloc((size_t)a->rows + 1, sizeof *from); /* light entries of a row so far */
    int64_t at = 0;
    int64_t seg = 0;
    assert_non_null(from);
    for (int64_t p = 0; p * rule->w < a->cols; p++) {
        assert_int_equal(s->panel_ptr[p], seg);
        for (int64_t r = 0; r < a->rows; r++) {
            int64_t had = at;
            for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
                if (a->col_idx[e] / rule->w != p || !heavy[e])
                    continue;
                if (rc_segments_col(s, at) != a->col_idx[e] - p * rule->w)
                    fail_msg("%s: heavy entry %d", what, (int)at);
                assert_true(((double *)s->val)[at] == a->val[e]);
                at++;
            }
            if (at == had)
                continue;
            assert_int_equal(s->row[seg], r);
            assert_int_equal(s->ptr[seg], had);
            seg++;
        }
    }
    assert_int_equal(s->size.heavy, seg);
    assert_int_equal(s->panel_ptr[s->size.panels], seg);
    assert_int_equal(s->ptr[seg], at);
    assert_int_equal(s->size.nnz_heavy, at);
    int64_t light = 0;
    for (int64_t r = 0; r < a->rows; r++) {
        assert_int_equal(s->light_ptr[r], light);
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            if (!heavy[e]) {
                assert_int_equal(s->light_col[light], a->col_idx[e]);
                assert_true(((double *)s->light_val)[light] == a->val[e]);
                light++;
            }
    }
    assert_int_equal(s->light_ptr[a->rows], light);
    assert_int_equal(s->size.nnz_light, light);
    assert_int_equal(light + at, a->nnz);
    free(from);
}

/* The counts, from the definition. */
static void check_size(
    const rc_csr_t *a, const rc_segments_size_t *size, const unsigned char *heavy)
{
    int64_t segments = 0;
    int64_t light_rows = 0;
    int64_t heavy_rows = 0;
    int64_t heavy_panels = 0;
    int64_t panels = (a->cols + size->rule.w - 1) / size->rule.w;
    unsigned char *has = calloc((size_t)panels + 1, 1);
    assert_non_null(has);
    for (int64_t r = 0; r < a->rows; r++) {
        int light = 0;
        int dense = 0;
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
            int64_t p = a->col_idx[e] / size->rule.w;
            segments += e == a->row_ptr[r] || a->col_idx[e - 1] / size->rule.w != p;
            light |= !heavy[e];
            dense |= heavy[e];
            has[p] |= heavy[e];
        }
        light_rows += light;
        heavy_rows += dense;
    }
    for (int64_t p = 0; p < panels; p++)
        heavy_panels += has[p];
    free(has);
    assert_int_equal(size->panels, panels);
    assert_int_equal(size->segments, segments);
    assert_int_equal(size->light_rows, light_rows);
    assert_int_equal(size->heavy_rows, heavy_rows);
    assert_int_equal(size->heavy_panels, heavy_panels);
}

static void check(const char *what, const rc_csr_t *a, int64_t w, int64_t t)
{
    static const int threads[] = {1, 2, 7};
    const rc_segments_rule_t rule = {w, t};
    const rc_segments_source_t source = rc_segments_source_of(a);
    unsigned char *heavy = malloc((size_t)a->nnz + 1);
    assert_non_null(heavy);
    scan_rule(a, &rule, heavy);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        rc_segments_t s;
        rc_segments_size_t size;
        assert_int_equal(rc_segments_split(&source, &rule, threads[i], &s, NULL), RC_OK);
        assert_int_equal(rc_segments_measure(&source, &rule, threads[i], &size, NULL), RC_OK);
        assert_memory_equal(&size, &s.size, sizeof size);
        check_size(a, &s.size, heavy);
        check_parts(what, a, &s, heavy);
        rc_segments_free(&s);
    }
    free(heavy);
}

/* ----------------------------------------------------------------- tests */

/* Hong et al., figure 5. */
static const unsigned char figure_5[64] = {1, 1, 0, 1, 0, 0, 0, 1, /* */
    0, 0, 1, 0, 0, 1, 0, 0,                                        /* */
    0, 0, 0, 1, 0, 0, 1, 0,                                        /* */
    1, 1, 1, 1, 1, 1, 0, 1,                                        /* */
    1, 0, 0, 0, 0, 0, 1, 1,                                        /* */
    0, 1, 1, 1, 1, 0, 0, 0,                                        /* */
    0, 1, 1, 1, 1, 1, 0, 0,                                        /* */
    0, 0, 1, 1, 1, 1, 1, 0};

static void same64(const int64_t *got, const int64_t *want, size_t n)
{
    assert_memory_equal(got, want, n * sizeof *got);
}

static void figure_5_of_the_paper(void **state)
{
    (void)state;
    static const rc_segments_rule_t rule = {4, 2};
    rc_csr_t a;
    rc_segments_t s;
    matrix_from_flags(figure_5, 8, 8, &a);
    const rc_segments_source_t source = rc_segments_source_of(&a);
    assert_int_equal(rc_segments_split(&source, &rule, 1, &s, NULL), RC_OK);
    assert_int_equal(s.size.panels, 2);
    assert_int_equal(s.size.heavy, 6);
    assert_int_equal(s.size.heavy_panels, 2);
    assert_int_equal(s.size.nnz_heavy, 19);
    assert_int_equal(s.size.nnz_light, 13);
    same64(s.panel_ptr, (const int64_t[]){0, 4, 6}, 3);
    assert_memory_equal(s.row, ((const int32_t[]){0, 3, 5, 6, 3, 7}), 6 * sizeof(int32_t));
    same64(s.ptr, (const int64_t[]){0, 3, 7, 10, 13, 16, 19}, 7);
    same64(s.light_ptr, (const int64_t[]){0, 1, 3, 5, 5, 8, 9, 11, 13}, 9);
    assert_int_equal(s.col_bytes, 2);
    assert_memory_equal(s.col,
        ((const uint16_t[]){0, 1, 3, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 0, 1, 3, 0, 1, 2}),
        19 * sizeof(uint16_t));
    assert_memory_equal(s.light_col,
        ((const int32_t[]){7, 2, 5, 3, 6, 0, 6, 7, 4, 4, 5, 2, 3}), 13 * sizeof(int32_t));
    assert_true(rc_segments_ratio(&s.size) == 19.0 / 32);
    rc_segments_free(&s);
    check("figure 5", &a, 4, 2);
    free_matrix(&a);
}

/* 1,000 (matrix, W, T): none heavy and all heavy among them. */
static void scanning_is_counting(void **state)
{
    (void)state;
    rc_rng_t r;
    int some = 0;
    rc_rng_seed(&r, 2018);
    for (int round = 0; round < 1000; round++) {
        rc_csr_t a;
        char what[32];
        int64_t w = (int64_t)1 << rc_rng_below(&r, 11);
        int64_t t = (int64_t)rc_rng_below(&r, rc_rng_below(&r, 2) ? 5 : 40);
        (void)snprintf(what, sizeof what, "random %d", round);
        random_matrix(&r, 60, &a);
        check(what, &a, w, t);
        some += a.nnz > 0;
        free_matrix(&a);
    }
    assert_true(some > 500);
}

/* Large enough for a team of threads. */
static void several_threads(void **state)
{
    (void)state;
    static const char *const specs[] = {"rmat:scale=14,edges=20", "block:n=9000,size=32,between=1"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a = {0};
        rc_err_t err = {0};
        if (rc_generate(specs[i], &a, NULL, &err) < 0)
            fail_msg("%s", err.text);
        check(specs[i], &a, 1024, 4);
        rc_csr_free(&a);
    }
}

/* No rows, no columns, no entries, one row, one column; panels wider than the matrix; T about W. */
/* Heavy entries of panels of 256 columns counted one by one, and the panels that have any. */
static void count_heavy(const rc_csr_t *a, double out[2])
{
    double heavy = 0;
    double panels = 0;
    for (int64_t first = 0; first < a->cols; first += 256) {
        double before = heavy;
        for (int64_t r = 0; r < a->rows; r++) {
            int64_t n = 0;
            for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
                n += a->col_idx[e] >= first && a->col_idx[e] < first + 256;
            heavy += n > 4 ? (double)n : 0;
        }
        panels += heavy > before;
    }
    out[0] = a->nnz > 0 ? heavy / (double)a->nnz : 0;
    out[1] = panels > 0 ? heavy / (256 * panels) : 0;
}

static void the_feature_set_heavy(void **state)
{
    (void)state;
    static const rc_geometry_t g = {32, 32, 32};
    const rc_feature_set_t *set = rc_feature_set_find("heavy");
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    assert_non_null(set);
    for (int round = 0; round < 200; round++) {
        rc_csr_t a;
        double want[2];
        double got[2];
        random_matrix(&r, round % 2 ? 60 : 700, &a);
        count_heavy(&a, want);
        assert_int_equal(set->compute(&a, &g, 1 + round % 3, got, NULL), RC_OK);
        assert_memory_equal(got, want, sizeof want);
        free_matrix(&a);
    }
}

static void small_ones(void **state)
{
    (void)state;
    static const int64_t shape[][2] = {{0, 0}, {0, 5}, {5, 0}, {3, 4}, {1, 40}, {40, 1}, {20, 18}};
    static const int64_t rule[][2] = {{256, 4}, {1, 0}, {1, 1}, {2, 1}, {2, 2}, {16, 0}, {16, 15},
        {16, 16}, {16, 17}, {16, INT64_MAX}, {1 << 30, 3}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (size_t k = 0; k < sizeof rule / sizeof *rule; k++) {
            int64_t rows = shape[i][0];
            int64_t cols = shape[i][1];
            unsigned char *flag = calloc((size_t)(rows * cols) + 1, 1);
            rc_csr_t a;
            assert_non_null(flag);
            memset(flag, rows > 3 || cols > 5, (size_t)(rows * cols));
            matrix_from_flags(flag, rows, cols, &a);
            check("small", &a, rule[k][0], rule[k][1]);
            free_matrix(&a);
            free(flag);
        }
}

/* Local columns beyond 16 bits, and the last column that there is. */
static void very_wide(void **state)
{
    (void)state;
    int64_t ptr[] = {0, 3, 5};
    int32_t col[] = {0, 65536, INT32_MAX - 1, 7, INT32_MAX - 1};
    double val[] = {1, 2, 3, 4, 5};
    const rc_csr_t a = {2, INT32_MAX, 5, ptr, col, val};
    rc_segments_t s;
    const rc_segments_rule_t rule = {1 << 17, 1};
    const rc_segments_source_t source = rc_segments_source_of(&a);
    assert_int_equal(rc_segments_split(&source, &rule, 1, &s, NULL), RC_OK);
    assert_int_equal(s.col_bytes, 4);
    assert_int_equal(s.size.heavy, 1);
    assert_int_equal(rc_segments_col(&s, 1), 65536);
    rc_segments_free(&s);
    check("wide panels", &a, 1 << 30, 0);
    check("wide panels", &a, 1 << 17, 1);
}

static void rules_are_checked(void **state)
{
    (void)state;
    static const rc_segments_rule_t bad[] = {{0, 1}, {-4, 1}, {3, 1}, {257, 1}, {(int64_t)1 << 31, 1},
        {INT64_MIN, 1}, {256, -1}};
    rc_csr_t a;
    rc_segments_t s;
    rc_segments_size_t size;
    matrix_from_flags(figure_5, 8, 8, &a);
    const rc_segments_source_t source = rc_segments_source_of(&a);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rc_err_t err = {0};
        assert_int_equal(rc_segments_split(&source, &bad[i], 1, &s, &err), RC_EINVAL);
        assert_int_equal(rc_segments_measure(&source, &bad[i], 1, &size, NULL), RC_EINVAL);
        assert_non_null(strstr(err.text, "expected"));
    }
    free_matrix(&a);
}

static void real_matrices(void **state)
{
    (void)state;
    static const char *const names[] = {"Bai/dw1024", "HB/494_bus", "HB/lshp_577", "HB/mbeaflw",
        "SNAP/email-Eu-core", "Gset/G1"};
    int read = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        char path[SCRATCH_PATH];
        rc_csr_t a;
        (void)snprintf(name, sizeof name, "matrices/%s.mtx.xz", names[i]);
        if (!shared_path(name, path) || rc_mtx_read(path, 1, &a, NULL, NULL) != RC_OK)
            continue;
        read++;
        check(names[i], &a, 256, 4);
        check(names[i], &a, 64, 1);
        rc_csr_free(&a);
    }
    if (read == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_5_of_the_paper),
        cmocka_unit_test(scanning_is_counting),
        cmocka_unit_test(several_threads),
        cmocka_unit_test(small_ones),
        cmocka_unit_test(the_feature_set_heavy),
        cmocka_unit_test(very_wide),
        cmocka_unit_test(rules_are_checked),
        cmocka_unit_test(real_matrices),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
