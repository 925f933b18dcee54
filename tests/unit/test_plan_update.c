/* New values of a plan, and making one of two products, with every allocation failing once. */
#include "config.h"
#include "unit.h"

#include "failing_alloc.h"
#include "plan_fixture.h"

/* Of kernels that say where they have their values, and of one that does not; two K, of which the
 * second shares the matrix of the first or has its own; columns of a row in any order, too. */
static const struct {
    const char *kernel;
    rc_layout_t layout;
    int sorted;
    int both; /* 1: with A' */
} cases[] = {{"rowsplit", RC_ROW_MAJOR, 1, 0}, {"rowsplit", RC_ROW_MAJOR, 0, 1},
    {"cstat:strip=2", RC_COL_MAJOR, 1, 0}, {"cstat:strip=2", RC_COL_MAJOR, 0, 1}, {"rs", RC_ROW_MAJOR, 1, 1},
    {"rs", RC_ROW_MAJOR, 0, 0}, {"aspt", RC_ROW_MAJOR, 0, 1}};

static void check_products(rc_rng_t *rng, rc_plan_t *plan, const rc_plan_problem_t *p, const input_t *in, int both)
{
    static input_t turned;
    transpose(in, &turned);
    for (int e = 0; e < p->ks; e++) {
        check_product(rng, plan, p, in, p->k[e]);
        if (both)
            check_run(rng, plan, rc_plan_run_transposed, p, &turned, p->k[e]);
    }
}

/* \return 1: allocation n was one of those of the update */
static int fails_at(int i, long n)
{
    static input_t in;
    static input_t before;
    const int64_t k[] = {3, 8};
    rc_rng_t rng;
    rc_executor_t x;
    rc_err_t err = {0};
    rc_plan_t *plan = NULL;
    rc_rng_seed(&rng, 5 + (uint64_t)i);
    rc_executor_cpu(1, &x);
    rc_plan_place_t place = {.x = &x};
    rc_plan_problem_t p = {
        .precision = RC_FP32, .layout = cases[i].layout, .k = k, .ks = 2};
    rc_plan_options_t o = {
        .kernels = cases[i].kernel, .orders = "random:seed=3", .threads = 1, .transposed = cases[i].both};
    do
        make(&rng, cases[i].sorted, &in);
    while (in.nnz == 0);
    rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP64);
    assert_int_equal(rc_plan_new(&place, &p, &m, &o, &plan, &err), RC_OK);
    before = in;
    new_values(&rng, &in);
    failing_alloc_set(n);
    rc_status_t st = rc_plan_update(plan, in.val64, RC_FP64, 0, &err);
    int happened = failing_alloc_happened();
    failing_alloc_set(-1);
    assert_true(st == RC_OK || (happened && st == RC_ENOMEM && err.text[0]));
    check_products(&rng, plan, &p, st == RC_OK ? &in : &before, cases[i].both);
    for (int update = 0; update < 2; update++) {
        new_values(&rng, &in);
        assert_int_equal(rc_plan_update(plan, in.val64, RC_FP64, 0, &err), RC_OK);
        check_products(&rng, plan, &p, &in, cases[i].both);
    }
    rc_plan_free(plan);
    return happened;
}

static void an_update_that_fails_leaves_the_old_values(void **state)
{
    (void)state;
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        long n = 0;
        while (fails_at(i, n))
            n++;
        assert_true(n > 0);
    }
}

/* \return 1: allocation n was one of those of making it */
static int making_fails_at(long n)
{
    static input_t in;
    const int64_t k[] = {3, 8};
    rc_rng_t rng;
    rc_executor_t x;
    rc_err_t err = {0};
    rc_plan_t *plan = NULL;
    rc_rng_seed(&rng, 7);
    rc_executor_cpu(1, &x);
    const rc_plan_place_t place = {.x = &x};
    const rc_plan_problem_t p = {.precision = RC_FP32, .layout = RC_ROW_MAJOR, .k = k, .ks = 2};
    const rc_plan_options_t o = {.kernels = "rowsplit", .orders = "random:seed=3", .threads = 1, .transposed = 1};
    do
        make(&rng, 0, &in);
    while (in.nnz == 0);
    const rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP64);
    failing_alloc_set(n);
    rc_status_t st = rc_plan_new(&place, &p, &m, &o, &plan, &err);
    int happened = failing_alloc_happened();
    failing_alloc_set(-1);
    assert_true(st == RC_OK ? plan != NULL : happened && st == RC_ENOMEM && err.text[0] && !plan);
    if (plan)
        check_products(&rng, plan, &p, &in, 1);
    rc_plan_free(plan);
    return happened;
}

static void making_both_leaves_nothing_or_both(void **state)
{
    (void)state;
    long n = 0;
    while (making_fails_at(n))
        n++;
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_update_that_fails_leaves_the_old_values),
        cmocka_unit_test(making_both_leaves_nothing_or_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
