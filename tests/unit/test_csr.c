#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "sparse/csr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { side = 40 };

static int same(const rc_csr_t *a, const rc_csr_t *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->nnz == b->nnz &&
           memcmp(a->row_ptr, b->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr) == 0 &&
           memcmp(a->col_idx, b->col_idx, (size_t)a->nnz * sizeof *a->col_idx) == 0 &&
           memcmp(a->val, b->val, (size_t)a->nnz * sizeof *a->val) == 0;
}

/* Random triples into a small matrix against sums in a dense one, in the same order. */
static void triples_are_sorted_and_summed(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    for (int round = 0; round < 300; round++) {
        static double sum[side][side];
        static int seen[side][side];
        memset(sum, 0, sizeof sum);
        memset(seen, 0, sizeof seen);
        int64_t rows = 1 + (int64_t)rc_rng_below(&r, side);
        int64_t cols = 1 + (int64_t)rc_rng_below(&r, side);
        int64_t n = (int64_t)rc_rng_below(&r, 3000) * (round % 4 > 0);
        rc_triple_t *t = malloc((size_t)(n + 1) * sizeof *t);
        assert_non_null(t);
        int64_t distinct = 0;
        for (int64_t k = 0; k < n; k++) {
            t[k].row = (int32_t)rc_rng_below(&r, (uint64_t)rows);
            t[k].col = (int32_t)rc_rng_below(&r, (uint64_t)cols);
            t[k].val = rc_rng_unit(&r);
            sum[t[k].row][t[k].col] += t[k].val;
            distinct += !seen[t[k].row][t[k].col]++;
        }
        rc_csr_t first = {0};
        static const int threads[] = {1, 2, 5};
        for (int i = 0; i < 3; i++) {
            rc_csr_t a;
            rc_err_t err;
            int64_t duplicates = -1;
            assert_int_equal(
                rc_csr_from_triples(rows, cols, t, n, threads[i], &a, &duplicates, &err), RC_OK);
            assert_int_equal(rc_csr_check(&a, &err), RC_OK);
            assert_true(a.nnz == distinct && duplicates == n - distinct);
            for (int64_t row = 0; row < rows; row++)
                for (int64_t k = a.row_ptr[row]; k < a.row_ptr[row + 1]; k++) {
                    assert_true(seen[row][a.col_idx[k]]);
                    assert_true(a.val[k] == sum[row][a.col_idx[k]]);
                }
            if (i == 0)
                first = a;
            else {
                assert_true(same(&first, &a));
                rc_csr_free(&a);
            }
        }
        rc_csr_free(&first);
        free(t);
    }
}

static void triples_outside_are_refused(void **state)
{
    (void)state;
    static const rc_triple_t bad[] = {{3, 0, 1}, {0, 4, 1}, {-1, 0, 1}, {0, -1, 1}};
    rc_csr_t a;
    rc_err_t err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rc_triple_t t[2] = {{0, 0, 1}, bad[i]};
        assert_int_equal(rc_csr_from_triples(3, 4, t, 2, 1, &a, NULL, &err), RC_ERANGE);
        assert_non_null(strstr(err.text, "entry 1"));
    }
    assert_int_equal(rc_csr_alloc(INT64_C(1) << 31, 1, 0, &a, &err), RC_ERANGE);
    assert_int_equal(rc_csr_alloc(1, INT64_C(1) << 31, 0, &a, &err), RC_ERANGE);
    assert_int_equal(rc_csr_alloc(1, 1, -1, &a, &err), RC_ERANGE);
    assert_int_equal(rc_csr_alloc(1, 1, INT64_MAX, &a, &err), RC_ENOMEM);
}

static rc_csr_t sample(void)
{
    static const rc_triple_t t[] = {{0, 1, 1}, {0, 3, 2}, {2, 0, -0.0}, {2, 2, 4}};
    rc_csr_t a;
    assert_int_equal(rc_csr_from_triples(3, 4, t, 4, 1, &a, NULL, NULL), RC_OK);
    return a;
}

static void broken_invariants_are_named(void **state)
{
    (void)state;
    rc_err_t err;
    rc_csr_t a = sample();
    assert_int_equal(rc_csr_check(&a, &err), RC_OK);
    a.row_ptr[0] = 1;
    assert_int_equal(rc_csr_check(&a, &err), RC_EINVAL);
    a.row_ptr[0] = 0;
    a.row_ptr[1] = 5;
    assert_int_equal(rc_csr_check(&a, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "row 0"));
    a.row_ptr[1] = 2;
    a.row_ptr[2] = 1;
    assert_int_equal(rc_csr_check(&a, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "row 1"));
    a.row_ptr[2] = 2;
    a.col_idx[1] = 4;
    assert_int_equal(rc_csr_check(&a, &err), RC_EINVAL);
    a.col_idx[1] = 1;
    assert_int_equal(rc_csr_check(&a, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "row 0"));
    a.col_idx[1] = 3;
    a.nnz = 5;
    assert_int_equal(rc_csr_check(&a, &err), RC_EINVAL);
    a.nnz = 4;
    assert_int_equal(rc_csr_check(&a, &err), RC_OK);
    rc_csr_free(&a);
    assert_int_equal(rc_csr_check(&a, &err), RC_EINVAL);
}

static void digest_of_complex_values_is_of_both_parts(void **state)
{
    (void)state;
    rc_digest_t real;
    rc_digest_t d;
    rc_digest_t e;
    rc_csr_t a = sample();
    double parts[8] = {0};
    for (int i = 0; i < 4; i++)
        parts[2 * i] = a.val[i];
    assert_int_equal(rc_csr_digest(&a, &real, NULL), RC_OK);
    assert_int_equal(rc_csr_digest_complex(&a, parts, &d, NULL), RC_OK);
    assert_true(rc_digest_compare(&d, &real) != 0);
    for (int i = 0; i < 8; i++) {
        const double was = parts[i];
        parts[i] = -0.0;
        rc_csr_digest_complex(&a, parts, &e, NULL);
        assert_int_equal(rc_digest_compare(&d, &e) == 0, was == 0);
        parts[i] = 17;
        rc_csr_digest_complex(&a, parts, &e, NULL);
        assert_true(rc_digest_compare(&d, &e) != 0);
        parts[i] = was;
    }
    a.val[0] = 99;
    rc_csr_digest_complex(&a, parts, &e, NULL);
    assert_int_equal(rc_digest_compare(&d, &e), 0);
    rc_csr_free(&a);
}

static void digest_is_of_the_canonical_matrix(void **state)
{
    (void)state;
    rc_digest_t d;
    rc_digest_t e;
    rc_csr_t a = sample();
    assert_int_equal(rc_csr_digest(&a, &d, NULL), RC_OK);
    assert_string_equal(rc_digest_hex(d).text, "c0865ac294eaeb5b8217cfcd17694721"); /* which stores hold */
    a.val[2] = 0.0;
    assert_int_equal(rc_csr_digest(&a, &e, NULL), RC_OK);
    assert_int_equal(rc_digest_compare(&d, &e), 0);
    a.val[2] = (double)NAN;
    rc_csr_digest(&a, &d, NULL);
    a.val[2] = -(double)NAN;
    rc_csr_digest(&a, &e, NULL);
    assert_int_equal(rc_digest_compare(&d, &e), 0);
    a.val[3] = nextafter(a.val[3], 9);
    rc_csr_digest(&a, &e, NULL);
    assert_true(rc_digest_compare(&d, &e) != 0);
    a.val[3] = 4;
    a.col_idx[3] = 3;
    rc_csr_digest(&a, &e, NULL);
    assert_true(rc_digest_compare(&d, &e) != 0);
    a.col_idx[3] = 2;
    a.cols = 5;
    rc_csr_digest(&a, &e, NULL);
    assert_true(rc_digest_compare(&d, &e) != 0);
    a.cols = 4;
    rc_csr_digest(&a, &e, NULL);
    assert_int_equal(rc_digest_compare(&d, &e), 0);
    rc_csr_free(&a);
}

static void transpose_turns_triples_around(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 6);
    for (int round = 0; round < 100; round++) {
        int64_t rows = (int64_t)rc_rng_below(&r, side);
        int64_t cols = (int64_t)rc_rng_below(&r, side);
        int64_t n = rows && cols ? (int64_t)rc_rng_below(&r, 400) : 0;
        rc_triple_t t[400];
        rc_triple_t u[400];
        for (int64_t k = 0; k < n; k++) {
            t[k].row = u[k].col = (int32_t)rc_rng_below(&r, (uint64_t)rows);
            t[k].col = u[k].row = (int32_t)rc_rng_below(&r, (uint64_t)cols);
            t[k].val = u[k].val = rc_rng_unit(&r);
        }
        rc_csr_t a;
        rc_csr_t b;
        rc_csr_t at;
        assert_int_equal(rc_csr_from_triples(rows, cols, t, n, 1, &a, NULL, NULL), RC_OK);
        assert_int_equal(rc_csr_from_triples(cols, rows, u, n, 1, &b, NULL, NULL), RC_OK);
        assert_int_equal(rc_csr_transpose(&a, &at, NULL), RC_OK);
        assert_int_equal(rc_csr_check(&at, NULL), RC_OK);
        assert_true(same(&b, &at));
        rc_csr_free(&a);
        rc_csr_free(&b);
        rc_csr_free(&at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triples_are_sorted_and_summed),
        cmocka_unit_test(triples_outside_are_refused),
        cmocka_unit_test(broken_invariants_are_named),
        cmocka_unit_test(digest_is_of_the_canonical_matrix),
        cmocka_unit_test(digest_of_complex_values_is_of_both_parts),
        cmocka_unit_test(transpose_turns_triples_around),
    };
    return cmocka_run_group_tests_name("csr", tests, NULL, NULL);
}
