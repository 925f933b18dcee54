/* The order community against its definition, built plainly: communities as the order `labels` has them, each ordered by
 * the order rcm of the matrix that its rows are. */
#include "config.h"
#include "unit.h"

#include "order/policy.h"
#include "order_matrix.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_rows(const char *text, const rc_csr_t *a, const int32_t *want)
{
    for (int threads = 1; threads <= 5; threads += 2) {
        rc_schedule_t s = order_of(text, a, threads);
        assert_int_equal(s.slots, a->rows);
        for (int64_t p = 0; p < s.slots; p++)
            if (s.row[p] != want[p])
                fail_msg("%s of %" PRId64 " rows, %d threads, slot %" PRId64 ": expected %d, found %d",
                    text, a->rows, threads, p, (int)want[p], (int)s.row[p]);
        rc_schedule_free(&s);
    }
}

static int32_t *numbers(int64_t n)
{
    int32_t *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static int is_among(const int32_t *row, int64_t n, int64_t r)
{
    for (int64_t i = 0; i < n; i++)
        if (row[i] == r)
            return 1;
    return 0;
}

/* The rows of a community, ascending, in the order rcm of the matrix of their entries among themselves. */
static void order_inside(const rc_csr_t *a, const int32_t *row, int64_t n, int32_t *want)
{
    unsigned char *flag = calloc((size_t)(n * n) + 1, 1);
    rc_csr_t part;
    assert_non_null(flag);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t e = a->row_ptr[row[i]]; e < a->row_ptr[row[i] + 1]; e++)
                flag[i * n + j] |= a->col_idx[e] == row[j];
    matrix_from_flags(flag, n, n, &part);
    rc_schedule_t s = order_of("rcm", &part, 1);
    for (int64_t i = 0; i < n; i++)
        want[i] = row[s.row[i]];
    rc_schedule_free(&s);
    free_matrix(&part);
    free(flag);
}

static void check_communities(const rc_csr_t *a, int rounds)
{
    char text[64];
    char plain[64];
    int32_t *want = numbers(a->rows);
    (void)snprintf(text, sizeof text, "community:rounds=%d", rounds);
    (void)snprintf(plain, sizeof plain, "labels:rounds=%d", rounds);
    rc_schedule_t s = order_of(text, a, 2);
    rc_schedule_t labels = order_of(plain, a, 2); /* a community after the other, its rows ascending */
    assert_int_equal(s.levels, 1);
    assert_string_equal(s.group[0].name, "community_ptr");
    for (int64_t k = 0; k < s.group[0].count; k++) {
        int64_t begin = s.group[0].ptr[k];
        int64_t n = s.group[0].ptr[k + 1] - begin;
        assert_true(n > 0);
        for (int64_t i = 0; i < n; i++) {
            assert_true(is_among(labels.row + begin, n, s.row[begin + i]));
            assert_true(i == 0 || labels.row[begin + i - 1] < labels.row[begin + i]);
        }
        order_inside(a, labels.row + begin, n, want + begin);
    }
    expect_rows(text, a, want);
    rc_schedule_free(&s);
    rc_schedule_free(&labels);
    free(want);
}

static void random_matrices(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 23);
    for (int round = 0; round < 60; round++) {
        rc_csr_t a;
        random_matrix(&r, 90, &a);
        check_communities(&a, 0);
        check_communities(&a, 1 + round % 4);
        free_matrix(&a);
    }
}

static void generated_matrices(void **state)
{
    (void)state;
    static const char *const specs[] = {"mesh2d:n=40,shuffle=both", "powerlaw:n=900", "lp:rows=200,cols=700",
        "lp:rows=700,cols=200", "block:n=1200,size=20,between=2,shuffle=both"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a;
        rc_err_t err = {0};
        if (rc_generate(specs[i], &a, NULL, &err) < 0)
            fail_msg("%s", err.text);
        check_communities(&a, 8);
        rc_csr_free(&a);
    }
}

/* Entries over distinct columns of every 32 slots. */
static double reuse(const rc_csr_t *a, const char *text)
{
    enum { window = 32 };
    rc_schedule_t s = order_of(text, a, 2);
    int32_t *last = numbers(a->cols); /* window of the last use, from 1 */
    int64_t distinct = 0;
    for (int64_t p = 0; p < s.slots; p++)
        for (int64_t e = a->row_ptr[s.row[p]]; e < a->row_ptr[s.row[p] + 1]; e++) {
            distinct += last[a->col_idx[e]] != p / window + 1;
            last[a->col_idx[e]] = (int32_t)(p / window + 1);
        }
    free(last);
    rc_schedule_free(&s);
    return (double)a->nnz / (double)distinct;
}

/* What the order inside of communities is for: neighbours come nearer than by label alone. */
static void rcm_inside_brings_rows_nearer(void **state)
{
    (void)state;
    rc_csr_t a;
    assert_int_equal(rc_generate("mesh2d:n=120,shuffle=both", &a, NULL, NULL), RC_OK);
    double none = reuse(&a, "csr");
    double label = reuse(&a, "labels");
    double both = reuse(&a, "community");
    if (none > 1.1 || label < 1.3 || both < 1.1 * label)
        fail_msg("expected none < labels < community, found %g, %g, %g", none, label, both);
    rc_csr_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(generated_matrices),
        cmocka_unit_test(rcm_inside_brings_rows_nearer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
