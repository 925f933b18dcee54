/* Schedules: validity, the policies that need no distances, independence of threads, bad input. */
#include "config.h"
#include "unit.h"

#include "failing_alloc.h"
#include "order_matrix.h"
#include "order/policy.h"

#include <stdlib.h>
#include <string.h>

static int64_t load_of(const rc_csr_t *a, const rc_geometry_t *g, int64_t r)
{
    int64_t load = 0;
    for (int64_t i = a->row_ptr[r]; i < a->row_ptr[r + 1]; i += g->nt)
        load++;
    return load;
}

/* A matrix whose rows have the given lengths. */
static void with_lengths(const int *length, int64_t rows, rc_csr_t *a)
{
    int64_t cols = 1;
    for (int64_t r = 0; r < rows; r++)
        if (length[r] > cols)
            cols = length[r];
    unsigned char *flag = calloc((size_t)(rows * cols) + 1, 1);
    assert_non_null(flag);
    for (int64_t r = 0; r < rows; r++)
        memset(flag + r * cols, 1, (size_t)length[r]);
    matrix_from_flags(flag, rows, cols, a);
    free(flag);
}

static void expect_slots(
    const char *policy, const rc_csr_t *a, rc_geometry_t g, const int32_t *expected, int64_t slots)
{
    rc_err_t err = {0};
    rc_schedule_t s = {0};
    assert_int_equal(rc_order_build(policy, a, &g, 1, &s, &err), RC_OK);
    assert_int_equal(s.slots, slots);
    for (int64_t p = 0; p < slots; p++)
        if (s.row[p] != expected[p])
            fail_msg("%s: slot %ld: expected %d, found %d", policy, (long)p, expected[p], s.row[p]);
    rc_schedule_free(&s);
}

/* Every policy on random matrices: each row once, no pads but in lpt, the empty rows left out by
 * dcsr only, and the same schedule for every number of threads. */
static void schedules_are_valid_and_do_not_depend_on_threads(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    for (int round = 0; round < 200; round++) {
        rc_csr_t a;
        random_matrix(&r, 80, &a);
        rc_geometry_t g = random_geometry(&r);
        for (int k = 0; rc_policies[k] && !rc_policies[k]->on_request; k++) {
            const char *name = rc_policies[k]->name;
            rc_err_t err = {0};
            rc_schedule_t one = {0};
            rc_schedule_t three = {0};
            assert_int_equal(rc_order_build(name, &a, &g, 1, &one, &err), RC_OK);
            assert_int_equal(rc_order_build(name, &a, &g, 3, &three, &err), RC_OK);
            assert_int_equal(one.rows, a.rows);
            assert_int_equal(one.slots, three.slots);
            assert_memory_equal(one.row, three.row, (size_t)one.slots * sizeof *one.row);
            int *seen = calloc((size_t)a.rows + 1, sizeof *seen);
            assert_non_null(seen);
            for (int64_t p = 0; p < one.slots; p++) {
                if (one.row[p] < 0)
                    assert_string_equal(name, "lpt");
                else
                    seen[one.row[p]]++;
            }
            for (int64_t i = 0; i < a.rows; i++) {
                int empty = a.row_ptr[i] == a.row_ptr[i + 1];
                assert_int_equal(seen[i], empty && strcmp(name, "dcsr") == 0 ? 0 : 1);
            }
            free(seen);
            rc_schedule_free(&one);
            rc_schedule_free(&three);
        }
        free_matrix(&a);
    }
}

static void csr_and_dcsr_keep_the_order(void **state)
{
    (void)state;
    const int length[] = {0, 3, 0, 1, 2, 0};
    const int32_t all[] = {0, 1, 2, 3, 4, 5};
    const int32_t filled[] = {1, 3, 4};
    rc_csr_t a;
    with_lengths(length, 6, &a);
    expect_slots("csr", &a, (rc_geometry_t){2, 1, 1}, all, 6);
    expect_slots("dcsr", &a, (rc_geometry_t){2, 1, 1}, filled, 3);
    free_matrix(&a);
}

static void plain_and_flipped_on_a_known_matrix(void **state)
{
    (void)state;
    /* loads with nt = 2: 1 2 1 3 0 2 2 1 */
    const int length[] = {1, 3, 2, 6, 0, 4, 3, 1};
    const int32_t plain[] = {3, 1, 5, 6, 0, 2, 7, 4};
    const int32_t flipped[] = {3, 1, 5, 2, 0, 6, 7, 4};
    const int32_t flipped_part[] = {3, 1, 5, 6, 0, 4, 7, 2};
    rc_csr_t a;
    with_lengths(length, 8, &a);
    expect_slots("plain", &a, (rc_geometry_t){3, 2, 1}, plain, 8);
    expect_slots("flipped", &a, (rc_geometry_t){3, 2, 1}, flipped, 8);
    expect_slots("flipped", &a, (rc_geometry_t){5, 2, 1}, flipped_part, 8); /* group of 3 */
    free_matrix(&a);
}

/* Load decreases over the slots; equal loads keep their order.  Undoing the reversal of every
 * second group of flipped gives plain. */
static void plain_and_flipped_sort_by_load(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 6);
    for (int round = 0; round < 200; round++) {
        rc_csr_t a;
        random_matrix(&r, 90, &a);
        rc_geometry_t g = random_geometry(&r);
        rc_schedule_t plain = {0};
        rc_schedule_t flipped = {0};
        assert_int_equal(rc_order_build("plain", &a, &g, 1, &plain, NULL), RC_OK);
        assert_int_equal(rc_order_build("flipped", &a, &g, 1, &flipped, NULL), RC_OK);
        for (int64_t p = 1; p < plain.slots; p++) {
            int64_t before = load_of(&a, &g, plain.row[p - 1]);
            int64_t here = load_of(&a, &g, plain.row[p]);
            assert_true(before > here || (before == here && plain.row[p - 1] < plain.row[p]));
        }
        for (int64_t p = 0; p < plain.slots; p++) {
            int64_t group = p / g.nw;
            int64_t size = plain.slots - group * g.nw < g.nw ? plain.slots - group * g.nw : g.nw;
            int64_t at = group % 2 ? group * g.nw + size - 1 - p % g.nw : p;
            assert_int_equal(flipped.row[at], plain.row[p]);
        }
        rc_schedule_free(&plain);
        rc_schedule_free(&flipped);
        free_matrix(&a);
    }
}

static void lpt_breaks_ties_by_rows_then_warp(void **state)
{
    (void)state;
    rc_csr_t a;
    /* loads 2 2 1 1 1: rows 0, 1, 2 to warps 0, 1, 2 (equal: lower warp); row 3 to warp 2 (least
     * load); all at load 2, warps 0 and 1 with one row each, so row 4 to warp 0 */
    const int length[] = {2, 2, 1, 1, 1};
    const int32_t expected[] = {0, 1, 2, 4, -1, 3};
    with_lengths(length, 5, &a);
    expect_slots("lpt", &a, (rc_geometry_t){3, 1, 1}, expected, 6);
    free_matrix(&a);
    /* loads 2 1 1 with two warps: row 1 and then row 2 to warp 1; then the warps are equal in load
     * and warp 0 has fewer rows, so the empty rows go there until it has more */
    const int fewer[] = {2, 1, 1, 0, 0, 0};
    const int32_t by_rows[] = {0, 1, 3, 2, 4, 5};
    with_lengths(fewer, 6, &a);
    expect_slots("lpt", &a, (rc_geometry_t){2, 1, 1}, by_rows, 6);
    free_matrix(&a);
    /* more warps than rows: one slot each, the rest pads */
    const int few[] = {1, 2};
    const int32_t padded[] = {1, 0, -1, -1};
    with_lengths(few, 2, &a);
    expect_slots("lpt", &a, (rc_geometry_t){4, 1, 1}, padded, 4);
    free_matrix(&a);
}

/* Any greedy assignment to the least loaded warp ends within mean + largest; besides, each row
 * must have gone to the best warp by (load, rows, warp), replayed here without a heap. */
static void lpt_balances_and_replays(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 8);
    for (int round = 0; round < 200; round++) {
        rc_csr_t a;
        random_matrix(&r, 90, &a);
        rc_geometry_t g = random_geometry(&r);
        int64_t load[100] = {0};
        int64_t rows[100] = {0};
        rc_schedule_t lpt = {0};
        rc_schedule_t plain = {0};
        assert_int_equal(rc_order_build("lpt", &a, &g, 1, &lpt, NULL), RC_OK);
        assert_int_equal(rc_order_build("plain", &a, &g, 1, &plain, NULL), RC_OK);
        int64_t most_rows = 0;
        int64_t sum = 0;
        int64_t largest = 0;
        for (int64_t i = 0; i < plain.slots; i++) {
            int32_t w = 0;
            for (int32_t v = 1; v < g.nw; v++)
                if (load[v] < load[w] || (load[v] == load[w] && rows[v] < rows[w]))
                    w = v;
            int64_t slot = rows[w] * g.nw + w;
            assert_true(slot < lpt.slots);
            assert_int_equal(lpt.row[slot], plain.row[i]);
            int64_t l = load_of(&a, &g, plain.row[i]);
            load[w] += l;
            rows[w]++;
            sum += l;
            largest = l > largest ? l : largest;
            most_rows = rows[w] > most_rows ? rows[w] : most_rows;
        }
        assert_int_equal(lpt.slots, most_rows * g.nw);
        for (int32_t w = 0; w < g.nw; w++)
            assert_true(load[w] * g.nw <= sum + largest * g.nw);
        rc_schedule_free(&lpt);
        rc_schedule_free(&plain);
        free_matrix(&a);
    }
}

static void check_rejects_bad_schedules(void **state)
{
    (void)state;
    const int length[] = {1, 2, 0, 1};
    rc_csr_t a;
    with_lengths(length, 4, &a);
    const struct {
        int32_t row[5];
        int64_t slots;
        int64_t rows;
        rc_status_t status;
        const char *says;
    } cases[] = {
        {{3, 1, 0, 2}, 4, 4, RC_OK, ""},
        {{3, -1, 1, -1, 0}, 5, 4, RC_OK, ""}, /* row 2 is empty */
        {{3, 1, 0, 1}, 4, 4, RC_EINVAL, "slot 3: row 1 is there twice"},
        {{3, 1, -1, 2}, 4, 4, RC_EINVAL, "row 0 has entries and no slot"},
        {{3, 1, 4, 2}, 4, 4, RC_EINVAL, "slot 2: expected a row in [0, 4) or -1, found 4"},
        {{3, -2, 4, 2}, 4, 4, RC_EINVAL, "slot 1: expected a row in [0, 4) or -1, found -2"},
        {{3, 1, 0, 2}, 4, 5, RC_EINVAL, "order is for 5 rows"},
        {{0}, 0, 4, RC_EINVAL, "row 0 has entries and no slot"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_err_t err = {0};
        int32_t row[5];
        memcpy(row, cases[i].row, sizeof row);
        rc_schedule_t s = {.slots = cases[i].slots, .rows = cases[i].rows, .row = row};
        assert_int_equal(rc_schedule_check(&s, &a, &err), cases[i].status);
        if (!strstr(err.text, cases[i].says))
            fail_msg("expected '%s', found '%s'", cases[i].says, err.text);
    }
    free_matrix(&a);
}

static void identity_is_recognised(void **state)
{
    (void)state;
    int32_t row[] = {0, 1, 2};
    rc_schedule_t s = {.slots = 3, .rows = 3, .row = row};
    assert_true(rc_schedule_is_identity(&s));
    s.rows = 4;
    assert_false(rc_schedule_is_identity(&s));
    s.rows = 3;
    row[1] = 2;
    assert_false(rc_schedule_is_identity(&s));
}

static void bad_arguments_are_named(void **state)
{
    (void)state;
    const int length[] = {1};
    rc_csr_t a;
    with_lengths(length, 1, &a);
    rc_err_t err = {0};
    rc_schedule_t s = {0};
    assert_int_equal(rc_order_build("hybrid2.4", &a, NULL, 1, &s, &err), RC_ENOENT);
    assert_non_null(strstr(err.text, "did you mean 'hybrid2.1'"));
    assert_int_equal(rc_order_build("zzzzzzzz", &a, NULL, 1, &s, &err), RC_ENOENT);
    assert_non_null(strstr(err.text, "csr, dcsr, plain, flipped, lpt, warp, cta, hybrid1"));
    assert_int_equal(rc_order_build("csr", &a, NULL, -1, &s, &err), RC_EINVAL);
    assert_null(s.row);
    const rc_geometry_t bad[] = {
        {0, 32, 32}, {32, 0, 32}, {32, 32, 0}, {65537, 1, 1}, {1, 65537, 1}, {1, 1, 65537}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(rc_geometry_check(&bad[i], &err), RC_EINVAL);
        assert_int_equal(rc_order_build("cta", &a, &bad[i], 1, &s, &err), RC_EINVAL);
    }
    const rc_geometry_t good[] = {{1, 1, 1}, {65536, 65536, 65536}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        for (int k = 0; rc_policies[k] && !rc_policies[k]->on_request; k++) {
            assert_int_equal(
                rc_order_build(rc_policies[k]->name, &a, &good[i], 1, &s, &err), RC_OK);
            rc_schedule_free(&s);
        }
    free_matrix(&a);
}

static void policies_are_described(void **state)
{
    (void)state;
    assert_string_equal(rc_policies[0]->name, "csr");
    int paper = 0; /* policies of "all": what results of earlier versions hold */
    for (int k = 0; rc_policies[k]; k++) {
        assert_ptr_equal(rc_policy_find(rc_policies[k]->name), rc_policies[k]);
        assert_true(rc_policies[k]->version >= 1);
        assert_true(strlen(rc_policies[k]->summary) > 0);
        if (rc_policies[k]->on_request)
            continue;
        assert_int_equal(paper++, k); /* they come first */
        assert_non_null(strstr(rc_policies[k]->source, "section"));
    }
    assert_int_equal(paper, 11);
    assert_null(rc_policy_find("oracle"));
}

/* Fail every allocation of a build in turn; nothing leaks (run under a leak checker), nothing is
 * set, and the status says why. */
static void fail_each_allocation(const char *policy, const rc_csr_t *a, const rc_geometry_t *g)
{
    for (long n = 0;; n++) {
        rc_err_t err = {0};
        rc_schedule_t s = {0};
        failing_alloc_set(n);
        rc_status_t st = rc_order_build(policy, a, g, 1, &s, &err);
        int failed = failing_alloc_happened();
        failing_alloc_set(-1);
        assert_int_equal(st, failed ? RC_ENOMEM : RC_OK);
        assert_true(failed == (s.row == NULL));
        rc_schedule_free(&s);
        if (!failed)
            return;
        assert_non_null(strstr(err.text, "no memory"));
    }
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    enum { bits = 12, rows = 1 << bits, cols = bits + 1 };
    const int length[] = {0, 3, 0, 40, 2, 0, 7, 7};
    const rc_geometry_t g = {2, 4, 1};
    rc_csr_t a;
    with_lengths(length, 8, &a);
    for (int k = 0; rc_policies[k] && !rc_policies[k]->on_request; k++)
        fail_each_allocation(rc_policies[k]->name, &a, &g);
    free_matrix(&a);
    /* every mask of 12 lines and a line in all: long lists, so dense lines are looked for */
    unsigned char *flag = calloc((size_t)rows * cols, 1);
    assert_non_null(flag);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            flag[r * cols + c] = c == bits || (r >> c & 1);
    matrix_from_flags(flag, rows, cols, &a);
    free(flag);
    fail_each_allocation("hybrid2.2", &a, &g);
    free_matrix(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_are_valid_and_do_not_depend_on_threads),
        cmocka_unit_test(csr_and_dcsr_keep_the_order),
        cmocka_unit_test(plain_and_flipped_on_a_known_matrix),
        cmocka_unit_test(plain_and_flipped_sort_by_load),
        cmocka_unit_test(lpt_breaks_ties_by_rows_then_warp),
        cmocka_unit_test(lpt_balances_and_replays),
        cmocka_unit_test(check_rejects_bad_schedules),
        cmocka_unit_test(identity_is_recognised),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(policies_are_described),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
