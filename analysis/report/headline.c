#include "config.h"
#include "analysis/report/headline.h"
#include "analysis/bootstrap.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double worth = 1.05; /* a gain that a user would notice */

/* row[0..n): those of the pair. */
static rc_status_t choose(const rc_survey_t *s, const rc_survey_pair_t *p, const int64_t *row,
    int n, rc_held_out_t *out, rc_err_t *err)
{
    double half[RC_HALVES];
    rc_smallest_t best[RC_CHOICES];
    rc_status_t st = RC_OK;
    for (int g = 0; g < RC_CHOICES; g++)
        best[g] = rc_smallest_none();
    for (int i = 0; st == RC_OK && i < n; i++) {
        rc_timed_t t = rc_timed_of(s->view, row[i]);
        st = rc_split_half(&t, half, err);
        for (int g = 0; st == RC_OK && g < RC_CHOICES; g++)
            if (rc_choice_takes(s->view, &s->setting[p->setting], g, row[i]))
                rc_smallest_add(&best[g], half);
    }
    for (int g = 0; g < RC_CHOICES; g++)
        out->log[g] = rc_smallest_score(&best[g]);
    return st;
}

rc_status_t rc_headline_held_out(const rc_survey_t *s, rc_held_out_t **out, rc_err_t *err)
{
    rc_held_out_t *made = rc_alloc((size_t)s->pairs + 1, sizeof *made, "choices", err);
    rc_status_t st = made ? RC_OK : RC_ENOMEM;
    for (int64_t i = 0; st == RC_OK && i < s->entering;) {
        int64_t end = i;
        int32_t pair = s->row_pair[i];
        while (end < s->entering && s->row_pair[end] == pair)
            end++;
        st = choose(s, &s->pair[pair], s->rows + i, (int)(end - i), &made[pair], err);
        i = end;
    }
    if (st < 0)
        free(made);
    else
        *out = made;
    return st;
}

static void geomean(const double *sum, double *out)
{
    out[0] = exp(sum[1] / sum[0]);
}

/* A ratio of times: of which two choices it is. */
typedef struct ratio {
    rc_choice_of_t above;
    rc_choice_of_t below;
} ratio_t;

enum { ORDERS, PLANS, VENDORS, RATIOS };
static const ratio_t ratios[RATIOS] = {[ORDERS] = {RC_CHOICE_REFERENCE_CSR, RC_CHOICE_REFERENCE},
    [PLANS] = {RC_CHOICE_CSR, RC_CHOICE_ALL},
    [VENDORS] = {RC_CHOICE_VENDOR_CSR, RC_CHOICE_ALL}};

static double ratio_of(const rc_survey_t *s, const rc_survey_pair_t *p, const ratio_t *r)
{
    return rc_survey_ns(s, p->row[r->above]) / rc_survey_ns(s, p->row[r->below]);
}

/* 1: the choices differ by the order alone, and there is but one: nothing is known of orders. */
static int lacks_orders(const rc_survey_pair_t *p, rc_choice_of_t above, rc_choice_of_t below)
{
    return above != RC_CHOICE_VENDOR_CSR && p->reordered[below] == 0;
}

/* No sum is surer than its times: a bootstrap of a few matrices does not see their errors. */
static void widen(rc_figure_t *f, double width)
{
    f->low = fmin(f->low, f->value / width); /* of NaN and a number the number */
    f->high = fmax(f->high, f->value * width);
}

rc_status_t rc_headline_figure(
    const double *log, int64_t n, double variance, rc_figure_t *out, rc_err_t *err)
{
    *out = (rc_figure_t){NAN, NAN, NAN};
    if (n == 0)
        return RC_OK;
    double *unit = rc_alloc((size_t)n, 2 * sizeof *unit, "ratios", err);
    RC_PASS(unit ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < n; i++) {
        unit[2 * i] = 1;
        unit[2 * i + 1] = log[i];
    }
    rc_status_t st = rc_bootstrap(unit, n, 2, geomean, 1, 1, out, err);
    free(unit);
    widen(out, exp(2 * sqrt(variance) / (double)n));
    return st;
}

double rc_headline_error(const rc_survey_t *s, int64_t row)
{
    double error = rc_timed_of(s->view, row).rel_err;
    return isnan(error) ? rc_error_unknown : error;
}

rc_figure_t rc_headline_gain(const rc_survey_t *s, int64_t pair, const rc_held_out_t *held_out,
    rc_choice_of_t above, rc_choice_of_t below)
{
    int64_t a = s->pair[pair].row[above];
    int64_t b = s->pair[pair].row[below];
    if (a < 0 || b < 0 || lacks_orders(&s->pair[pair], above, below))
        return (rc_figure_t){NAN, NAN, NAN};
    double gain = exp(held_out[pair].log[above] - held_out[pair].log[below]);
    /* no error where both sides are one */
    double error = a == b ? 0 : hypot(rc_headline_error(s, a), rc_headline_error(s, b));
    double width = exp(2 * error);
    return (rc_figure_t){gain, gain / width, gain * width};
}

/* 1: a gain beyond the error, -1: a loss; what luck of the halves leaves of one choice over itself
 * is neither. */
static int clear_sign(const rc_survey_pair_t *p, const ratio_t *r, const rc_figure_t *gain)
{
    return p->row[r->above] == p->row[r->below] ? 0 : (gain->low > 1) - (gain->high < 1);
}

static int is_of_two_cards(const rc_survey_t *s, const rc_survey_pair_t *p, const ratio_t *r)
{
    return !rc_card_fits(
        rc_view_card(s->view, p->row[r->above]), rc_view_card(s->view, p->row[r->below]));
}

/* scratch[2 * matrices] */
static rc_status_t gain_of(const rc_survey_t *s, const rc_survey_setting_t *a,
    const rc_held_out_t *choice, const ratio_t *ratio, double *scratch, rc_gain_t *out,
    rc_err_t *err)
{
    int64_t n = 0;
    double variance = 0; /* of the sum of their logarithms, by the timing errors */
    double *held_out = scratch + s->matrices;
    *out = (rc_gain_t){.over5 = 0};
    for (int64_t i = a->first; i < a->first + a->pairs; i++) {
        double r = ratio_of(s, &s->pair[i], ratio);
        rc_figure_t gain = rc_headline_gain(s, i, choice, ratio->above, ratio->below);
        if (!(r > 0 && isfinite(r)) || isnan(gain.value))
            continue;
        const int sign = clear_sign(&s->pair[i], ratio, &gain);
        out->over5 += r > worth;
        out->over5_held_out += sign > 0 && gain.low > worth;
        out->clear += sign > 0;
        out->clear_loss += sign < 0;
        out->two_cards += is_of_two_cards(s, &s->pair[i], ratio);
        variance += pow(log(gain.high / gain.value) / 2, 2);
        scratch[n] = r;
        held_out[n++] = log(gain.value);
    }
    rc_stats_compute(scratch, n, &out->stats);
    return rc_headline_figure(held_out, n, variance, &out->held_out, err);
}

/* Matrices whose orders cannot be compared, since what was measured is noisy. */
static void count_noisy(const rc_survey_t *s, const rc_survey_setting_t *a, rc_headline_t *out)
{
    for (const rc_survey_pair_t *p = s->pair + a->first; p < s->pair + a->first + a->pairs; p++) {
        const int has_csr = p->row[RC_CHOICE_CSR] >= 0;
        const int has_orders = p->reordered[RC_CHOICE_ALL] > 0;
        out->noisy_csr += !has_csr && p->noisy_csr && (has_orders || p->noisy_orders);
        out->noisy_orders += has_csr && !has_orders && p->noisy_orders;
    }
}

/* A gain within the error is none that could pay. */
static void pay_back(const rc_survey_t *s, const rc_survey_setting_t *a,
    const rc_held_out_t *held_out, double *scratch, rc_headline_t *out)
{
    int64_t n = 0;
    rc_stats_t stats;
    for (int64_t i = a->first; i < a->first + a->pairs; i++) {
        const rc_survey_pair_t *p = &s->pair[i];
        rc_figure_t gain = rc_headline_gain(s, i, held_out, RC_CHOICE_CSR, RC_CHOICE_ALL);
        if (clear_sign(p, &ratios[PLANS], &gain) <= 0 || rc_survey_is_csr(s, p->row[RC_CHOICE_ALL]))
            continue;
        out->reordered++;
        if (isfinite(p->break_even))
            scratch[n++] = p->break_even;
    }
    rc_stats_compute(scratch, n, &stats);
    out->pays = n;
    out->break_even_median = stats.median;
}

rc_status_t rc_headline_make(
    const rc_survey_t *s, const rc_held_out_t *held_out, rc_headline_t **out, rc_err_t *err)
{
    rc_headline_t *made = rc_alloc0((size_t)s->settings, sizeof *made, "headlines", err);
    double *scratch = rc_alloc(2 * (size_t)s->matrices, sizeof *scratch, "ratios", err);
    rc_status_t st = made && scratch ? RC_OK : RC_ENOMEM;
    for (int i = 0; st == RC_OK && i < s->settings; i++) {
        const rc_survey_setting_t *a = &s->setting[i];
        rc_gain_t *const gain[RATIOS] = {&made[i].order, &made[i].plan, &made[i].vendor};
        made[i].matrices = a->pairs;
        for (int g = 0; st == RC_OK && g < RATIOS; g++)
            st = gain_of(s, a, held_out, &ratios[g], scratch, gain[g], err);
        count_noisy(s, a, &made[i]);
        pay_back(s, a, held_out, scratch, &made[i]);
    }
    free(scratch);
    if (st < 0)
        free(made);
    else
        *out = made;
    return st;
}

/* ------------------------------------------------------------------ one matrix */

static const rc_survey_pair_t *pair_of(const rc_survey_t *s, int32_t m)
{
    const rc_survey_pair_t *p =
        s->main_setting < 0 ? NULL : rc_survey_pair_of(s, s->main_setting, m);
    for (int i = 0; !p && i < s->settings; i++)
        p = rc_survey_pair_of(s, i, m);
    return p;
}

int64_t rc_headline_shown(const rc_survey_t *s, int32_t m)
{
    const rc_survey_pair_t *p = pair_of(s, m);
    static const rc_choice_of_t choice[] = {RC_CHOICE_ALL, RC_CHOICE_REFERENCE};
    for (int i = 0; p && i < 2; i++)
        if (p->row[choice[i]] >= 0 && !rc_survey_is_csr(s, p->row[choice[i]]))
            return p->row[choice[i]];
    return -1;
}

void rc_headline_gains(const rc_survey_t *s, int32_t m, double *plan, double *order)
{
    const rc_survey_pair_t *p = pair_of(s, m);
    *plan = p ? fmax(1, ratio_of(s, p, &ratios[PLANS])) : 1; /* of NaN 1 */
    *order = p ? fmax(1, ratio_of(s, p, &ratios[ORDERS])) : 1;
}
