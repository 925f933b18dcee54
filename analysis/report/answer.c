#include "config.h"
#include "analysis/report/answer.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASS_LEAST = 5 }; /* matrices of a class */

/* ----------------------------------------------------------------- the sentence */

/* Words for a gain whose interval lies above `low` and below `high`, and whose value is above
 * `value`.  Of a list the first that fits counts; the last one fits all. */
typedef struct words {
    double low;
    double value;
    double high;
    const char *text;
} words_t;

static const words_t of_orders[] = {{1.05, 0, INFINITY, "Reorder: it pays"},
    {1.01, 0, 1.15, "Reordering pays a little"}, {1, 1.01, 1.05, "Reordering gains little"},
    {1, 1.01, INFINITY, "Reordering gains, how much is uncertain"},
    {1, 0, INFINITY, "Keep the original row order: reordering hardly gains"},
    {0, 0, 1, "Keep the original row order: choosing another loses"},
    {0.99, 0, 1.01, "Keep the original row order: reordering makes no difference"},
    {-INFINITY, -INFINITY, INFINITY,
        "Keep the original row order: whether another pays is uncertain"}};

static const words_t of_vendor[] = {{1, 0, INFINITY, "faster than"}, {0, 0, 1, "slower than"},
    {-INFINITY, -INFINITY, INFINITY, "about as fast as"}};

static const char *in_words(const words_t *w, const rc_figure_t *f)
{
    double low = isfinite(f->low) ? f->low : f->value;
    double high = isfinite(f->high) ? f->high : f->value;
    while (!(low > w->low && f->value > w->value && high < w->high) && w->value >= 0)
        w++;
    return w->text;
}

const char *rc_answer_of_orders(const rc_figure_t *gain)
{
    return in_words(of_orders, gain);
}

const char *rc_answer_of_vendor(const rc_figure_t *gain)
{
    return in_words(of_vendor, gain);
}

/* 1: a plan was measured in another order, with a time or not. */
static int has_orders(const rc_survey_t *s, const rc_survey_setting_t *a)
{
    int has = 0;
    for (int64_t i = a->first; i < a->first + a->pairs; i++)
        has |= s->pair[i].reordered[RC_CHOICE_ALL] > 0 || s->pair[i].noisy_orders;
    return has;
}

/* Orders that were measured and cannot be compared. */
static void say_noise(const rc_headline_t *h, rc_str_t *out)
{
    if (h->noisy_csr > 0)
        rc_str_addf(out, " (on %" PRId64 " the original order was noisy", h->noisy_csr);
    if (h->noisy_orders > 0)
        rc_str_addf(out, "%son %" PRId64 " the other orders%s", h->noisy_csr > 0 ? ", " : " (",
            h->noisy_orders, h->noisy_csr > 0 ? "" : " were noisy");
    rc_str_add(out, h->noisy_csr > 0 || h->noisy_orders > 0 ? ")" : "");
}

static void say_orders(const rc_survey_t *s, int setting, const rc_headline_t *h, rc_str_t *out)
{
    const int64_t n = h->plan.stats.count;
    int twin = rc_survey_twin(s, setting);
    if (n > 0) {
        rc_str_add(out, rc_answer_of_orders(&h->plan.held_out));
        if (h->plan.held_out.low > 1.01 && isfinite(h->break_even_median))
            rc_str_addf(out, ", after %s products in the median",
                rc_text_count(h->break_even_median).text);
        if (n < h->matrices) {
            rc_str_addf(out,
                ", on the %" PRId64 " of %" PRId64
                " matrices with times of the original order and another",
                n, h->matrices);
            say_noise(h, out);
        }
    } else if (has_orders(s, &s->setting[setting])) {
        rc_str_add(out, "Nothing can be said of reordering, since no matrix has times of the "
                        "original order and another");
        say_noise(h, out);
    } else if (twin >= 0)
        rc_str_addf(out, "The other row orders were measured at %s", s->setting[twin].label);
    else
        rc_str_add(out, "No other row order was measured");
}

/* The kernel that is named i-th in the table, without its parameters. */
static void add_kernel(const rc_answer_t *made, int i, rc_str_t *out)
{
    rc_str_addn(out, made->kernel[i].name, strcspn(made->kernel[i].name, ":"));
}

/* What one kernel for all comes to.  Layouts have kernels of their own. */
static void say_kernel(
    const rc_survey_setting_t *a, const rc_headline_t *h, const rc_answer_t *made, rc_str_t *out)
{
    const char *gap = a->layout[0] ? " " : "";
    if (made->kernels > 1) {
        rc_str_addf(out, "; %s", made->measured_orders > 1 ? "in the original order " : "");
        add_kernel(made, 0, out);
        if (!(made->lead.low > 1)) { /* the second may be as good */
            rc_str_add(out, " or ");
            add_kernel(made, 1, out);
        }
        rc_str_add(out, " is the best single kernel");
        if (made->kernels < made->measured_kernels)
            rc_str_add(out, " of those that ran on nearly all matrices");
    } else if (made->measured_kernels == 1) {
        rc_str_add(out, "; ");
        add_kernel(made, 0, out);
        rc_str_addf(out, " is the only %s%skernel that was measured", a->layout, gap);
        if (h->vendor.stats.count > 0)
            rc_str_addf(out, " beside %s", a->library);
        if (made->measured_orders > 1)
            rc_str_addf(out, ", in %" PRId64 " row orders", made->measured_orders);
    } else {
        rc_str_addf(out, "; of %" PRId64 " %s%skernels ", made->measured_kernels, a->layout, gap);
        add_kernel(made, 0, out);
        rc_str_add(out, " alone ran on nearly all matrices");
    }
}

/* What the best plan of each matrix comes to. */
static void say_vendor(const rc_survey_setting_t *a, const rc_headline_t *h, rc_str_t *out)
{
    if (a->is_vendors)
        rc_str_addf(out, "; %s alone has times", a->library);
    else if (h->vendor.stats.count == 0)
        rc_str_addf(
            out, "; no %slibrary was measured beside it", a->with_dense > 0 ? "sparse " : "");
    else {
        const rc_figure_t *gain = &h->vendor.held_out;
        const int is_one = gain->low <= 1 && gain->high >= 1; /* the interval has both */
        const int64_t n = h->vendor.stats.count;
        rc_str_addf(out, "; the best plan is %s%s the best of %s", n == 1 ? "" : "in geomean ",
            rc_answer_of_vendor(gain), a->library);
        rc_str_add(out,
            is_one && (gain->low < 0.9 || gain->high > 1.1) ? ", though the interval is wide" : "");
        if (n < h->matrices)
            rc_str_addf(
                out, ", on the %" PRId64 " of %" PRId64 " matrices with both", n, h->matrices);
    }
}

/* ---------------------------------------------------------------- classes */

typedef struct member {
    const char *kind;
    double log;
} member_t;

static int by_kind(const void *a, const void *b)
{
    return strcmp(((const member_t *)a)->kind, ((const member_t *)b)->kind);
}

static int by_low_end(const void *a, const void *b)
{
    double x = ((const rc_answer_part_t *)a)->figure.low;
    double y = ((const rc_answer_part_t *)b)->figure.low;
    return (x < y) - (x > y);
}

/* The classes with enough matrices, surest gain first.  m is sorted by kind. */
static rc_status_t make_kinds(
    const member_t *m, int64_t n, double *scratch, rc_answer_t *out, rc_err_t *err)
{
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && strcmp(m[end].kind, m[i].kind) == 0; end++)
            scratch[end - i] = m[end].log;
        if (end - i < CLASS_LEAST || !m[i].kind[0])
            continue;
        rc_answer_part_t *k = &out->kind[out->kinds++];
        *k = (rc_answer_part_t){.name = m[i].kind, .matrices = end - i};
        RC_PASS(rc_headline_figure(scratch, end - i, 0, &k->figure, err));
    }
    if (out->kinds > 1)
        qsort(out->kind, (size_t)out->kinds, sizeof *out->kind, by_low_end);
    return RC_OK;
}

static rc_status_t find_kinds(const rc_survey_t *s, const rc_survey_setting_t *a,
    const rc_held_out_t *held_out, rc_answer_t *out, rc_err_t *err)
{
    int64_t n = 0;
    rc_pool_t pool = {0};
    rc_status_t st;
    member_t *m = rc_pool_get(&pool, (size_t)a->pairs + 1, sizeof *m);
    double *scratch = rc_pool_get(&pool, (size_t)a->pairs + 1, sizeof *scratch);
    out->kind = rc_pool_get(&out->memory, (size_t)a->pairs + 1, sizeof *out->kind);
    RC_TRY(rc_pool_check(&pool, "classes", err));
    RC_TRY(rc_pool_check(&out->memory, "classes", err));
    for (int64_t i = a->first; i < a->first + a->pairs; i++) {
        rc_figure_t gain = rc_headline_gain(s, i, held_out, RC_CHOICE_CSR, RC_CHOICE_ALL);
        if (isfinite(gain.value))
            m[n++] = (member_t){s->matrix[s->pair[i].matrix].kind, log(gain.value)};
    }
    if (n > 1)
        qsort(m, (size_t)n, sizeof *m, by_kind);
    RC_TRY(make_kinds(m, n, scratch, out, err));
done:
    rc_pool_free(&pool);
    return st;
}

/* ---------------------------------------------------------------- kernels */

/* A kernel, always taken in the original order. */
typedef struct fixed {
    const char *name;
    int64_t matrices;
    double sum;       /* of the next, where there is one */
    double *log;      /* [pairs] of its time over that of the best plan; NaN: none */
    double *variance; /* [pairs] of these, by the error of the time */
} fixed_t;

/* Fill the kernels, by first version; of several results of one on a matrix the first counts.
 * \param[out] fixed  [kernels]  \param[in] last  [kernels], -1 */
static void measure_kernels(const rc_survey_t *s, const rc_survey_setting_t *a,
    const rc_held_out_t *held_out, fixed_t *fixed, int64_t *last)
{
    int64_t end = rc_survey_first_row(s, a->first + a->pairs);
    for (int64_t i = rc_survey_first_row(s, a->first); i < end; i++) {
        const rc_row_result_t *r = rc_view_result(s->view, s->rows[i]);
        double log_over_best =
            log(rc_survey_ns(s, s->rows[i])) - held_out[s->row_pair[i]].log[RC_CHOICE_ALL];
        int64_t at = rc_survey_first_version(s->view, r->kernel);
        if (!rc_choice_takes(s->view, a, RC_CHOICE_CSR, s->rows[i]) || !isfinite(log_over_best) ||
            last[at] == s->row_pair[i])
            continue;
        last[at] = s->row_pair[i];
        fixed[at].matrices++;
        fixed[at].log[s->row_pair[i] - a->first] = log_over_best;
        fixed[at].variance[s->row_pair[i] - a->first] = pow(rc_headline_error(s, s->rows[i]), 2);
        fixed[at].sum += log_over_best;
    }
}

static int by_loss(const void *a, const void *b)
{
    const fixed_t *x = a;
    const fixed_t *y = b;
    double p = x->sum / (double)x->matrices;
    double q = y->sum / (double)y->matrices;
    return (p > q) - (p < q);
}

/* Geometric mean of the times of x over those of y, or where that is NULL of the best plans.
 * \param[out] scratch  [pairs] */
static rc_status_t over(const fixed_t *x, const fixed_t *y, int64_t pairs, double *scratch,
    rc_figure_t *out, rc_err_t *err)
{
    int64_t n = 0;
    double variance = 0;
    for (int64_t i = 0; i < pairs; i++) {
        scratch[n] = x->log[i] - (y ? y->log[i] : 0);
        if (!isfinite(scratch[n]))
            continue;
        variance += x->variance[i] + (y ? y->variance[i] : 0);
        n++;
    }
    return rc_headline_figure(scratch, n, variance, out, err);
}

/* Those that nearly all matrices have, each with its best parameters, the smallest loss first.
 * \param[out] scratch  [pairs] */
static rc_status_t rank_kernels(fixed_t *fixed, int32_t kernels, int64_t pairs, double *scratch,
    rc_answer_t *out, rc_err_t *err)
{
    const double nearly = 0.95;
    int64_t most = 1;
    int64_t n = 0;
    for (int32_t k = 0; k < kernels; k++)
        most = fixed[k].matrices > most ? fixed[k].matrices : most;
    for (int32_t k = 0; k < kernels; k++)
        if ((double)fixed[k].matrices >= nearly * (double)most)
            fixed[n++] = fixed[k];
    if (n > 1)
        qsort(fixed, (size_t)n, sizeof *fixed, by_loss);
    for (int64_t k = 0; k < n && out->kernels < RC_ANSWER_KERNELS; k++) {
        size_t bare = strcspn(fixed[k].name, ":");
        int listed = 0; /* with other parameters */
        for (int64_t i = 0; i < out->kernels; i++)
            listed |= strcspn(out->kernel[i].name, ":") == bare &&
                      strncmp(out->kernel[i].name, fixed[k].name, bare) == 0;
        if (listed)
            continue;
        rc_answer_part_t *x = &out->kernel[out->kernels++];
        *x = (rc_answer_part_t){.name = fixed[k].name, .matrices = fixed[k].matrices};
        RC_PASS(over(&fixed[k], NULL, pairs, scratch, &x->figure, err));
        if (out->kernels == 2)
            RC_PASS(over(&fixed[k], &fixed[0], pairs, scratch, &out->lead, err));
    }
    return RC_OK;
}

static rc_status_t find_kernels(const rc_survey_t *s, const rc_survey_setting_t *a,
    const rc_held_out_t *held_out, rc_answer_t *out, rc_err_t *err)
{
    int32_t kernels = rc_view_kernels(s->view);
    size_t n = (size_t)kernels;
    rc_pool_t pool = {0};
    rc_status_t st;
    fixed_t *fixed = rc_pool_get0(&pool, n, sizeof *fixed);
    int64_t *last = rc_pool_get(&pool, n, sizeof *last);
    double *log = rc_pool_get(&pool, (2 * n + 1) * (size_t)a->pairs, sizeof *log);
    RC_TRY(rc_pool_check(&pool, "kernels", err));
    for (size_t i = 0; i < n * (size_t)a->pairs; i++)
        log[i] = NAN;
    for (size_t i = 0; i < n; i++) {
        fixed[i].name = rc_view_kernel(s->view, (int32_t)i);
        fixed[i].log = log + i * (size_t)a->pairs;
        fixed[i].variance = log + (n + i) * (size_t)a->pairs;
        last[i] = -1;
    }
    measure_kernels(s, a, held_out, fixed, last);
    RC_TRY(rank_kernels(fixed, kernels, a->pairs, log + 2 * n * (size_t)a->pairs, out, err));
done:
    rc_pool_free(&pool);
    return st;
}

/* How many names the numbers that were seen have; those that only differ behind `end` are one. */
static int64_t count_names(const rc_view_t *v, const char *(*name)(const rc_view_t *, int32_t),
    const unsigned char *seen, int32_t n, const char *end)
{
    int64_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        const size_t own = seen[i] ? strcspn(name(v, i), end) : 0;
        int is_new = seen[i];
        for (int32_t k = 0; is_new && k < i; k++)
            is_new = !(seen[k] && strcspn(name(v, k), end) == own &&
                       strncmp(name(v, k), name(v, i), own) == 0);
        count += is_new;
    }
    return count;
}

/* Of what the plans of a setting are made. */
static rc_status_t count_plans(
    const rc_survey_t *s, const rc_survey_setting_t *a, rc_answer_t *out, rc_err_t *err)
{
    rc_pool_t pool = {0};
    rc_status_t st;
    const int32_t kernels = rc_view_kernels(s->view);
    const int32_t orders = rc_view_policies(s->view);
    unsigned char *kernel = rc_pool_get0(&pool, (size_t)kernels, 1);
    unsigned char *order = rc_pool_get0(&pool, (size_t)orders, 1);
    RC_TRY(rc_pool_check(&pool, "plans", err));
    const int64_t end = rc_survey_first_row(s, a->first + a->pairs);
    for (int64_t i = rc_survey_first_row(s, a->first); i < end; i++) {
        const rc_row_result_t *r = rc_view_result(s->view, s->rows[i]);
        if (!rc_choice_takes(s->view, a, RC_CHOICE_ALL, s->rows[i]))
            continue;
        kernel[r->kernel] = 1;
        order[r->policy] = 1;
    }
    out->measured_kernels = count_names(s->view, rc_view_kernel, kernel, kernels, ":");
    out->measured_orders = count_names(s->view, rc_view_policy, order, orders, "");
done:
    rc_pool_free(&pool);
    return st;
}

/* -------------------------------------------------------------------- all */

rc_status_t rc_answer_make(const rc_survey_t *s, int setting, const rc_headline_t *headline,
    const rc_held_out_t *held_out, rc_answer_t *out, rc_err_t *err)
{
    const rc_survey_setting_t *a = &s->setting[setting];
    rc_answer_t made = {.lead = {NAN, NAN, NAN}};
    rc_status_t st;
    if (headline->plan.stats.count > 0)
        RC_TRY(find_kinds(s, a, held_out, &made, err));
    RC_TRY(count_plans(s, a, &made, err));
    RC_TRY(find_kernels(s, a, held_out, &made, err));
    say_orders(s, setting, headline, &made.sentence);
    if (made.kernels > 0)
        say_kernel(a, headline, &made, &made.sentence);
    say_vendor(a, headline, &made.sentence);
    rc_str_add(&made.sentence, ".");
    if (made.sentence.failed)
        RC_TRY(rc_fail(err, RC_ENOMEM, "no memory for the answer of the report"));
    *out = made;
    made = (rc_answer_t){.sentence = {0}};
done:
    rc_answer_free(&made);
    return st;
}

void rc_answer_free(rc_answer_t *a)
{
    rc_pool_free(&a->memory);
    rc_str_free(&a->sentence);
}

rc_figure_t rc_answer_evaluated(const json_t *file, const char *what, const char *part)
{
    const json_t *x = json_object_get(json_object_get(file, "evaluation"), "all");
    x = json_object_get(x, what);
    x = part ? json_object_get(x, part) : x;
    const json_t *low = json_object_get(x, "low");
    const json_t *high = json_object_get(x, "high");
    const json_t *value = json_is_object(x) ? json_object_get(x, "value") : x;
    return (rc_figure_t){json_is_number(value) ? json_number_value(value) : NAN,
        json_is_number(low) ? json_number_value(low) : NAN,
        json_is_number(high) ? json_number_value(high) : NAN};
}
