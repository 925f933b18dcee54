/* Tuning in use: what the products of a program find, by clocks of the test. */
#include "config.h"
#include "unit.h"

#include "base/error.h"
#include "kernels/prepared.h"
#include "plan/use.h"
#include "plan_small.h"


enum { ORDERS = 6, LAPS = 16 };
static const char orders[] = "csr,lpt,random:seed=2,random:seed=3,random:seed=4,random:seed=5";

/* A device whose products are over some calls later. */
typedef struct laps {
    rc_rng_t rng;
    rc_plan_t *plan;
    double mean[ORDERS]; /* of the order that was built i-th */
    double noise;
    int late;            /* calls until a time is known */
    int captures;        /* 1: a graph is made */
    int began;
    int at[LAPS];        /* call of the lap */
    int64_t ns[LAPS];
    int calls;
    int timed;
    int open; /* laps that began and did not end */
    int runs[ORDERS];
} laps_t;

static int capturing(void *user)
{
    const laps_t *l = user;
    return l->captures;
}

static rc_status_t lap_begin(void *user, int lap, rc_err_t *err)
{
    laps_t *l = user;
    (void)err;
    assert_false(l->captures);
    assert_in_range(lap, 0, LAPS - 1);
    l->began = lap;
    l->open++;
    return RC_OK;
}

static rc_status_t lap_end(void *user, int lap, rc_err_t *err)
{
    laps_t *l = user;
    (void)err;
    assert_int_equal(lap, l->began);
    l->open--;
    l->timed++;
    l->at[lap] = l->calls;
    return RC_OK;
}

static rc_status_t lap_ns(void *user, int lap, int64_t *ns, rc_err_t *err)
{
    laps_t *l = user;
    (void)err;
    assert_false(l->captures);
    *ns = l->calls - l->at[lap] >= l->late ? l->ns[lap] : -1;
    return RC_OK;
}

static const rc_plan_laps_t by_calls = {capturing, lap_begin, lap_end, lap_ns};

/* Every product passes by here (the linker's --wrap): which candidate ran is seen by its order. */
static laps_t *seen_by;
static int refuses; /* this order; 0: none does */

static int order_of(const rc_plan_t *plan, const void *state)
{
    const rc_problem_t *p = &((const rc_prepared_t *)state)->p;
    for (int i = 0; i < plan->orders; i++)
        if (p->schedule == &plan->order[i]->schedule)
            return i;
    fail_msg("a state of no order");
    return -1;
}

rc_status_t __real_rc_kernel_run(const rc_kernel_t *kernel, void *state, const rc_operands_t *o, double alpha,
    double beta, rc_err_t *err);
rc_status_t __wrap_rc_kernel_run(const rc_kernel_t *kernel, void *state, const rc_operands_t *o, double alpha,
    double beta, rc_err_t *err);

rc_status_t __wrap_rc_kernel_run(const rc_kernel_t *kernel, void *state, const rc_operands_t *o, double alpha,
    double beta, rc_err_t *err)
{
    laps_t *l = seen_by;
    if (l && l->plan) {
        int order = order_of(l->plan, state);
        if (refuses > 0 && order == refuses) {
            l->open--;
            return rc_fail(err, RC_ENOTSUP, "not with these");
        }
        l->runs[order]++;
        if (l->open == 0)
            return __real_rc_kernel_run(kernel, state, o, alpha, beta, err);
        l->ns[l->began] = (int64_t)(l->mean[order] * (1 + l->noise * (2 * rc_rng_unit(&l->rng) - 1)));
    }
    return __real_rc_kernel_run(kernel, state, o, alpha, beta, err);
}

/* A plan that is tuned in use, for its K. */
static rc_plan_t *begin_use(fixture_t *f, laps_t *l, int candidates)
{
    f->place.laps = &by_calls;
    f->place.user = l;
    seen_by = l;
    l->plan = NULL;
    l->plan = plan_of(f, &(rc_plan_options_t){.orders = orders, .tune_in_use = candidates});
    return l->plan;
}

static void end_use(laps_t *l)
{
    rc_plan_t *plan = l->plan;
    l->plan = NULL;
    seen_by = NULL;
    assert_int_equal(l->open, 0);
    rc_plan_free(plan);
}

/* Products of each K in turn, each compared with fp64, until nothing is measured any more.
 * \return how many */
static int run_until_settled(fixture_t *f, laps_t *l, int most)
{
    rc_rng_t rng;
    rc_rng_seed(&rng, 17);
    for (int n = 0; n < most; n++) {
        l->calls++;
        for (int i = 0; i < f->p.ks; i++)
            check_product(&rng, l->plan, &f->p, &f->in, f->k[i]);
        if (!l->plan->use)
            return n;
    }
    return most;
}

static int chosen(const rc_plan_t *plan, int part)
{
    rc_plan_part_t p;
    assert_int_equal(rc_plan_part(plan, part, &p, NULL), RC_OK);
    return p.chosen;
}

static void products_find_the_fastest(void **state)
{
    (void)state;
    for (int late = 0; late < 40; late += 13) {
        laps_t l = {.mean = {1e5, 2e5, 0.9e5, 9e5, 0.5e5, 0.51e5}, .noise = 0.03, .late = late};
        rc_rng_seed(&l.rng, 7);
        fixture_t *f = begin();
        f->p.ks = 1;
        rc_plan_t *plan = begin_use(f, &l, ORDERS);
        assert_int_equal(chosen(plan, 0), 0);
        /* betas of check_product are 0, 1/2 and 1, and alphas never 0: a third or two are alike */
        int n = run_until_settled(f, &l, 100000);
        assert_int_equal(chosen(plan, 0), 4);
        assert_true(plan->entry[0].part.why == RC_PLAN_TIMED && plan->resident_bytes == 0);
        assert_in_range(l.timed, 4 + 2 * 5 + 8 * 3, 4 + 26 * 5);
        assert_in_range(n, l.timed, (4 + 26 * 5) * (4 + late));
        assert_in_range(l.runs[3], 2, 2); /* far behind */
        run_until_settled(f, &l, 5);
        end_use(&l);
    }
}

/* Of several K each has its own, and a matrix that is shared stays with who needs it: new values reach all. */
static void several_k_share_their_matrices(void **state)
{
    (void)state;
    laps_t l = {.mean = {1e5, 2e5, 0.9e5, 9e5, 0.5e5, 2e5}, .noise = 0.01};
    rc_rng_seed(&l.rng, 7);
    fixture_t *f = begin();
    rc_plan_t *plan = begin_use(f, &l, ORDERS);
    (void)run_until_settled(f, &l, 100000);
    assert_null(plan->use);
    assert_true(chosen(plan, 0) == 4 && chosen(plan, 1) == 4);
    rc_rng_t rng;
    rc_rng_seed(&rng, 23);
    for (int i = 0; i < 2; i++) {
        new_values(&rng, &f->in);
        assert_int_equal(rc_plan_update(plan, f->in.val64, RC_FP64, 0, NULL), RC_OK);
        for (int k = 0; k < 2; k++)
            check_product(&rng, plan, &f->p, &f->in, f->k[k]);
    }
    end_use(&l);
}

/* In noise as large as the gains the guess stays, or what is chosen is not slower by more than that. */
static void noise_does_not_choose(void **state)
{
    (void)state;
    int kept = 0;
    laps_t l = {.noise = 0.1};
    rc_rng_seed(&l.rng, 5);
    for (int i = 0; i < 40; i++) {
        fixture_t *f = begin();
        f->p.ks = 1;
        for (int j = 0; j < ORDERS; j++)
            l.mean[j] = 1e5 * (1 + 0.02 * rc_rng_unit(&l.rng));
        rc_plan_t *plan = begin_use(f, &l, ORDERS);
        assert_true(run_until_settled(f, &l, 100000) < 100000);
        kept += chosen(plan, 0) == 0;
        end_use(&l);
    }
    assert_in_range(kept, 34, 40);
}

/* A graph keeps the current choice for good, and nothing of the tuning is asked of the device meanwhile. */
static void a_graph_ends_it(void **state)
{
    (void)state;
    for (int after = 0; after < 60; after += 7) {
        laps_t l = {.mean = {1e5, 0.8e5, 0.7e5, 0.6e5, 0.5e5, 0.4e5}, .noise = 0.01, .late = after % 3};
        rc_rng_seed(&l.rng, 7);
        rc_rng_t rng;
        rc_rng_seed(&rng, 3);
        fixture_t *f = begin();
        f->p.ks = 1;
        rc_plan_t *plan = begin_use(f, &l, ORDERS);
        (void)run_until_settled(f, &l, after);
        int current = chosen(plan, 0);
        const void *kept = plan->entry[0].trial.state;
        int timed = l.timed;
        l.captures = 1;
        check_product(&rng, plan, &f->p, &f->in, f->k[0]);
        l.captures = 0;
        (void)run_until_settled(f, &l, 3);
        assert_null(plan->use);
        assert_int_equal(chosen(plan, 0), current);
        assert_ptr_equal(plan->entry[0].trial.state, kept);
        assert_int_equal(l.timed, timed);
        end_use(&l);
    }
}

static void what_refuses_operands_is_passed_over(void **state)
{
    (void)state;
    laps_t l = {.mean = {1e5, 0.5e5, 0.1e5, 0.7e5, 0.9e5, 2e5}, .noise = 0.01};
    rc_rng_seed(&l.rng, 7);
    fixture_t *f = begin();
    f->p.ks = 1;
    rc_plan_t *plan = begin_use(f, &l, ORDERS);
    refuses = 2;
    assert_true(run_until_settled(f, &l, 100000) < 100000);
    refuses = 0;
    assert_int_equal(chosen(plan, 0), 1);
    assert_int_equal(plan->entry[0].candidate[2].status, RC_ENOTSUP);
    assert_string_equal(plan->entry[0].candidate[2].text, "not with these");
    end_use(&l);
}

/* What is asked for ends it, or does not begin it. */
static void it_ends(void **state)
{
    (void)state;
    laps_t l = {.mean = {1e5, 1e5, 1e5, 1e5, 1e5, 1e5}, .late = 1 << 30};
    rc_rng_t rng;
    rc_rng_seed(&l.rng, 7);
    rc_rng_seed(&rng, 3);
    fixture_t *f = begin();
    f->p.ks = 1;
    rc_plan_t *plan = begin_use(f, &l, 1);
    assert_int_equal(run_until_settled(f, &l, 100000), 2 * 2000 - 1); /* no time comes back */
    end_use(&l);
    plan = begin_use(f, &l, 2);
    l.late = 0;
    (void)run_until_settled(f, &l, 12);
    assert_non_null(plan->use);
    assert_int_equal(rc_plan_update(plan, f->in.val64, RC_FP64, 0, NULL), RC_OK);
    assert_null(plan->use);
    check_product(&rng, plan, &f->p, &f->in, f->k[0]);
    end_use(&l);
    l.plan = NULL;
    rc_plan_options_t o = {.orders = orders, .tune_in_use = 2, .deterministic = RC_PLAN_SAME_BITS};
    plan = plan_of(f, &o);
    assert_null(plan->use);
    rc_plan_free(plan);
    o = (rc_plan_options_t){.orders = orders, .tune_in_use = 2};
    plan = plan_of(f, &o);
    assert_non_null(plan->use);
    rc_plan_free(plan); /* in the middle */
    o.tune = 2;
    refused(f, &o, RC_EINVAL, "tune_in_use");
    o = (rc_plan_options_t){.tune_in_use = -1};
    refused(f, &o, RC_EINVAL, "negative");
}

/* Without laps, as on a CPU, the clock around a run says what it takes. */
static int64_t fake_now(void *user)
{
    laps_t *l = user;
    return l->ns[0] * l->calls++; /* between two calls: one time */
}

static void a_host_has_a_clock(void **state)
{
    (void)state;
    laps_t l = {.mean = {1e5, 0.5e5, 1e5, 1e5, 1e5, 1e5}};
    fixture_t *f = begin();
    f->p.ks = 1;
    f->place.now = fake_now;
    f->place.user = &l;
    rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.orders = orders, .tune_in_use = 3});
    l.ns[0] = 1000;
    rc_rng_t rng;
    rc_rng_seed(&rng, 3);
    for (int i = 0; i < 2000 && plan->use; i++)
        check_product(&rng, plan, &f->p, &f->in, f->k[0]);
    assert_null(plan->use);
    assert_int_equal(chosen(plan, 0), 0); /* all are as fast */
    assert_true(plan->entry[0].candidate[1].time_ns == 1000);
    rc_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_find_the_fastest),
        cmocka_unit_test(several_k_share_their_matrices),
        cmocka_unit_test(noise_does_not_choose),
        cmocka_unit_test(a_graph_ends_it),
        cmocka_unit_test(what_refuses_operands_is_passed_over),
        cmocka_unit_test(it_ends),
        cmocka_unit_test(a_host_has_a_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
