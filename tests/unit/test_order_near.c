/* The greedy policies with a bounded search: valid, independent of threads, true minima where the bound
 * does not bind, and near the exact form where it does. */
#include "config.h"
#include "unit.h"

#include "order_matrix.h"
#include "order/greedy.h"
#include "order/policy.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name; /* of the exact form */
    rc_greedy_rule_t rule;
} rules[] = {
    {"warp", {.by_warp = 1, .tie = RC_NEAREST_INDEX}},
    {"cta", {.tie = RC_NEAREST_INDEX}},
    {"hybrid1", {.within_load = 1, .tie = RC_NEAREST_INDEX}},
    {"hybrid2.1", {.tie = RC_NEAREST_LOAD}},
    {"hybrid2.2", {.tie = RC_NEAREST_SECOND}},
    {"hybrid2.3", {.by_warp = 1, .tie = RC_NEAREST_LOAD}},
};
enum { RULES = sizeof rules / sizeof *rules };

static const int64_t no_bound = (int64_t)1 << 40;

/* \param[in] look  0: exact */
static rc_schedule_t build_parts(
    int which, int64_t look, int64_t parts, int threads, const rc_csr_t *a, const rc_geometry_t *g)
{
    rc_err_t err = {0};
    rc_schedule_t s = {0};
    rc_greedy_rule_t rule = rules[which].rule;
    const rc_order_input_t in = {.a = a, .geometry = g, .threads = threads};
    rule.look = look;
    rule.parts = parts;
    if (rc_greedy_build(&in, &rule, -1, &s, &err) < 0)
        fail_msg("%s, %ld entries: %s", rules[which].name, (long)look, err.text);
    return s;
}

static rc_schedule_t build(
    int which, int64_t look, int threads, const rc_csr_t *a, const rc_geometry_t *g)
{
    return build_parts(which, look, 1, threads, a, g);
}

static void expect_permutation(const char *name, const rc_schedule_t *s, int64_t rows)
{
    unsigned char *seen = calloc((size_t)rows + 1, 1);
    assert_non_null(seen);
    assert_int_equal(s->slots, rows);
    for (int64_t p = 0; p < rows; p++) {
        if (s->row[p] < 0 || s->row[p] >= rows || seen[s->row[p]])
            fail_msg("%s: slot %ld holds %d", name, (long)p, s->row[p]);
        seen[s->row[p]] = 1;
    }
    free(seen);
}

static void small_bounds_give_permutations(void **state)
{
    (void)state;
    static const int64_t look[] = {1, 7, 100};
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    for (int round = 0; round < 150; round++) {
        rc_csr_t a;
        random_matrix(&r, round % 10 ? 60 : 400, &a);
        rc_geometry_t g = random_geometry(&r);
        for (int k = 0; k < RULES; k++) {
            rc_schedule_t one = build_parts(k, look[round % 3], round % 5, 1, &a, &g);
            rc_schedule_t three = build_parts(k, look[round % 3], round % 5, 3, &a, &g);
            expect_permutation(rules[k].name, &one, a.rows);
            assert_memory_equal(one.row, three.row, (size_t)a.rows * sizeof *one.row);
            rc_schedule_free(&one);
            rc_schedule_free(&three);
        }
        free_matrix(&a);
    }
}

static int64_t load_of(const rc_csr_t *a, const rc_geometry_t *g, int32_t row)
{
    return (a->row_ptr[row + 1] - a->row_ptr[row] + g->nt - 1) / g->nt;
}

/* Every row of slots [begin, end) that follows another is a nearest one of those left (hybrid1: of those of its
 * load). */
static void expect_minima(int which, const rc_csr_t *a, const rc_geometry_t *g, const rc_schedule_t *s,
    int64_t begin, int64_t end)
{
    const rc_greedy_rule_t *rule = &rules[which].rule;
    int64_t back = rule->by_warp ? g->nw : 1;
    rc_masks_t m;
    assert_int_equal(rc_masks_build(a, NULL, g->line, 1, &m, NULL), RC_OK);
    for (int64_t p = begin + back; p < end; p++) {
        int64_t load = load_of(a, g, s->row[p]);
        int64_t distance = rc_mask_distance(&m, s->row[p - back], s->row[p]);
        for (int64_t q = p + 1; q < end; q++) {
            if (rule->within_load && load_of(a, g, s->row[q]) != load)
                continue;
            if (rc_mask_distance(&m, s->row[p - back], s->row[q]) < distance)
                fail_msg("%s: slot %ld is farther than slot %ld", rules[which].name, (long)p, (long)q);
        }
    }
    rc_masks_free(&m);
}

static void without_a_bound_they_are_minima(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 6);
    for (int round = 0; round < 80; round++) {
        rc_csr_t a;
        random_matrix(&r, 70, &a);
        rc_geometry_t g = random_geometry(&r);
        for (int k = 0; k < RULES; k++) {
            rc_schedule_t s = build(k, no_bound, 1, &a, &g);
            expect_permutation(rules[k].name, &s, a.rows);
            expect_minima(k, &a, &g, &s, 0, s.slots);
            rc_schedule_free(&s);
        }
        free_matrix(&a);
    }
}

/* Rows numbered by `auto`; where \p by_load, those of larger load first. */
static rc_schedule_t numbered(const rc_csr_t *a, const rc_geometry_t *g, int by_load)
{
    rc_schedule_t s = {0};
    assert_int_equal(rc_order_build("auto", a, g, 1, &s, NULL), RC_OK);
    for (int64_t i = 1; by_load && i < s.slots; i++)
        for (int64_t k = i; k > 0 && load_of(a, g, s.row[k - 1]) < load_of(a, g, s.row[k]); k--) {
            int32_t row = s.row[k];
            s.row[k] = s.row[k - 1];
            s.row[k - 1] = row;
        }
    return s;
}

static int by_number(const void *x, const void *y)
{
    int32_t a = *(const int32_t *)x;
    int32_t b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

/* Slots [begin, end) of both schedules hold the same rows. */
static void expect_rows(const rc_schedule_t *x, const rc_schedule_t *y, int64_t begin, int64_t end)
{
    size_t n = (size_t)(end - begin);
    int32_t *a = calloc(n + 1, sizeof *a);
    int32_t *b = calloc(n + 1, sizeof *b);
    assert_true(a && b);
    memcpy(a, x->row + begin, n * sizeof *a);
    memcpy(b, y->row + begin, n * sizeof *b);
    qsort(a, n, sizeof *a, by_number);
    qsort(b, n, sizeof *b, by_number);
    assert_memory_equal(a, b, n * sizeof *a);
    free(a);
    free(b);
}

/* A part has the rows that the numbering gives it, each a minimum among them. */
static void parts_are_orders_of_their_own(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 7);
    for (int round = 0; round < 80; round++) {
        int64_t parts = 2 + round % 4;
        rc_csr_t a;
        random_matrix(&r, 90, &a);
        rc_geometry_t g = random_geometry(&r);
        for (int k = 0; k < RULES; k++) {
            rc_schedule_t s = build_parts(k, no_bound, parts, 2, &a, &g);
            rc_schedule_t rows = numbered(&a, &g, rules[k].rule.within_load);
            for (int64_t i = 0; i < parts; i++) {
                int64_t begin = a.rows * i / parts;
                int64_t end = a.rows * (i + 1) / parts;
                expect_rows(&s, &rows, begin, end);
                expect_minima(k, &a, &g, &s, begin, end);
            }
            rc_schedule_free(&s);
            rc_schedule_free(&rows);
        }
        free_matrix(&a);
    }
}

static int64_t total(int which, const rc_csr_t *a, const rc_geometry_t *g, int64_t look)
{
    int64_t back = rules[which].rule.by_warp ? g->nw : 1;
    int64_t sum = 0;
    rc_masks_t m;
    rc_schedule_t s = build(which, look, 2, a, g);
    assert_int_equal(rc_masks_build(a, NULL, g->line, 1, &m, NULL), RC_OK);
    for (int64_t p = back; p < s.slots; p++)
        sum += rc_mask_distance(&m, s.row[p - back], s.row[p]);
    rc_masks_free(&m);
    rc_schedule_free(&s);
    return sum;
}

/* The total distance against that of the exact form, in percent, where the bound cuts most searches
 * short.  A random order has 190 and more on the meshes. */
static void totals_are_near_the_exact_ones(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int64_t look;
        int64_t percent;
    } cases[] = {
        {"mesh2d:n=50,shuffle=both", 32, 130},
        {"mesh3d:n=14,shuffle=both", 128, 125},
        {"mesh3d:n=12", 32, 106},
        {"block:n=2000,size=8,shuffle=rows", 32, 106},
        {"rowclusters:rows=2000,clusters=50,shuffle=rows", 1024, 115},
        {"knn:n=2500,shuffle=both", 128, 120},
        {"rmat:scale=11", 1024, 110},
    };
    const rc_geometry_t g = {32, 32, 32};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_csr_t a;
        assert_int_equal(rc_generate(cases[i].spec, &a, NULL, NULL), RC_OK);
        for (int k = 0; k < RULES; k++) {
            int64_t exact = total(k, &a, &g, 0);
            int64_t near = total(k, &a, &g, cases[i].look);
            if (100 * near > cases[i].percent * exact)
                fail_msg("%s of %s: exact %ld, near %ld", rules[k].name, cases[i].spec, (long)exact,
                    (long)near);
        }
        rc_csr_free(&a);
    }
}

/* The policies are these rules. */
static void policies_are_the_rules(void **state)
{
    (void)state;
    const rc_geometry_t g = {4, 8, 16};
    const int64_t most = (int64_t)1 << 27; /* policy_greedy.c */
    rc_csr_t a;
    assert_int_equal(rc_generate("rmat:scale=9", &a, NULL, NULL), RC_OK);
    for (int k = 0; k < RULES; k++) {
        char name[64];
        rc_schedule_t s = {0};
        (void)snprintf(name, sizeof name, "%s-near:look=1", rules[k].name);
        assert_int_equal(rc_order_build(name, &a, &g, 1, &s, NULL), RC_OK);
        rc_schedule_t expected = build(k, most / a.rows, 1, &a, &g);
        assert_memory_equal(s.row, expected.row, (size_t)a.rows * sizeof *s.row);
        rc_schedule_free(&s);
        rc_schedule_free(&expected);
    }
    rc_csr_free(&a);
}

/* From 65,537 rows on there are parts, 16 at most. */
static void policies_have_parts(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int64_t parts;
    } cases[] = {
        {"banded:n=65536,lower=1,upper=0,shuffle=both", 1},
        {"banded:n=65537,lower=1,upper=0,shuffle=both", 2},
        {"banded:n=1200000,lower=1,upper=0,shuffle=both", 16},
    };
    const rc_geometry_t g = {32, 32, 32};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_csr_t a;
        rc_schedule_t s = {0};
        assert_int_equal(rc_generate(cases[i].spec, &a, NULL, NULL), RC_OK);
        int64_t look = ((int64_t)1 << 27) / a.rows;
        assert_int_equal(rc_order_build("cta-near:look=1", &a, &g, 2, &s, NULL), RC_OK);
        rc_schedule_t expected = build_parts(1, look, cases[i].parts, 1, &a, &g);
        assert_memory_equal(s.row, expected.row, (size_t)a.rows * sizeof *s.row);
        rc_schedule_free(&s);
        rc_schedule_free(&expected);
        rc_csr_free(&a);
    }
}

/* Asked in every part, at most once in 256 slots of it. */
static int stop_at_third(void *user)
{
    return ++*(int *)user >= 3;
}

static void parts_end_when_asked(void **state)
{
    (void)state;
    const rc_geometry_t g = {32, 32, 32};
    rc_csr_t a;
    assert_int_equal(rc_generate("mesh2d:n=50", &a, NULL, NULL), RC_OK);
    for (int threads = 1; threads <= 3; threads++) {
        int asked = 0;
        rc_err_t err = {0};
        rc_schedule_t s = {0};
        rc_greedy_rule_t rule = {.tie = RC_NEAREST_INDEX, .look = 128, .parts = 5};
        const rc_order_input_t in = {.a = &a,
            .geometry = &g,
            .threads = threads,
            .watch = {.stop = stop_at_third, .user = &asked}};
        assert_int_equal(rc_greedy_build(&in, &rule, -1, &s, &err), RC_EINTR);
        assert_string_equal(err.text, "drained");
        assert_null(s.row);
    }
    rc_csr_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_bounds_give_permutations),
        cmocka_unit_test(without_a_bound_they_are_minima),
        cmocka_unit_test(totals_are_near_the_exact_ones),
        cmocka_unit_test(policies_are_the_rules),
        cmocka_unit_test(parts_are_orders_of_their_own),
        cmocka_unit_test(policies_have_parts),
        cmocka_unit_test(parts_end_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
