/* The time left, on simulated sweeps: no clock is read. */
#include "config.h"
#include "unit.h"

#include "base/log.h"
#include "base/rng.h"
#include "sweep/progress.h"

#include <math.h>
#include <stdlib.h>

enum { ITEMS = 300, CASES = 40, WORDS = 4 };

/* What a matrix is thought to cost and what it takes, per case. */
typedef struct item {
    double cost_s;
    double time_s;
} item_t;

/* Shares of the true time: by the size of the matrix, and the same for every case. */
typedef struct machine {
    const char *what;
    double by_size;
    double by_case;
    double noise; /* standard deviation of the log of a matrix' time */
} machine_t;

static double normal(rc_rng_t *rng)
{
    double u = rc_rng_unit(rng);
    return sqrt(-2 * log(1 - u)) * cos(2 * acos(-1) * rc_rng_unit(rng));
}

static int costs_more(const void *a, const void *b)
{
    const item_t *x = a;
    const item_t *y = b;
    return (x->cost_s < y->cost_s) - (x->cost_s > y->cost_s);
}

/* Longest first, as the queue hands them out; the estimate knows the size, not the machine. */
static double make(const machine_t *m, item_t *item, rc_rng_t *rng)
{
    double total = 0;
    for (int i = 0; i < ITEMS; i++) {
        double size = exp(1.5 * normal(rng));
        item[i].cost_s = 0.01 + 0.02 * size;
        item[i].time_s = (m->by_size * size + m->by_case) * exp(m->noise * normal(rng));
        total += CASES * item[i].time_s;
    }
    qsort(item, ITEMS, sizeof *item, costs_more);
    return total;
}

/* Worst factor between the time left and its estimate, from 20 % of the cases on until 5 % of the
 * time is left. */
static double worst_factor(const machine_t *machine, rc_rng_t *rng)
{
    item_t item[ITEMS];
    rc_meter_t m;
    double cost = 0;
    double elapsed = 0;
    double worst = 1;
    double total = make(machine, item, rng);
    for (int i = 0; i < ITEMS; i++)
        cost += CASES * item[i].cost_s;
    rc_meter_start(&m, NULL, ITEMS, (int64_t)ITEMS * CASES, cost);
    assert_true(rc_meter_left_s(&m, 1) < 0);
    int64_t done = 0;
    for (int i = 0; i < ITEMS; i++)
        for (int w = 0; w < WORDS; w++) {
            int64_t some[RC_CASE_STATUSES] = {[RC_CASE_OK] = CASES / WORDS};
            elapsed += CASES / WORDS * item[i].time_s;
            done += CASES / WORDS;
            rc_meter_add(&m, some, CASES / WORDS * item[i].cost_s, elapsed);
            double left = total - elapsed;
            if (rc_progress_percent(done, m.cases) < 20 || left < 0.05 * total)
                continue;
            double f = rc_meter_left_s(&m, elapsed) / left;
            assert_true(f > 0);
            worst = fmax(worst, fmax(f, 1 / f));
        }
    assert_true(rc_meter_left_s(&m, elapsed) < 1e-6 * total);
    return worst;
}

static void the_time_left_is_within_a_factor_of_two(void **state)
{
    static const machine_t machines[] = {{"as estimated", 0.02, 0.01, 0},
        {"three times as slow", 0.06, 0.03, 0}, {"only the size counts", 0.05, 0, 0},
        {"every case takes the same", 0, 0.04, 0}, {"small ones cost more", 0.005, 0.05, 0},
        {"matrices differ", 0.02, 0.03, 0.25}, {"they differ, and cases count", 0.001, 0.05, 0.25}};
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 7);
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        for (int round = 0; round < 20; round++) {
            double f = worst_factor(&machines[i], &rng);
            if (!(f <= 2))
                fail_msg("%s, round %d: off by a factor of %g", machines[i].what, round, f);
        }
}

static void the_percentage_is_of_cases(void **state)
{
    (void)state;
    assert_true(rc_progress_percent(0, 8) == 0);
    assert_true(rc_progress_percent(2, 8) == 25);
    assert_true(rc_progress_percent(9, 8) == 100);
    assert_true(rc_progress_percent(0, 0) == 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_left_is_within_a_factor_of_two),
        cmocka_unit_test(the_percentage_is_of_cases),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
