/* Matrices of every form and width, as the host reads them: the pattern, where each entry was, and the line that is
 * said of a wrong one. */
#include "config.h"
#include "unit.h"

#include "format/given.h"
#include "given_fixture.h"
#include "plan/plan_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rc_status_t read_here(const rc_plan_matrix_t *m, rc_csr_t *a, int64_t **from, rc_err_t *err)
{
    rc_executor_t x;
    rc_executor_cpu(2, &x);
    *a = (rc_csr_t){0};
    return rc_plan_matrix_read(&(rc_plan_place_t){.x = &x}, m, a, from, err);
}

static void compare(const given_t *g, const rc_csr_t *a, const int64_t *from)
{
    assert_int_equal(a->rows, g->a.rows);
    assert_int_equal(a->cols, g->a.cols);
    assert_int_equal(a->nnz, g->a.nnz);
    assert_memory_equal(a->row_ptr, g->a.row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
    if (a->nnz > 0)
        assert_memory_equal(a->col_idx, g->a.col_idx, (size_t)a->nnz * sizeof *a->col_idx);
    for (int64_t i = 0; i < a->nnz; i++)
        assert_int_equal(from ? from[i] : i, g->from[i]);
}

static void every_form_is_read(void **state)
{
    (void)state;
    enum { MATRICES = 3000 };
    rc_rng_t rng;
    rc_rng_seed(&rng, 41);
    for (int n = 0; n < MATRICES; n++) {
        given_how_t how = given_any(&rng);
        given_t g = given_new(&rng, &how);
        rc_csr_t a;
        int64_t *from;
        rc_err_t err = {0};
        if (read_here(&g.m, &a, &from, &err) < 0)
            fail_msg("matrix %d, form %d: %s", n, (int)how.form, err.text);
        compare(&g, &a, from);
        if (!how.shuffled && how.form != RC_PLAN_CSC)
            assert_null(from); /* values need no gathering */
        free(from);
        rc_csr_free(&a);
        given_free(&g);
    }
}

static void wrong_ones_are_refused(void **state)
{
    (void)state;
    enum { MATRICES = 3000 };
    int refused = 0;
    rc_rng_t rng;
    rc_rng_seed(&rng, 42);
    for (int n = 0; n < MATRICES; n++) {
        given_how_t how = given_any(&rng);
        how.wrong = 1 + (int)rc_rng_below(&rng, GIVEN_WRONGS - 1);
        given_t g = given_new(&rng, &how);
        rc_csr_t a;
        int64_t *from;
        rc_err_t err = {0};
        rc_status_t st = read_here(&g.m, &a, &from, &err);
        assert_int_equal(st, g.wrong ? RC_EFORMAT : RC_OK);
        if (g.wrong == GIVEN_TWICE)
            assert_non_null(strstr(err.text, "expected each column once, found column"));
        else if (g.wrong)
            assert_non_null(strstr(err.text, "expected"));
        refused += g.wrong != 0;
        free(from);
        rc_csr_free(&a);
        given_free(&g);
    }
    assert_true(refused > MATRICES / 3);
}

/* What the caller's CSR is, entry by entry. */
static rc_pattern_info_t info_of(const rc_plan_matrix_t *m)
{
    rc_csr_t a = {.rows = m->rows, .cols = m->cols, .nnz = m->nnz};
    rc_pattern_info_t info = {.ascending = 1};
    a.row_ptr = calloc((size_t)m->rows + 1, sizeof *a.row_ptr);
    a.col_idx = calloc((size_t)m->nnz + 1, sizeof *a.col_idx);
    assert_true(a.row_ptr && a.col_idx);
    for (int64_t r = 0; r <= m->rows; r++)
        a.row_ptr[r] = rc_place_at(m->row_ptr, m->row_ptr_bytes, r);
    for (int64_t r = 0; r < m->rows; r++)
        for (int64_t i = a.row_ptr[r]; i < a.row_ptr[r + 1]; i++) {
            a.col_idx[i] = (int32_t)rc_place_at(m->col_idx, rc_given_col_bytes(m), i);
            info.ascending &= i == a.row_ptr[r] || a.col_idx[i] > a.col_idx[i - 1];
        }
    rc_given_digest(&a, 1, info.digest);
    rc_csr_free(&a);
    return info;
}

static void look(rc_rng_t *rng, const given_how_t *how)
{
    given_t g = given_new(rng, how);
    rc_pattern_info_t info = {0};
    rc_err_t err = {0};
    rc_err_t same = {0};
    g.m.val = NULL; /* not read */
    rc_status_t st = rc_pattern_read_host(&g.m, 1 + (int)rc_rng_below(rng, 3), &info, &err);
    if (g.wrong == GIVEN_POINTER || g.wrong == GIVEN_COLUMN) {
        rc_csr_t a;
        int64_t *from;
        g.m.val = g.m.col_idx; /* any */
        assert_int_equal(st, RC_EFORMAT);
        assert_int_equal(read_here(&g.m, &a, &from, &same), RC_EFORMAT);
        assert_string_equal(err.text, same.text);
        free(from);
        rc_csr_free(&a);
    } else {
        rc_pattern_info_t want = info_of(&g.m);
        assert_int_equal(st, RC_OK);
        assert_memory_equal(info.digest, want.digest, sizeof want.digest);
        assert_int_equal(info.ascending, want.ascending);
    }
    given_free(&g);
}

static void patterns_are_looked_at(void **state)
{
    (void)state;
    enum { MATRICES = 3000, LARGE = 4 };
    rc_rng_t rng;
    rc_rng_seed(&rng, 45);
    for (int n = 0; n < MATRICES; n++) {
        given_how_t how = given_any(&rng);
        how.form = RC_PLAN_CSR;
        how.wrong = (int)rc_rng_below(&rng, GIVEN_WRONGS);
        look(&rng, &how);
    }
    for (int n = 0; n < LARGE; n++) /* by several threads */
        look(&rng, &(given_how_t){.ptr_bytes = 8, .col_bytes = 4, .type = RC_FP64, .wrong = n, .rows = 30000,
                       .cols = 9000, .mean = 12});
}

static void no_patterns_are_refused(void **state)
{
    (void)state;
    static const int32_t zero[1];
    const rc_plan_matrix_t csr = {.row_ptr = zero, .row_ptr_bytes = 4};
    rc_plan_matrix_t csc = csr;
    rc_plan_matrix_t there = csr;
    rc_pattern_info_t info;
    csc.form = RC_PLAN_CSC;
    there.on_device = 1;
    assert_int_equal(rc_pattern_read_host(&csr, 0, &info, NULL), RC_OK);
    assert_int_equal(info.ascending, 1);
    assert_int_equal(rc_pattern_read_host(&csr, 0, NULL, NULL), RC_EINVAL);
    assert_int_equal(rc_pattern_read_host(NULL, 0, &info, NULL), RC_EINVAL);
    assert_int_equal(rc_pattern_read_host(&csc, 0, &info, NULL), RC_EINVAL);
    assert_int_equal(rc_pattern_read_host(&there, 0, &info, NULL), RC_EINVAL);
    assert_int_equal(rc_pattern_read_host(&csr, -1, &info, NULL), RC_EINVAL);
}

/* Products of a plan, and after new values, which are in the order of the caller. */
static void plans_multiply(void **state)
{
    (void)state;
    enum { PLANS = 300, MOST = 3000, K = 4 };
    static double b[MOST * K];
    static double c[MOST * K];
    static double want[MOST * K];
    rc_rng_t rng;
    rc_rng_seed(&rng, 44);
    for (int n = 0; n < PLANS; n++) {
        const int64_t k[] = {1 + (int64_t)rc_rng_below(&rng, K)};
        const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = k, .ks = 1};
        const rc_plan_options_t o = {.threads = 1 + n % 2};
        given_how_t how = given_any(&rng);
        given_t g = given_new(&rng, &how);
        rc_plan_t *plan = NULL;
        rc_err_t err = {0};
        for (int64_t i = 0; i < how.cols * k[0]; i++)
            b[i] = given_value(&rng);
        given_values(&rng, &g);
        if (rc_plan_create_host(&p, &g.m, &o, &plan, &err) < 0)
            fail_msg("matrix %d, form %d: %s", n, (int)how.form, err.text);
        for (int again = 0; again < 2; again++) {
            given_multiply(&g, k[0], b, want);
            assert_int_equal(rc_plan_execute(plan, k[0], 1, b, k[0], 0, c, k[0], NULL, &err), RC_OK);
            for (int64_t i = 0; i < how.rows * k[0]; i++)
                if (c[i] != want[i])
                    fail_msg("matrix %d, form %d: expected %g, found %g", n, (int)how.form, want[i], c[i]);
            given_values(&rng, &g);
            assert_int_equal(rc_plan_update_values(plan, g.m.nnz, g.m.val, g.m.precision, 0, NULL, &err), RC_OK);
        }
        rc_plan_free(plan);
        given_free(&g);
    }
}

/* A matrix of 3 x 4 with 4 entries, and what is said of it. */
typedef struct line {
    rc_plan_matrix_t m;
    rc_status_t status;
    const char *text;
} line_t;

static void lines_say_what_is_wrong(void **state)
{
    (void)state;
    static const int32_t rows[] = {0, 1, 2, 2};
    static const int32_t no_rows[] = {0, 1, 3, -1};
    static const int32_t cols[] = {3, 0, 1, 2};
    static const int32_t no_cols[] = {3, 4, -1, 2};
    static const int32_t twice[] = {3, 0, 2, 2};
    static const int64_t wide[] = {3, 0, INT64_C(1) << 40, 2};
    static const int32_t col_ptr[] = {0, 1, 2, 3, 4};
    static const int64_t no_col_ptr[] = {0, 1, 0, 3, 4};
    static const double val[4];
    const rc_plan_matrix_t coo = {3, 4, 4, rows, 4, cols, val, RC_FP64, 0, 4, RC_PLAN_COO};
    const rc_plan_matrix_t csc = {3, 4, 4, col_ptr, 4, rows, val, RC_FP64, 0, 4, RC_PLAN_CSC};
    line_t lines[] = {{coo, RC_OK, ""}, {csc, RC_OK, ""},
        {coo, RC_EFORMAT, "matrix: entry 2: expected rows 0 to 2, found 3"},
        {coo, RC_EFORMAT, "matrix: entry 1: expected columns 0 to 3, found 4"},
        {coo, RC_EFORMAT, "matrix: entry 2: expected columns 0 to 3, found 1099511627776"},
        {coo, RC_EFORMAT, "matrix: row 2: expected each column once, found column 2 twice"},
        {coo, RC_EINVAL, "rows: expected an array, found NULL"},
        {csc, RC_EFORMAT, "matrix: column 2: expected rows 0 to 2, found 3"},
        {csc, RC_EFORMAT, "matrix: column pointer 2: expected 1 to 4, found 0"},
        {csc, RC_EINVAL, "rows: expected an array, found NULL"},
        {csc, RC_EINVAL, "column pointers: expected an array, found NULL"},
        {csc, RC_EINVAL, "matrix: expected rows of 4 or 8 bytes, found 2"},
        {coo, RC_EINVAL, "matrix: expected CSR, CSC or COO, found form 3"}};
    lines[2].m.row_ptr = no_rows;
    lines[3].m.col_idx = no_cols;
    lines[4].m.col_idx = wide;
    lines[4].m.col_idx_bytes = 8;
    lines[5].m.col_idx = twice;
    lines[6].m.row_ptr = NULL;
    lines[7].m.col_idx = no_rows;
    lines[8].m.row_ptr = no_col_ptr;
    lines[8].m.row_ptr_bytes = 8;
    lines[9].m.col_idx = NULL;
    lines[10].m.row_ptr = NULL;
    lines[11].m.col_idx_bytes = 2;
    lines[12].m.form = (rc_plan_form_t)3;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        rc_csr_t a;
        int64_t *from = NULL;
        rc_err_t err = {0};
        assert_int_equal(read_here(&lines[i].m, &a, &from, &err), lines[i].status);
        assert_string_equal(err.text, lines[i].text);
        free(from);
        rc_csr_free(&a);
    }
}

/* The digest of a pattern is the same whatever the form it came in, and any change of it changes both halves. */
static void digests_tell_patterns_apart(void **state)
{
    (void)state;
    enum { CHANGES = 2000 };
    rc_rng_t rng;
    rc_rng_seed(&rng, 43);
    given_how_t how = {.form = RC_PLAN_CSR, .ptr_bytes = 8, .col_bytes = 4, .type = RC_FP64, .rows = 300, .cols = 3000, .mean = 6};
    given_t g = given_new(&rng, &how);
    rc_csr_t *a = &g.a;
    uint64_t was[2];
    uint64_t is[2];
    rc_given_digest(a, 1, was);
    rc_given_digest(a, 3, is);
    assert_memory_equal(was, is, sizeof was);
    for (int n = 0; n < CHANGES; n++) {
        int64_t i = (int64_t)rc_rng_below(&rng, (uint64_t)a->nnz);
        int64_t r = 1 + (int64_t)rc_rng_below(&rng, (uint64_t)a->rows - 1);
        int col = (int)rc_rng_below(&rng, 2);
        a->col_idx[i] ^= col << 12;
        a->row_ptr[r] += !col;
        rc_given_digest(a, 1, is);
        assert_true(was[0] != is[0] && was[1] != is[1]);
        a->col_idx[i] ^= col << 12;
        a->row_ptr[r] -= !col;
    }
    a->cols++;
    rc_given_digest(a, 1, is);
    assert_true(was[0] != is[0] && was[1] != is[1]);
    given_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read),
        cmocka_unit_test(wrong_ones_are_refused),
        cmocka_unit_test(patterns_are_looked_at),
        cmocka_unit_test(no_patterns_are_refused),
        cmocka_unit_test(plans_multiply),
        cmocka_unit_test(lines_say_what_is_wrong),
        cmocka_unit_test(digests_tell_patterns_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
