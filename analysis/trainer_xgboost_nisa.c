/* The XGBoost classifier of Nisa et al. 2018: raw inputs, all rows alike, and the whole of their
 * grid by cross-validation inside of the training rows, on the share of right choices.
 *
 * Less is fitted than there are points.  The first 50, 100 and 200 rounds of a fit of 500 are the
 * fits of so many rounds.  And a limit on depth that no tree reaches changes nothing: where the
 * trees of limit 128 are no deeper than 32 splits, the fits of the limits 32 and 64 are the
 * same. */
#include "config.h"
#include "analysis/boost.h"
#include "analysis/importance.h"
#include "analysis/trainer.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <string.h>

enum { STOPS = 4, DEPTHS = 3, RATES = 2, STRIDE = 50, FORMS = DEPTHS * RATES };
static const int grid_rounds[STOPS] = {50, 100, 200, 500};
static const int grid_depth[DEPTHS] = {32, 64, 128};
static const double grid_rate[RATES] = {.1, .01};

/* A fit of the grid: a rate and a fold. */
typedef struct run {
    int rate;
    int fold;
    int64_t right[DEPTHS][STOPS]; /* choices in the fold */
    double *count;                /* [DEPTHS][STOPS][inputs] splits by then */
    double *gain;
} run_t;

typedef struct grid {
    rc_pool_t pool;
    const rc_fit_job_t *job;
    float *x;     /* [n * inputs] raw */
    float *label; /* [n] */
    int *fold;    /* [n] */
    int folds;
    int stop[STOPS];
    int stops;
    int stride;
    run_t *run; /* [RATES * folds] */
    int runs;
    int done; /* of them */
} grid_t;

/* A point of it, by its number: fewest rounds first, then the least depth, then the larger rate. */
typedef struct point {
    int stop;
    int depth;
    int rate;
} point_t;

static point_t point_at(int number)
{
    return (point_t){number / FORMS, number / RATES % DEPTHS, number % RATES};
}

/* Options bound the rounds: of the grid stays what is below, or the bound itself. */
static void set_stops(grid_t *g, int most)
{
    while (g->stops < STOPS && (most <= 0 || grid_rounds[g->stops] <= most)) {
        g->stop[g->stops] = grid_rounds[g->stops];
        g->stops++;
    }
    g->stride = g->stops ? STRIDE : most;
    if (!g->stops)
        g->stop[g->stops++] = most;
}

static rc_status_t grid_new(const rc_fit_job_t *job, grid_t *g, rc_err_t *err)
{
    size_t n = (size_t)job->n;
    size_t inputs = (size_t)job->d->inputs;
    set_stops(g, job->options->epochs);
    g->x = rc_pool_get(&g->pool, n * inputs, sizeof *g->x);
    g->label = rc_pool_get(&g->pool, n, sizeof *g->label);
    g->fold = rc_pool_get(&g->pool, n, sizeof *g->fold);
    RC_PASS(rc_pool_check(&g->pool, "rows of trees", err));
    for (size_t i = 0; i < n; i++) {
        g->label[i] = (float)rc_dataset_best(job->d, job->row[i]);
        for (size_t k = 0; k < inputs; k++)
            g->x[i * inputs + k] = (float)job->d->value[(size_t)job->row[i] * inputs + k];
    }
    RC_PASS(rc_split_inside(
        &(rc_split_t){job->d, job->row, job->n, job->options->split, job->options->seed}, g->fold,
        &g->folds, err));
    g->runs = RATES * g->folds;
    g->run = rc_pool_get0(&g->pool, (size_t)g->runs, sizeof *g->run);
    for (int i = 0; g->run && i < g->runs; i++) {
        run_t *r = &g->run[i];
        r->rate = RATES - 1 - i / g->folds; /* the long ones first */
        r->fold = i % g->folds;
        r->count = rc_pool_get0(&g->pool, DEPTHS * STOPS * inputs, sizeof *r->count);
        r->gain = rc_pool_get0(&g->pool, DEPTHS * STOPS * inputs, sizeof *r->gain);
    }
    return rc_pool_check(&g->pool, "a grid", err);
}

/* ------------------------------------------------------------------ fits */

static rc_boost_options_t options_of(const grid_t *g, int depth, double rate, int rounds)
{
    return (rc_boost_options_t){.objective = "multi:softprob",
        .method = "auto",
        .outputs = g->job->d->classes,
        .rounds = rounds,
        .stride = g->stride,
        .depth = depth,
        .rate = rate,
        .lambda = 1, /* the defaults of the library, as is the next */
        .leaf_weight_min = 1,
        .base = 0.5};
}

/* The caller checks the pool, as for the next. */
static rc_boost_splits_t splits_new(const grid_t *g, int rounds, rc_pool_t *pool)
{
    size_t size = (size_t)rounds * (size_t)g->job->d->inputs;
    return (rc_boost_splits_t){.count = rc_pool_get(pool, size, sizeof(double)),
        .gain = rc_pool_get(pool, size, sizeof(double))};
}

/* Rows of a fold, or all others. */
static rc_boost_rows_t take_rows(const grid_t *g, int fold, int inside, rc_pool_t *pool)
{
    size_t n = (size_t)g->job->n;
    size_t inputs = (size_t)g->job->d->inputs;
    float *x = rc_pool_get(pool, n * inputs, sizeof *x);
    float *label = rc_pool_get(pool, n, sizeof *label);
    rc_boost_rows_t rows = {.inputs = (int)inputs, .x = x, .label = label};
    for (size_t i = 0; x && label && i < n; i++)
        if ((g->fold[i] == fold) == inside) {
            memcpy(x + (size_t)rows.count * inputs, g->x + i * inputs, inputs * sizeof *x);
            label[rows.count++] = g->label[i];
        }
    return rows;
}

static int largest(const float *out, int n)
{
    int best = 0;
    for (int c = 1; c < n; c++)
        if (out[c] > out[best])
            best = c;
    return best;
}

/* Right choices and splits at every stop. */
static void take_run(const grid_t *g, run_t *r, int depth, const rc_boost_rows_t *watch,
    const float *margin, const rc_boost_splits_t *s)
{
    int classes = g->job->d->classes;
    int inputs = g->job->d->inputs;
    for (int stop = 0; stop < g->stops; stop++) {
        const float *at =
            margin + (int64_t)(g->stop[stop] / g->stride - 1) * watch->count * classes;
        size_t to = (size_t)(depth * STOPS + stop) * (size_t)inputs;
        r->right[depth][stop] = 0;
        for (int64_t i = 0; i < watch->count; i++)
            r->right[depth][stop] += largest(at + i * classes, classes) == (int)watch->label[i];
        for (int64_t k = 0; k < (int64_t)g->stop[stop] * inputs; k++) {
            r->count[to + (size_t)(k % inputs)] += s->count[k];
            r->gain[to + (size_t)(k % inputs)] += s->gain[k];
        }
    }
}

static void tell(grid_t *g)
{
    const rc_fit_options_t *o = g->job->options;
    int done;
#pragma omp atomic capture
    done = ++g->done;
    if (o->progress && omp_get_thread_num() == 0)
        o->progress(o->context, "grid", (double)done / (g->runs + 1), NAN);
}

static rc_status_t fit_run(void *context, int job, rc_err_t *err)
{
    grid_t *g = context;
    run_t *r = &g->run[job];
    rc_pool_t pool = {0};
    rc_status_t st;
    int rounds = g->stop[g->stops - 1];
    ptrdiff_t size = STOPS * g->job->d->inputs; /* of a depth */
    const rc_boost_rows_t train = take_rows(g, r->fold, 0, &pool);
    const rc_boost_rows_t watch = take_rows(g, r->fold, 1, &pool);
    rc_boost_splits_t s = splits_new(g, rounds, &pool);
    size_t margins =
        (size_t)(rounds / g->stride) * (size_t)watch.count * (size_t)g->job->d->classes;
    float *margin = rc_pool_get(&pool, margins, sizeof *margin);
    RC_TRY(rc_pool_check(&pool, "validation parts", err));
    for (int depth = DEPTHS - 1; depth >= 0; depth--) {
        if (depth < DEPTHS - 1 && s.depth <= grid_depth[depth]) {
            /* what a fit at a limit of depth found holds for the next lower limit, too */
            memcpy(r->right[depth], r->right[depth + 1], sizeof *r->right);
            memcpy(r->count + depth * size, r->count + (depth + 1) * size,
                (size_t)size * sizeof *r->count);
            memcpy(r->gain + depth * size, r->gain + (depth + 1) * size,
                (size_t)size * sizeof *r->gain);
            continue;
        }
        const rc_boost_options_t o = options_of(g, grid_depth[depth], grid_rate[r->rate], rounds);
        RC_TRY(rc_boost_fit(&o, &train, &watch, margin, &s, NULL, err));
        take_run(g, r, depth, &watch, margin, &s);
    }
    tell(g);
done:
    rc_pool_free(&pool);
    return st;
}

/* ----------------------------------------------------------------- choice */

static int64_t right_at(const grid_t *g, int number)
{
    const point_t p = point_at(number);
    int64_t right = 0;
    for (int i = 0; i < g->runs; i++)
        right += g->run[i].rate == p.rate ? g->run[i].right[p.depth][p.stop] : 0;
    return right;
}

/* The importances of the folds at a point, and of the model. */
static rc_status_t record(
    const grid_t *g, const point_t *p, const rc_boost_splits_t *s, rc_model_t *m, rc_err_t *err)
{
    rc_importance_t imp;
    int inputs = g->job->d->inputs;
    size_t at = (size_t)(p->depth * STOPS + p->stop) * (size_t)inputs;
    rc_status_t st;
    RC_TRY(rc_importance_new(inputs, &imp, err));
    double *sum = rc_pool_get0(&imp.memory, 2 * (size_t)inputs, sizeof *sum);
    RC_TRY(rc_pool_check(&imp.memory, "importances", err));
    for (int i = 0; i < g->runs; i++)
        if (g->run[i].rate == p->rate)
            rc_importance_add(inputs, g->run[i].count + at, g->run[i].gain + at, 1.0 / g->folds,
                imp.folds_weight, imp.folds_gain);
    for (int64_t k = 0; k < (int64_t)g->stop[p->stop] * inputs; k++) {
        sum[k % inputs] += s->count[k];
        sum[inputs + k % inputs] += s->gain[k];
    }
    rc_importance_add(inputs, sum, sum + inputs, 1, imp.weight, imp.gain);
    st = rc_importance_record(m, &imp, err);
done:
    rc_importance_free(&imp);
    return st;
}

static json_t *describe_point(const grid_t *g, int number)
{
    const point_t p = point_at(number);
    return json_pack("{s:i,s:i,s:f,s:f}", "rounds", g->stop[p.stop], "depth", grid_depth[p.depth],
        "rate", grid_rate[p.rate], "validation_measure",
        1 - (double)right_at(g, number) / (double)g->job->n);
}

/* The chosen point as "trees", and all of them as "grid". */
static rc_status_t describe(const grid_t *g, int chosen, rc_model_t *m, rc_err_t *err)
{
    json_t *list = json_array();
    int failed = json_object_set_new(m->training, "trees", describe_point(g, chosen));
    for (int i = 0; i < g->stops * FORMS; i++)
        failed |= json_array_append_new(list, describe_point(g, i));
    failed |= json_object_set_new(m->training, "grid", list);
    return failed ? rc_fail(err, RC_ENOMEM, "no memory to describe a fit") : RC_OK;
}

static rc_status_t fit(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    grid_t g = {.job = job};
    rc_forest_t *f = NULL;
    rc_status_t st;
    (void)self;
    RC_TRY(grid_new(job, &g, err));
    RC_TRY(rc_fit_jobs(g.runs, job->options->threads, fit_run, &g, err));
    int best = 0; /* most right choices, of equals the first */
    for (int i = 1; i < g.stops * FORMS; i++)
        best = right_at(&g, i) > right_at(&g, best) ? i : best;
    const point_t p = point_at(best);
    const rc_boost_options_t o =
        options_of(&g, grid_depth[p.depth], grid_rate[p.rate], g.stop[p.stop]);
    const rc_boost_rows_t rows = {
        .count = job->n, .inputs = job->d->inputs, .x = g.x, .label = g.label};
    rc_boost_splits_t s = splits_new(&g, g.stop[p.stop], &g.pool);
    RC_TRY(rc_pool_check(&g.pool, "splits of trees", err));
    RC_TRY(rc_boost_fit(&o, &rows, NULL, NULL, &s, &f, err));
    RC_TRY(record(&g, &p, &s, m, err));
    RC_TRY(describe(&g, best, m, err));
    for (int32_t i = 0; i < f->nodes; i++) /* they are to see standardised inputs, not raw ones */
        if (f->node[i].feature >= 0)
            f->node[i].value = rc_threshold(m, f->node[i].feature, f->node[i].value);
    m->output = RC_OUTPUT_SCORE;
    m->predictor = (rc_predictor_t){&rc_predictor_forest, f};
    f = NULL;
done:
    rc_forest_free(f);
    rc_pool_free(&g.pool);
    return st;
}

const rc_trainer_t rc_trainer_xgboost_nisa = {
    .name = "xgboost-nisa",
    .summary = "boosted trees as a classifier over a grid of rounds, depth and rate, unweighted",
    .source = "Nisa et al. 2018; Chen and Guestrin 2016, doi:10.1145/2939672.2939785",
    .version = 1,
    .rows_min = RC_BOOST_ROWS_MIN,
    .fit = fit,
};
