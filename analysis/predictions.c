#include "config.h"
#include "analysis/evaluation.h"

#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A model answers for a data set when both mean the same by input i and by class c. */
static rc_status_t check_same(const rc_model_t *m, const rc_dataset_t *d, rc_err_t *err)
{
    if (m->inputs != d->inputs)
        return rc_fail(
            err, RC_EINVAL, "the model has %d inputs, the data set %d", m->inputs, d->inputs);
    for (int i = 0; i < d->inputs; i++)
        if (strcmp(m->input[i].name, d->input[i].name) != 0)
            return rc_fail(err, RC_EINVAL, "input %d is '%s' in the model, '%s' in the data set", i,
                m->input[i].name, d->input[i].name);
    if (m->classes != d->classes)
        return rc_fail(
            err, RC_EINVAL, "the model has %d classes, the data set %d", m->classes, d->classes);
    for (int c = 0; c < d->classes; c++)
        if (strcmp(m->cls[c].name, d->cls[c].name) != 0)
            return rc_fail(err, RC_EINVAL, "class %d is '%s' in the model, '%s' in the data set", c,
                m->cls[c].name, d->cls[c].name);
    return RC_OK;
}

rc_status_t rc_predict_rows(const rc_model_t *m, const rc_dataset_t *d, const int64_t *row,
    int64_t n, rc_predictions_t *out, rc_err_t *err)
{
    rc_predictions_t p = {.count = n};
    double *scratch = NULL;
    rc_status_t st;
    RC_TRY(check_same(m, d, err));
    p.row = rc_alloc((size_t)n, sizeof *p.row, "predictions", err);
    p.choice = rc_alloc((size_t)n, sizeof *p.choice, "predictions", err);
    scratch = rc_alloc(rc_model_scratch(m), sizeof *scratch, "scratch of a model", err);
    if (m->output != RC_OUTPUT_SCORE)
        p.time = rc_alloc((size_t)n * (size_t)d->classes, sizeof *p.time, "predicted times", err);
    if (!p.row || !p.choice || !scratch || (m->output != RC_OUTPUT_SCORE && !p.time)) {
        st = RC_ENOMEM;
        goto done;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t at = row ? row[i] : i;
        if (at < 0 || at >= d->rows) {
            st = rc_fail(
                err, RC_EINVAL, "row %" PRId64 " of a data set of %" PRId64 " rows", at, d->rows);
            goto done;
        }
        p.row[i] = at;
        p.choice[i] = rc_model_choose_raw(
            m, d->value + at * d->inputs, scratch, p.time ? p.time + i * d->classes : NULL);
    }
    *out = p;
    p = (rc_predictions_t){0};
done:
    rc_predictions_free(&p);
    free(scratch);
    return st;
}

void rc_predictions_free(rc_predictions_t *p)
{
    if (!p)
        return;
    free(p->row);
    free(p->choice);
    free(p->time);
    *p = (rc_predictions_t){0};
}
