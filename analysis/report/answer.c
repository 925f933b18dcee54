#include "config.h"
#include "analysis/report/answer.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A gain below this is not worth an order, whatever its sign. */
static const double little = 1.01;
static const double much = 1.05;

enum { CLASS_LEAST = 5, CLASSES_NAMED = 3 }; /* matrices of a class; classes in a sentence */

/* "1.024 times (1.018 to 1.031)" */
static void add_times(rc_str_t *s, const rc_figure_t *f)
{
    rc_str_addf(s, "%.3f times", f->value);
    if (isfinite(f->low))
        rc_str_addf(s, " (%.3f to %.3f)", f->low, f->high);
}

/* "NVIDIA H200" of "cuda:NVIDIA H200:132sm:cuda13.0" */
static void add_device(rc_str_t *s, const char *device)
{
    const char *from = strchr(device, ':');
    from = from && from[1] ? from + 1 : device;
    rc_str_addn(s, from, strcspn(from, ":"));
}

/* ------------------------------------------------------------- reordering */

static void say_reordering(const rc_survey_t *s, int setting, const rc_headline_t *h, rc_str_t *out)
{
    const rc_survey_setting_t *a = &s->setting[setting];
    int twin = rc_survey_twin(s, setting);
    const rc_figure_t *f = &h->plan.held_out;
    double low = isfinite(f->low) ? f->low : f->value;
    if (h->plan.stats.count == 0 || h->order.stats.count == 0) {
        rc_str_addf(out, "At %s nothing can be said of reordering: ", a->label);
        if (h->plan.stats.count > 0 && twin >= 0)
            rc_str_addf(out, "the other row orders were measured at %s.", s->setting[twin].label);
        else
            rc_str_add(out, h->plan.stats.count == 0 ? "the original order has no results."
                                                     : "no other row order was measured.");
        return;
    }
    rc_str_add(out, low > much     ? "Reordering pays on "
                    : low > little ? "Reordering pays a little on "
                    : low > 1      ? "Reordering hardly pays on "
                                   : "Reordering does not pay on ");
    add_device(out, a->device);
    rc_str_addf(
        out, " at %s: with the best kernel and row order of each matrix the product is ", a->label);
    add_times(out, f);
    rc_str_addf(out,
        " as fast as with the best kernel in the original order, in geometric mean over %" PRId64
        " matrices. Chosen and scored on the same measurements it would be %.3f.",
        h->plan.stats.count, h->plan.stats.geomean);
}

/* ---------------------------------------------------------------- classes */

typedef struct kind {
    const char *name;
    int64_t matrices;
    rc_figure_t gain;
} kind_t;

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
    double x = ((const kind_t *)a)->gain.low;
    double y = ((const kind_t *)b)->gain.low;
    return (x < y) - (x > y);
}

/* The classes with enough matrices, surest gain first.  \param[in,out] m  [n], sorted by kind
 *  \param[out] out  [n]; \return their number, or a negative status */
static int64_t make_kinds(const member_t *m, int64_t n, double *scratch, kind_t *out, rc_err_t *err)
{
    int64_t kinds = 0;
    for (int64_t i = 0; i < n;) {
        int64_t end = i;
        for (; end < n && strcmp(m[end].kind, m[i].kind) == 0; end++)
            scratch[end - i] = m[end].log;
        if (end - i >= CLASS_LEAST && m[i].kind[0]) {
            kind_t *k = &out[kinds++];
            *k = (kind_t){.name = m[i].kind, .matrices = end - i};
            if (rc_headline_figure(scratch, end - i, &k->gain, err) < 0)
                return RC_ENOMEM;
        }
        i = end;
    }
    if (kinds > 1)
        qsort(out, (size_t)kinds, sizeof *out, by_low_end);
    return kinds;
}

static void say_kinds(const kind_t *k, int64_t kinds, rc_str_t *out)
{
    int64_t sure = 0;
    while (sure < kinds && k[sure].gain.low > little)
        sure++;
    if (kinds == 0)
        return;
    for (int64_t i = 0; i < sure && i < CLASSES_NAMED; i++) {
        rc_str_add(out, i == 0 ? "It pays most surely on: " : "; ");
        rc_str_addf(out, "%s, ", k[i].name);
        add_times(out, &k[i].gain);
        rc_str_addf(out, " on %" PRId64 " matrices", k[i].matrices);
    }
    if (sure == 0)
        rc_str_addf(out, "Of the %" PRId64 " kinds of problem with at least %d matrices", kinds,
            CLASS_LEAST);
    else
        rc_str_addf(
            out, ". Of the %" PRId64 " kinds with at least %d matrices", kinds, CLASS_LEAST);
    rc_str_addf(out,
        " %" PRId64 " gain more than 1 %% beyond their interval. The best of many intervals is "
        "itself a little lucky.",
        sure);
}

static rc_status_t say_classes(const rc_survey_t *s, const rc_survey_setting_t *a,
    const rc_held_out_t *held_out, rc_str_t *out, rc_err_t *err)
{
    int64_t n = 0;
    rc_pool_t pool = {0};
    rc_status_t st;
    member_t *m = rc_pool_get(&pool, (size_t)a->pairs + 1, sizeof *m);
    kind_t *k = rc_pool_get(&pool, (size_t)a->pairs + 1, sizeof *k);
    double *scratch = rc_pool_get(&pool, (size_t)a->pairs + 1, sizeof *scratch);
    RC_TRY(rc_pool_check(&pool, "classes", err));
    for (int64_t i = a->first; i < a->first + a->pairs; i++) {
        double log = held_out[i].log[RC_CHOICE_CSR] - held_out[i].log[RC_CHOICE_ALL];
        if (isfinite(log))
            m[n++] = (member_t){s->matrix[s->pair[i].matrix].kind, log};
    }
    if (n > 1)
        qsort(m, (size_t)n, sizeof *m, by_kind);
    int64_t kinds = make_kinds(m, n, scratch, k, err);
    RC_TRY(kinds < 0 ? RC_ENOMEM : RC_OK);
    say_kinds(k, kinds, out);
done:
    rc_pool_free(&pool);
    return st;
}

/* ---------------------------------------------------------------- kernels */

/* A kernel in one layout, always taken in the original order. */
typedef struct fixed {
    int64_t matrices;
    double sum;  /* of the next */
    double *log; /* [matrices] of its time over that of the best plan */
} fixed_t;

enum { LAYOUTS = 2 };

/* Fill the kernels, by layout and first version; of several results of one on a matrix the first
 * counts.  \param[out] fixed  [LAYOUTS * kernels], 0  \param[in] last  [LAYOUTS * kernels], -1 */
static void measure_kernels(const rc_survey_t *s, const rc_survey_setting_t *a,
    const rc_held_out_t *held_out, fixed_t *fixed, int64_t *last)
{
    int32_t kernels = rc_view_kernels(s->view);
    int64_t end = rc_survey_first_row(s, a->first + a->pairs);
    for (int64_t i = rc_survey_first_row(s, a->first); i < end; i++) {
        const rc_row_result_t *r = rc_view_result(s->view, s->rows[i]);
        double log_over_best =
            log(rc_survey_ns(s, s->rows[i])) - held_out[s->row_pair[i]].log[RC_CHOICE_ALL];
        if (!rc_survey_is_csr(s, s->rows[i]) || r->layout < 0 || r->layout >= LAYOUTS ||
            !isfinite(log_over_best))
            continue;
        int64_t at = (int64_t)r->layout * kernels + rc_survey_first_version(s->view, r->kernel);
        if (last[at] == s->row_pair[i])
            continue;
        last[at] = s->row_pair[i];
        fixed[at].log[fixed[at].matrices++] = log_over_best;
        fixed[at].sum += log_over_best;
    }
}

/* The one with the smallest loss, of those that nearly all matrices have; NULL: none. */
static const fixed_t *default_of(const fixed_t *fixed, int32_t kernels)
{
    const double nearly = 0.95;
    int64_t most = 1;
    const fixed_t *best = NULL;
    for (int32_t k = 0; k < kernels; k++)
        most = fixed[k].matrices > most ? fixed[k].matrices : most;
    for (int32_t k = 0; k < kernels; k++)
        if ((double)fixed[k].matrices >= nearly * (double)most &&
            (!best ||
                fixed[k].sum / (double)fixed[k].matrices < best->sum / (double)best->matrices))
            best = &fixed[k];
    return best;
}

static rc_status_t say_default(
    const char *kernel, int layout, const fixed_t *best, rc_str_t *out, rc_err_t *err)
{
    rc_figure_t loss;
    RC_PASS(rc_headline_figure(best->log, best->matrices, &loss, err));
    rc_str_addf(out, "%s for %s-major B and C, %.1f %% slower", kernel,
        layout == 0 ? "column" : "row", 100 * (loss.value - 1));
    if (isfinite(loss.low))
        rc_str_addf(out, " (%.1f to %.1f)", 100 * (loss.low - 1), 100 * (loss.high - 1));
    rc_str_addf(out, " than the best plan of each of %" PRId64 " matrices", best->matrices);
    return RC_OK;
}

static rc_status_t say_kernels(const rc_survey_t *s, const rc_survey_setting_t *a,
    const rc_held_out_t *held_out, rc_str_t *out, rc_err_t *err)
{
    int32_t kernels = rc_view_kernels(s->view);
    size_t n = LAYOUTS * (size_t)kernels;
    rc_pool_t pool = {0};
    rc_status_t st;
    fixed_t *fixed = rc_pool_get0(&pool, n, sizeof *fixed);
    int64_t *last = rc_pool_get(&pool, n, sizeof *last);
    double *log = rc_pool_get(&pool, n * (size_t)a->pairs, sizeof *log);
    RC_TRY(rc_pool_check(&pool, "kernels", err));
    for (size_t i = 0; i < n; i++) {
        fixed[i].log = log + i * (size_t)a->pairs;
        last[i] = -1;
    }
    measure_kernels(s, a, held_out, fixed, last);
    for (int layout = 0; layout < LAYOUTS; layout++) {
        const fixed_t *of = fixed + layout * kernels;
        const fixed_t *best = default_of(of, kernels);
        if (!best)
            continue;
        rc_str_add(out, out->len ? "; " : "One kernel for all matrices, in the original order: ");
        RC_TRY(say_default(rc_view_kernel(s->view, (int32_t)(best - of)), layout, best, out, err));
    }
    rc_str_add(out, out->len ? "." : "");
done:
    rc_pool_free(&pool);
    return st;
}

/* -------------------------------------------------------------------- all */

rc_status_t rc_answer_make(const rc_survey_t *s, int setting, const rc_headline_t *headline,
    const rc_held_out_t *held_out, rc_answer_t *out, rc_err_t *err)
{
    const rc_survey_setting_t *a = &s->setting[setting];
    rc_answer_t made = {.reordering = {0}};
    rc_status_t st = RC_OK;
    say_reordering(s, setting, headline, &made.reordering);
    if (headline->plan.stats.count > 0 && headline->order.stats.count > 0)
        st = say_classes(s, a, held_out, &made.classes, err);
    if (st == RC_OK)
        st = say_kernels(s, a, held_out, &made.kernels, err);
    if (st == RC_OK && (made.reordering.failed || made.classes.failed || made.kernels.failed))
        st = rc_fail(err, RC_ENOMEM, "no memory for the answer of the report");
    if (st < 0)
        rc_answer_free(&made);
    else
        *out = made;
    return st;
}

void rc_answer_free(rc_answer_t *a)
{
    rc_str_free(&a->reordering);
    rc_str_free(&a->classes);
    rc_str_free(&a->kernels);
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

void rc_answer_selector(const char *name, const json_t *file, rc_str_t *out)
{
    rc_figure_t gain = rc_answer_evaluated(file, "speedup_selector", "geomean");
    rc_figure_t oracle = rc_answer_evaluated(file, "speedup_oracle", "geomean");
    rc_figure_t held_out = rc_answer_evaluated(file, "speedup_oracle_held_out_geomean", NULL);
    const char *baseline =
        json_string_value(json_object_get(json_object_get(file, "evaluation"), "baseline"));
    if (!file)
        rc_str_add(out, "What a selector adds is shown when one is given (--model).");
    else if (!isfinite(gain.value) || !baseline)
        rc_str_addf(out, "The file of the selector %s does not say what it gains.", name);
    else {
        rc_str_addf(
            out, "The selector %s, asked about matrices that its fit had not seen, is ", name);
        add_times(out, &gain);
        rc_str_addf(
            out, " as fast as always taking %s, in geometric mean over all its products", baseline);
        if (isfinite(held_out.value) || isfinite(oracle.value))
            rc_str_add(out, "; the best of its candidates, known in hindsight, would be ");
        if (isfinite(held_out.value))
            add_times(out, &held_out);
        if (isfinite(oracle.value))
            rc_str_addf(out,
                isfinite(held_out.value) ? ", chosen and scored on the same measurements %.3f"
                                         : "%.3f times, chosen and scored on the same measurements",
                oracle.value);
        rc_str_add(out, ".");
    }
}
