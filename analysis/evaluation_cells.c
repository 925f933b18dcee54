#include "config.h"
#include "analysis/evaluation_private.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

static int is_of(const int *of, int number, int64_t i)
{
    return !of || of[i] == number;
}

static rc_status_t fill_confusion(const evaluator_t *e, const int *of, int number, rc_cells_t *out)
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
        if (!is_of(of, number, i))
            continue;
        out->confusion[cell]++;
        out->confusion_loss[cell] += x->loss;
    }
    for (size_t i = 0; i < cells; i++) /* 0 / 0 of an empty cell is NaN */
        out->confusion_loss[i] /= (double)out->confusion[i];
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
    size_t classes = (size_t)e->d->classes;
    int64_t all = 0;
    if (!e->p->time)
        return RC_OK;
    rc_pool_t *memory = &e->out->memory;
    double *error =
        rc_alloc(classes * (size_t)e->entries, sizeof *error, "errors of times", e->err);
    RC_PASS(error ? RC_OK : RC_ENOMEM);
    double *quantile = rc_pool_get(memory, (classes + 1) * RC_ERROR_QUANTILES, sizeof *quantile);
    double *mean = rc_pool_get(memory, classes + 1, sizeof *mean);
    rc_status_t st = rc_pool_check(memory, "errors of times", e->err);
    out->error_quantile = quantile;
    out->error_mean = mean;
    for (size_t c = 0; st == RC_OK && c < classes; c++) {
        int64_t n = 0;
        for (int64_t i = 0; i < e->entries; i++) {
            const entry_t *x = &e->entry[i];
            if (is_of(of, number, i))
                error[all + n++] =
                    fabs(e->p->time[x->at * e->d->classes + (int64_t)c] / x->time[c] - 1);
        }
        describe_errors(error + all, n, &mean[c], quantile + c * RC_ERROR_QUANTILES);
        all += n;
    }
    if (st == RC_OK)
        describe_errors(error, all, &mean[classes], quantile + classes * RC_ERROR_QUANTILES);
    free(error);
    return st;
}

rc_status_t rc_evaluation_cells(const evaluator_t *e, const int *of, int number, rc_cells_t *out)
{
    RC_PASS(fill_confusion(e, of, number, out));
    return fill_errors(e, of, number, out);
}
