/* The order lsh: how many similar pairs are candidates, and inputs with very many equal rows or candidates. */
#include "config.h"
#include "unit.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "lsh_reference.h"
#include "order_matrix.h"
#include "real_names.h"
#include "rowcast_io.h"
#include "scratch.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const rc_lsh_rule_t usual = {128, 2, 256, 1, 8, 256, NAN};

static void pairs_of(const rc_csr_t *a, int64_t window, double least, rc_pair_set_t *seen)
{
    rc_lsh_rule_t rule = usual;
    rc_lsh_t s = {.a = a, .rule = &rule, .threads = 1};
    rule.window = window;
    rule.pair_max = 0;
    rule.sim_min = least;
    assert_int_equal(rc_lsh_units(&s, NULL), RC_OK);
    assert_int_equal(rc_lsh_pairs(&s, NULL), RC_OK);
    assert_int_equal(s.facts.pairs, s.seen.count);
    *seen = s.seen;
    s.seen = (rc_pair_set_t){0};
    rc_lsh_free(&s);
}

/* A larger window keeps every pair; with all of a bucket, pairs of similarity 1/2 are missed with
 * probability (1 - 1/4)^64 = 10^-8. */
static void windows_and_recall(void **state)
{
    (void)state;
    rc_rng_t r;
    int64_t similar = 0;
    rc_rng_seed(&r, 64);
    for (int round = 0; round < 20; round++) {
        static const int64_t windows[] = {1, 3, 8, 0};
        rc_csr_t a;
        rc_pair_set_t seen[4];
        random_matrix(&r, 80, &a);
        for (int i = 0; i < 4; i++)
            pairs_of(&a, windows[i], NAN, &seen[i]);
        for (int64_t x = 0; x < a.rows; x++)
            for (int64_t y = x + 1; y < a.rows; y++) {
                uint64_t pair = rc_pair((int32_t)x, (int32_t)y);
                for (int i = 0; i < 3; i++)
                    if (rc_pair_set_has(&seen[i], pair))
                        assert_true(rc_pair_set_has(&seen[i + 1], pair));
                double s = rc_pair_set_has(&seen[3], pair) ? 0 : similarity_reference(&a, x, y);
                if (s >= 0.5 && s < 1) /* of rows with equal ones the first stands for them */
                    for (int64_t k = 0; k < y; k++)
                        if ((k < x && similarity_reference(&a, k, x) == 1) ||
                            similarity_reference(&a, k, y) == 1)
                            s = 1;
                assert_false(s >= 0.5 && s < 1);
                similar += rc_pair_set_has(&seen[3], pair);
            }
        for (int i = 0; i < 4; i++)
            rc_pair_set_free(&seen[i]);
        free_matrix(&a);
    }
    assert_true(similar > 1000);
}

/* Pairs of similarity 1/2 or more of real matrices: 99.9 % are candidates where all of a bucket are compared. */
static void recall_of_real_matrices(void **state)
{
    (void)state;
    int read = 0;
    int having = 0; /* such pairs */
    int64_t similar = 0;
    int64_t found = 0;
    for (size_t i = 0; i < REAL_NAMES; i++) {
        char name[64];
        char path[SCRATCH_PATH];
        rc_csr_t a;
        rc_lsh_t l = {.a = &a, .rule = &usual, .threads = 1};
        rc_pair_set_t seen;
        (void)snprintf(name, sizeof name, "matrices/%s.mtx.xz", real_names[i]);
        if (!shared_path(name, path) || rc_mtx_read(path, 1, &a, NULL, NULL) != RC_OK)
            continue;
        read++;
        int64_t before = similar;
        pairs_of(&a, 0, NAN, &seen);
        assert_int_equal(rc_lsh_units(&l, NULL), RC_OK);
        for (int64_t x = 0; x < l.units.count; x++)
            for (int64_t y = x + 1; y < l.units.count; y++)
                if (similarity_reference(&a, l.units.row[x], l.units.row[y]) >= 0.5) {
                    similar++;
                    found += rc_pair_set_has(&seen, rc_pair(l.units.row[x], l.units.row[y]));
                }
        having += similar > before;
        rc_lsh_free(&l);
        rc_pair_set_free(&seen);
        rc_csr_free(&a);
    }
    if (read == 0)
        skip();
    if (having < 20 || similar < 1000)
        fail_msg("only %" PRId64 " similar pairs in %d matrices", similar, having);
    if ((double)found < 0.999 * (double)similar)
        fail_msg("%" PRId64 " of %" PRId64 " pairs", found, similar);
}

/* 10^6 equal rows: one unit, closed clusters of 256 and a rest. */
static void a_million_equal_rows(void **state)
{
    (void)state;
    enum { rows = 1000000 };
    rc_csr_t a;
    rc_lsh_t l = {.a = &a, .rule = &usual, .threads = 2};
    assert_int_equal(rc_csr_alloc(rows, 2, 2 * rows, &a, NULL), RC_OK);
    for (int64_t r = 0; r < rows; r++) {
        a.col_idx[2 * r] = 0;
        a.col_idx[2 * r + 1] = 1;
        a.row_ptr[r + 1] = 2 * (r + 1);
    }
    rc_schedule_t s = {0};
    assert_int_equal(rc_lsh_schedule(&l, &s, NULL), RC_OK);
    assert_int_equal(l.facts.units, 1);
    assert_int_equal(l.facts.candidates, 0);
    assert_int_equal(l.facts.clusters, 3907);
    assert_int_equal(l.facts.largest, 256);
    assert_true(rc_schedule_is_identity(&s));
    rc_schedule_free(&s);
    rc_csr_free(&a);
}

/* 10^5 rows that share one column: without a window 5 x 10^9 candidates at most, refused with the bytes of all. */
static void one_hub_is_refused(void **state)
{
    (void)state;
    enum { rows = 100000 };
    const int64_t bytes = INT64_C(32) * rows * (rows - 1) / 2;
    rc_csr_t a;
    rc_err_t err = {0};
    rc_schedule_t s = {0};
    rc_lsh_rule_t rule = usual;
    rule.window = 0;
    if (rc_memory_available() >= bytes)
        skip();
    assert_int_equal(rc_csr_alloc(rows, rows + 1, 2 * rows, &a, NULL), RC_OK);
    for (int64_t r = 0; r < rows; r++) {
        a.col_idx[2 * r] = 0;
        a.col_idx[2 * r + 1] = (int32_t)r + 1;
        a.row_ptr[r + 1] = 2 * (r + 1);
    }
    rc_lsh_t l = {.a = &a, .rule = &rule, .threads = 2};
    assert_int_equal(rc_lsh_schedule(&l, &s, &err), RC_ENOMEM);
    assert_non_null(strstr(err.text, "4999950000 pairs of rows take 159998400000 bytes"));
    assert_null(s.row);
    rc_csr_free(&a);
}

/* Asked after each band. */
static int stop_at_third(void *user)
{
    return ++*(int *)user >= 3;
}

static void it_ends_when_asked(void **state)
{
    (void)state;
    static const char *const name[] = {"lsh", "lsh-packed"};
    const rc_geometry_t g = {32, 32, 32};
    rc_csr_t a;
    assert_int_equal(rc_generate("mesh2d:n=50", &a, NULL, NULL), RC_OK);
    for (int i = 0; i < 2; i++) {
        rc_policy_spec_t spec;
        int asked = 0;
        const rc_order_watch_t watch = {.stop = stop_at_third, .user = &asked};
        rc_schedule_t s = {0};
        assert_int_equal(rc_policy_spec_parse(name[i], &spec, NULL), RC_OK);
        assert_int_equal(rc_policy_build(&spec, &a, &g, 2, &watch, &s, NULL), RC_EINTR);
        assert_int_equal(asked, 3);
        assert_null(s.row);
    }
    rc_csr_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_when_asked),
        cmocka_unit_test(windows_and_recall),
        cmocka_unit_test(recall_of_real_matrices),
        cmocka_unit_test(a_million_equal_rows),
        cmocka_unit_test(one_hub_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
