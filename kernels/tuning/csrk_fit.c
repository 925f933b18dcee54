#include "config.h"
#include "kernels/tuning/csrk_fit.h"
#include "base/error.h"
#include "base/str.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const int32_t rc_csrk_fit_sizes[RC_CSRK_SIZES] = {4, 6, 8, 12, 16, 24, 32, 48};

double rc_csrk_fit_best(const rc_csrk_grid_t *g, int *ssrs, int *srs)
{
    double best = INFINITY;
    for (int t = 0; t < RC_CSRK_SIZES; t++)
        for (int s = 0; s < RC_CSRK_SIZES; s++) {
            if (isnan(g->ns[t][s]))
                return NAN;
            if (g->ns[t][s] >= best)
                continue;
            best = g->ns[t][s];
            *ssrs = t;
            *srs = s;
        }
    return best;
}

static double time_of(const rc_csrk_grid_t *g, const rc_csrk_sizes_t *s)
{
    return g->ns[rc_csrk_nearest(rc_csrk_fit_sizes, RC_CSRK_SIZES, s->ssrs)]
                [rc_csrk_nearest(rc_csrk_fit_sizes, RC_CSRK_SIZES, s->srs)];
}

static double over_best(const rc_csrk_grid_t *g, const rc_csrk_sizes_t *s)
{
    int ssrs = 0;
    int srs = 0;
    return time_of(g, s) / rc_csrk_fit_best(g, &ssrs, &srs);
}

double rc_csrk_fit_loss(
    const rc_csrk_times_t *m, const rc_csrk_tuning_t *t, rc_csrk_reading_t reading)
{
    rc_csrk_sizes_t s = rc_csrk_sizes(t, reading, m->rdensity);
    rc_csrk_fill(t, m->rows, &s);
    return over_best(&m->own, &s);
}

static int case_of(const rc_csrk_times_t *m)
{
    static const rc_csrk_tuning_t any = {.ssrs = {1, 0}, .srs = {1, 0}};
    return rc_csrk_sizes(&any, RC_CSRK_NEW, m->rdensity).number;
}

/* ----------------------------------------------------------------- geomeans */

/* By GPUSpMV-3 with the lines alone. */
static double serial_loss(const rc_csrk_times_t *m, int64_t count, const rc_csrk_tuning_t *t)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const rc_csrk_sizes_t s = rc_csrk_sizes_of_case(t, RC_CSRK_NEW, m[i].rdensity, 1);
        sum += log(over_best(&m[i].serial, &s));
    }
    return exp(sum / (double)count);
}

/* By the kernels of the matrices of a case; 0: of all.  NaN: there are none. */
static double own_loss(
    const rc_csrk_times_t *m, int64_t count, const rc_csrk_tuning_t *t, int number)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++) {
        if (number && case_of(&m[i]) != number)
            continue;
        sum += log(rc_csrk_fit_loss(&m[i], t, RC_CSRK_NEW));
        n++;
    }
    return n ? exp(sum / (double)n) : NAN;
}

/* --------------------------------------------------------------------- fit */

static double to_thousandth(double x)
{
    return floor(x * 1000 + 0.5) / 1000;
}

/* \param[in] of_srs  1: of SRS, 0: of SSRS */
static rc_status_t regress(
    const rc_csrk_times_t *m, int64_t count, int of_srs, rc_csrk_line_t *out, rc_err_t *err)
{
    double sum[4] = {0, 0, 0, 0}; /* of x, y, x x, x y */
    for (int64_t i = 0; i < count; i++) {
        int at[2] = {0, 0};
        (void)rc_csrk_fit_best(&m[i].serial, &at[0], &at[1]);
        double x = log(m[i].rdensity);
        double y = rc_csrk_fit_sizes[at[of_srs]];
        sum[0] += x;
        sum[1] += y;
        sum[2] += x * x;
        sum[3] += x * y;
    }
    double n = (double)count;
    double spread = n * sum[2] - sum[0] * sum[0];
    if (!(spread > 1e-9 * n * n))
        return rc_fail(err, RC_EINVAL, "expected matrices of two rdensities or more, all have one");
    double slope = (n * sum[3] - sum[0] * sum[1]) / spread;
    out->slope = to_thousandth(-slope);
    out->constant = to_thousandth((sum[1] - slope * sum[0]) / n);
    return RC_OK;
}

static void lower(const rc_csrk_times_t *m, int64_t count, rc_csrk_fit_t *f)
{
    enum { steps = 20 };
    double best = INFINITY;
    for (int a = steps; a >= 0; a--)
        for (int b = steps; b >= 0; b--) {
            rc_csrk_tuning_t t = f->tuning;
            t.ssrs.slope = to_thousandth(f->regressed[0].slope * a / steps);
            t.srs.slope = to_thousandth(f->regressed[1].slope * b / steps);
            double loss = serial_loss(m, count, &t);
            if (loss >= best)
                continue;
            best = loss;
            f->share[0] = (double)a / steps;
            f->share[1] = (double)b / steps;
        }
    f->tuning.ssrs.slope = to_thousandth(f->regressed[0].slope * f->share[0]);
    f->tuning.srs.slope = to_thousandth(f->regressed[1].slope * f->share[1]);
    f->serial_loss[1] = best;
}

/* What number a of SSRS and b of SRS make of a case; of either there are RC_CSRK_SIZES. */
typedef void set_fn(rc_csrk_tuning_t *t, int number, int a, int b);

static void set_factors(rc_csrk_tuning_t *t, int number, int a, int b)
{
    static const double factor[RC_CSRK_SIZES] = {.5, 1, 1.5, 2, 2.5, 3, 4, 5};
    t->factors[number - 1] = (rc_csrk_factors_t){.ssrs = factor[a], .srs = factor[b]};
}

/* Sizes of a case as factors of those of case 1. */
static void set_pair(rc_csrk_tuning_t *t, int number, int a, int b)
{
    const double ssrs = rc_csrk_fit_sizes[a];
    const double srs = rc_csrk_fit_sizes[b];
    if (number == 1) {
        t->ssrs.constant = ssrs;
        t->srs.constant = srs;
    } else
        t->factors[number - 1] =
            (rc_csrk_factors_t){.ssrs = ssrs / t->ssrs.constant, .srs = srs / t->srs.constant};
}

static void choose(
    const rc_csrk_times_t *m, int64_t count, int number, set_fn *set, rc_csrk_fit_t *f)
{
    double best = INFINITY;
    rc_csrk_tuning_t chosen = f->tuning;
    for (int a = 0; a < RC_CSRK_SIZES; a++)
        for (int b = 0; b < RC_CSRK_SIZES; b++) {
            rc_csrk_tuning_t t = f->tuning;
            set(&t, number, a, b);
            double loss = own_loss(m, count, &t, number);
            if (loss >= best)
                continue;
            best = loss;
            chosen = t;
        }
    f->tuning = chosen;
}

static rc_status_t check(const rc_csrk_times_t *m, int64_t count, rc_err_t *err)
{
    static const char *const range[] = {
        "up to 8", "above 8, up to 16", "above 16, up to 32", "above 32"};
    int64_t of[RC_CSRK_CASES] = {0};
    int at[2];
    for (int64_t i = 0; i < count; i++) {
        if (!(m[i].rdensity > 0))
            return rc_fail(err, RC_EINVAL, "%s: expected an rdensity above 0, found %g", m[i].name,
                m[i].rdensity);
        int number = case_of(&m[i]);
        if (isnan(rc_csrk_fit_best(&m[i].serial, &at[0], &at[1])))
            return rc_fail(
                err, RC_EINVAL, "%s: not all 64 pairs were measured with csr3", m[i].name);
        if (isnan(rc_csrk_fit_best(&m[i].own, &at[0], &at[1])))
            return rc_fail(err, RC_EINVAL, "%s: not all 64 pairs were measured with %s", m[i].name,
                number == 1 ? "csr3" : "csr35");
        of[number - 1]++;
    }
    for (int c = 0; c < RC_CSRK_CASES; c++)
        if (of[c] == 0)
            return rc_fail(err, RC_EINVAL, "case %d has no matrix: expected one of rdensity %s",
                c + 1, range[c]);
    return RC_OK;
}

/* A tuning that changes nothing.  \param[in] rounds  1: to the sizes that were measured */
static rc_status_t begin(const rc_csrk_times_t *m, int64_t count, int rounds, const char *device,
    rc_csrk_tuning_t *t, rc_err_t *err)
{
    RC_PASS(check(m, count, err));
    RC_PASS(rc_strcpy(t->device, sizeof t->device, device, "device", err));
    for (int c = 0; c < RC_CSRK_CASES; c++)
        t->factors[c] = (rc_csrk_factors_t){.ssrs = 1, .srs = 1};
    t->sizes = rounds ? RC_CSRK_SIZES : 0;
    memcpy(t->size, rc_csrk_fit_sizes, (size_t)t->sizes * sizeof *t->size);
    return RC_OK;
}

static void judge(const rc_csrk_times_t *m, int64_t count, rc_csrk_fit_t *f)
{
    for (int c = 1; c <= RC_CSRK_CASES; c++)
        f->loss[c - 1] = own_loss(m, count, &f->tuning, c);
    f->all = own_loss(m, count, &f->tuning, 0);
}

rc_status_t rc_csrk_fit(const rc_csrk_times_t *m, int64_t count, int rounds, const char *device,
    rc_csrk_fit_t *out, rc_err_t *err)
{
    rc_csrk_fit_t f = {.share = {1, 1}};
    RC_PASS(begin(m, count, rounds, device, &f.tuning, err));
    RC_PASS(regress(m, count, 0, &f.regressed[0], err));
    RC_PASS(regress(m, count, 1, &f.regressed[1], err));
    f.tuning.ssrs = f.regressed[0];
    f.tuning.srs = f.regressed[1];
    f.serial_loss[0] = serial_loss(m, count, &f.tuning);
    lower(m, count, &f);
    for (int c = 2; c <= RC_CSRK_CASES; c++)
        choose(m, count, c, set_factors, &f);
    judge(m, count, &f);
    *out = f;
    return RC_OK;
}

rc_status_t rc_csrk_fit_filled(const rc_csrk_times_t *m, int64_t count, int32_t multiprocessors,
    const char *device, rc_csrk_fit_t *out, rc_err_t *err)
{
    rc_csrk_fit_t f = {.serial_loss = {NAN, NAN}};
    RC_PASS(begin(m, count, 1, device, &f.tuning, err));
    f.tuning.multiprocessors = multiprocessors;
    for (int c = 1; c <= RC_CSRK_CASES; c++)
        choose(m, count, c, set_pair, &f);
    f.regressed[0] = f.tuning.ssrs;
    f.regressed[1] = f.tuning.srs;
    judge(m, count, &f);
    *out = f;
    return RC_OK;
}

/* ------------------------------------------------------------ CSR-2 on CPUs */

const int32_t rc_csrk_srs_sizes[RC_CSRK_SRS_SIZES] = {
    8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072};

int rc_csrk_srs_best(const rc_csrk_srs_times_t *m)
{
    int best = 0;
    for (int i = 0; i < RC_CSRK_SRS_SIZES; i++) {
        if (isnan(m->ns[i]))
            return -1;
        if (m->ns[i] < m->ns[best])
            best = i;
    }
    return best;
}

int rc_csrk_srs_constant(const rc_csrk_srs_times_t *m, int64_t count, double *mean)
{
    double sum = 0;
    int constant = 0;
    if (count == 0)
        return -1;
    for (int64_t i = 0; i < count; i++)
        sum += log(rc_csrk_srs_sizes[rc_csrk_srs_best(&m[i])]);
    *mean = exp(sum / (double)count);
    for (int i = 1; i < RC_CSRK_SRS_SIZES; i++)
        if (fabs(log(rc_csrk_srs_sizes[i] / *mean)) <
            fabs(log(rc_csrk_srs_sizes[constant] / *mean)))
            constant = i;
    return constant;
}
