/* Orders of columns and groups of rows: what is refused, and what renumbering does. */
#include "config.h"
#include "unit.h"

#include "order/policy.h"
#include "order_matrix.h"
#include "sparse/csr.h"

#include <stdlib.h>
#include <string.h>

static void bad_columns_and_groups(void **state)
{
    (void)state;
    const unsigned char flag[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
    int32_t row[] = {0, 1, 2};
    struct {
        int32_t col[3];
        int64_t cols;
        int64_t ptr[2][4];
        int64_t count[2];
        int levels;
        const char *says;
    } cases[] = {
        {{2, 0, 1}, 3, {{0, 1, 3}, {0, 2}}, {2, 1}, 2, ""},
        {{2, 0, 2}, 3, {{0}}, {0}, 0, "position 2: column 2 is there twice"},
        {{2, 0, 3}, 3, {{0}}, {0}, 0, "position 2: expected a column in [0, 3), found 3"},
        {{1, 0, 2}, 2, {{0}}, {0}, 0, "columns: expected 3"},
        {{0}, 0, {{0, 3, 3}}, {2}, 1, "g0: group 1 begins at 3 and ends at 3"},
        {{0}, 0, {{0, 2}}, {1}, 1, "g0: expected pointers from 0 to 3, found 0 to 2"},
        {{0}, 0, {{1, 3}}, {1}, 1, "g0: expected pointers from 0 to 3, found 1 to 3"},
        {{0}, 0, {{0, 1, 3}, {0, 3}}, {2, 1}, 2, "g1: expected pointers from 0 to 2, found 0 to 3"},
    };
    rc_csr_t a;
    matrix_from_flags(flag, 3, 3, &a);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_err_t err = {0};
        rc_schedule_t s = {.slots = 3,
            .rows = 3,
            .row = row,
            .cols = cases[i].cols,
            .col = cases[i].cols ? cases[i].col : NULL,
            .levels = cases[i].levels,
            .group = {{"g0", cases[i].count[0], cases[i].ptr[0]},
                {"g1", cases[i].count[1], cases[i].ptr[1]}}};
        rc_status_t st = rc_schedule_check(&s, &a, &err);
        if (st != (cases[i].says[0] ? RC_EINVAL : RC_OK) || !strstr(err.text, cases[i].says))
            fail_msg("case %zu: found %d '%s'", i, (int)st, err.text);
    }
    row[2] = -1; /* row 2 is empty, but a symmetric order has every row */
    int32_t col[] = {0, 1, 2};
    rc_schedule_t s = {.slots = 3, .rows = 3, .row = row, .cols = 3, .col = col};
    assert_int_equal(rc_schedule_check(&s, &a, NULL), RC_EINVAL);
    free_matrix(&a);
}

/* Entry (r, col[p]) of a matrix is entry (r, p) of the renumbered one. */
static void columns_are_renumbered(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 8);
    for (int round = 0; round < 100; round++) {
        rc_csr_t a;
        rc_csr_t b;
        random_matrix(&r, 40, &a);
        for (int64_t e = 0; e < a.nnz; e++)
            a.val[e] = (double)e + 1;
        int32_t *col = calloc((size_t)a.cols + 1, sizeof *col);
        assert_non_null(col);
        for (int64_t p = 0; p < a.cols; p++) {
            int64_t q = (int64_t)rc_rng_below(&r, (uint64_t)p + 1);
            col[p] = col[q];
            col[q] = (int32_t)p;
        }
        assert_int_equal(rc_csr_renumber_columns(&a, col, &b, NULL), RC_OK);
        assert_int_equal(rc_csr_check(&b, NULL), RC_OK);
        assert_int_equal(b.nnz, a.nnz);
        for (int64_t i = 0; i < a.rows; i++)
            for (int64_t e = b.row_ptr[i]; e < b.row_ptr[i + 1]; e++) {
                int64_t from = (int64_t)b.val[e] - 1; /* the entry that it was */
                assert_true(from >= a.row_ptr[i] && from < a.row_ptr[i + 1]);
                assert_int_equal(a.col_idx[from], col[b.col_idx[e]]);
            }
        free(col);
        rc_csr_free(&b);
        free_matrix(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_columns_and_groups),
        cmocka_unit_test(columns_are_renumbered),
    };
    return cmocka_run_group_tests_name("order columns", tests, NULL, NULL);
}
