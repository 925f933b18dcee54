#include "config.h"
#include "analysis/evaluation.h"

#include "analysis/bootstrap.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "base/type.h"
#include "table/portfolio.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double rc_tolerances[RC_TOLERANCES] = {0, 0.02, 0.05};
const double rc_loss_shares[RC_LOSS_SHARES] = {0.02, 0.04, 0.05, 0.10};
const double rc_library_limits[RC_LIBRARY_LIMITS] = {0.9, 0.97};
const double rc_loss_edges[RC_LOSS_BINS + 1] = {
    0, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.10, 0.15, 0.25, 0.50, INFINITY};
const double rc_error_quantiles[RC_ERROR_QUANTILES] = {
    0.05, 0.10, 0.25, 0.50, 0.75, 0.80, 0.90, 0.95, 0.99};

/* What is summed over the rows of a matrix. */
enum {
    ROWS,
    LOSS,
    LOGS,                /* log speedups of WAYS ways of choosing */
    SPEEDUPS = LOGS + 4, /* and speedups */
    CHOSEN_HELD_OUT = SPEEDUPS + 4,
    ORACLE_HELD_OUT,
    TIMED, /* log speedup of the best one of those that are timed */
    SUMS
};
enum { SELECTOR, ORACLE, SINGLE, RANDOM, WAYS };

/* The figures that are made of the sums. */
enum {
    GEOMEANS,
    MEANS = GEOMEANS + WAYS,
    GAIN = MEANS + WAYS,
    OF_ORACLE,
    MEAN_LOSS,
    HELD_OUT,
    GAIN_HELD_OUT,
    OF_ORACLE_HELD_OUT,
    OF_ORACLE_TIMED,
    FIGURES
};

/* A prediction beside what was measured. */
typedef struct entry {
    const rc_sample_t *sample;
    const double *time; /* [classes] measured */
    int64_t row;
    int64_t at; /* of the predictions */
    int chosen;
    int best;
    double loss;
    int timed;         /* the best of the RC_TIMED classes of the least predicted times; -1: none
                          are */
    double log_chosen; /* log speedups in the halves, NaN unknown */
    double log_oracle;
} entry_t;

/* What the parts of an evaluation are made of. */
typedef struct evaluator {
    const rc_dataset_t *d;
    const rc_predictions_t *p;
    entry_t *entry; /* sorted: one matrix after the other */
    int64_t entries;
    double *unit;  /* [entries * SUMS] scratch */
    double *error; /* [entries * classes] scratch, with predicted times */
    int64_t *row;
    uint64_t seed;
    rc_pool_t *scratch;
    rc_evaluation_t *out;
    rc_err_t *err;
} evaluator_t;

/* Below this the oracle has no gain that could be recovered. */
static const double least_gain = 0.001;

/* Of mean log speedups. */
static double recovered(double selector, double oracle)
{
    return expm1(oracle) < least_gain ? NAN : expm1(selector) / expm1(oracle);
}

static void figures(const double *sum, double *out)
{
    for (int w = 0; w < WAYS; w++) {
        out[GEOMEANS + w] = exp(sum[LOGS + w] / sum[ROWS]);
        out[MEANS + w] = sum[SPEEDUPS + w] / sum[ROWS];
    }
    out[GAIN] = recovered(sum[LOGS + SELECTOR] / sum[ROWS], sum[LOGS + ORACLE] / sum[ROWS]);
    out[OF_ORACLE] = exp((sum[LOGS + SELECTOR] - sum[LOGS + ORACLE]) / sum[ROWS]);
    out[MEAN_LOSS] = sum[LOSS] / sum[ROWS];
    double chosen = sum[CHOSEN_HELD_OUT] / sum[ROWS];
    double held_out = sum[ORACLE_HELD_OUT] / sum[ROWS];
    out[HELD_OUT] = exp(held_out);
    out[GAIN_HELD_OUT] = recovered(chosen, held_out);
    out[OF_ORACLE_HELD_OUT] = exp(chosen - held_out);
    out[OF_ORACLE_TIMED] = exp((sum[TIMED] - sum[LOGS + ORACLE]) / sum[ROWS]);
}

/* By what a row is, not by where it stands, so that figures do not depend on the order of rows. */
static int by_sample(const void *a, const void *b)
{
    const entry_t *x = a;
    const entry_t *y = b;
    const rc_sample_t *s = x->sample;
    const rc_sample_t *t = y->sample;
    const int64_t p[] = {s->precision, s->k, s->k_is_n, x->row, x->chosen, x->at};
    const int64_t q[] = {t->precision, t->k, t->k_is_n, y->row, y->chosen, y->at};
    int c = strcmp(s->digest, t->digest);
    return c ? c : rc_compare_lists(p, q, 6);
}

/* The best of the RC_TIMED classes of the least predicted times, of equals the first; -1: none. */
static int best_timed(const rc_dataset_t *d, const rc_predictions_t *p, const entry_t *x)
{
    int timed[RC_TIMED];
    int best = -1;
    for (int n = 0; p->time && n < RC_TIMED && n < d->classes; n++) {
        const double *predicted = p->time + x->at * d->classes;
        int next = -1;
        for (int c = 0; c < d->classes; c++) {
            int is_new = 1;
            for (int i = 0; i < n; i++)
                is_new &= timed[i] != c;
            if (is_new && (next < 0 || predicted[c] < predicted[next]))
                next = c;
        }
        timed[n] = next;
        if (best < 0 || x->time[next] < x->time[best])
            best = next;
    }
    return best;
}

static void collect(evaluator_t *e)
{
    const rc_dataset_t *d = e->d;
    for (int64_t i = 0; i < e->entries; i++) {
        entry_t *x = &e->entry[i];
        x->row = e->p->row[i];
        x->at = i;
        x->chosen = e->p->choice[i];
        x->sample = &d->sample[x->row];
        x->time = d->time + x->row * d->classes;
        x->best = rc_dataset_best(d, x->row);
        /* the difference first: exact when a time is near the other one, and so are the limits */
        x->loss = (x->time[x->chosen] - x->time[x->best]) / x->time[x->best];
        x->timed = best_timed(d, e->p, x);
        x->log_chosen = x->log_oracle = NAN;
        if (!d->half.cost)
            continue;
        double base = rc_halves_mean(&d->half, x->row, d->baseline);
        x->log_chosen = base - rc_halves_mean(&d->half, x->row, x->chosen);
        x->log_oracle = base - rc_halves_best(&d->half, x->row, d->classes);
    }
    qsort(e->entry, (size_t)e->entries, sizeof *e->entry, by_sample);
}

/* ------------------------------------------------------------------ parts of the rows */

static rc_choosing_t *way_of(rc_part_t *part, int way)
{
    rc_choosing_t *all[WAYS] = {&part->selector, &part->oracle, &part->single, &part->random};
    return all[way];
}

static void see_speedup(rc_choosing_t *w, double speedup)
{
    w->min = fmin(w->min, speedup);
    w->max = fmax(w->max, speedup);
}

/* Speedups of one row into the sums of its matrix, and into the extremes of the part. */
static void add_speedups(const evaluator_t *e, const entry_t *x, rc_part_t *part, double *sum)
{
    double base = x->time[e->d->baseline];
    const int chosen[RANDOM] = {x->chosen, x->best, e->out->single};
    double mean = 0;
    double mean_log = 0;
    for (int w = 0; w < RANDOM; w++) {
        double speedup = base / x->time[chosen[w]];
        sum[LOGS + w] += log(speedup);
        sum[SPEEDUPS + w] += speedup;
        see_speedup(way_of(part, w), speedup);
    }
    for (int c = 0; c < e->d->classes; c++) {
        double speedup = base / x->time[c];
        mean += speedup;
        mean_log += log(speedup);
        see_speedup(&part->random, speedup);
    }
    sum[LOGS + RANDOM] += mean_log / e->d->classes;
    sum[SPEEDUPS + RANDOM] += mean / e->d->classes;
}

/* Losses of one row; hit[best * RC_TOLERANCES + t] counts those within tolerance t. */
static void add_loss(const entry_t *x, rc_part_t *part, int64_t *hit)
{
    int bin = 0;
    if (part->rows == 0 || x->loss > part->worst_loss) {
        part->worst_loss = x->loss;
        part->worst_row = x->row;
    }
    for (int s = 0; s < RC_LOSS_SHARES; s++)
        part->within[s] += x->loss <= rc_loss_shares[s];
    for (int t = 0; t < RC_TOLERANCES; t++)
        if (x->loss <= rc_tolerances[t]) {
            part->accuracy[t]++;
            hit[x->best * RC_TOLERANCES + t]++;
        }
    while (bin + 1 < RC_LOSS_BINS && x->loss > rc_loss_edges[bin + 1])
        bin++;
    part->histogram[bin]++;
}

static void finish_shares(
    rc_part_t *part, const int64_t *hit, const int64_t *best_rows, int classes)
{
    int present = 0;
    for (int s = 0; s < RC_LOSS_SHARES; s++)
        part->within[s] /= (double)part->rows;
    for (int t = 0; t < RC_TOLERANCES; t++)
        part->accuracy[t] /= (double)part->rows;
    for (int c = 0; c < classes; c++) {
        present += best_rows[c] > 0;
        for (int t = 0; t < RC_TOLERANCES && best_rows[c] > 0; t++)
            part->balanced[t] += (double)hit[c * RC_TOLERANCES + t] / (double)best_rows[c];
    }
    for (int t = 0; t < RC_TOLERANCES; t++)
        part->balanced[t] /= present;
}

/* \param[in] time  of what is chosen;  \param[in,out] o  geomean is a sum of logs, shares are
 * counts */
static void add_library(double library, double time, rc_over_library_t *o)
{
    if (isnan(library))
        return;
    double speedup = library / time;
    o->min = o->rows == 0 ? speedup : fmin(o->min, speedup);
    o->rows++;
    o->geomean += log(speedup);
    for (int i = 0; i < RC_LIBRARY_LIMITS; i++)
        o->share_below[i] += speedup < rc_library_limits[i];
}

static void add_libraries(const entry_t *x, const rc_library_time_t *library, rc_part_t *part)
{
    add_library(library->fastest, x->time[x->chosen], &part->over_library);
    if (x->timed < 0)
        return;
    add_library(library->fastest, x->time[x->timed], &part->over_library_timed);
    if (!isnan(library->timed))
        add_library(
            library->fastest, fmin(x->time[x->timed], library->timed), &part->over_library_tuned);
}

static void finish_library(rc_over_library_t *o)
{
    double n = (double)o->rows;
    o->geomean = n > 0 ? exp(o->geomean / n) : NAN;
    o->min = n > 0 ? o->min : NAN;
    for (int i = 0; i < RC_LIBRARY_LIMITS; i++)
        o->share_below[i] = n > 0 ? o->share_below[i] / n : NAN;
}

/* The part of the rows that are numbered `number`; of NULL: all. */
static rc_status_t fill_part(const evaluator_t *e, const int *of, int number, rc_part_t *part)
{
    rc_figure_t f[FIGURES];
    const char *matrix = NULL;
    size_t classes = (size_t)e->d->classes;
    int64_t *count = rc_pool_get0(e->scratch, classes * (RC_TOLERANCES + 1), sizeof *count);
    RC_PASS(rc_pool_check(e->scratch, "counts of classes", e->err));
    int64_t *hit = count + classes;
    for (int w = 0; w < WAYS; w++)
        *way_of(part, w) = (rc_choosing_t){.min = INFINITY, .max = -INFINITY};
    for (int64_t i = 0; i < e->entries; i++) {
        const entry_t *x = &e->entry[i];
        if (of && of[i] != number)
            continue;
        if (!matrix || strcmp(matrix, x->sample->digest) != 0) {
            memset(e->unit + part->matrices * SUMS, 0, SUMS * sizeof *e->unit);
            part->matrices++;
            matrix = x->sample->digest;
        }
        double *sum = e->unit + (part->matrices - 1) * SUMS;
        sum[ROWS]++;
        sum[LOSS] += x->loss;
        sum[CHOSEN_HELD_OUT] += x->log_chosen;
        sum[ORACLE_HELD_OUT] += x->log_oracle;
        sum[TIMED] += x->timed < 0 ? NAN : log(x->time[e->d->baseline] / x->time[x->timed]);
        add_speedups(e, x, part, sum);
        add_loss(x, part, hit);
        if (e->d->library)
            add_libraries(x, &e->d->library[x->row], part);
        count[x->best]++;
        part->rows++;
    }
    finish_shares(part, hit, count, e->d->classes);
    finish_library(&part->over_library);
    finish_library(&part->over_library_timed);
    finish_library(&part->over_library_tuned);
    RC_PASS(rc_bootstrap(e->unit, part->matrices, SUMS, figures, FIGURES, e->seed, f, e->err));
    for (int w = 0; w < WAYS; w++) {
        way_of(part, w)->geomean = f[GEOMEANS + w];
        way_of(part, w)->mean = f[MEANS + w];
    }
    part->gain = f[GAIN];
    part->of_oracle = f[OF_ORACLE];
    part->mean_loss = f[MEAN_LOSS];
    part->oracle_held_out = f[HELD_OUT];
    part->gain_held_out = f[GAIN_HELD_OUT];
    part->of_oracle_held_out = f[OF_ORACLE_HELD_OUT];
    part->of_oracle_timed = f[OF_ORACLE_TIMED];
    return RC_OK;
}

static void describe_errors(double *error, int64_t n, double *mean, double *quantile)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += error[i];
    *mean = sum / (double)n;
    qsort(error, (size_t)n, sizeof *error, rc_stats_compare);
    for (int q = 0; q < RC_ERROR_QUANTILES; q++)
        quantile[q] = rc_stats_quantile(error, n, rc_error_quantiles[q]);
}

/* Class by class, then all together. */
static rc_status_t fill_errors(const evaluator_t *e, const int *of, int number, rc_cells_t *out)
{
    rc_pool_t *memory = &e->out->memory;
    int classes = e->d->classes;
    int64_t all = 0;
    if (!e->p->time)
        return RC_OK;
    out->error_quantile = rc_pool_get(
        memory, ((size_t)classes + 1) * RC_ERROR_QUANTILES, sizeof *out->error_quantile);
    out->error_mean = rc_pool_get(memory, (size_t)classes + 1, sizeof *out->error_mean);
    RC_PASS(rc_pool_check(memory, "errors of times", e->err));
    for (int c = 0; c < classes; c++) {
        int64_t n = 0;
        for (int64_t i = 0; i < e->entries; i++) {
            const entry_t *x = &e->entry[i];
            if (!of || of[i] == number)
                e->error[all + n++] = fabs(e->p->time[x->at * classes + c] / x->time[c] - 1);
        }
        describe_errors(
            e->error + all, n, &out->error_mean[c], out->error_quantile + c * RC_ERROR_QUANTILES);
        all += n;
    }
    describe_errors(e->error, all, &out->error_mean[classes],
        out->error_quantile + classes * RC_ERROR_QUANTILES);
    return RC_OK;
}

static rc_status_t fill_cells(const evaluator_t *e, const int *of, int number, rc_cells_t *out)
{
    int classes = e->d->classes;
    size_t cells = (size_t)classes * (size_t)classes;
    rc_pool_t *memory = &e->out->memory;
    out->confusion = rc_pool_get0(memory, cells, sizeof *out->confusion);
    out->confusion_loss = rc_pool_get0(memory, cells, sizeof *out->confusion_loss);
    RC_PASS(rc_pool_check(memory, "a confusion matrix", e->err));
    for (int64_t i = 0; i < e->entries; i++) {
        const entry_t *x = &e->entry[i];
        int cell = x->best * classes + x->chosen;
        if (of && of[i] != number)
            continue;
        out->confusion[cell]++;
        out->confusion_loss[cell] += x->loss;
    }
    for (size_t i = 0; i < cells; i++) /* 0 / 0 of an empty cell is NaN */
        out->confusion_loss[i] /= (double)out->confusion[i];
    return fill_errors(e, of, number, out);
}

/* Entries of one K and precision, or of one kind of matrix. */
typedef struct group {
    const rc_sample_t *sample; /* one of them */
    int64_t rows;              /* different ones */
} group_t;

static int by_k(const void *a, const void *b)
{
    const rc_sample_t *x = ((const group_t *)a)->sample;
    const rc_sample_t *y = ((const group_t *)b)->sample;
    const int64_t p[] = {x->k_is_n, x->k_is_n ? 0 : x->k, x->precision};
    const int64_t q[] = {y->k_is_n, y->k_is_n ? 0 : y->k, y->precision};
    return rc_compare_lists(p, q, 3);
}

void rc_evaluation_k_name(int64_t k, int k_is_n, rc_precision_t type, char *name, size_t size)
{
    const char *precision = rc_type(type)->name;
    if (k == 0)
        snprintf(name, size, "%s", precision);
    else if (k_is_n)
        snprintf(name, size, "k=n %s", precision);
    else
        snprintf(name, size, "k=%" PRId64 " %s", k, precision);
}

static int by_kind(const void *a, const void *b)
{
    return strcmp(((const group_t *)a)->sample->kind, ((const group_t *)b)->sample->kind);
}

static int by_rows_falling(const void *a, const void *b)
{
    const group_t *x = a;
    const group_t *y = b;
    return x->rows != y->rows ? (x->rows > y->rows ? -1 : 1) : by_kind(a, b);
}

/* The group of an entry among some; their number: it is of none. */
static int find_group(const group_t *group, int groups, const entry_t *x, int kinds)
{
    const group_t own = {.sample = x->sample};
    int g = 0;
    while (g < groups && (kinds ? by_kind(&group[g], &own) : by_k(&group[g], &own)) != 0)
        g++;
    return g;
}

static int find_groups(const evaluator_t *e, int kinds, group_t *group)
{
    int groups = 0;
    for (int64_t i = 0; i < e->entries; i++) {
        const entry_t *x = &e->entry[i];
        int g = find_group(group, groups, x, kinds);
        if (g == groups)
            group[groups++] = (group_t){.sample = x->sample};
        group[g].rows += i == 0 || x[-1].row != x->row; /* the entries of a row stand together */
    }
    qsort(group, (size_t)groups, sizeof *group, kinds ? by_rows_falling : by_k);
    return groups;
}

/* \param[in] kinds  1: by kind of matrix, those with few rows together as "other"; 0: by K and
 *                   precision, with cells */
static rc_status_t divide(const evaluator_t *e, int kinds, rc_part_t **out, int *count)
{
    rc_status_t st;
    size_t n = (size_t)e->entries;
    rc_pool_t pool = {0};
    group_t *group = rc_pool_get(&pool, n, sizeof *group);
    int *of = rc_pool_get(&pool, n, sizeof *of);
    RC_TRY(rc_pool_check(&pool, "parts of rows", e->err));
    int groups = find_groups(e, kinds, group);
    int large = 0;
    while (large < groups && (!kinds || group[large].rows >= RC_PART_ROWS_MIN))
        large++;
    *count = large + (large < groups);
    *out = rc_pool_get0(&e->out->memory, (size_t)*count, sizeof **out);
    RC_TRY(rc_pool_check(&e->out->memory, "parts", e->err));
    for (int g = 0; g < groups; g++) {
        const rc_sample_t *s = group[g].sample;
        rc_part_t *to = &(*out)[g < large ? g : large];
        if (!kinds)
            rc_evaluation_k_name(s->k, s->k_is_n, s->precision, to->name, sizeof to->name);
        else
            snprintf(to->name, sizeof to->name, "%s",
                g >= large   ? "other"
                : s->kind[0] ? s->kind
                             : "unknown");
    }
    for (size_t i = 0; i < n; i++) {
        int g = find_group(group, groups, &e->entry[i], kinds);
        of[i] = g < large ? g : large;
    }
    for (int i = 0; i < *count; i++) {
        RC_TRY(fill_part(e, of, i, &(*out)[i]));
        if (!kinds)
            RC_TRY(fill_cells(e, of, i, &(*out)[i].cells));
    }
done:
    rc_pool_free(&pool);
    return st;
}

/* ------------------------------------------------------------------ classes */

/* The greedy portfolio step by step: of all times, and with classes and choices held out. */
static rc_status_t fill_portfolio(const evaluator_t *e)
{
    rc_evaluation_t *out = e->out;
    const rc_dataset_t *d = e->d;
    size_t classes = (size_t)out->classes;
    double n = (double)e->entries;
    int count = 0;
    double base = 0;
    double *cost = rc_pool_get(e->scratch, classes * (size_t)e->entries, sizeof *cost);
    rc_portfolio_step_t *step = rc_pool_get(e->scratch, classes, sizeof *step);
    out->portfolio = rc_pool_get(&out->memory, classes, sizeof *out->portfolio);
    out->portfolio_held_out = rc_pool_get(&out->memory, classes, sizeof *out->portfolio_held_out);
    out->portfolio_class = rc_pool_get(&out->memory, classes, sizeof *out->portfolio_class);
    RC_PASS(rc_pool_check(e->scratch, "a portfolio", e->err));
    RC_PASS(rc_pool_check(&out->memory, "a portfolio", e->err));
    for (int64_t i = 0; i < e->entries; i++) {
        for (int c = 0; c < out->classes; c++)
            cost[i * out->classes + c] = log(e->entry[i].time[c]);
        base += cost[i * out->classes + d->baseline];
    }
    const rc_portfolio_costs_t costs = {.cost = cost,
        .rows = e->entries,
        .columns = out->classes,
        .first = -1,
        .most = out->classes,
        .limit = -INFINITY};
    RC_PASS(rc_portfolio_greedy(&costs, step, &count, e->err));
    if (d->half.cost)
        RC_PASS(rc_halves_portfolio(&d->half, -1, e->row, e->entries, cost, e->err));
    for (int s = 0; s < out->classes; s++) {
        double sum = d->half.cost ? 0 : NAN;
        for (int64_t i = 0; d->half.cost && i < e->entries; i++)
            sum += rc_halves_mean(&d->half, e->row[i], d->baseline) - cost[s * e->entries + i];
        out->portfolio[s] = exp((base - step[s].sum) / n);
        out->portfolio_held_out[s] = exp(sum / n);
        out->portfolio_class[s] = step[s].added;
    }
    return RC_OK;
}

rc_status_t rc_evaluate(const rc_dataset_t *d, const rc_predictions_t *p, int single, uint64_t seed,
    rc_evaluation_t *out, rc_err_t *err)
{
    rc_evaluation_t result = {.classes = d->classes, .single_is_given = single >= 0};
    rc_pool_t pool = {0};
    evaluator_t e = {.d = d,
        .p = p,
        .entries = p->count,
        .seed = seed,
        .scratch = &pool,
        .out = &result,
        .err = err};
    size_t n = (size_t)p->count;
    rc_status_t st;
    if (p->count < 1)
        return rc_fail(err, RC_EINVAL, "no rows to evaluate");
    e.entry = rc_pool_get(&pool, n, sizeof *e.entry);
    e.unit = rc_pool_get(&pool, n * SUMS, sizeof *e.unit);
    e.row = rc_pool_get(&pool, n, sizeof *e.row);
    e.error = rc_pool_get(&pool, p->time ? n * (size_t)d->classes : 0, sizeof *e.error);
    RC_TRY(rc_pool_check(&pool, "rows of an evaluation", err));
    collect(&e);
    for (size_t i = 0; i < n; i++)
        e.row[i] = e.entry[i].row;
    result.single = single >= 0 ? single : rc_best_single(d, e.row, p->count);
    RC_TRY(fill_part(&e, NULL, 0, &result.all));
    RC_TRY(divide(&e, 0, &result.by_k, &result.by_k_count));
    RC_TRY(divide(&e, 1, &result.by_kind, &result.by_kind_count));
    RC_TRY(fill_cells(&e, NULL, 0, &result.all.cells));
    RC_TRY(fill_portfolio(&e));
    *out = result;
    result = (rc_evaluation_t){0};
done:
    rc_evaluation_free(&result);
    rc_pool_free(&pool);
    return st;
}

void rc_evaluation_free(rc_evaluation_t *e)
{
    rc_pool_free(&e->memory);
    *e = (rc_evaluation_t){0};
}
