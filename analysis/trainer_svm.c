/* Support vector machines with a Gaussian kernel through LIBSVM (Chang and Lin 2011,
 * doi:10.1145/1961189.1961199), one against one.  C and gamma are found by cross-validation inside
 * of the training rows, on the share of right choices; all rows count alike. */
#include "config.h"
#include "analysis/trainer.h"
#include "base/alloc.h"
#include "base/error.h"
#include "model/svm.h"

#include <libsvm/svm.h>
#include <math.h>
#include <stdlib.h>

enum { CACHE_MB = 64, CS = 3, GAMMAS = 3, POINTS = CS * GAMMAS };

/* Nisa et al., section V */
static const double grid_c[CS] = {100, 1000, 10000};
static const double grid_gamma[GAMMAS] = {.1, .01, .001};

/* Rows of a fit as LIBSVM wants them. */
typedef struct rows {
    rc_pool_t pool;
    const rc_dataset_t *d;
    const int64_t *row;
    int64_t n;
    const double *x;
    double *label;         /* [n] best class */
    struct svm_node *node; /* [n * (inputs + 1)] */
    int *fold;             /* [n] */
    int folds;
    double *loss; /* [POINTS * folds] wrong choices of the grid */
} rows_t;

static void quiet(const char *text)
{
    (void)text;
}

static rc_status_t rows_make(rows_t *r, rc_err_t *err)
{
    size_t n = (size_t)r->n;
    size_t inputs = (size_t)r->d->inputs;
    r->label = rc_pool_get(&r->pool, n, sizeof *r->label);
    r->node = rc_pool_get(&r->pool, n * (inputs + 1), sizeof *r->node);
    r->fold = rc_pool_get(&r->pool, n, sizeof *r->fold);
    RC_PASS(rc_pool_check(&r->pool, "rows of a machine", err));
    for (size_t i = 0; i < n; i++) {
        struct svm_node *to = r->node + i * (inputs + 1);
        r->label[i] = rc_dataset_best(r->d, r->row[i]);
        for (size_t k = 0; k < inputs; k++)
            to[k] = (struct svm_node){(int)k + 1, r->x[i * inputs + k]};
        to[inputs] = (struct svm_node){-1, 0};
    }
    return RC_OK;
}

/* ------------------------------------------------------------------ train */

/* The rows outside of a fold. */
static rc_status_t problem_make(
    const rows_t *r, int without, rc_pool_t *pool, struct svm_problem *p, rc_err_t *err)
{
    *p = (struct svm_problem){.x = rc_pool_get(pool, (size_t)r->n, sizeof *p->x),
        .y = rc_pool_get(pool, (size_t)r->n, sizeof *p->y)};
    RC_PASS(rc_pool_check(pool, "rows of a machine", err));
    for (int64_t i = 0; i < r->n; i++)
        if (r->fold[i] != without) {
            p->x[p->l] = r->node + i * (r->d->inputs + 1);
            p->y[p->l++] = r->label[i];
        }
    return RC_OK;
}

static void copy_vectors(const struct svm_model *m, rc_svm_t *s)
{
    for (int a = 0; a < s->present; a++) {
        s->label[a] = m->label[a];
        s->count[a] = m->nSV[a];
    }
    for (size_t i = 0; i < (size_t)s->vectors; i++) {
        for (size_t k = 0; k < (size_t)s->inputs; k++)
            s->vector[i * (size_t)s->inputs + k] = m->SV[i][k].value;
        for (size_t a = 0; a + 1 < (size_t)s->present; a++)
            s->coef[a * (size_t)s->vectors + i] += m->sv_coef[a][i];
    }
    for (int k = 0; k < s->present * (s->present - 1) / 2; k++)
        s->rho[k] = m->rho[k];
}

/* Train on the rows outside of a fold; -1: on all. */
static rc_status_t train(
    const rows_t *r, int without, double c, double gamma, rc_svm_t **out, rc_err_t *err)
{
    rc_pool_t pool = {0};
    struct svm_problem p;
    struct svm_model *model = NULL;
    struct svm_parameter o = {.svm_type = C_SVC,
        .kernel_type = RBF,
        .gamma = gamma,
        .C = c,
        .cache_size = CACHE_MB,
        .eps = 1e-3,
        .shrinking = 1};
    rc_status_t st;
    RC_TRY(problem_make(r, without, &pool, &p, err));
    int alike = 1;
    for (int i = 1; i < p.l; i++)
        alike &= p.y[i] == p.y[0];
    const char *wrong = alike ? NULL : svm_check_parameter(&p, &o);
    RC_TRY(wrong ? rc_fail(err, RC_EINVAL, "LIBSVM: %s", wrong) : RC_OK);
    model = alike ? NULL : svm_train(&p, &o);
    RC_TRY(alike || model ? RC_OK : rc_fail(err, RC_ENOMEM, "LIBSVM: no model"));
    rc_svm_t *s = rc_svm_new(
        r->d->inputs, r->d->classes, alike ? 1 : model->nr_class, alike ? 0 : model->l, err);
    RC_TRY(s ? RC_OK : RC_ENOMEM);
    s->gamma = gamma;
    if (alike)
        s->label[0] = (int32_t)p.y[0];
    else
        copy_vectors(model, s);
    *out = s;
done:
    if (model)
        svm_free_and_destroy_model(&model);
    rc_pool_free(&pool);
    return st;
}

/* ------------------------------------------------------------- validation */

/* How many choices on the rows of a fold are wrong at a point. */
static rc_status_t validate(void *context, int job, rc_err_t *err)
{
    const rows_t *r = context;
    int point = job / r->folds;
    int fold = job % r->folds;
    rc_svm_t *s = NULL;
    double *scratch = NULL;
    rc_status_t st;
    int classes = r->d->classes;
    RC_TRY(train(r, fold, grid_c[point / GAMMAS], grid_gamma[point % GAMMAS], &s, err));
    RC_TRY(RC_NEW(scratch, rc_predictor_svm.scratch(s) + (size_t)classes, "validation", err));
    double *out = scratch + rc_predictor_svm.scratch(s);
    r->loss[job] = 0;
    for (int64_t i = 0; i < r->n; i++) {
        if (r->fold[i] != fold)
            continue;
        int choice = 0;
        rc_predictor_svm.score(s, r->x + i * r->d->inputs, scratch, out);
        for (int k = 1; k < classes; k++)
            choice = out[k] > out[choice] ? k : choice;
        r->loss[job] += choice != (int)r->label[i];
    }
done:
    free(scratch);
    rc_svm_free(s);
    return st;
}

/* Wrong choices over the folds. */
static double loss_at(const rows_t *r, int point)
{
    double sum = 0;
    for (int f = 0; f < r->folds; f++)
        sum += r->loss[point * r->folds + f];
    return sum;
}

static json_t *describe_point(const rows_t *r, int point)
{
    double loss = loss_at(r, point) / (double)r->n;
    return json_pack("{s:f,s:f,s:o}", "c", grid_c[point / GAMMAS], "gamma",
        grid_gamma[point % GAMMAS], "validation_measure",
        isfinite(loss) ? json_real(loss) : json_null());
}

/* The chosen point as "machine", and all of them as "grid". */
static rc_status_t describe(const rows_t *r, int chosen, rc_model_t *m, rc_err_t *err)
{
    json_t *list = json_array();
    int failed = json_object_set_new(m->training, "machine", describe_point(r, chosen));
    for (int point = 0; point < POINTS; point++)
        failed |= json_array_append_new(list, describe_point(r, point));
    failed |= json_object_set_new(m->training, "grid", list);
    return failed ? rc_fail(err, RC_ENOMEM, "no memory to describe a fit") : RC_OK;
}

static rc_status_t fit(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    const rc_fit_options_t *options = job->options;
    int64_t n = job->n;
    rc_status_t st;
    rows_t r = {.d = job->d, .row = job->row, .n = n, .x = job->x};
    rc_svm_t *s = NULL;
    (void)self;
    svm_set_print_string_function(quiet);
    RC_TRY(rows_make(&r, err));
    RC_TRY(rc_split_inside(
        &(rc_split_t){r.d, r.row, n, options->split, options->seed}, r.fold, &r.folds, err));
    r.loss = rc_pool_get(&r.pool, (size_t)POINTS * (size_t)r.folds, sizeof *r.loss);
    RC_TRY(rc_pool_check(&r.pool, "a grid", err));
    RC_TRY(rc_fit_jobs(POINTS * r.folds, options->threads, validate, &r, err));
    int best = 0;
    for (int point = 1; point < POINTS; point++)
        best = loss_at(&r, point) < loss_at(&r, best) ? point : best;
    double c = grid_c[best / GAMMAS];
    double gamma = grid_gamma[best % GAMMAS];
    if (options->progress)
        options->progress(options->context, "validation", 1, loss_at(&r, best) / (double)n);
    RC_TRY(train(&r, -1, c, gamma, &s, err));
    RC_TRY(describe(&r, best, m, err));
    m->output = RC_OUTPUT_SCORE;
    m->predictor = (rc_predictor_t){.kind = &rc_predictor_svm, .state = s};
    s = NULL;
done:
    rc_svm_free(s);
    rc_pool_free(&r.pool);
    return st;
}

const rc_trainer_t rc_trainer_svm_nisa = {
    .name = "svm-nisa",
    .summary = "a support vector machine with a Gaussian kernel, one against one, unweighted",
    .source = "Nisa et al. 2018; Chang and Lin 2011, doi:10.1145/1961189.1961199",
    .version = 1,
    .rows_min = 20,
    .fit = fit,
};
