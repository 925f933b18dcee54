#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "feature/feature.h"
#include "model/domain.h"
#include "model/member.h"
#include "model/model.h"
#include "order/policy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INPUTS_MAX = 4096, /* both bound what a broken file can make us allocate */
    CLASSES_MAX = 4096,
    GEOMETRY_MAX = 65536,
    KS_MAX = 4096,
    PATH = 64 /* of "inputs[4095]" and the like */
};

/* Positive numbers below this are no standard deviations; a quotient by them overflows. */
#define LEAST_SCALE 1e-300

/* ---------------------------------------------------------------- the parts */

static rc_status_t read_head(const json_t *root, int32_t *version, rc_err_t *err)
{
    static const char *const keys[] = {"format", "version", "kind", "kind_version", "task",
        "operation", "output", "device", "domain", "features", "inputs", "classes", "baseline",
        "setup", "featurise", "predictor", "training", "evaluation", NULL};
    if (!json_is_object(root))
        return rc_member_wrong(root, "the file", NULL, "an object", err);
    const char *format = json_string_value(json_object_get(root, "format"));
    if (!format || strcmp(format, RC_MODEL_FORMAT) != 0)
        return rc_member_wrong(
            json_object_get(root, "format"), "", "format", "'" RC_MODEL_FORMAT "'", err);
    rc_status_t st = rc_member_int(root, "", "version", 1, INT32_MAX, version, err);
    if (st == RC_OK && *version > RC_MODEL_VERSION)
        st = rc_fail(err, RC_ENOTSUP,
            "version: this library reads versions 1 to %d of model files, found %d",
            (int)RC_MODEL_VERSION, (int)*version);
    return st < 0 ? st : rc_member_only(root, "", keys, err);
}

static rc_status_t read_words(const json_t *root, rc_model_t *m, rc_err_t *err)
{
    int task = 0;
    int output = 0;
    int operation = 0; /* files from before there were others do not say */
    RC_PASS(rc_member_text(root, "", "kind", m->kind, sizeof m->kind, err));
    RC_PASS(rc_member_int(root, "", "kind_version", 1, INT32_MAX, &m->kind_version, err));
    RC_PASS(rc_member_name(root, "", "task", rc_task_names, &task, err));
    if (json_object_get(root, "operation"))
        RC_PASS(rc_member_name(root, "", "operation", rc_model_operation_names, &operation, err));
    RC_PASS(rc_member_name(root, "", "output", rc_output_names, &output, err));
    RC_PASS(rc_member_text(root, "", "device", m->device, sizeof m->device, err));
    m->task = (rc_task_t)task;
    m->operation = operation;
    m->output = (rc_output_t)output;
    return RC_OK;
}

static rc_status_t read_geometry(
    const json_t *object, const char *where, const char *key, rc_geometry_t *g, rc_err_t *err)
{
    static const char *const keys[] = {"nw", "nt", "line", NULL};
    char path[PATH];
    const json_t *v = json_object_get(object, key);
    if (json_is_null(v))
        return RC_OK; /* zero: not trained */
    snprintf(path, sizeof path, "%s.geometry.%s", where, key);
    RC_PASS(rc_member_only(v, path, keys, err));
    RC_PASS(rc_member_int(v, path, "nw", 1, GEOMETRY_MAX, &g->nw, err));
    RC_PASS(rc_member_int(v, path, "nt", 1, GEOMETRY_MAX, &g->nt, err));
    return rc_member_int(v, path, "line", 1, GEOMETRY_MAX, &g->line, err);
}

static rc_status_t read_geometries(
    const json_t *object, const char *where, rc_model_geometry_t *g, rc_err_t *err)
{
    const char *precisions[RC_TYPES + 1] = {NULL};
    char path[PATH];
    const json_t *v;
    for (int t = 0; t < RC_TYPES; t++)
        precisions[t] = rc_type((rc_precision_t)t)->name;
    snprintf(path, sizeof path, "%s.geometry", where);
    RC_PASS(rc_member_object(object, where, "geometry", &v, err));
    RC_PASS(rc_member_only(v, path, precisions, err));
    for (int t = 0; t < RC_TYPES; t++)
        if (RC_MODEL_TYPES >> t & 1 || json_object_get(v, precisions[t]))
            RC_PASS(read_geometry(v, where, precisions[t], &g->of[t], err));
    return RC_OK;
}

static rc_status_t read_features(const json_t *root, rc_model_t *m, rc_err_t *err)
{
    static const char *const keys[] = {"set", "version", "geometry", NULL};
    const json_t *v;
    RC_PASS(rc_member_object(root, "", "features", &v, err));
    RC_PASS(rc_member_only(v, "features", keys, err));
    RC_PASS(rc_member_text(v, "features", "set", m->feature_set, sizeof m->feature_set, err));
    RC_PASS(rc_member_int(v, "features", "version", 1, INT32_MAX, &m->feature_version, err));
    RC_PASS(read_geometries(v, "features", &m->geometry, err));
    if (rc_model_first_type(&m->geometry) == RC_TYPES)
        return rc_fail(err, RC_EFORMAT,
            "features.geometry: expected that of one precision, found null for all");
    return RC_OK;
}

static rc_status_t read_input(
    const json_t *v, const char *path, rc_model_input_t *in, rc_err_t *err)
{
    static const char *const keys[] = {"name", "transform", "mean", "scale", "min", "max", NULL};
    int transform = 0;
    RC_PASS(rc_member_only(v, path, keys, err));
    RC_PASS(rc_member_text(v, path, "name", in->name, sizeof in->name, err));
    RC_PASS(rc_member_name(v, path, "transform", rc_transform_names, &transform, err));
    RC_PASS(rc_member_real(v, path, "mean", &in->mean, err));
    RC_PASS(rc_member_real(v, path, "scale", &in->scale, err));
    RC_PASS(rc_member_real(v, path, "min", &in->min, err));
    RC_PASS(rc_member_real(v, path, "max", &in->max, err));
    in->transform = (rc_transform_t)transform;
    if (in->scale < LEAST_SCALE)
        return rc_member_wrong(json_object_get(v, "scale"), path, "scale", "a number above 0", err);
    if (in->max < in->min)
        return rc_member_wrong(json_object_get(v, "max"), path, "max", "at least min", err);
    return RC_OK;
}

static rc_status_t read_inputs(const json_t *root, rc_model_t *m, rc_err_t *err)
{
    const json_t *list;
    RC_PASS(rc_member_array(root, "", "inputs", 1, INPUTS_MAX, &list, err));
    int n = (int)json_array_size(list);
    RC_PASS(RC_NEW0(m->input, n, "the inputs of a model", err));
    m->inputs = n;
    for (int i = 0; i < n; i++) {
        char path[PATH];
        snprintf(path, sizeof path, "inputs[%d]", i);
        RC_PASS(read_input(json_array_get(list, (size_t)i), path, &m->input[i], err));
        for (int j = 0; j < i; j++)
            if (strcmp(m->input[j].name, m->input[i].name) == 0)
                return rc_fail(err, RC_EFORMAT,
                    "%s.name: expected another than that of inputs[%d], found '%s'", path, j,
                    m->input[i].name);
        if (strcmp(m->input[i].name, "k") == 0 && !rc_model_operation_has_k(m->operation))
            return rc_fail(err, RC_EFORMAT, "%s.name: expected no K in a model of %s, found 'k'",
                path, rc_model_operation(m));
    }
    return RC_OK;
}

static rc_status_t read_abilities(
    const json_t *v, const char *path, rc_model_class_t *c, rc_err_t *err)
{
    int deterministic = 0;
    RC_PASS(rc_member_name(v, path, "layout", rc_layout_bit_names, &c->layout, err));
    RC_PASS(rc_member_name(v, path, "deterministic", rc_deterministic_names, &deterministic, err));
    c->deterministic = (rc_deterministic_t)deterministic;
    if (json_is_null(json_object_get(v, "memory")))
        return RC_OK;
    RC_PASS(rc_member_real(v, path, "memory", &c->memory, err));
    if (!(c->memory > 0))
        return rc_member_wrong(
            json_object_get(v, "memory"), path, "memory", "null or a number above 0", err);
    return RC_OK;
}

static rc_status_t read_class(
    const json_t *v, const char *path, int32_t version, rc_model_class_t *c, rc_err_t *err)
{
    static const char *const keys[] = {"name", "policy", "policy_version", "kernel",
        "kernel_version", "geometry", "layout", "deterministic", "memory", NULL};
    RC_PASS(rc_member_only(v, path, keys, err));
    RC_PASS(rc_member_text(v, path, "name", c->name, sizeof c->name, err));
    RC_PASS(rc_member_text(v, path, "policy", c->policy, sizeof c->policy, err));
    RC_PASS(rc_member_int(v, path, "policy_version", 1, INT32_MAX, &c->policy_version, err));
    RC_PASS(rc_member_text(v, path, "kernel", c->kernel, sizeof c->kernel, err));
    RC_PASS(rc_member_int(v, path, "kernel_version", 1, INT32_MAX, &c->kernel_version, err));
    if (json_object_get(v, "geometry"))
        RC_PASS(read_geometries(v, path, &c->geometry, err));
    if (version > 1)
        RC_PASS(read_abilities(v, path, c, err));
    return RC_OK;
}

static rc_status_t read_classes(const json_t *root, rc_model_t *m, rc_err_t *err)
{
    const json_t *list;
    RC_PASS(rc_member_array(root, "", "classes", 1, CLASSES_MAX, &list, err));
    int n = (int)json_array_size(list);
    RC_PASS(RC_NEW0(m->cls, n, "the classes of a model", err));
    m->classes = n;
    for (int c = 0; c < n; c++) {
        char path[PATH];
        snprintf(path, sizeof path, "classes[%d]", c);
        RC_PASS(
            read_class(json_array_get(list, (size_t)c), path, m->file_version, &m->cls[c], err));
        for (int j = 0; j < c; j++)
            if (strcmp(m->cls[j].name, m->cls[c].name) == 0)
                return rc_fail(err, RC_EFORMAT,
                    "%s.name: expected another than that of classes[%d], found '%s'", path, j,
                    m->cls[c].name);
        if (m->task == RC_TASK_ORDER && strcmp(m->cls[0].kernel, m->cls[c].kernel) != 0)
            return rc_fail(err, RC_EFORMAT,
                "%s.kernel: expected that of classes[0] in a model of task order, found '%s'", path,
                m->cls[c].kernel);
    }
    return RC_OK;
}

static rc_status_t read_baseline(const json_t *root, rc_model_t *m, rc_err_t *err)
{
    char name[RC_CLASS_NAME_MAX + 1];
    RC_PASS(rc_member_text(root, "", "baseline", name, sizeof name, err));
    for (int c = 0; c < m->classes; c++)
        if (strcmp(m->cls[c].name, name) == 0) {
            m->baseline = c;
            return RC_OK;
        }
    return rc_member_wrong(
        json_object_get(root, "baseline"), "", "baseline", "the name of a class", err);
}

static rc_status_t read_cost(
    const json_t *v, const char *path, int inputs, rc_model_cost_t *cost, rc_err_t *err)
{
    RC_PASS(RC_NEW(cost->weight, (size_t)inputs + 1, "the costs of a model", err));
    RC_PASS(rc_member_real(v, path, "min_log_ns", &cost->min, err));
    RC_PASS(rc_member_real(v, path, "max_log_ns", &cost->max, err));
    if (cost->max < cost->min)
        RC_PASS(rc_member_wrong(
            json_object_get(v, "max_log_ns"), path, "max_log_ns", "at least min_log_ns", err));
    return rc_numbers_real(v, path, "weights", (size_t)inputs + 1, cost->weight, err);
}

static rc_status_t read_setup_of(const json_t *v, int c, rc_model_t *m, rc_err_t *err)
{
    static const char *const keys[] = {"class", "min_log_ns", "max_log_ns", "weights", NULL};
    char path[PATH];
    snprintf(path, sizeof path, "setup[%d]", c);
    RC_PASS(rc_member_only(v, path, keys, err));
    const char *name = json_string_value(json_object_get(v, "class"));
    if (!name || strcmp(name, m->cls[c].name) != 0)
        RC_PASS(rc_member_wrong(json_object_get(v, "class"), path, "class",
            "the name of the class at this index", err));
    return read_cost(v, path, m->inputs, &m->setup[c], err);
}

static rc_status_t read_setup(const json_t *root, rc_model_t *m, rc_err_t *err)
{
    const json_t *list;
    if (json_is_null(json_object_get(root, "setup")))
        return RC_OK;
    RC_PASS(rc_member_array(root, "", "setup", m->classes, m->classes, &list, err));
    m->setup = rc_alloc0((size_t)m->classes, sizeof *m->setup, "the setup times of a model", err);
    rc_status_t st = m->setup ? RC_OK : RC_ENOMEM;
    for (int c = 0; c < m->classes && st == RC_OK; c++)
        st = read_setup_of(json_array_get(list, (size_t)c), c, m, err);
    return st;
}

static rc_status_t read_featurise(const json_t *root, rc_model_t *m, rc_err_t *err)
{
    static const char *const keys[] = {"min_log_ns", "max_log_ns", "weights", NULL};
    const json_t *v = json_object_get(root, "featurise");
    if (json_is_null(v) || m->file_version == 1)
        return RC_OK;
    RC_PASS(rc_member_only(v, "featurise", keys, err));
    return read_cost(v, "featurise", m->inputs, &m->featurise, err);
}

/* What files of version 1 say of K: the option of the fit, and the range of the input. */
static rc_status_t derive_ks(rc_model_t *m, rc_err_t *err)
{
    const json_t *selection = json_object_get(m->training, "selection");
    const char *asked = json_string_value(json_object_get(selection, "k"));
    int64_t k[KS_MAX];
    int n = 0;
    int is_n = 0;
    rc_words_t words = {0};
    rc_status_t st = RC_OK;
    if (asked && rc_words_split(asked, ',', &words, err) < 0)
        return err && err->status == RC_ENOMEM ? RC_ENOMEM : RC_OK;
    for (int i = 0; i < words.count && n < KS_MAX; i++) {
        is_n |= strcmp(words.word[i], "n") == 0;
        n += rc_parse_int(words.word[i], 1, INT32_MAX, "K", &k[n], NULL) == RC_OK;
    }
    rc_words_free(&words);
    for (int i = 0; !asked && i < m->inputs; i++)
        if (strcmp(m->input[i].name, "k") == 0 && m->input[i].max >= 1 &&
            m->input[i].max <= INT32_MAX) {
            k[n++] = m->input[i].min >= 1 ? (int64_t)ceil(m->input[i].min) : 1;
            k[n++] = (int64_t)m->input[i].max;
        }
    return n || is_n ? rc_model_set_ks(m, k, n, is_n, err) : st;
}

static rc_status_t read_domain(const json_t *root, rc_model_t *m, rc_err_t *err)
{
    static const char *const keys[] = {"k", "c_order", NULL};
    static const char *const c_orders[] = {"original", NULL};
    const json_t *v;
    const json_t *list;
    int64_t k[KS_MAX];
    int n = 0;
    int is_n = 0;
    int c_order = 0;
    if (m->file_version == 1)
        return derive_ks(m, err);
    RC_PASS(rc_member_object(root, "", "domain", &v, err));
    RC_PASS(rc_member_only(v, "domain", keys, err));
    RC_PASS(rc_member_name(v, "domain", "c_order", c_orders, &c_order, err));
    if (json_is_null(json_object_get(v, "k")))
        return RC_OK;
    RC_PASS(rc_member_array(v, "domain", "k", 1, KS_MAX, &list, err));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *word = json_string_value(one);
        char path[PATH];
        snprintf(path, sizeof path, "domain.k[%zu]", i);
        if (word && strcmp(word, "n") == 0 && i + 1 == json_array_size(list))
            is_n = 1;
        else if (json_is_integer(one) && json_integer_value(one) > (n ? k[n - 1] : 0))
            k[n++] = json_integer_value(one);
        else
            RC_PASS(rc_member_wrong(
                one, path, NULL, "whole numbers above 0, ascending, and at last 'n'", err));
    }
    return rc_model_set_ks(m, k, n, is_n, err);
}

static rc_status_t unknown_predictor(const char *kind, rc_err_t *err)
{
    rc_str_t list = {0};
    for (int i = 0; rc_predictor_kinds[i]; i++)
        rc_str_addf(&list, "%s%s", i ? ", " : "", rc_predictor_kinds[i]->name);
    rc_fail(err, RC_ENOTSUP, "predictor.kind: this library has %s, found '%s'",
        list.text && !list.failed ? list.text : "none", kind);
    rc_str_free(&list);
    return RC_ENOTSUP;
}

static rc_status_t read_predictor(const json_t *root, rc_model_t *m, rc_err_t *err)
{
    static const char *const keys[] = {"kind", "version", "state", NULL};
    const json_t *v;
    const json_t *state;
    char kind[32];
    int32_t version;
    rc_status_t st;
    RC_TRY(rc_member_object(root, "", "predictor", &v, err));
    RC_TRY(rc_member_only(v, "predictor", keys, err));
    RC_TRY(rc_member_text(v, "predictor", "kind", kind, sizeof kind, err));
    RC_TRY(rc_member_int(v, "predictor", "version", 1, INT32_MAX, &version, err));
    const rc_predictor_kind_t *k = rc_predictor_find(kind);
    if (!k)
        RC_TRY(unknown_predictor(kind, err));
    if (k->version != version)
        RC_TRY(rc_fail(err, RC_ENOTSUP, "predictor: this library has %s@%d, found %s@%d", k->name,
            k->version, kind, (int)version));
    RC_TRY(rc_member_object(v, "predictor", "state", &state, err));
    st = k->read(state, m->inputs, m->classes, &m->predictor.state, err);
    if (st == RC_OK)
        m->predictor.kind = k;
    else
        rc_err_context(err, "predictor.state");
done:
    return st;
}

/* Free-form objects for people and for evaluation. */
static rc_status_t read_notes(const json_t *root, const char *key, json_t **out, rc_err_t *err)
{
    json_t *v = json_object_get(root, key);
    if (v && !json_is_object(v) && !json_is_null(v))
        return rc_member_wrong(v, "", key, "an object", err);
    *out = json_is_object(v) ? json_incref(v) : NULL;
    return RC_OK;
}

rc_status_t rc_model_from_json(const json_t *root, rc_model_t **out, rc_err_t *err)
{
    rc_model_t *m = rc_model_new(err);
    RC_PASS(m ? RC_OK : RC_ENOMEM);
    rc_status_t st;
    RC_TRY(read_head(root, &m->file_version, err));
    RC_TRY(read_words(root, m, err));
    RC_TRY(read_features(root, m, err));
    RC_TRY(read_inputs(root, m, err));
    RC_TRY(read_classes(root, m, err));
    RC_TRY(read_baseline(root, m, err));
    RC_TRY(read_setup(root, m, err));
    RC_TRY(read_featurise(root, m, err));
    RC_TRY(read_predictor(root, m, err));
    RC_TRY(read_notes(root, "training", &m->training, err));
    RC_TRY(read_domain(root, m, err));
    RC_TRY(read_notes(root, "evaluation", &m->evaluation, err));
    *out = m;
    m = NULL;
done:
    rc_model_free(m);
    return st;
}

/* ------------------------------------------------------------------- check */

static rc_status_t check_features(const rc_model_t *m, const char *name, rc_err_t *err)
{
    const rc_feature_set_t *set = rc_feature_set_find(m->feature_set);
    if (!set)
        return rc_fail(err, RC_ENOTSUP,
            "%s: fitted on the feature set %s@%d, which this library does not have", name,
            m->feature_set, (int)m->feature_version);
    if (set->version != m->feature_version)
        return rc_fail(err, RC_ENOTSUP,
            "%s: fitted on the feature set %s@%d, this library has %s@%d", name, m->feature_set,
            (int)m->feature_version, set->name, set->version);
    for (int i = 0; i < m->inputs; i++) {
        const char *own = m->input[i].name;
        if (strcmp(own, "k") != 0 && strcmp(own, "value_bytes") != 0 && !rc_feature_find(set, own))
            return rc_fail(err, RC_ENOTSUP,
                "%s: inputs[%d] is '%s', expected k, value_bytes or a feature of %s@%d", name, i,
                own, set->name, set->version);
    }
    return RC_OK;
}

rc_status_t rc_model_check(const rc_model_t *m, const char *name, rc_err_t *err)
{
    rc_status_t st = check_features(m, name, err);
    for (int c = 0; c < m->classes && st == RC_OK; c++) {
        const rc_model_class_t *k = &m->cls[c];
        const rc_policy_t *p = NULL;
        rc_policy_spec_t spec;
        rc_err_t why = {0};
        rc_status_t parsed = rc_policy_spec_parse(k->policy, &spec, &why);
        if (parsed == RC_OK)
            p = spec.policy;
        if (parsed == RC_ENOMEM)
            st = rc_fail(err, RC_ENOMEM, "%s", why.text);
        else if (!p)
            st = rc_fail(err, RC_ENOTSUP,
                "%s: class %s was fitted with the order %s@%d, which this library does not have "
                "(%.160s)",
                name, k->name, k->policy, (int)k->policy_version, why.text);
        else if (p->version != k->policy_version)
            st = rc_fail(err, RC_ENOTSUP,
                "%s: class %s was fitted with the order %s@%d, this library has %s@%d", name,
                k->name, k->policy, (int)k->policy_version, p->name, p->version);
    }
    return st;
}

/* ------------------------------------------------------------------- calls */

/* \param[in] root  taken; NULL: what was read is no JSON, see `at` */
static rc_status_t make(
    json_t *root, const json_error_t *at, const char *name, rc_model_t **out, rc_err_t *err)
{
    if (!root)
        return rc_fail(err, RC_EFORMAT, "%s:%d:%d: expected JSON, found: %s", name, at->line,
            at->column, at->text);
    rc_model_t *m = NULL;
    rc_status_t st = rc_model_from_json(root, &m, err);
    json_decref(root);
    if (st < 0) {
        rc_err_context(err, "%s", name);
        return st;
    }
    st = rc_model_check(m, name, err);
    if (st < 0)
        rc_model_free(m);
    else
        *out = m;
    return st;
}

rc_status_t rc_model_parse(
    const char *text, size_t bytes, const char *name, rc_model_t **out, rc_err_t *err)
{
    json_error_t at;
    return make(json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &at), &at, name, out, err);
}

rc_status_t rc_model_read(const char *path, rc_model_t **out, rc_err_t *err)
{
    FILE *f;
    json_error_t at;
    if (!path || !out)
        return rc_fail(err, RC_EINVAL, "model: no path or no output");
    RC_PASS(rc_open_given(path, &f, err));
    json_t *root = json_loadf(f, JSON_REJECT_DUPLICATES, &at);
    int why = ferror(f) ? errno : 0;
    fclose(f);
    if (!why)
        return make(root, &at, path, out, err);
    json_decref(root);
    return rc_fail_errno(err, RC_EIO, why, "cannot read '%s'", path);
}
