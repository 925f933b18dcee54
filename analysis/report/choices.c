#include "config.h"
#include "analysis/report/choices.h"
#include "analysis/evaluation.h"
#include "analysis/experiment.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "base/type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rc_digest_t key_of(const char *digest, int64_t k, int value_bytes)
{
    struct {
        char digest[32];
        int64_t k;
        int64_t value_bytes;
    } key = {.k = k, .value_bytes = value_bytes};
    memcpy(key.digest, digest, strnlen(digest, sizeof key.digest));
    return rc_digest(&key, sizeof key);
}

/* The rows of the data set that are pairs of the survey: C in original order, on the model's
 * device; K = n is found by its number. */
static rc_status_t match(const rc_survey_t *s, const rc_dataset_t *d, const rc_predictions_t *p,
    rc_choices_t *c, rc_err_t *err)
{
    rc_map_t at = {0};
    rc_status_t st = RC_OK;
    for (int64_t i = 0; st == RC_OK && i < d->rows; i++) {
        const rc_sample_t *x = &d->sample[i];
        st = rc_map_set(&at, key_of(x->digest, x->k, x->value_bytes), i, err);
    }
    for (int64_t i = 0; st == RC_OK && i < s->pairs; i++) {
        if (s->pair[i].row[RC_CHOICE_ALL] < 0)
            continue;
        const rc_survey_setting_t *a = &s->setting[s->pair[i].setting];
        const rc_row_result_t *of = rc_view_result(s->view, a->setting.row);
        const rc_row_result_t *r = rc_view_result(s->view, s->pair[i].row[RC_CHOICE_ALL]);
        if (of->c_order != 0 || of->cache != 0 || strcmp(a->device, d->device) != 0)
            continue;
        int64_t row = rc_map_get(&at,
            key_of(s->matrix[s->pair[i].matrix].digest, r->k, rc_type(r->precision)->bytes), -1);
        if (row < 0)
            continue;
        const double *time = d->time + row * d->classes;
        double chosen = time[p->choice[row]];
        c->pair[i] =
            (rc_chosen_t){p->choice[row], chosen, chosen / time[rc_dataset_best(d, row)] - 1};
        c->known++;
    }
    rc_map_free(&at);
    return st;
}

/* Whether the fit has seen any of the matrices, with these results or others: a filter, or what a
 * store gained since, makes no seen matrix an unseen one. */
static rc_status_t is_fitted_on(const rc_model_t *m, const rc_dataset_t *d, int *out, rc_err_t *err)
{
    rc_err_t why = {0};
    int64_t n = 0;
    int64_t *row = rc_alloc((size_t)d->rows, sizeof *row, "rows of a data set", err);
    RC_PASS(row ? RC_OK : RC_ENOMEM);
    rc_status_t st = rc_unseen_rows(m, d, 0, row, &n, &why);
    free(row);
    if (st == RC_ENOMEM)
        return rc_fail(err, st, "%s", why.text);
    if (st == RC_OK) {
        *out = n < d->rows;
        return RC_OK;
    }
    /* a model without a list of its matrices */
    char hex[RC_DIGEST_HEX + 1];
    const char *text = json_string_value(json_object_get(m->training, "data_digest"));
    rc_digest_hex(d->digest, hex);
    *out = text && strcmp(text, hex) == 0;
    return RC_OK;
}

rc_status_t rc_choices_make(
    const rc_survey_t *s, const rc_model_t *m, const char *where, rc_choices_t *out, rc_err_t *err)
{
    rc_choices_t c = {.model = m};
    rc_dataset_t d = {0};
    rc_predictions_t p = {0};
    rc_err_t why = {0};
    rc_status_t st;
    c.pair = rc_alloc((size_t)s->pairs, sizeof *c.pair, "choices", err);
    RC_TRY(c.pair ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < s->pairs; i++)
        c.pair[i] = (rc_chosen_t){-1, NAN, NAN};
    st = rc_dataset_read_for(s->store, m, where, &d, &why);
    if (st == RC_OK)
        st = rc_predict_rows(m, &d, NULL, d.rows, &p, &why);
    if (st == RC_ENOMEM || st == RC_ESTORE || st == RC_EIO) {
        rc_fail(err, st, "%s", why.text);
        goto done;
    }
    if (st < 0) {
        rc_str_add(&c.note, why.text);
        st = RC_OK;
    } else {
        st = is_fitted_on(m, &d, &c.fitted_here, err);
        if (st == RC_OK)
            st = match(s, &d, &p, &c, err);
        if (st == RC_OK && c.known == 0)
            rc_str_add(&c.note, "no result of the store has its device, precision and classes");
    }
    if (st == RC_OK && c.note.failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for a note");
done:
    rc_predictions_free(&p);
    rc_dataset_free(&d);
    if (st < 0)
        rc_choices_free(&c);
    else
        *out = c;
    return st;
}

void rc_choices_free(rc_choices_t *c)
{
    if (!c)
        return;
    free(c->pair);
    rc_str_free(&c->note);
    *c = (rc_choices_t){0};
}
