/* The second model of rs: its counts against those of the split and against a walk over single entries, the fit of
 * planted costs, and that a tuning with it chooses the pair of least time. */
#include "config.h"
#include "unit.h"

#include "analysis/papers/hong/paths.h"
#include "base/rng.h"
#include "kernels/tuning/rs_tuning.h"
#include "sparse/csr.h"
#include "sparse/generate.h"
#include "sparse/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { T = RC_RS_PATHS_T, TERMS = RC_RS_PATHS_TERMS };

static const char *const specs[] = {"arrow:n=700,width=3", "uniform:n=300,mean=20",
    "lp:rows=100,cols=900", "banded:n=500,lower=9,upper=9", "block:n=256,size=32,between=1",
    "rmat:scale=9,edges=8"};

/* The largest number of heavy entries, and of segments, in a panel, and of light entries in a row. */
static void longest(
    const rc_csr_t *a, int64_t w, int64_t t, int64_t *segments, int64_t *entries, int64_t *light)
{
    const int64_t panels = (a->cols + w - 1) / w;
    int64_t *of_row = calloc((size_t)a->rows, sizeof *of_row);
    assert_non_null(of_row);
    *segments = *entries = *light = 0;
    for (int64_t p = 0; p < panels; p++) {
        int64_t n = 0;
        int64_t heavy = 0;
        for (int64_t r = 0; r < a->rows; r++) {
            int64_t own = 0;
            for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
                own += a->col_idx[e] / w == p;
            n += own > t ? 1 : 0;
            heavy += own > t ? own : 0;
            of_row[r] += own > t ? 0 : own;
        }
        *segments = n > *segments ? n : *segments;
        *entries = heavy > *entries ? heavy : *entries;
    }
    for (int64_t r = 0; r < a->rows; r++)
        *light = of_row[r] > *light ? of_row[r] : *light;
    free(of_row);
}

static void check(const rc_csr_t *a, int64_t w)
{
    const rc_segments_source_t source = rc_segments_source_of(a);
    rc_rs_counts_t c[T + 1];
    assert_int_equal(rc_rs_paths_count(a, w, c, NULL), RC_OK);
    for (int t = 0; t <= T; t++) {
        const rc_segments_rule_t rule = {w, t};
        rc_segments_size_t size;
        int64_t most[3];
        assert_int_equal(rc_segments_measure(&source, &rule, 1, &size, NULL), RC_OK);
        assert_int_equal(c[t].heavy, size.heavy);
        assert_int_equal(c[t].nnz_heavy, size.nnz_heavy);
        assert_int_equal(c[t].heavy_panels, size.heavy_panels);
        assert_int_equal(c[t].light_rows, size.light_rows);
        assert_int_equal(c[t].nnz_light, size.nnz_light);
        longest(a, w, t, &most[0], &most[1], &most[2]);
        assert_int_equal(c[t].panel_segments, most[0]);
        assert_int_equal(c[t].panel_entries, most[1]);
        assert_int_equal(c[t].light_row, most[2]);
    }
}

static void counts_are_those_of_the_split(void **state)
{
    (void)state;
    static const int64_t widths[] = {1, 16, 64, 256, 1024};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        rc_csr_t a = {0};
        assert_int_equal(rc_generate(specs[s], &a, NULL, NULL), RC_OK);
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
            check(&a, widths[i]);
        rc_csr_free(&a);
    }
}

static void nothing_is_counted_of_nothing(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{0, 0}, {0, 5}, {5, 0}, {3, 7}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        rc_csr_t a = {0};
        assert_int_equal(rc_csr_alloc(shapes[i][0], shapes[i][1], 0, &a, NULL), RC_OK);
        memset(a.row_ptr, 0, ((size_t)shapes[i][0] + 1) * sizeof *a.row_ptr);
        check(&a, 4);
        rc_csr_free(&a);
    }
}

/* Exact sums of planted costs come back, a negative one as 0. */
static void planted_costs_are_found(void **state)
{
    (void)state;
    enum { ROWS = 60, INPUTS = 4 };
    static const double planted[INPUTS] = {3, 0, 0.5, 20};
    double x[ROWS * INPUTS];
    double y[ROWS];
    double cost[INPUTS];
    rc_rng_t rng;
    rc_rng_seed(&rng, 5);
    for (int r = 0; r < ROWS; r++) {
        y[r] = 0;
        for (int i = 0; i < INPUTS; i++) {
            x[r * INPUTS + i] = rc_rng_unit(&rng) * (i == 3 ? 1e-3 : 10);
            y[r] += planted[i] * x[r * INPUTS + i];
        }
    }
    rc_nonnegative(x, ROWS, INPUTS, y, cost);
    for (int i = 0; i < INPUTS; i++)
        assert_true(fabs(cost[i] - planted[i]) < 1e-6 * (1 + planted[i]));
    for (int r = 0; r < ROWS; r++)
        y[r] -= x[r * INPUTS + 1]; /* would be -1 */
    rc_nonnegative(x, ROWS, INPUTS, y, cost);
    for (int i = 0; i < INPUTS; i++)
        assert_true(cost[i] >= 0);
    assert_true(cost[1] == 0);
    memset(x, 0, sizeof x);
    rc_nonnegative(x, ROWS, INPUTS, y, cost);
    assert_true(cost[0] == 0 && cost[3] == 0);
}

static void choose(const double *cost, const rc_csr_t *a, rc_rs_choice_t *c)
{
    rc_question_t leaf = {.input = -1, .left = -1, .right = -1, .label = 9};
    rc_rs_setting_t s = {.node = &leaf, .nodes = 1, .has_paths = 1};
    memcpy(s.paths, cost, sizeof s.paths);
    assert_int_equal(rc_rs_tuning_choose(&s, a, RC_FP64, c, NULL), RC_OK);
}

static void the_pair_of_least_time_is_taken(void **state)
{
    (void)state;
    rc_csr_t a = {0};
    double cost[TERMS] = {0};
    rc_rs_choice_t c = {0};
    assert_int_equal(rc_generate("uniform:n=300,mean=20", &a, NULL, NULL), RC_OK);
    choose(cost, &a, &c); /* all are equal: the smallest */
    assert_true(c.t == 1 && c.cfv == 1);
    for (int i = 0; i < TERMS; i++)
        cost[i] = strcmp(rc_rs_paths_name(i), "heavy_entry_slice") == 0;
    c = (rc_rs_choice_t){0};
    choose(cost, &a, &c); /* no heavy entry: panels of the wider two that can have none */
    assert_int_equal(c.cfv, 2);
    assert_true(c.t > 1 && c.size.rule.t == c.t && c.size.rule.w == 128);
    assert_int_equal(c.size.nnz_heavy, 0);
    c = (rc_rs_choice_t){.t = 3};
    choose(cost, &a, &c);
    assert_int_equal(c.t, 3); /* what is given stays */
    c = (rc_rs_choice_t){.cfv = 2};
    choose(cost, &a, &c);
    assert_int_equal(c.cfv, 2);
    c = (rc_rs_choice_t){.t = 40}; /* beyond the model: the costs, which are 0 here */
    choose(cost, &a, &c);
    assert_true(c.t == 40 && c.cfv == 1);
    rc_csr_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_split),
        cmocka_unit_test(nothing_is_counted_of_nothing),
        cmocka_unit_test(planted_costs_are_found),
        cmocka_unit_test(the_pair_of_least_time_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
