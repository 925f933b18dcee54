#include "config.h"
#include "analysis/report/headline.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double worth = 1.05; /* a gain that a user would notice */

static double time_of(const rc_survey_t *s, int64_t row)
{
    return row < 0 ? NAN : rc_view_result(s->view, row)->median_ns;
}

static int is_csr(const rc_survey_t *s, int64_t row)
{
    return strcmp(rc_view_policy(s->view, rc_view_result(s->view, row)->policy), "csr") == 0;
}

/* ratio[0..n), of which n may be 0; sorts it */
static void sum_up(double *ratio, int64_t n, rc_gain_t *out)
{
    *out = (rc_gain_t){.stats = {.count = n}};
    if (n == 0) {
        out->stats.min = out->stats.max = out->stats.mean = out->stats.median = NAN;
        out->stats.geomean = NAN;
        return;
    }
    for (int64_t i = 0; i < n; i++)
        out->over5 += ratio[i] > worth;
    rc_stats_compute(ratio, n, &out->stats);
}

typedef double ratio_fn(const rc_survey_t *s, const rc_survey_pair_t *p);

static double order_ratio(const rc_survey_t *s, const rc_survey_pair_t *p)
{
    return time_of(s, p->reference_csr) / time_of(s, p->reference_best);
}

static double plan_ratio(const rc_survey_t *s, const rc_survey_pair_t *p)
{
    return time_of(s, p->best_csr) / time_of(s, p->best);
}

static double vendor_ratio(const rc_survey_t *s, const rc_survey_pair_t *p)
{
    return time_of(s, p->vendor) / time_of(s, p->best);
}

static void gain_of(const rc_survey_t *s, const rc_survey_setting_t *a, ratio_fn *ratio,
    double *scratch, rc_gain_t *out)
{
    int64_t n = 0;
    for (int64_t i = a->first; i < a->first + a->pairs; i++) {
        double r = ratio(s, &s->pair[i]);
        if (r > 0 && isfinite(r))
            scratch[n++] = r;
    }
    sum_up(scratch, n, out);
}

/* Which kernel and order leads: counted in a map from both names, as versions of one may differ. */
static rc_status_t lead(
    const rc_survey_t *s, const rc_survey_setting_t *a, rc_headline_t *out, rc_err_t *err)
{
    rc_map_t wins = {0};
    rc_str_t name = {0};
    rc_status_t st = RC_OK;
    out->leader = -1;
    for (int pass = 0; st == RC_OK && pass < 2; pass++)
        for (int64_t i = a->first; st == RC_OK && i < a->first + a->pairs; i++) {
            if (s->pair[i].best < 0)
                continue;
            const rc_row_result_t *r = rc_view_result(s->view, s->pair[i].best);
            name.len = 0;
            rc_str_addf(&name, "%s/%s", rc_view_kernel(s->view, r->kernel),
                rc_view_policy(s->view, r->policy));
            if (name.failed) {
                st = rc_fail(err, RC_ENOMEM, "no memory for a name");
                break;
            }
            rc_digest_t key = rc_map_text(name.text);
            int64_t n = rc_map_get(&wins, key, 0);
            if (pass == 0) {
                st = rc_map_set(&wins, key, n + 1, err);
            } else if (n > out->wins) {
                out->wins = n;
                out->leader = s->pair[i].best;
            }
        }
    rc_map_free(&wins);
    rc_str_free(&name);
    return st;
}

static void pay_back(
    const rc_survey_t *s, const rc_survey_setting_t *a, double *scratch, rc_headline_t *out)
{
    int64_t n = 0;
    for (int64_t i = a->first; i < a->first + a->pairs; i++) {
        const rc_survey_pair_t *p = &s->pair[i];
        if (p->best < 0 || is_csr(s, p->best))
            continue;
        out->reordered++;
        if (isfinite(p->break_even))
            scratch[n++] = p->break_even;
    }
    out->pays = n;
    out->break_even_median = NAN;
    if (n) {
        rc_stats_t stats;
        rc_stats_compute(scratch, n, &stats);
        out->break_even_median = stats.median;
    }
}

rc_status_t rc_headline_make(const rc_survey_t *s, rc_headline_t **out, rc_err_t *err)
{
    rc_headline_t *made = rc_alloc0((size_t)s->settings, sizeof *made, "headlines", err);
    double *scratch = rc_alloc((size_t)s->matrices, sizeof *scratch, "ratios", err);
    rc_status_t st = made && scratch ? RC_OK : RC_ENOMEM;
    for (int i = 0; st == RC_OK && i < s->settings; i++) {
        const rc_survey_setting_t *a = &s->setting[i];
        made[i].matrices = a->pairs;
        gain_of(s, a, order_ratio, scratch, &made[i].order);
        gain_of(s, a, plan_ratio, scratch, &made[i].plan);
        gain_of(s, a, vendor_ratio, scratch, &made[i].vendor);
        pay_back(s, a, scratch, &made[i]);
        st = lead(s, a, &made[i], err);
    }
    free(scratch);
    if (st < 0)
        free(made);
    else
        *out = made;
    return st;
}

/* ------------------------------------------------------------------ one matrix */

static int compare_matrix(const void *key, const void *pair)
{
    int32_t a = *(const int32_t *)key;
    int32_t b = ((const rc_survey_pair_t *)pair)->matrix;
    return (a > b) - (a < b);
}

static const rc_survey_pair_t *pair_in(const rc_survey_t *s, int setting, int32_t m)
{
    const rc_survey_setting_t *a = &s->setting[setting];
    return a->pairs == 0
               ? NULL
               : bsearch(&m, s->pair + a->first, (size_t)a->pairs, sizeof *s->pair, compare_matrix);
}

static const rc_survey_pair_t *pair_of(const rc_survey_t *s, int32_t m)
{
    const rc_survey_pair_t *p = s->main_setting < 0 ? NULL : pair_in(s, s->main_setting, m);
    for (int i = 0; !p && i < s->settings; i++)
        p = pair_in(s, i, m);
    return p;
}

int64_t rc_headline_shown(const rc_survey_t *s, int32_t m)
{
    const rc_survey_pair_t *p = pair_of(s, m);
    if (p && p->best >= 0 && !is_csr(s, p->best))
        return p->best;
    if (p && p->reference_best >= 0 && !is_csr(s, p->reference_best))
        return p->reference_best;
    return -1;
}

void rc_headline_gains(const rc_survey_t *s, int32_t m, double *plan, double *order)
{
    const rc_survey_pair_t *p = pair_of(s, m);
    *plan = p ? plan_ratio(s, p) : 1;
    *order = p ? order_ratio(s, p) : 1;
    if (!(*plan > 1))
        *plan = 1;
    if (!(*order > 1))
        *order = 1;
}
