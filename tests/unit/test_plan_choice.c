#include "config.h"
#include "unit.h"

#include "base/error.h"
#include "plan/answer.h"
#include "plan/plan_private.h"
#include "plan_small.h"

#include <math.h>
#include <string.h>

/* A clock of the test: the second order that is timed is the fast one. */
typedef struct clock {
    int calls;
    int of[8];  /* of them of each order */
    int refuse; /* runs of this order, and of all after it; 0: of none, -1: of all */
    int64_t each_ns; /* what timing a candidate takes by fake_now */
} fake_clock_t;

static rc_status_t fake_time(
    void *user, rc_launch_fn *fn, void *launch, int64_t batch, int64_t *ns, rc_err_t *err)
{
    fake_clock_t *c = user;
    int order = (*(const rc_plan_trial_t *const *)launch)->order; /* the first member */
    c->calls++;
    c->of[order]++;
    *ns = batch * (order == 1 ? 1000000 : 3000000);
    if (c->refuse < 0 || (c->refuse > 0 && order >= c->refuse))
        return rc_fail(err, RC_ENOTSUP, "not with these");
    return fn(launch, err);
}

/* Orders that were timed. */
static int timed_of(const fake_clock_t *c)
{
    int n = 0;
    for (size_t i = 0; i < sizeof c->of / sizeof *c->of; i++)
        n += c->of[i] > 0;
    return n;
}

/* Time goes when a candidate has had its first runs. */
static int64_t fake_now(void *user)
{
    const fake_clock_t *c = user;
    int done = 0;
    for (size_t i = 0; i < sizeof c->of / sizeof *c->of; i++)
        done += c->of[i] > 1;
    return done * c->each_ns;
}

static void the_fastest_is_chosen(void **state)
{
    (void)state;
    fake_clock_t clock = {0};
    fixture_t *f = begin();
    f->place.time = fake_time;
    f->place.user = &clock;
    f->p.ks = 1;
    const rc_plan_options_t o = {.orders = "lpt,csr,random:seed=2", .tune = 2, .tune_ns = INT64_MAX};
    rc_plan_t *plan = plan_of(f, &o);
    rc_plan_part_t part;
    assert_int_equal(rc_plan_parts(plan), 1);
    assert_int_equal(rc_plan_part(plan, 1, &part, NULL), RC_EINVAL);
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    assert_int_equal(part.candidates, 3);
    assert_int_equal(part.reference, 1); /* the original order, timed first */
    assert_int_equal(part.why, RC_PLAN_TIMED);
    assert_string_equal(part.candidate[part.chosen].order, "lpt");
    assert_true(part.candidate[0].time_ns < part.candidate[1].time_ns);
    assert_int_equal(clock.of[0], 2); /* a cold run, and when another one was timed a warm one that says the same */
    assert_int_equal(clock.of[1], 4); /* and three */
    assert_int_equal(clock.of[2], 2); /* far behind */
    assert_true(rc_plan_break_even(&part, part.chosen) >= 0);
    assert_true(rc_plan_break_even(&part, part.reference) == 0);
    rc_plan_free(plan);
}

/* A run that says while it is timed that it cannot is passed over with its reason. */
static void what_cannot_run_is_passed_over(void **state)
{
    (void)state;
    fake_clock_t clock = {.refuse = 2};
    fixture_t *f = begin();
    f->place.time = fake_time;
    f->place.user = &clock;
    f->p.ks = 1;
    const rc_plan_options_t o = {.orders = "csr,random:seed=2,lpt", .tune = 3, .tune_ns = INT64_MAX};
    rc_plan_t *plan = plan_of(f, &o);
    rc_plan_part_t part;
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    assert_int_equal(part.candidate[2].status, RC_ENOTSUP);
    assert_string_equal(part.candidate[2].text, "not with these");
    assert_int_equal(part.chosen, 1);
    rc_plan_free(plan);
    clock = (fake_clock_t){.refuse = -1};
    refused(f, &o, RC_ENOTSUP, "not with these");
}

static rc_status_t no_order(rc_executor_t *x, const char *order, const rc_csr_t *a, const rc_resident_t *m,
    rc_resident_rows_t *out, rc_err_t *err)
{
    return x && order && a && !m && !out ? rc_fail(err, RC_ENOTSUP, "on the host") : RC_OK;
}

/* Where B is beyond the cache of a device that builds orders, what is timed begins with one. */
static void large_matrices_are_ordered(void **state)
{
    (void)state;
    fixture_t *f = begin();
    f->place.order = no_order;
    for (int i = 0; i < 3; i++) {
        f->place.cache_bytes = i == 0 ? 1 << 20 : 16;
        rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.tune = i < 2});
        rc_plan_part_t part;
        assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
        assert_string_equal(part.candidate[0].order, i == 1 ? "auto" : "csr");
        assert_string_equal(part.candidate[part.reference].order, "csr");
        rc_plan_free(plan);
    }
}

/* Without the matrix on the device there may be enough memory: mode 10 has too little with it, 11 without. */
static void short_of_memory_the_host_builds(void **state)
{
    (void)state;
    fixture_t *f = begin();
    f->p.layout = RC_COL_MAJOR;
    rc_plan_free(plan_of(f, &(rc_plan_options_t){.kernels = "fault:mode=10"}));
    rc_plan_free(plan_of(f, &(rc_plan_options_t){.kernels = "fault:mode=11"}));
    refused(f, &(rc_plan_options_t){.kernels = "fault:mode=5"}, RC_ENOMEM, "no memory");
}

/* A kernel with more parameters than a text holds: what is usual is left out, as in a store. */
static void kernels_of_many_parameters(void **state)
{
    (void)state;
    fixture_t *f = begin();
    rc_plan_part_t part;
    rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.kernels = "aspt:rest=2,aspt:col_min=2:tile_min=1"});
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    assert_int_equal(part.candidates, 2);
    assert_non_null(strstr(part.candidate[0].kernel, "rest=2"));
    assert_non_null(strstr(part.candidate[1].kernel, "col_min=2"));
    rc_plan_free(plan);
}

/* The limit is of all K together. */
static void memory_is_that_of_the_whole_plan(void **state)
{
    (void)state;
    fixture_t *f = begin();
    rc_plan_options_t o = {.kernels = "rowsplit", .orders = "csr"};
    rc_plan_part_t part[2];
    rc_plan_t *plan = plan_of(f, &o);
    for (int i = 0; i < 2; i++)
        assert_int_equal(rc_plan_part(plan, i, &part[i], NULL), RC_OK);
    int64_t both = part[0].candidate[0].bytes + part[1].candidate[0].bytes;
    rc_plan_free(plan);
    o.memory = both;
    rc_plan_free(plan_of(f, &o));
    o.memory--;
    refused(f, &o, RC_ENOMEM, "expected at most");
}

/* Operands for timing may take most of the memory, as with many columns: what fits beside them is timed. */
static void wide_operands_are_timed(void **state)
{
    (void)state;
    fixture_t *f = begin();
    rc_plan_options_t o = {.kernels = "rowsplit", .orders = "csr,lpt", .tune = 2};
    rc_plan_part_t part;
    f->p.ks = 1;
    f->k[0] = 400;
    rc_plan_t *plan = plan_of(f, &o);
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    int64_t beside = 2 * (part.candidate[0].bytes + part.candidate[1].bytes);
    int64_t dense = (f->in.rows + f->in.cols) * f->k[0] * 4;
    rc_plan_free(plan);
    assert_true(beside < dense);
    o.memory = dense + beside;
    plan = plan_of(f, &o);
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    assert_int_equal(part.why, RC_PLAN_TIMED);
    rc_plan_free(plan);
    o.memory = dense; /* no room beside them: a plan, untimed */
    plan = plan_of(f, &o);
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    assert_int_not_equal(part.why, RC_PLAN_TIMED);
    rc_plan_free(plan);
}

static void break_even_counts_measured_times(void **state)
{
    (void)state;
    rc_plan_candidate_t c[] = {
        {.order_ns = 0, .prepare_ns = 100, .time_ns = 50},
        {.order_ns = 900, .prepare_ns = 100, .time_ns = 40},
        {.order_ns = 1, .prepare_ns = 100, .time_ns = 50},
        {.order_ns = 1, .prepare_ns = 100, .time_ns = NAN, .predicted_ns = NAN},
        {.order_ns = 0, .prepare_ns = 90, .time_ns = 50},
    };
    rc_plan_part_t part = {.candidates = 5, .candidate = c};
    assert_true(rc_plan_break_even(&part, 0) == 0);
    assert_true(rc_plan_break_even(&part, 1) == 90);
    assert_true(isinf(rc_plan_break_even(&part, 2)));
    assert_true(isnan(rc_plan_break_even(&part, 3)));
    assert_true(rc_plan_break_even(&part, 4) == 0);
}

/* The reference is timed besides the number that was asked for.  One candidate is timed too: what its product takes is said. */
static void no_more_is_timed_than_asked_for(void **state)
{
    (void)state;
    fake_clock_t clock = {0};
    fixture_t *f = begin();
    f->place.time = fake_time;
    f->place.user = &clock;
    f->p.ks = 1;
    rc_plan_free(plan_of(f, &(rc_plan_options_t){.orders = "csr,lpt,random:seed=2", .tune = 1, .tune_ns = INT64_MAX}));
    assert_int_equal(timed_of(&clock), 2);
    clock = (fake_clock_t){0};
    rc_plan_free(plan_of(f, &(rc_plan_options_t){.orders = "csr,lpt", .tune = 0}));
    assert_int_equal(clock.calls, 0);
    rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.orders = "csr", .tune = 9, .tune_ns = INT64_MAX});
    rc_plan_part_t part;
    assert_int_equal(timed_of(&clock), 1);
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    assert_true(part.candidates == 1 && part.candidate[0].time_ns > 0 && part.why == RC_PLAN_DEFAULT);
    rc_plan_free(plan);
}

/* How many are timed beside the reference of 3 ms a product.
 * \param[in] each_ms  what timing one takes */
static int timed_beside(int each_ms, double reuse, int64_t tune_ns)
{
    fake_clock_t clock = {.each_ns = (int64_t)each_ms * 1000000};
    fixture_t *f = begin();
    f->place.time = fake_time;
    f->place.now = fake_now;
    f->place.user = &clock;
    f->p.ks = 1;
    rc_plan_free(plan_of(f, &(rc_plan_options_t){.orders = "csr,lpt,random:seed=2,random:seed=3",
                                .tune = 9, .reuse = reuse, .tune_ns = tune_ns}));
    return timed_of(&clock) - 1;
}

/* 1,000 products take 3 s by the reference and, once the second was timed, 1 s by that: another one begins while less than 5 %
 * has gone, the first while less than 20 %. */
static void timing_ends_at_a_share_of_the_products(void **state)
{
    (void)state;
    assert_int_equal(timed_beside(1000, 0, INT64_MAX), 3);
    assert_int_equal(timed_beside(10, 1000, 0), 3);
    assert_int_equal(timed_beside(20, 1000, 0), 2);
    assert_int_equal(timed_beside(26, 1000, 0), 1);
    assert_int_equal(timed_beside(160, 1000, 0), 1);
    assert_int_equal(timed_beside(600, 1000, 0), 1);
    assert_int_equal(timed_beside(601, 1000, 0), 0);
    assert_int_equal(timed_beside(160, 1000, 159000000), 0);
}

/* A clock of a noisy machine: a product of the order that is tried i-th takes mean[i], give or take. */
typedef struct noisy {
    rc_rng_t rng;
    double mean[2];
    double noise;
    int calls;
    int last;  /* the order of the call before */
    int turns; /* calls of the original order after another one */
} noisy_t;

static rc_status_t noisy_time(
    void *user, rc_launch_fn *fn, void *launch, int64_t batch, int64_t *ns, rc_err_t *err)
{
    noisy_t *c = user;
    const rc_plan_trial_t *trial = *(const rc_plan_trial_t *const *)launch; /* the first member */
    double off = c->noise * (2 * rc_rng_unit(&c->rng) - 1);
    c->calls++;
    *ns = (int64_t)(c->mean[trial->order] * (1 + off) * (double)batch);
    return fn(launch, err);
}

/* The plan of two orders under such a clock: whichever is chosen, it is not chosen inside the errors of both.
 * \return the index of the order that it chose: 0 is the reference */
static int chosen_of_two(noisy_t *clock)
{
    fixture_t *f = begin();
    f->place.time = noisy_time;
    f->place.user = clock;
    f->p.ks = 1;
    const rc_plan_options_t o = {.orders = "csr,lpt", .tune = 2, .tune_ns = INT64_MAX};
    rc_plan_t *plan = plan_of(f, &o);
    rc_plan_part_t part;
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    const rc_plan_candidate_t *c = part.candidate;
    assert_int_equal(part.reference, 0);
    double upper = c[1].time_ns * (1 + 2 * rc_plan_time_err(plan, 0, 1));
    double lower = c[0].time_ns * (1 - 2 * rc_plan_time_err(plan, 0, 0));
    assert_int_equal(part.chosen, upper < lower);
    int chosen = part.chosen;
    rc_plan_free(plan);
    return chosen;
}

static void no_plan_is_chosen_inside_its_error(void **state)
{
    (void)state;
    enum { rounds = 40 };
    int kept = 0;
    int taken = 0;
    noisy_t clock = {.mean = {1e6, 1e6}};
    rc_rng_seed(&clock.rng, 7);
    for (int i = 0; i < rounds; i++) { /* what differs by nothing, or by little beside the noise */
        clock.noise = 0.5 * rc_rng_unit(&clock.rng);
        clock.mean[1] = 1e6 * (1 - 0.05 * clock.noise);
        clock.calls = 0;
        kept += chosen_of_two(&clock) == 0;
        assert_in_range(clock.calls, 4, 2 * (2 + 25) + 4 * 2 * 7);
    }
    assert_in_range(kept, rounds * 3 / 4, rounds);
    for (int i = 0; i < rounds; i++) { /* and what is much faster, for all the noise */
        clock.noise = 0.2 * rc_rng_unit(&clock.rng);
        clock.mean[1] = 5e5;
        taken += chosen_of_two(&clock) == 1;
    }
    assert_int_equal(taken, rounds);
}

/* Disturbed only while the reference is timed first: timed again, in turns, it is no slower. */
static rc_status_t disturbed_time(
    void *user, rc_launch_fn *fn, void *launch, int64_t batch, int64_t *ns, rc_err_t *err)
{
    noisy_t *c = user;
    c->turns += (*(const rc_plan_trial_t *const *)launch)->order != 0; /* the first member */
    double slow = c->turns == 0 ? 20 + rc_rng_unit(&c->rng) * 30 : 1;
    *ns = (int64_t)(1e6 * slow * (double)batch);
    return fn(launch, err);
}

static void a_disturbed_reference_is_timed_again(void **state)
{
    (void)state;
    noisy_t clock = {.calls = 0};
    rc_rng_seed(&clock.rng, 3);
    fixture_t *f = begin();
    f->place.time = disturbed_time;
    f->place.user = &clock;
    f->p.ks = 1;
    const rc_plan_options_t o = {.orders = "csr,lpt", .tune = 2, .tune_ns = INT64_MAX};
    rc_plan_t *plan = plan_of(f, &o);
    rc_plan_part_t part;
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    assert_int_equal(part.chosen, part.reference);
    assert_true(part.candidate[0].time_ns == 1e6 && part.candidate[1].time_ns == 1e6);
    rc_plan_free(plan);
}

/* Each half of the batches finds another order fast, and the other half that one slow. */
static rc_status_t halved_time(
    void *user, rc_launch_fn *fn, void *launch, int64_t batch, int64_t *ns, rc_err_t *err)
{
    noisy_t *c = user;
    const rc_plan_trial_t *trial = *(const rc_plan_trial_t *const *)launch; /* the first member */
    c->turns += trial->order == 0 && c->last != 0;
    c->last = trial->order;
    int half = c->turns == 1 ? trial->order - 1 : (c->turns - 2) % 2; /* at first both are fast */
    double off = 0.2 * (2 * rc_rng_unit(&c->rng) - 1);
    *ns = (int64_t)((trial->order == 0          ? 1e6
                     : half == trial->order - 1 ? 1e5 * (1 + off)
                                                : 5e6) * (double)batch);
    return fn(launch, err);
}

static void what_the_other_half_contradicts_is_given_up(void **state)
{
    (void)state;
    noisy_t clock = {.last = -1};
    rc_rng_seed(&clock.rng, 5);
    fixture_t *f = begin();
    f->place.time = halved_time;
    f->place.user = &clock;
    f->p.ks = 1;
    const rc_plan_options_t o = {.orders = "csr,lpt,random:seed=2", .tune = 3, .tune_ns = INT64_MAX};
    rc_plan_t *plan = plan_of(f, &o);
    rc_plan_part_t part;
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    assert_in_range(clock.turns, 3, 9); /* the first, and the rounds of both halves */
    assert_int_equal(part.chosen, part.reference);
    rc_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_is_chosen),
        cmocka_unit_test(what_cannot_run_is_passed_over),
        cmocka_unit_test(large_matrices_are_ordered),
        cmocka_unit_test(short_of_memory_the_host_builds),
        cmocka_unit_test(kernels_of_many_parameters),
        cmocka_unit_test(memory_is_that_of_the_whole_plan),
        cmocka_unit_test(wide_operands_are_timed),
        cmocka_unit_test(break_even_counts_measured_times),
        cmocka_unit_test(no_more_is_timed_than_asked_for),
        cmocka_unit_test(timing_ends_at_a_share_of_the_products),
        cmocka_unit_test(no_plan_is_chosen_inside_its_error),
        cmocka_unit_test(a_disturbed_reference_is_timed_again),
        cmocka_unit_test(what_the_other_half_contradicts_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
