#include "config.h"
#include "analysis/boost_size.h"
#include "analysis/compose.h"
#include "analysis/folds.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 20, TREES_MAX = 600, ROUNDS_LEAST = 20, ROUNDS_MOST = 60 };

/* ---------------------------------------------------------------- problem */

rc_status_t rc_boost_problem_new(
    const rc_fit_job_t *job, int boosters, rc_boost_problem_t *out, rc_err_t *err)
{
    int64_t n = job->n;
    *out = (rc_boost_problem_t){0};
    if (n < RC_BOOST_ROWS_MIN)
        return rc_fail(err, RC_EINVAL, "trees: expected at least %d rows to learn from, found %lld",
            (int)RC_BOOST_ROWS_MIN, (long long)n);
    size_t rows = (size_t)n;
    size_t columns = (size_t)job->d->inputs;
    rc_boost_problem_t p = {.d = job->d, .row = job->row, .n = n, .boosters = boosters};
    p.x = rc_alloc(rows * columns, sizeof *p.x, "inputs of trees", err);
    p.weight = rc_alloc(rows, sizeof *p.weight, "inputs of trees", err);
    p.cls = rc_alloc((size_t)boosters, sizeof *p.cls, "inputs of trees", err);
    p.label = rc_alloc0((size_t)boosters * rows, sizeof *p.label, "labels of trees", err);
    p.base = rc_alloc0((size_t)boosters, sizeof *p.base, "labels of trees", err);
    if (!p.x || !p.weight || !p.cls || !p.label || !p.base) {
        rc_boost_problem_free(&p);
        return RC_ENOMEM;
    }
    for (size_t i = 0; i < rows * columns; i++)
        p.x[i] = (float)job->x[i];
    for (size_t i = 0; i < rows; i++)
        p.weight[i] = (float)job->weight[i];
    for (int b = 0; b < boosters; b++)
        p.cls[b] = b;
    *out = p;
    return RC_OK;
}

void rc_boost_problem_free(rc_boost_problem_t *p)
{
    free(p->x);
    free(p->weight);
    free(p->cls);
    free(p->label);
    free(p->base);
    *p = (rc_boost_problem_t){0};
}

void rc_boost_problem_centre(rc_boost_problem_t *p)
{
    for (int b = 0; b < p->boosters; b++) {
        double sum = 0;
        double weight = 0;
        for (int64_t i = 0; i < p->n; i++) {
            sum += (double)p->weight[i] * p->label[b * p->n + i];
            weight += p->weight[i];
        }
        p->base[b] = weight > 0 ? sum / weight : 0;
    }
}

int rc_boost_rounds_max(int outputs)
{
    int rounds = TREES_MAX / (outputs > 0 ? outputs : 1);
    return rounds < ROUNDS_LEAST ? ROUNDS_LEAST : rounds > ROUNDS_MOST ? ROUNDS_MOST : rounds;
}

static rc_boost_options_t options_of(const rc_boost_problem_t *p, int booster, int depth)
{
    rc_boost_options_t o = p->options;
    o.base = p->base[booster];
    o.depth = depth;
    return o;
}

/* ------------------------------------------------------------------ folds */

/* Rows of a problem, inside or outside of a fold. */
typedef struct part {
    int64_t *at; /* [count] which */
    float *x;
    float *label;
    float *weight;
    int64_t count;
} part_t;

static void part_free(part_t *s)
{
    free(s->at);
    free(s->x);
    free(s->label);
    free(s->weight);
}

static rc_status_t part_take(const rc_boost_problem_t *p, const int *fold, int which, int inside,
    int booster, part_t *out, rc_err_t *err)
{
    part_t s = {0};
    size_t n = (size_t)p->n;
    size_t inputs = (size_t)p->d->inputs;
    s.at = rc_alloc(n, sizeof *s.at, "validation parts", err);
    s.x = rc_alloc(n * inputs, sizeof *s.x, "validation parts", err);
    s.label = rc_alloc(n, sizeof *s.label, "validation parts", err);
    s.weight = rc_alloc(n, sizeof *s.weight, "validation parts", err);
    *out = s;
    if (!s.at || !s.x || !s.label || !s.weight)
        return RC_ENOMEM;
    for (int64_t i = 0; i < p->n; i++) {
        if ((fold[i] == which) != inside)
            continue;
        int64_t k = out->count++;
        s.at[k] = i;
        memcpy(s.x + (size_t)k * inputs, p->x + (size_t)i * inputs, inputs * sizeof *s.x);
        s.label[k] = p->label[booster * p->n + i];
        s.weight[k] = p->weight[i];
    }
    return RC_OK;
}

static rc_boost_rows_t part_rows(const part_t *s, int inputs)
{
    return (rc_boost_rows_t){
        .count = s->count, .inputs = inputs, .x = s->x, .label = s->label, .weight = s->weight};
}

/* ------------------------------------------------------------- validation */

/* What the boosters say of held-out rows: out[(point * n + row) * outputs + output], where the
 * outputs of all boosters count through. */
typedef struct trial {
    const rc_boost_problem_t *p;
    const int *fold;
    int folds;
    int depth;
    int stride; /* rounds from point to point */
    int points;
    int outputs; /* of all boosters */
    float *out;
} trial_t;

static rc_status_t fit_fold(const trial_t *t, int booster, int which, rc_err_t *err)
{
    const rc_boost_problem_t *p = t->p;
    rc_boost_options_t o = options_of(p, booster, t->depth);
    part_t learn = {0};
    part_t held = {0};
    float *margin = NULL;
    rc_status_t st;
    RC_TRY(part_take(p, t->fold, which, 0, booster, &learn, err));
    RC_TRY(part_take(p, t->fold, which, 1, booster, &held, err));
    o.rounds = t->points * t->stride;
    o.stride = t->stride;
    size_t width = (size_t)o.outputs;
    size_t count = (size_t)held.count;
    margin = rc_alloc((size_t)t->points * count * width, sizeof *margin, "validation", err);
    RC_TRY(margin ? RC_OK : RC_ENOMEM);
    rc_boost_rows_t a = part_rows(&learn, p->d->inputs);
    rc_boost_rows_t b = part_rows(&held, p->d->inputs);
    RC_TRY(rc_boost_fit(&o, &a, &b, margin, NULL, NULL, err));
    for (size_t k = 0; k < (size_t)t->points; k++)
        for (size_t i = 0; i < count; i++) {
            size_t row = k * (size_t)p->n + (size_t)held.at[i];
            memcpy(t->out + row * (size_t)t->outputs + (size_t)booster * width,
                margin + (k * count + i) * width, width * sizeof *margin);
        }
done:
    free(margin);
    part_free(&learn);
    part_free(&held);
    return st;
}

/* The class that a row's outputs choose: the first of equals, as rc_model_decide has it. */
static int choose(const trial_t *t, const float *out, double *score)
{
    const rc_boost_problem_t *p = t->p;
    int width = p->options.outputs;
    double sign = p->measure == RC_BOOST_LARGEST ? 1 : -1;
    int best = 0;
    memset(score, 0, (size_t)p->d->classes * sizeof *score);
    for (int b = 0; b < p->boosters; b++)
        for (int o = 0; o < width; o++)
            score[p->cls[b] + o] = sign * out[b * width + o];
    for (int c = 1; c < p->d->classes; c++)
        if (score[c] > score[best])
            best = c;
    return best;
}

static double measure_row(const trial_t *t, int64_t i, const float *out, double *score)
{
    const rc_boost_problem_t *p = t->p;
    double sum = 0;
    if (p->measure != RC_BOOST_ERROR) {
        const double *time = p->d->time + p->row[i] * p->d->classes;
        return log(time[choose(t, out, score)] / time[rc_dataset_best(p->d, p->row[i])]);
    }
    for (int b = 0; b < p->boosters; b++) {
        double e = (double)out[b] - p->label[b * p->n + i];
        sum += e * e;
    }
    return sum;
}

static rc_status_t measure_points(const trial_t *t, double *value, rc_err_t *err)
{
    const rc_boost_problem_t *p = t->p;
    double *score = rc_alloc((size_t)p->d->classes, sizeof *score, "validation", err);
    if (!score)
        return RC_ENOMEM;
    for (int k = 0; k < t->points; k++) {
        value[k] = 0;
        for (int64_t i = 0; i < p->n; i++)
            value[k] +=
                measure_row(t, i, t->out + (k * p->n + i) * t->outputs, score) / (double)p->n;
    }
    free(score);
    return RC_OK;
}

/* A point counts with its neighbours: single points are jumpy. */
static double smooth(const double *value, int points, int k)
{
    int from = k > 0 ? k - 1 : 0;
    int to = k < points - 1 ? k + 1 : points - 1;
    double sum = 0;
    for (int i = from; i <= to; i++)
        sum += value[i];
    return sum / (to - from + 1);
}

static void take_better(const trial_t *t, const double *value, rc_boost_size_t *best)
{
    for (int k = 0; k < t->points; k++) {
        double v = smooth(value, t->points, k);
        if (v < best->measure)
            *best = (rc_boost_size_t){(k + 1) * t->stride, t->depth, v};
    }
}

/* The first failure in the order of the jobs, whatever order they ran in. */
static void note(rc_status_t st, const rc_err_t *e, int job, int *first, rc_err_t *err)
{
    if (st < 0 && job < *first) {
        *first = job;
        if (err)
            *err = *e;
    }
}

static rc_status_t run_trial(const trial_t *t, int threads, rc_err_t *err)
{
    int jobs = t->p->boosters * t->folds;
    int failed = jobs;
    rc_status_t status = RC_OK;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int j = 0; j < jobs; j++) {
        rc_err_t e = {0};
        rc_status_t st = fit_fold(t, j / t->folds, j % t->folds, &e);
#pragma omp critical(rc_boost_size)
        {
            status = st < 0 && j < failed ? st : status;
            note(st, &e, j, &failed, err);
        }
    }
    return status;
}

rc_status_t rc_boost_size(const rc_boost_problem_t *p, const int *depth, int depths,
    const rc_fit_options_t *o, rc_boost_size_t *out, rc_err_t *err)
{
    rc_status_t st;
    int rounds = p->options.rounds;
    trial_t t = {.p = p, .outputs = p->boosters * p->options.outputs};
    rc_boost_size_t best = {.measure = INFINITY};
    double value[POINTS + 1];
    int *fold = rc_alloc((size_t)p->n, sizeof *fold, "validation parts", err);
    t.stride = (rounds + POINTS - 1) / POINTS;
    t.points = rounds / t.stride;
    t.fold = fold;
    t.out = rc_alloc(
        (size_t)t.points * (size_t)p->n * (size_t)t.outputs, sizeof *t.out, "validation", err);
    RC_TRY(fold && t.out ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_folds_inside(p->d, p->row, p->n, o->split, o->seed, fold, &t.folds, err));
    for (int i = 0; i < depths; i++) {
        t.depth = depth[i];
        RC_TRY(run_trial(&t, o->threads < 1 ? 1 : o->threads, err));
        RC_TRY(measure_points(&t, value, err));
        take_better(&t, value, &best);
        if (o->progress)
            o->progress(o->context, "validation", (double)(i + 1) / depths, best.measure);
    }
    *out = best;
done:
    free(fold);
    free(t.out);
    return st;
}

/* ------------------------------------------------------------------- grow */

static int constant(const float *label, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (label[i] != label[0])
            return 0;
    return 1;
}

static rc_status_t grow_one(const rc_boost_problem_t *p, const rc_boost_size_t *size, int booster,
    rc_forest_t **out, rc_err_t *err)
{
    rc_boost_options_t o = options_of(p, booster, size->depth);
    rc_boost_rows_t rows = {.count = p->n,
        .inputs = p->d->inputs,
        .x = p->x,
        .label = p->label + booster * p->n,
        .weight = p->weight};
    o.rounds = size->rounds;
    if (o.outputs > 1 || !constant(rows.label, p->n))
        return rc_boost_fit(&o, &rows, NULL, NULL, NULL, out, err);
    *out = rc_forest_new(p->d->inputs, 1, 0, 0, err); /* trees would only repeat the base */
    if (!*out)
        return RC_ENOMEM;
    (*out)->base[0] = p->base[booster];
    return RC_OK;
}

static rc_status_t join(
    const rc_boost_problem_t *p, rc_forest_t *const *part, rc_forest_t **out, rc_err_t *err)
{
    int outputs = p->boosters * p->options.outputs;
    rc_forest_term_t *term = rc_alloc((size_t)outputs, sizeof *term, "trees", err);
    if (!term)
        return RC_ENOMEM;
    for (int i = 0; i < outputs; i++)
        term[i] = (rc_forest_term_t){i, part[i / p->options.outputs], i % p->options.outputs, 1};
    rc_status_t st = rc_forest_compose(p->d->inputs, outputs, term, outputs, out, err);
    free(term);
    return st;
}

rc_status_t rc_boost_grow(const rc_boost_problem_t *p, const rc_boost_size_t *size, int threads,
    rc_forest_t **out, rc_err_t *err)
{
    rc_status_t status = RC_OK;
    int failed = p->boosters;
    rc_forest_t **part = rc_alloc0((size_t)p->boosters, sizeof *part, "trees", err);
    if (!part)
        return RC_ENOMEM;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads < 1 ? 1 : threads)
    for (int b = 0; b < p->boosters; b++) {
        rc_err_t e = {0};
        rc_status_t st = grow_one(p, size, b, &part[b], &e);
#pragma omp critical(rc_boost_size)
        {
            status = st < 0 && b < failed ? st : status;
            note(st, &e, b, &failed, err);
        }
    }
    if (status == RC_OK)
        status = join(p, part, out, err);
    for (int b = 0; b < p->boosters; b++)
        rc_forest_free(part[b]);
    free(part);
    return status;
}
