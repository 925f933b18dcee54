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
    out->confusion = rc_alloc0(cells, sizeof *out->confusion, "a confusion matrix", e->err);
    out->confusion_loss =
        rc_alloc0(cells, sizeof *out->confusion_loss, "a confusion matrix", e->err);
    RC_PASS(out->confusion && out->confusion_loss ? RC_OK : RC_ENOMEM);
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
    double *error =
        rc_alloc(classes * (size_t)e->entries, sizeof *error, "errors of times", e->err);
    out->error_quantile =
        rc_alloc((classes + 1) * RC_ERROR_QUANTILES, sizeof *out->error_quantile, "errors", e->err);
    out->error_mean = rc_alloc(classes + 1, sizeof *out->error_mean, "errors", e->err);
    if (!error || !out->error_quantile || !out->error_mean) {
        free(error);
        return RC_ENOMEM;
    }
    for (size_t c = 0; c < classes; c++) {
        int64_t n = 0;
        for (int64_t i = 0; i < e->entries; i++) {
            const entry_t *x = &e->entry[i];
            if (is_of(of, number, i))
                error[all + n++] =
                    fabs(e->p->time[x->at * e->d->classes + (int64_t)c] / x->time[c] - 1);
        }
        describe_errors(
            error + all, n, &out->error_mean[c], out->error_quantile + c * RC_ERROR_QUANTILES);
        all += n;
    }
    describe_errors(
        error, all, &out->error_mean[classes], out->error_quantile + classes * RC_ERROR_QUANTILES);
    free(error);
    return RC_OK;
}

rc_status_t rc_evaluation_cells(const evaluator_t *e, const int *of, int number, rc_cells_t *out)
{
    RC_PASS(fill_confusion(e, of, number, out));
    return fill_errors(e, of, number, out);
}

void rc_evaluation_free_cells(rc_cells_t *c)
{
    free(c->confusion);
    free(c->confusion_loss);
    free(c->error_quantile);
    free(c->error_mean);
    *c = (rc_cells_t){0};
}
