/* How few products tell candidates apart, by clocks of the test. */
#include "config.h"
#include "unit.h"

#include "plan/plan_private.h"
#include "plan_small.h"

#include <math.h>
#include <string.h>

enum { ORDERS = 7 };
static const char orders[] = "csr,lpt,random:seed=2,random:seed=3,random:seed=4,random:seed=5,random:seed=6";

/* A product of the order that is tried i-th takes mean[i], give or take. */
typedef struct race_clock {
    rc_rng_t rng;
    double mean[ORDERS];
    double noise;       /* standard deviation, relative */
    int runs[ORDERS];   /* timed batches */
    int64_t taken;      /* ns by this clock */
    int64_t prepare_ns; /* beside, of each order */
    int64_t load_ns;    /* beside, of the first run of any */
    int warm;           /* 1: the first run takes no longer for being the first */
    double put_off;     /* times what the second run of the first order takes; 0: as any */
} race_clock_t;

static double gauss(rc_rng_t *rng)
{
    double u = 1 - rc_rng_unit(rng);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * rc_rng_unit(rng));
}

static rc_status_t race_time(
    void *user, rc_launch_fn *fn, void *launch, int64_t batch, int64_t *ns, rc_err_t *err)
{
    race_clock_t *c = user;
    int order = (*(const rc_plan_trial_t *const *)launch)->order; /* the first member */
    double factor = fmax(0.5, 1 + c->noise * gauss(&c->rng));
    if (c->runs[order]++ == 0) {
        factor *= c->warm ? 1 : 1.5; /* cold */
        c->taken += c->prepare_ns;
    }
    if (order == 0 && c->runs[0] == 2 && c->put_off > 0)
        factor *= c->put_off;
    *ns = (int64_t)(c->mean[order] * factor * (double)batch) + (c->runs[order] == 1 ? c->load_ns : 0);
    c->taken += *ns;
    return fn(launch, err);
}

static int64_t race_now(void *user)
{
    return ((race_clock_t *)user)->taken;
}

static rc_plan_t *raced(race_clock_t *clock, const rc_plan_options_t *o, double products)
{
    fixture_t *f = begin();
    f->place.time = race_time;
    f->place.now = race_now;
    f->place.user = clock;
    f->place.tune_products = products;
    f->p.ks = 1;
    clock->taken = 0;
    memset(clock->runs, 0, sizeof clock->runs);
    return plan_of(f, o);
}

static int chosen(race_clock_t *clock, const rc_plan_options_t *o, double products)
{
    rc_plan_part_t part;
    rc_plan_t *plan = raced(clock, o, products);
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    int order = part.chosen;
    rc_plan_free(plan);
    return order;
}

static void who_is_far_behind_runs_twice(void **state)
{
    (void)state;
    for (int digits = 3; digits < 10; digits++) { /* 1 us to 1 s */
        double ns = pow(10, digits);
        race_clock_t clock = {.mean = {1.2 * ns, ns, 1.6 * ns, 2 * ns, 9 * ns, 99 * ns, 1.02 * ns}};
        assert_int_equal(chosen(&clock, &(rc_plan_options_t){.orders = orders, .tune = ORDERS, .tune_ns = INT64_MAX}, 0), 1);
        for (int i = 3; i < 6; i++)
            assert_in_range(clock.runs[i], 1, 2 + (ns < 10000)); /* what is short beside the clock gets a batch */
        assert_in_range(clock.runs[5], 1, digits < 6 ? 2 : 1); /* known from the first one */
        assert_in_range(clock.runs[0], digits < 5 ? 4 : 2, 2 + 18 + 6); /* the first one, of short products as often as any */
        assert_true(clock.runs[6] >= 4); /* near */
        assert_in_range(clock.runs[6], 4, 2 + 18 + 6);
    }
}

/* A long reference is run a third time where its first run was longer than the second, or does not tell. */
static void two_runs_that_agree_are_enough_of_a_slow_reference(void **state)
{
    (void)state;
    static const struct {
        double mean; /* of another one */
        int64_t load_ns;
        int warm, runs;
        double put_off;
    } cases[] = {{1e6, 0, 1, 2, 0}, {1e6, 0, 0, 3, 0}, {1e6, 1000000, 1, 3, 0}, {2.6e6, 0, 1, 3, 0}, {1e6, 0, 1, 3, 2.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double m = cases[i].mean;
        race_clock_t clock = {.mean = {5.8e6, m, 9e6, 9e6, 9e6, 9e6, 9e6}, .load_ns = cases[i].load_ns, .warm = cases[i].warm,
            .put_off = cases[i].put_off};
        assert_int_equal(chosen(&clock, &(rc_plan_options_t){.orders = orders, .tune = ORDERS}, 0), 1);
        if (clock.runs[0] < cases[i].runs || (cases[i].runs == 2 && clock.runs[0] > 2))
            fail_msg("case %d: expected %d, found %d", (int)i, cases[i].runs, clock.runs[0]);
    }
    rc_plan_part_t part; /* a cold run alone is no time, also where nothing is held against it */
    race_clock_t clock = {.mean = {5.8e6}};
    rc_plan_t *plan = raced(&clock, &(rc_plan_options_t){.orders = "csr", .tune = 1}, 0);
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    assert_true(clock.runs[0] == 2 && part.candidate[0].time_ns == 5.8e6);
    rc_plan_free(plan);
}

static void near_ones_get_more_until_it_does_not_matter(void **state)
{
    (void)state;
    race_clock_t clock = {.mean = {1e6, 1.16e6, 1.001e6, 0.7e6, 0.703e6, 1e6, 1e6}, .noise = 0.01};
    rc_rng_seed(&clock.rng, 11);
    assert_int_equal(chosen(&clock, &(rc_plan_options_t){.orders = orders, .tune = ORDERS}, 0), 3);
    assert_in_range(clock.runs[1], 4, 7);
    assert_true(clock.runs[2] > clock.runs[1]);
    assert_true(clock.runs[4] > clock.runs[1]);
    for (int i = 0; i < ORDERS; i++)
        assert_in_range(clock.runs[i], 2, 2 + RC_PLAN_SAMPLES + 8);
}

/* Six candidates of 10 ms each to prepare, 45 products of 1 ms: five of them fit.  A caller's own time stands, and the
 * first of ours is timed whatever it takes. */
static void the_whole_is_bounded(void **state)
{
    (void)state;
    static const struct {
        int64_t prepare_ns;
        int64_t tune_ns;
        double products;
        int timed;
    } cases[] = {{10000000, 0, 45, 4}, {10000000, 1000000000, 45, 6}, {10000000, 0, 0, 6}, {100000, 0, 45, 6},
        {90000000, 0, 45, 1}, {10000000, 0, 10, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        race_clock_t clock = {.mean = {1e6, 2e6, 2e6, 2e6, 2e6, 2e6, 2e6}, .prepare_ns = cases[i].prepare_ns};
        (void)chosen(&clock, &(rc_plan_options_t){.orders = orders, .tune = ORDERS, .tune_ns = cases[i].tune_ns}, cases[i].products);
        int timed = 0;
        for (int j = 1; j < ORDERS; j++)
            timed += clock.runs[j] > 0;
        if (timed != cases[i].timed)
            fail_msg("case %d: expected %d, found %d", (int)i, cases[i].timed, timed);
    }
    /* it ends while the second of ours is prepared, which has one batch then, as the reference has */
    race_clock_t late = {.mean = {1e6, 1.3e6, 0.69e6, 1e6, 1e6, 1e6, 1e6}, .prepare_ns = 20000000};
    assert_int_equal(chosen(&late, &(rc_plan_options_t){.orders = orders, .tune = ORDERS}, 30), 2);
    assert_int_equal(late.runs[2], 2);
    for (int i = 0; i < 50; i++) { /* of 5 us, prepared in .3 ms: no longer than the least and one candidate */
        race_clock_t clock = {.mean = {5e3, 5.1e3, 5.2e3, 4.9e3, 5e3, 5e3, 4.8e3}, .prepare_ns = 300000, .noise = 0.05};
        rc_rng_seed(&clock.rng, (uint64_t)i);
        (void)chosen(&clock, &(rc_plan_options_t){.orders = orders, .tune = ORDERS}, 45);
        assert_in_range(clock.taken, 0, 2500000 + 1000000 + 300000 * 2);
    }
}

/* In a process that has used none of the libraries yet, whose first runs take long: the first of ours has a time, and
 * what is far faster than the reference is chosen. */
static void first_runs_are_no_times(void **state)
{
    (void)state;
    static const int64_t prepare_ns[] = {0, 10000000, 3000000000};
    static const int64_t load_ns[] = {0, 5000000, 60000000, 900000000};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            race_clock_t clock = {.mean = {13e3, 4e3, 5e3, 5e3, 5e3, 5e3, 5e3}, .prepare_ns = prepare_ns[i], .load_ns = load_ns[j]};
            if (chosen(&clock, &(rc_plan_options_t){.orders = orders, .tune = ORDERS}, 45) != 1)
                fail_msg("prepared in %g ms, loaded in %g ms", 1e-6 * (double)prepare_ns[i], 1e-6 * (double)load_ns[j]);
        }
    race_clock_t clock = {.mean = {13e3, 4e3, 5e3, 5e3, 5e3, 5e3, 5e3}, .prepare_ns = 3000000000};
    assert_int_equal(chosen(&clock, &(rc_plan_options_t){.orders = orders, .tune = ORDERS, .tune_ns = 1000000}, 45), 0);
}

/* Trials of random candidates, seeded.
 * \param[out] products  of the reference that timing took, on average
 * \return how often the choice is within 5 % of the best of them */
static double right_in(double noise, double *products)
{
    enum { trials = 1000 };
    const double near = 1.05;
    int right = 0;
    race_clock_t clock = {.noise = noise};
    rc_rng_seed(&clock.rng, 3);
    *products = 0;
    for (int i = 0; i < trials; i++) {
        double best = INFINITY;
        for (int j = 0; j < ORDERS; j++) {
            clock.mean[j] = 1e6 * exp(rc_rng_unit(&clock.rng));
            best = fmin(best, clock.mean[j]);
        }
        int c = chosen(&clock, &(rc_plan_options_t){.orders = orders, .tune = ORDERS}, 0);
        right += clock.mean[c] <= near * best;
        *products += (double)clock.taken / clock.mean[0] / trials;
    }
    return (double)right / trials;
}

static void the_choice_is_right_in_noise(void **state)
{
    (void)state;
    double products[2];
    double quiet = right_in(0.01, &products[0]);
    double noisy = right_in(0.03, &products[1]);
    print_message("# right: %.3f after %.1f products of the reference, in noise %.3f after %.1f\n", quiet,
        products[0], noisy, products[1]);
    assert_true(quiet >= 0.99 && noisy >= 0.99);
    assert_true(products[0] < 45 && products[1] < 60);
}

/* Orders of these places: one keeps the rows, the other one turns them round. */
static rc_status_t keeps(rc_executor_t *x, const char *order, const rc_csr_t *a, const rc_resident_t *m,
    rc_resident_rows_t *out, rc_err_t *err)
{
    (void)x, (void)order, (void)a, (void)err;
    if (m)
        out->identity = 1;
    return RC_OK;
}

static rc_status_t turns(rc_executor_t *x, const char *order, const rc_csr_t *a, const rc_resident_t *m,
    rc_resident_rows_t *out, rc_err_t *err)
{
    (void)x, (void)order, (void)err;
    for (int64_t i = 0; m && i < a->rows; i++)
        out->row[i] = (int32_t)(a->rows - 1 - i);
    return RC_OK;
}

/* Kernels under the order `auto` and in the original one; the second is the fastest. */
static rc_status_t pair_time(
    void *user, rc_launch_fn *fn, void *launch, int64_t batch, int64_t *ns, rc_err_t *err)
{
    const double *original = user; /* how much longer a product takes there; it is built first */
    const rc_plan_trial_t *trial = *(const rc_plan_trial_t *const *)launch;
    const double kernel = strcmp(trial->spec.kernel->name, "rowsplit") == 0 ? 0.5 : 1;
    *ns = (int64_t)(1e6 * kernel * (trial->order == 0 ? *original : 1) * (double)batch);
    return fn(launch, err);
}

static void what_tells_nothing_new_is_not_timed(void **state)
{
    (void)state;
    static const struct {
        rc_status_t (*order)(rc_executor_t *, const char *, const rc_csr_t *, const rc_resident_t *, rc_resident_rows_t *, rc_err_t *);
        double original;
        const char *orders;
        int tune;
        int timed[6]; /* the first kernel by auto and csr, which is the reference, the second, and the third */
        double reuse;
        int unsteady;
    } cases[] = {{keeps, 1, NULL, 9, {1, 1, 1, 0, 1, 0}, 0, 0}, {turns, 1, NULL, 9, {1, 1, 1, 1, 1, 1}, 0, 0},
        {turns, 1.1, NULL, 9, {1, 1, 1, 1, 1, 1}, 0, 0}, {turns, 1.5, NULL, 9, {1, 1, 1, 0, 1, 0}, 0, 0},
        {turns, 1.5, "auto,csr", 9, {1, 1, 1, 1, 1, 1}, 0, 0}, {keeps, 1, "auto,csr", 9, {1, 1, 1, 1, 1, 1}, 0, 0},
        {turns, 1.5, NULL, 3, {1, 1, 1, 0, 0, 0}, 0, 0}, {turns, 1.5, NULL, 4, {1, 1, 1, 0, 1, 0}, 0, 0}, /* it counts as tried */
        {keeps, 1, NULL, 9, {1, 1, 1, 1, 1, 1}, 1e9, 0}, {turns, 1.5, NULL, 9, {1, 1, 1, 1, 1, 1}, 1e9, 0}, /* an order costs */
        {keeps, 1, NULL, 9, {1, 1, 1, 1, 1, 1}, 0, 1}, {turns, 1.5, NULL, 9, {1, 1, 1, 1, 1, 1}, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double original = cases[i].original;
        fixture_t *f = begin();
        rc_plan_part_t part;
        f->place.time = pair_time;
        f->place.user = &original;
        f->place.order = cases[i].order;
        f->place.cache_bytes = 1; /* so that orders are asked for */
        f->place.unsteady = cases[i].unsteady;
        f->p.ks = 1;
        rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.kernels = "serial-row,rowsplit,rs",
                                        .orders = cases[i].orders, .tune = cases[i].tune, .reuse = cases[i].reuse});
        assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
        for (int j = 0; j < 6; j++) {
            const rc_plan_candidate_t *c = &part.candidate[j];
            /* what keeps the rows has the name of the original order */
            const int renamed = cases[i].order == keeps && !cases[i].timed[3] && j > 1;
            assert_string_equal(c->order, j % 2 != renamed ? "csr" : "auto");
            if (isnan(c->time_ns) == cases[i].timed[j])
                fail_msg("case %d, %s by %s: expected %d, found %g ns", (int)i, c->kernel, c->order, cases[i].timed[j], c->time_ns);
            const int left_out = !cases[i].timed[j] && j % 2 && j <= cases[i].tune;
            assert_string_equal(c->text, !left_out ? "" : cases[i].order == keeps ? "not timed: it keeps the rows"
                                                                                  : "not timed: auto gains 1.5 with serial-row");
        }
        if (!cases[i].timed[3])
            assert_int_equal(part.chosen, 2);
        rc_executor_t other;
        rc_plan_t *copy = NULL; /* which prepares by the names of now */
        rc_executor_cpu(1, &other);
        assert_int_equal(rc_plan_copy(plan, &(rc_plan_place_t){.x = &other}, &copy, NULL), RC_OK);
        rc_plan_free(copy);
        rc_plan_free(plan);
    }
}

/* A search takes what it took: batches until the error is small, and none are left out for being slow. */
static void a_search_does_not_race(void **state)
{
    (void)state;
    race_clock_t clock = {.mean = {1e6, 2e6, 3e6, 1e6, 1e6, 1e6, 1e6}};
    rc_plan_free(raced(&clock, &(rc_plan_options_t){.orders = "csr,lpt,random:seed=2", .tune = RC_PLAN_SEARCH,
                           .tune_ns = INT64_MAX / 4}, 45));
    assert_true(clock.runs[0] >= 7 && clock.runs[1] >= 7 && clock.runs[2] >= 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_far_behind_runs_twice),
        cmocka_unit_test(two_runs_that_agree_are_enough_of_a_slow_reference),
        cmocka_unit_test(near_ones_get_more_until_it_does_not_matter),
        cmocka_unit_test(the_whole_is_bounded),
        cmocka_unit_test(first_runs_are_no_times),
        cmocka_unit_test(the_choice_is_right_in_noise),
        cmocka_unit_test(what_tells_nothing_new_is_not_timed),
        cmocka_unit_test(a_search_does_not_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
