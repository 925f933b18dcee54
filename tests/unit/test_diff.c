#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "synthetic.h"

#include "base/infer.h"
#include "base/rng.h"
#include "base/stats.h"
#include "table/diff.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- inference */

static void tails_of_the_normal_distribution(void **state)
{
    (void)state;
    /* tabulated */
    assert_true(rc_normal_p(0) == 1);
    assert_true(fabs(rc_normal_p(1.959963984540054) - 0.05) < 1e-12);
    assert_true(fabs(rc_normal_p(-3.290526731491926) - 0.001) < 1e-12);
}

/* Against the definition: the largest set of which each p is at most rate * size / n. */
static void rates_are_those_of_the_definition(void **state)
{
    (void)state;
    enum { MOST = 30 };
    rc_rng_t r;
    rc_rng_seed(&r, 3);
    for (int round = 0; round < 300; round++) {
        double p[MOST];
        double q[MOST];
        int64_t n = (int64_t)rc_rng_below(&r, MOST + 1);
        int64_t m = 0;
        for (int64_t i = 0; i < n; i++) {
            p[i] = rc_rng_below(&r, 3) ? rc_rng_unit(&r) : rc_rng_unit(&r) * 0.01;
            p[i] = rc_rng_below(&r, 4) ? p[i] : (double)rc_rng_below(&r, 5) / 4; /* ties */
            p[i] = rc_rng_below(&r, 10) ? p[i] : NAN;
            m += !isnan(p[i]);
        }
        assert_int_equal(rc_fdr(p, n, q, NULL), RC_OK);
        for (double rate = 0.01; rate < 1; rate += 0.07) {
            int64_t size = 0;
            for (int64_t s = 1; s <= m; s++) {
                int64_t below = 0;
                for (int64_t i = 0; i < n; i++)
                    below += p[i] <= rate * (double)s / (double)m;
                size = below >= s ? s : size;
            }
            int64_t found = 0;
            for (int64_t i = 0; i < n; i++) {
                assert_int_equal(isnan(q[i]), isnan(p[i]));
                found += q[i] <= rate;
            }
            assert_true(found == size);
        }
    }
}

/* Under the null it is about uniform; a shift is found; the sign makes no difference. */
static void signed_ranks_find_a_shift(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 4);
    int below[2] = {0, 0};
    enum { ROUNDS = 2000, N = 30 };
    for (int round = 0; round < ROUNDS; round++)
        for (int shifted = 0; shifted < 2; shifted++) {
            double x[N];
            double y[N];
            for (int i = 0; i < N; i++) {
                x[i] = rc_rng_unit(&r) - 0.5 + 0.3 * shifted;
                y[i] = -x[i];
            }
            double p = rc_signed_rank_p(x, N);
            assert_true(p >= 0 && p <= 1 && p == rc_signed_rank_p(y, N));
            below[shifted] += p < 0.05;
        }
    assert_in_range(below[0], ROUNDS * 3 / 100, ROUNDS * 7 / 100);
    assert_true(below[1] > ROUNDS * 99 / 100);
    double zeros[3] = {0, 0, 0};
    assert_true(rc_signed_rank_p(zeros, 3) == 1 && rc_signed_rank_p(zeros, 0) == 1);
    /* ranks 1 2.5 2.5 4, of which the first is negative: (9 - 1) / sqrt(1 + 12.5 + 16) */
    double ties[4] = {2, -1, 5, 2};
    assert_true(fabs(rc_signed_rank_p(ties, 4) - rc_normal_p(8 / sqrt(29.5))) < 1e-12);
}

/* Under the null at most as often as it says, whatever is common to both; against the definition, with ties. */
static void two_samples_of_one_distribution_rarely_differ(void **state)
{
    (void)state;
    enum { ROUNDS = 2000, MOST = 40 };
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    int below[2] = {0, 0};
    for (int round = 0; round < ROUNDS; round++)
        for (int shorter = 0; shorter < 2; shorter++) {
            double x[MOST];
            double y[MOST];
            int64_t n = MOST - (int64_t)rc_rng_below(&r, 10);
            int64_t m = MOST - (int64_t)rc_rng_below(&r, 10);
            double most = 0;
            int coarse = (int)rc_rng_below(&r, 2);
            for (int64_t i = 0; i < n; i++)
                x[i] = (shorter ? 0.3 : 1) * exp(3 * rc_rng_unit(&r));
            for (int64_t i = 0; i < m; i++)
                y[i] = exp(3 * rc_rng_unit(&r));
            for (int64_t i = 0; i < n && coarse; i++)
                x[i] = floor(x[i]);
            for (int64_t i = 0; i < m && coarse; i++)
                y[i] = floor(y[i]);
            qsort(x, (size_t)n, sizeof *x, rc_stats_compare);
            qsort(y, (size_t)m, sizeof *y, rc_stats_compare);
            for (int64_t i = 0; i < n; i++) {
                int of[2] = {0, 0};
                for (int64_t j = 0; j < n; j++)
                    of[0] += x[j] <= x[i];
                for (int64_t j = 0; j < m; j++)
                    of[1] += y[j] <= x[i];
                most = fmax(most, of[0] / (double)n - of[1] / (double)m);
            }
            double p = rc_smirnov_p(x, n, y, m);
            assert_true(fabs(p - exp(-2 * most * most / (1 / (double)n + 1 / (double)m))) < 1e-12);
            below[shorter] += p < 0.05;
        }
    assert_in_range(below[0], ROUNDS / 100, ROUNDS * 6 / 100);
    assert_true(below[1] > ROUNDS * 99 / 100);
    const double apart[6] = {1, 2, 3, 4, 5, 6};
    assert_true(rc_smirnov_p(apart, 3, apart + 3, 3) < 0.05 && rc_smirnov_p(apart + 3, 3, apart, 3) == 1);
    assert_true(rc_smirnov_p(apart, 0, apart, 3) == 1 && rc_smirnov_p(apart, 3, apart, 0) == 1);
}

/* ------------------------------------------------------------------ stores */

static rc_view_t *make(void **state, const char *name, const synthetic_t *s)
{
    char path[SCRATCH_PATH];
    rc_err_t err = {0};
    rc_view_t *v = NULL;
    scratch_path(state, name, path);
    if (synthetic_write(path, s, &err) < 0 || rc_view_read(path, &v, &err) < 0)
        fail_msg("%s", err.text);
    return v;
}

static rc_diff_options_t defaults(void)
{
    return (rc_diff_options_t){
        .ignore = RC_DIFF_VERSIONS, .threshold = 0.02, .fdr = 0.05, .noise = NAN};
}

static rc_diff_t compare(const rc_view_t *a, const rc_view_t *b)
{
    rc_diff_options_t o = defaults();
    rc_diff_t d;
    rc_err_t err = {0};
    if (rc_diff(a, b, &o, &d, &err) < 0)
        fail_msg("%s", err.text);
    return d;
}

static int64_t cases_of(const synthetic_t *s)
{
    return s->matrices * SYNTHETIC_KERNELS * SYNTHETIC_POLICIES * 3;
}

static void a_store_is_the_same_as_itself(void **state)
{
    synthetic_t s = synthetic_default;
    s.matrices = 20;
    s.gaps = 1;
    rc_view_t *a = make(state, "self", &s);
    rc_diff_t d = compare(a, a);
    assert_true(d.cases == cases_of(&s));
    assert_true(d.count[RC_VERDICT_SAME] + d.count[RC_VERDICT_FAILING] == d.cases);
    assert_true(d.count[RC_VERDICT_FAILING] > 0);
    assert_true(d.group_count[RC_VERDICT_SAME] == d.groups && d.groups == 36);
    for (int64_t i = 0; i < d.cases; i++)
        assert_true(d.item[i].a == d.item[i].b);
    rc_diff_free(&d);
    rc_view_free(a);
}

/* Two runs of one program: alarms stay as rare as the rate says, with noise between runs that the
 * runs' own errors do not show, and with bursts. */
static void equal_programs_raise_few_alarms(void **state)
{
    static const struct {
        double noise, bursts;
    } kinds[] = {{0.005, 0}, {0.01, 0}, {0.05, 0}, {0.02, 0.02}, {0.01, 0.1}};
    enum { RUNS = 6 };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        rc_view_t *v[RUNS];
        int alarms = 0;
        for (int i = 0; i < RUNS; i++) {
            char name[32];
            synthetic_t s = synthetic_default;
            s.matrices = 25;
            s.noise = kinds[k].noise;
            s.bursts = kinds[k].bursts;
            s.run = i + 1;
            (void)snprintf(name, sizeof name, "null-%zu-%d", k, i);
            v[i] = make(state, name, &s);
        }
        for (int i = 0; i < RUNS; i++)
            for (int j = 0; j < RUNS; j++) {
                if (i == j)
                    continue;
                rc_diff_t d = compare(v[i], v[j]);
                /* what lies between runs is known for noise: of 0.5 % of a run most is below the
                 * threshold, 5 % hides a change as large as that */
                if (kinds[k].noise == 0.005)
                    assert_true(d.count[RC_VERDICT_SAME] > d.cases * 98 / 100);
                if (kinds[k].noise == 0.05)
                    assert_true(d.count[RC_VERDICT_SAME] == 0);
                alarms += d.count[RC_VERDICT_SLOWER] > 0 || d.group_count[RC_VERDICT_SLOWER] > 0;
                rc_diff_free(&d);
            }
        assert_in_range(alarms, 0, RUNS * (RUNS - 1) / 10); /* twice the rate */
        for (int i = 0; i < RUNS; i++)
            rc_view_free(v[i]);
    }
}

static int is_same(const rc_diff_t *d, const char *kernel, const char *policy, int64_t k)
{
    for (int32_t i = 0; i < d->groups; i++)
        if (strcmp(d->group[i].kernel, kernel) == 0 && strcmp(d->group[i].policy, policy) == 0 &&
            d->group[i].k == k)
            return d->group[i].verdict == RC_VERDICT_SAME;
    fail_msg("no group of %s, %s, %d", kernel, policy, (int)k);
    return 0;
}

/* The same is what moved by no more than the threshold, whatever the noise is; more noise takes
 * cases and groups away from it, and brings none. */
static void noise_makes_unclear_never_the_same(void **state)
{
    static const double factors[] = {0.08, 0.44, 0.97, 1, 1.03, 9.7};
    static const double noises[] = {0.003, 0.03, 0.3, 1};
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
        for (size_t n = 0; n < sizeof noises / sizeof *noises; n++) {
            char name[32];
            synthetic_t s = synthetic_default;
            s.matrices = 25;
            s.noise = noises[n];
            s.run = 1;
            (void)snprintf(name, sizeof name, "wide-a-%zu-%zu", f, n);
            rc_view_t *a = make(state, name, &s);
            s.run = 2;
            s.slow = factors[f];
            (void)snprintf(name, sizeof name, "wide-b-%zu-%zu", f, n);
            rc_view_t *b = make(state, name, &s);
            rc_diff_options_t o = defaults();
            rc_diff_t before = compare(a, b);
            for (int32_t g = 0; g < before.groups; g++)
                assert_true(before.group[g].verdict != RC_VERDICT_SAME ||
                            fabs(log(before.group[g].geomean)) <= log1p(o.threshold));
            assert_int_equal(noises[n] > 0.02, before.group_count[RC_VERDICT_SAME] == 0);
            for (o.noise = before.noise; o.noise < 1; o.noise = o.noise * 1.7 + 1e-3) {
                rc_diff_t d;
                assert_int_equal(rc_diff(a, b, &o, &d, NULL), RC_OK);
                for (int64_t i = 0; i < d.cases; i++)
                    assert_true(d.item[i].verdict != RC_VERDICT_SAME ||
                                (fabs(log(d.item[i].ratio)) <= log1p(o.threshold) &&
                                    d.item[i].noise <= log1p(o.threshold)));
                assert_true(d.count[RC_VERDICT_SAME] <= before.count[RC_VERDICT_SAME]);
                for (int32_t g = 0; g < d.groups; g++)
                    assert_true(d.group[g].verdict != RC_VERDICT_SAME ||
                                is_same(&before, d.group[g].kernel, d.group[g].policy, d.group[g].k));
                rc_diff_free(&before);
                before = d;
            }
            rc_diff_free(&before);
            rc_view_free(a);
            rc_view_free(b);
        }
}

/* What one matrix shares in a run, on few matrices and on many, says nothing of the program. */
static void one_matrix_alone_is_no_alarm(void **state)
{
    static const int64_t matrices[] = {5, 60};
    for (size_t i = 0; i < 2; i++) {
        char name[32];
        synthetic_t s = synthetic_default;
        s.matrices = matrices[i];
        s.noise = 0.002;
        (void)snprintf(name, sizeof name, "placed-a-%zu", i);
        s.run = 1;
        rc_view_t *a = make(state, name, &s);
        s.run = 2;
        s.placed = 0.3;
        (void)snprintf(name, sizeof name, "placed-b-%zu", i);
        rc_view_t *b = make(state, name, &s);
        rc_diff_t d = compare(a, b);
        assert_int_equal(d.count[RC_VERDICT_SLOWER], 0);
        assert_true(d.count[RC_VERDICT_UNCLEAR] > 0);
        rc_diff_free(&d);
        d = compare(b, a);
        assert_int_equal(d.count[RC_VERDICT_FASTER], 0);
        rc_diff_free(&d);
        rc_view_free(a);
        rc_view_free(b);
    }
}

static void a_slower_kernel_is_found_and_named(void **state)
{
    synthetic_t s = synthetic_default;
    s.matrices = 40;
    s.run = 1;
    rc_view_t *a = make(state, "before", &s);
    s.run = 2;
    s.slow = 1.1;
    s.version = 3;
    s.bursts = 0.01;
    rc_view_t *b = make(state, "after", &s);
    rc_diff_t d = compare(a, b);
    assert_true(d.cases == cases_of(&s)); /* the version is no other case */
    int64_t wrong = 0;
    int64_t found = 0;
    for (int64_t i = 0; i < d.cases; i++) {
        int is_slow = strcmp(d.group[d.item[i].group].kernel, synthetic_kernels[1]) == 0;
        found += is_slow && d.item[i].verdict == RC_VERDICT_SLOWER;
        wrong += !is_slow && d.item[i].verdict == RC_VERDICT_SLOWER;
        assert_true(i == 0 || !(d.item[i].ratio > d.item[i - 1].ratio));
    }
    assert_true(found > cases_of(&s) / SYNTHETIC_KERNELS * 95 / 100);
    assert_true(wrong < found / 10);
    assert_true(d.count[RC_VERDICT_FASTER] == 0);
    for (int32_t g = 0; g < d.groups; g++) {
        int is_slow = strcmp(d.group[g].kernel, synthetic_kernels[1]) == 0;
        /* a burst or two of its cases leave the mean of a group unclear */
        if (is_slow)
            assert_int_equal(d.group[g].verdict, RC_VERDICT_SLOWER);
        else
            assert_true(d.group[g].verdict == RC_VERDICT_SAME ||
                        d.group[g].verdict == RC_VERDICT_UNCLEAR);
        assert_true(fabs(d.group[g].geomean / (is_slow ? 1.1 : 1) - 1) < 0.03);
        assert_true(g == 0 || d.group[g].geomean <= d.group[g - 1].geomean);
    }
    /* the other way round, all is mirrored */
    rc_diff_t e = compare(b, a);
    assert_true(e.cases == d.cases && fabs(e.noise - d.noise) < 1e-12);
    assert_true(e.count[RC_VERDICT_FASTER] == d.count[RC_VERDICT_SLOWER]);
    assert_true(e.count[RC_VERDICT_SLOWER] == d.count[RC_VERDICT_FASTER]);
    assert_true(e.count[RC_VERDICT_UNCLEAR] == d.count[RC_VERDICT_UNCLEAR]);
    assert_true(e.group_count[RC_VERDICT_FASTER] == d.group_count[RC_VERDICT_SLOWER]);
    rc_diff_free(&d);
    rc_diff_free(&e);
    rc_view_free(a);
    rc_view_free(b);
}

/* A change that all cases of a kernel share (a clock, a compiler) stays below the threshold,
 * although noise lifts some of them above it. */
static void below_the_threshold_all_is_the_same(void **state)
{
    synthetic_t s = synthetic_default;
    s.matrices = 60;
    s.noise = 0.005;
    s.run = 1;
    rc_view_t *a = make(state, "below-a", &s);
    s.run = 2;
    s.slow = 1.075;
    rc_view_t *b = make(state, "below-b", &s);
    rc_diff_options_t o = defaults();
    rc_diff_t d;
    o.threshold = 0.08;
    assert_int_equal(rc_diff(a, b, &o, &d, NULL), RC_OK);
    int64_t above = 0;
    for (int64_t i = 0; i < d.cases; i++)
        above += d.item[i].change > log1p(o.threshold);
    assert_true(above > cases_of(&s) / SYNTHETIC_KERNELS / 20);
    assert_int_equal(d.count[RC_VERDICT_SLOWER], 0);
    assert_int_equal(d.group_count[RC_VERDICT_SLOWER], 0);
    rc_diff_free(&d);
    rc_view_free(a);
    rc_view_free(b);
}

/* What is too little for a single case under its noise is plain for a group. */
static void a_group_shows_what_no_case_does(void **state)
{
    synthetic_t s = synthetic_default;
    s.matrices = 200;
    s.noise = 0.03;
    s.run = 1;
    s.k = "8";
    rc_view_t *a = make(state, "group-a", &s);
    s.run = 2;
    s.slow = 1.075;
    rc_view_t *b = make(state, "group-b", &s);
    rc_diff_t d = compare(a, b);
    assert_true(d.group_count[RC_VERDICT_SLOWER] == SYNTHETIC_POLICIES);
    assert_true(d.count[RC_VERDICT_SLOWER] < 200 * SYNTHETIC_POLICIES / 4);
    rc_diff_free(&d);
    rc_view_free(a);
    rc_view_free(b);
}

static void identity_is_what_is_not_ignored(void **state)
{
    synthetic_t s = synthetic_default;
    s.matrices = 12;
    rc_view_t *a = make(state, "id-a", &s);
    s.version = 3;
    s.gaps = 1;
    s.devices = 2;
    rc_view_t *b = make(state, "id-b", &s);
    rc_diff_options_t o = defaults();
    rc_diff_t d;
    int64_t n = cases_of(&s);
    assert_int_equal(rc_diff(a, b, &o, &d, NULL), RC_OK);
    assert_true(d.count[RC_VERDICT_ONLY_A] == 0 && d.count[RC_VERDICT_ONLY_B] == n);
    assert_true(d.count[RC_VERDICT_BROKEN] > 0 && d.count[RC_VERDICT_FIXED] == 0);
    assert_true(d.count[RC_VERDICT_SAME] + d.count[RC_VERDICT_UNCLEAR] +
                    d.count[RC_VERDICT_BROKEN] ==
                n);
    assert_true(2 * d.group_count[RC_VERDICT_ONLY_B] == d.groups);
    int64_t broken = d.count[RC_VERDICT_BROKEN];
    rc_diff_free(&d);
    assert_int_equal(rc_diff(b, a, &o, &d, NULL), RC_OK);
    assert_true(d.count[RC_VERDICT_FIXED] == broken && d.count[RC_VERDICT_ONLY_A] == n);
    rc_diff_free(&d);
    o.ignore = 0;
    assert_int_equal(rc_diff(a, b, &o, &d, NULL), RC_OK);
    assert_true(d.count[RC_VERDICT_ONLY_A] == n && d.count[RC_VERDICT_ONLY_B] == 2 * n);
    rc_diff_free(&d);
    o.ignore = RC_DIFF_VERSIONS | RC_DIFF_DEVICE | RC_DIFF_GEOMETRY;
    assert_int_equal(rc_diff(a, b, &o, &d, NULL), RC_OK);
    assert_true(d.count[RC_VERDICT_ONLY_A] + d.count[RC_VERDICT_ONLY_B] == 0 && d.cases == n);
    rc_diff_free(&d);
    o.fdr = 1;
    assert_int_equal(rc_diff(a, b, &o, &d, NULL), RC_EINVAL);
    rc_view_free(a);
    rc_view_free(b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_of_the_normal_distribution),
        cmocka_unit_test(rates_are_those_of_the_definition),
        cmocka_unit_test(signed_ranks_find_a_shift),
        cmocka_unit_test(two_samples_of_one_distribution_rarely_differ),
        cmocka_unit_test(a_store_is_the_same_as_itself),
        cmocka_unit_test(equal_programs_raise_few_alarms),
        cmocka_unit_test(noise_makes_unclear_never_the_same),
        cmocka_unit_test(one_matrix_alone_is_no_alarm),
        cmocka_unit_test(a_slower_kernel_is_found_and_named),
        cmocka_unit_test(below_the_threshold_all_is_the_same),
        cmocka_unit_test(a_group_shows_what_no_case_does),
        cmocka_unit_test(identity_is_what_is_not_ignored),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
