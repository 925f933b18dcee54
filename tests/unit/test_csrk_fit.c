/* Re-tuning of CSR-k: synthetic times with a known optimum give it back, the slopes are those of the least loss, and
 * what cannot be fitted says why; written files read back. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "kernels/tuning/csrk_fit.h"
#include "scratch.h"

#include <math.h>
#include <string.h>

enum { MOST = 12 };

static const int32_t sizes[] = {4, 6, 8, 12, 16, 24, 32, 48};

/* Times whose least is at a pair, and grow with the ratio to it. */
static void set_grid(rc_csrk_grid_t *g, int ssrs, int srs)
{
    for (int t = 0; t < 8; t++)
        for (int s = 0; s < 8; s++)
            g->ns[t][s] =
                1000 * (1 + pow(log((double)sizes[t] / ssrs), 2) + pow(log((double)sizes[s] / srs), 2));
}

/* SSRS = 64 - 16 ln rdensity, SRS = 12 by GPUSpMV-3; cases 2 to 4 multiply them. */
static int64_t make_known(rc_csrk_times_t *m)
{
    static const struct {
        double log_rdensity;
        int serial[2];
        int own[2];
    } known[] = {
        {1, {48, 12}, {48, 12}},
        {2, {32, 12}, {32, 12}},
        {2.5, {24, 12}, {12, 24}},
        {3, {16, 12}, {32, 12}},
        {3.5, {8, 12}, {32, 6}},
        {3.75, {4, 12}, {16, 6}},
    };
    int64_t n = sizeof known / sizeof *known;
    for (int64_t i = 0; i < n; i++) {
        m[i] = (rc_csrk_times_t){.name = "a matrix", .rdensity = exp(known[i].log_rdensity)};
        set_grid(&m[i].serial, known[i].serial[0], known[i].serial[1]);
        set_grid(&m[i].own, known[i].own[0], known[i].own[1]);
    }
    return n;
}

static int is_factor(rc_csrk_factors_t f, double ssrs, double srs)
{
    return f.ssrs == ssrs && f.srs == srs && !f.of_ssrs && !f.down;
}

static void known_optimum(void **state)
{
    (void)state;
    rc_csrk_times_t m[MOST];
    rc_csrk_fit_t f;
    rc_err_t err = {0};
    int64_t n = make_known(m);
    if (rc_csrk_fit(m, n, 0, "made", &f, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(f.regressed[0].constant == 64 && f.regressed[0].slope == 16);
    assert_true(f.regressed[1].constant == 12 && f.regressed[1].slope == 0);
    assert_true(f.share[0] == 1 && f.share[1] == 1 && f.tuning.ssrs.slope == 16);
    assert_true(is_factor(f.tuning.factors[1], .5, 2) && is_factor(f.tuning.factors[2], 2, 1) &&
                is_factor(f.tuning.factors[3], 4, .5));
    assert_true(f.all == 1 && f.serial_loss[0] == 1 && f.serial_loss[1] == 1);
    for (int64_t i = 0; i < n; i++)
        assert_true(rc_csrk_fit_loss(&m[i], &f.tuning, RC_CSRK_NEW) == 1);
    /* the published formulas ask for 6 and 7 at rdensity e^2 */
    assert_true(rc_csrk_fit_loss(&m[1], rc_csrk_tuning_find("volta"), RC_CSRK_NEW) > 2);
}

static void nearest_sizes(void **state)
{
    (void)state;
    static const struct {
        int64_t size;
        int expected;
    } cases[] = {{0, 4}, {1, 4}, {4, 4}, {5, 6}, {7, 8}, {9, 8}, {10, 12}, {13, 12}, {14, 16}, {20, 24}, {28, 32},
        {39, 32}, {40, 48}, {48, 48}, {1000000, 48}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(sizes[rc_csrk_nearest(sizes, 8, cases[i].size)], cases[i].expected);
}

/* A tuning that rounds says one of the measured sizes, that next to what it said without. */
static void rounded_sizes(void **state)
{
    (void)state;
    rc_csrk_times_t m[MOST];
    rc_csrk_fit_t f[2];
    int64_t n = make_known(m);
    int others = 0;
    assert_int_equal(rc_csrk_fit(m, n, 0, "made", &f[0], NULL), RC_OK);
    assert_int_equal(rc_csrk_fit(m, n, 1, "made", &f[1], NULL), RC_OK);
    for (double r = 0; r < 100; r += 0.37) {
        const rc_csrk_sizes_t any = rc_csrk_sizes(&f[0].tuning, RC_CSRK_NEW, r);
        const rc_csrk_sizes_t s = rc_csrk_sizes(&f[1].tuning, RC_CSRK_NEW, r);
        assert_int_equal(s.ssrs, sizes[rc_csrk_nearest(sizes, 8, any.ssrs)]);
        assert_int_equal(s.srs, sizes[rc_csrk_nearest(sizes, 8, any.srs)]);
        others += s.ssrs != any.ssrs;
    }
    assert_true(others > 0 && f[0].all == f[1].all);
}

/* ------------------------------------------------------------------ slopes */

static double plain_loss(const rc_csrk_times_t *m, int64_t n, const double *line)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double least = INFINITY;
        int at[2];
        for (int l = 0; l < 2; l++) {
            double size = floor(line[2 * l] - line[2 * l + 1] * log(m[i].rdensity) + .5);
            at[l] = 0;
            for (int s = 1; s < 8; s++)
                if (fabs(log(size < 1 ? 1 : size) - log(sizes[s])) <
                    fabs(log(size < 1 ? 1 : size) - log(sizes[at[l]])))
                    at[l] = s;
        }
        for (int t = 0; t < 8; t++)
            for (int s = 0; s < 8; s++)
                least = fmin(least, m[i].serial.ns[t][s]);
        sum += log(m[i].serial.ns[at[0]][at[1]] / least);
    }
    return exp(sum / (double)n);
}

/* No other share of the slopes loses less. */
static void least_loss(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 11);
    int lowered = 0;
    for (int round = 0; round < 30; round++) {
        rc_csrk_times_t m[MOST];
        rc_csrk_fit_t f;
        for (int i = 0; i < MOST; i++) {
            m[i] = (rc_csrk_times_t){.name = "m", .rdensity = exp(0.5 + 0.4 * i)};
            for (int t = 0; t < 8; t++)
                for (int s = 0; s < 8; s++) {
                    m[i].serial.ns[t][s] = 1 + rc_rng_unit(&r);
                    m[i].own.ns[t][s] = 1 + rc_rng_unit(&r);
                }
        }
        assert_int_equal(rc_csrk_fit(m, MOST, 0, "made", &f, NULL), RC_OK);
        double least = INFINITY;
        for (int a = 0; a <= 20; a++)
            for (int b = 0; b <= 20; b++) {
                const double line[] = {f.regressed[0].constant,
                    floor(f.regressed[0].slope * a / 20 * 1000 + .5) / 1000, f.regressed[1].constant,
                    floor(f.regressed[1].slope * b / 20 * 1000 + .5) / 1000};
                least = fmin(least, plain_loss(m, MOST, line));
            }
        if (!(fabs(f.serial_loss[1] - least) < 1e-12))
            fail_msg("round %d: expected loss %.15g, found %.15g", round, least, f.serial_loss[1]);
        assert_true(f.serial_loss[1] <= f.serial_loss[0]);
        lowered += f.share[0] < 1 || f.share[1] < 1;
    }
    assert_true(lowered > 0);
}

/* ------------------------------------------------------------------- files */

static void written_files(void **state)
{
    rc_csrk_times_t m[MOST];
    rc_csrk_fit_t f;
    rc_csrk_tuning_t again;
    char path[SCRATCH_PATH];
    int64_t n = make_known(m);
    scratch_path(state, "fitted.json", path);
    for (int rounds = 0; rounds < 2; rounds++) {
        assert_int_equal(rc_csrk_fit(m, n, rounds, "made", &f, NULL), RC_OK);
        assert_int_equal(f.tuning.sizes, rounds ? 8 : 0);
        assert_int_equal(rc_csrk_tuning_write(path, &f, m, n, NULL), RC_OK);
        assert_int_equal(rc_csrk_tuning_read(path, &again, NULL), RC_OK);
        assert_memory_equal(&again, &f.tuning, sizeof again);
    }
    assert_int_equal(rc_csrk_tuning_write("/there/is/none", &f, m, n, NULL), RC_EIO);
}

static void refusals(void **state)
{
    (void)state;
    rc_csrk_times_t m[MOST];
    rc_csrk_fit_t f;
    rc_err_t err = {0};
    int64_t n = make_known(m);
    m[3].serial.ns[2][2] = NAN;
    assert_int_equal(rc_csrk_fit(m, n, 0, "made", &f, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "a matrix: not all 64 pairs were measured with csr3"));
    n = make_known(m);
    m[3].own.ns[7][7] = NAN;
    assert_int_equal(rc_csrk_fit(m, n, 0, "made", &f, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "with csr35"));
    n = make_known(m);
    m[3] = m[4];
    assert_int_equal(rc_csrk_fit(m, n, 0, "made", &f, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "case 3 has no matrix: expected one of rdensity above 16, up to 32"));
    assert_int_equal(rc_csrk_fit(m, 0, 0, "made", &f, &err), RC_EINVAL);
}

/* Times of csr2 whose least is at a size. */
static void set_srs(rc_csrk_srs_times_t *m, int srs)
{
    *m = (rc_csrk_srs_times_t){.name = "a matrix", .rdensity = 5, .loop = NAN};
    for (int i = 0; i < RC_CSRK_SRS_SIZES; i++)
        m->ns[i] = 1000 * (1 + pow(log((double)rc_csrk_srs_sizes[i] / srs), 2));
}

static void constant_srs(void **state)
{
    (void)state;
    rc_csrk_srs_times_t m[3];
    double mean = 0;
    for (int i = 0; i < 11; i++) { /* 2^i and 1.5 2^i, i = 3 .. 11 */
        if (i < 3)
            set_srs(&m[i], i == 0 ? 24 : 384); /* geometric mean of two of them: 96 */
        assert_true(i > 8 || (rc_csrk_srs_sizes[2 * i] == 8 << i && rc_csrk_srs_sizes[2 * i + 1] == 12 << i));
    }
    assert_int_equal(rc_csrk_srs_sizes[rc_csrk_srs_best(&m[0])], 24);
    assert_int_equal(rc_csrk_srs_sizes[rc_csrk_srs_constant(m, 2, &mean)], 96);
    assert_true(fabs(mean - 96) < 1e-9);
    assert_int_equal(rc_csrk_srs_sizes[rc_csrk_srs_constant(m, 3, &mean)], 128); /* 152 is nearer to it than to 192 */
    assert_int_equal(rc_csrk_srs_constant(m, 0, &mean), -1);
    m[0].ns[17] = m[0].ns[3]; /* of equal ones the smallest */
    assert_int_equal(rc_csrk_srs_best(&m[0]), 3);
    m[0].ns[0] = NAN;
    assert_int_equal(rc_csrk_srs_best(&m[0]), -1);
}

/* What a pair of a case, filled, loses on the matrices of the case, by the functions of the tuning alone. */
static double pair_loss(const rc_csrk_times_t *m, int64_t n, const rc_csrk_fit_t *f, int number, int t, int s)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        rc_csrk_sizes_t z = rc_csrk_sizes(&f->tuning, RC_CSRK_NEW, m[i].rdensity);
        double least = INFINITY;
        if (z.number != number)
            continue;
        z.ssrs = sizes[t];
        z.srs = sizes[s];
        rc_csrk_fill(&f->tuning, m[i].rows, &z);
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++)
                least = fmin(least, m[i].own.ns[a][b]);
        sum += log(m[i].own.ns[rc_csrk_nearest(sizes, 8, z.ssrs)][rc_csrk_nearest(sizes, 8, z.srs)] / least);
        count++;
    }
    return exp(sum / (double)count);
}

/* Pairs that fill: no other pair of a case loses less; written and read it says the same. */
static void filled_pairs(void **state)
{
    char path[SCRATCH_PATH];
    rc_rng_t r;
    rc_rng_seed(&r, 12);
    scratch_path(state, "filled.json", path);
    for (int round = 0; round < 10; round++) {
        rc_csrk_times_t m[MOST];
        rc_csrk_tuning_t back;
        rc_csrk_fit_t f;
        for (int i = 0; i < MOST; i++) {
            m[i] = (rc_csrk_times_t){.name = "m", .rdensity = exp(0.5 + 0.4 * i), .rows = 1000 + 90000 * i};
            for (int t = 0; t < 8; t++)
                for (int s = 0; s < 8; s++) {
                    m[i].serial.ns[t][s] = 1 + rc_rng_unit(&r);
                    m[i].own.ns[t][s] = 1 + rc_rng_unit(&r);
                }
        }
        assert_int_equal(rc_csrk_fit_filled(m, MOST, 132, "made", &f, NULL), RC_OK);
        for (int c = 1; c <= 4; c++)
            for (int t = 0; t < 8; t++)
                for (int s = 0; s < 8; s++)
                    assert_true(pair_loss(m, MOST, &f, c, t, s) >= f.loss[c - 1] - 1e-12);
        assert_int_equal(rc_csrk_tuning_write(path, &f, m, MOST, NULL), RC_OK);
        assert_int_equal(rc_csrk_tuning_read(path, &back, NULL), RC_OK);
        assert_int_equal(back.multiprocessors, 132);
        for (int i = 0; i < MOST; i++)
            assert_true(rc_csrk_fit_loss(&m[i], &back, RC_CSRK_NEW) == rc_csrk_fit_loss(&m[i], &f.tuning, RC_CSRK_NEW));
    }
    rc_csrk_fit_t f;
    rc_csrk_times_t none[1];
    assert_int_equal(rc_csrk_fit_filled(none, 0, 132, "made", &f, NULL), RC_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_optimum), cmocka_unit_test(constant_srs),
        cmocka_unit_test(nearest_sizes),
        cmocka_unit_test(rounded_sizes),
        cmocka_unit_test(least_loss),
        cmocka_unit_test(filled_pairs),
        cmocka_unit_test(written_files),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
