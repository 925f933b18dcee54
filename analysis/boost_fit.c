#include "config.h"
#include "analysis/boost_fit.h"
#include "analysis/compose.h"
#include "base/alloc.h"
#include "base/error.h"

#include <omp.h>
#include <stdlib.h>

enum { TREES_MAX = 600, ROUNDS_LEAST = 20, ROUNDS_MOST = 60 };

/* Most rounds such that this many boosted outputs can be evaluated in a few microseconds. */
static int rounds_max(int outputs)
{
    int rounds = TREES_MAX / (outputs > 0 ? outputs : 1);
    return rounds < ROUNDS_LEAST ? ROUNDS_LEAST : rounds > ROUNDS_MOST ? ROUNDS_MOST : rounds;
}

rc_boost_options_t rc_boost_defaults(const rc_fit_options_t *options, int outputs)
{
    return (rc_boost_options_t){.objective = "reg:squarederror",
        .method = "hist",
        .outputs = 1,
        .rounds = options->epochs > 0 ? options->epochs : rounds_max(outputs),
        .stride = 1,
        .depth = 1,
        .rate = 0.2,
        .lambda = options->l2 > 0 ? options->l2 : 1,
        .leaf_weight_min = 5};
}

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
    p.label = rc_alloc0((size_t)boosters * rows, sizeof *p.label, "labels of trees", err);
    p.base = rc_alloc0((size_t)boosters, sizeof *p.base, "labels of trees", err);
    if (!p.x || !p.weight || !p.label || !p.base) {
        rc_boost_problem_free(&p);
        return RC_ENOMEM;
    }
    for (size_t i = 0; i < rows * columns; i++)
        p.x[i] = (float)job->x[i];
    for (size_t i = 0; i < rows; i++)
        p.weight[i] = (float)job->weight[i];
    *out = p;
    return RC_OK;
}

void rc_boost_problem_free(rc_boost_problem_t *p)
{
    free(p->x);
    free(p->weight);
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

/* The first failure in the order of the jobs, whatever order they ran in. */
static void note(rc_status_t st, const rc_err_t *e, int job, int *first, rc_err_t *err)
{
    if (st < 0 && job < *first) {
        *first = job;
        if (err)
            *err = *e;
    }
}

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
    rc_boost_options_t o = p->options;
    rc_boost_rows_t rows = {.count = p->n,
        .inputs = p->d->inputs,
        .x = p->x,
        .label = p->label + booster * p->n,
        .weight = p->weight};
    o.base = p->base[booster];
    o.depth = size->depth;
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
#pragma omp critical(rc_boost_grow)
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

void rc_boost_serve(rc_model_t *m, rc_output_t output, rc_forest_t *f)
{
    rc_predictor_free(&m->predictor);
    m->output = output;
    m->predictor = (rc_predictor_t){.kind = &rc_predictor_forest, .state = f};
}
