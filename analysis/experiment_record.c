#include "config.h"
#include "analysis/experiment_record.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *protocol_json(const rc_protocol_t *p)
{
    json_t *object = json_pack("{s:s, s:I, s:I}", "split", rc_split_names[p->split], "seed",
        (json_int_t)p->seed, "folds", (json_int_t)p->folds);
    if (object && p->folds == 0 &&
        json_object_set_new(object, "test_share", json_real(p->test_share)) < 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *options_json(const rc_fit_options_t *o)
{
    return json_pack("{s:s, s:s, s:s?, s:f, s:i, s:i, s:i}", "weights",
        rc_weighting_names[o->weights], "validation_split", rc_split_names[o->split], "hidden",
        o->hidden, "l2", o->l2, "restarts", o->restarts, "members", o->members, "epochs",
        o->epochs);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted, each once; at most `digits` characters of each. */
static json_t *texts(const char **text, int64_t n, int digits)
{
    json_t *list = json_array();
    qsort(text, (size_t)n, sizeof *text, by_text);
    for (int64_t i = 0; list && i < n; i++) {
        if (i > 0 && strcmp(text[i], text[i - 1]) == 0)
            continue;
        size_t length = strlen(text[i]);
        if (digits > 0 && length > (size_t)digits)
            length = (size_t)digits;
        if (json_array_append_new(list, json_stringn(text[i], length)) < 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

rc_status_t rc_record_training(rc_model_t *m, const rc_trainer_t *t, const rc_dataset_t *d,
    const int64_t *row, int64_t n, const rc_protocol_t *p, const rc_fit_options_t *options,
    rc_err_t *err)
{
    rc_status_t st = RC_OK;
    json_t *groups = NULL;
    json_t *matrices = NULL;
    json_t *add = NULL;
    char digest[RC_DIGEST_HEX + 1];
    const char **text = rc_alloc((size_t)n, sizeof *text, "names of rows", err);
    RC_PASS(text ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < n; i++)
        text[i] = d->group[d->sample[row[i]].group];
    groups = texts(text, n, 0);
    for (int64_t i = 0; i < n; i++)
        text[i] = d->sample[row[i]].digest;
    matrices = texts(text, n, RC_RECORD_DIGITS);
    free(text);
    rc_digest_hex(d->digest, digest);
    if (!m->training)
        m->training = json_object();
    /* what is packed with "o" is taken over, also when packing fails */
    add = json_pack("{s:s, s:i, s:o, s:I, s:o, s:s, s:I, s:I, s:o, s:o, s:{s:I, s:I}, s:{s:s}}",
        "trainer", t->name, "trainer_version", t->version, "options", options_json(options), "seed",
        (json_int_t)options->seed, "protocol", protocol_json(p), "data_digest", digest, "data_rows",
        (json_int_t)d->rows, "rows", (json_int_t)n, "groups", groups, "matrices", matrices,
        "dropped", "incomplete", (json_int_t)d->dropped.incomplete, "features",
        (json_int_t)d->dropped.features, "versions", "rowcast", rc_version());
    if (!m->training || !add || json_object_update(m->training, add) < 0)
        st = rc_fail(err, RC_ENOMEM, "the record of a fit: no memory, or a name is not UTF-8");
    json_decref(add);
    return st;
}

rc_status_t rc_record_evaluation(rc_model_t *m, const rc_dataset_t *d,
    const rc_predictions_t *predictions, int single, const rc_protocol_t *p, rc_err_t *err)
{
    rc_evaluation_t e = {0};
    rc_status_t st;
    json_t *object = NULL;
    char text[160];
    snprintf(text, sizeof text,
        "unseen rows only: each was predicted by a fit that saw no row of its %s%s",
        p->split == RC_SPLIT_GROUP ? "group" : "matrix",
        p->folds > 0 ? "; this model is fitted on all of them" : "");
    RC_TRY(rc_evaluate(d, predictions, single, p->seed, &e, err));
    object = rc_evaluation_json(d, &e, 1, err);
    if (!object || json_object_set_new(object, "protocol", protocol_json(p)) < 0 ||
        json_object_set_new(object, "rows", json_string(text)) < 0) {
        st = rc_fail(err, RC_ENOMEM, "no memory for the evaluation of a model");
        goto done;
    }
    json_decref(m->evaluation);
    m->evaluation = object;
    object = NULL;
done:
    json_decref(object);
    rc_evaluation_free(&e);
    return st;
}

/* The texts of a list that a model file has, as keys. */
static rc_status_t read_texts(const rc_model_t *m, const char *name, rc_map_t *out, rc_err_t *err)
{
    const json_t *list = json_object_get(m->training, name);
    size_t i;
    const json_t *value;
    if (!json_is_array(list))
        return rc_fail(err, RC_EINVAL,
            "the model does not say what it was fitted on: no list training.%s", name);
    json_array_foreach(list, i, value)
    {
        if (!json_is_string(value))
            return rc_fail(err, RC_EINVAL, "training.%s[%zu] of the model is no text", name, i);
        RC_PASS(rc_map_set(out, rc_map_text(json_string_value(value)), 1, err));
    }
    return RC_OK;
}

rc_status_t rc_unseen_rows(const rc_model_t *m, const rc_dataset_t *d, int by_group, int64_t *row,
    int64_t *n, rc_err_t *err)
{
    rc_map_t matrices = {0};
    rc_map_t groups = {0};
    rc_status_t st;
    int64_t count = 0;
    RC_TRY(read_texts(m, "matrices", &matrices, err));
    if (by_group) /* else the map stays empty */
        RC_TRY(read_texts(m, "groups", &groups, err));
    for (int64_t i = 0; i < d->rows; i++) {
        char digits[RC_RECORD_DIGITS + 1];
        const rc_sample_t *s = &d->sample[i];
        snprintf(digits, sizeof digits, "%.*s", RC_RECORD_DIGITS, s->digest);
        if (rc_map_get(&matrices, rc_map_text(digits), 0) ||
            rc_map_get(&groups, rc_map_text(d->group[s->group]), 0))
            continue;
        row[count++] = i;
    }
    *n = count;
done:
    rc_map_free(&matrices);
    rc_map_free(&groups);
    return st;
}
