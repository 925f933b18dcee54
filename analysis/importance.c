#include "config.h"
#include "analysis/importance.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

enum { MEMBERS = 4 };
static const char *const members[MEMBERS] = {"weight", "gain", "folds_weight", "folds_gain"};

static double *member(const rc_importance_t *i, int number)
{
    double *const all[MEMBERS] = {i->weight, i->gain, i->folds_weight, i->folds_gain};
    return all[number];
}

rc_status_t rc_importance_new(int inputs, rc_importance_t *out, rc_err_t *err)
{
    size_t n = (size_t)inputs;
    *out = (rc_importance_t){0};
    out->weight = rc_pool_get0(&out->memory, n, sizeof(double));
    out->gain = rc_pool_get0(&out->memory, n, sizeof(double));
    out->folds_weight = rc_pool_get0(&out->memory, n, sizeof(double));
    out->folds_gain = rc_pool_get0(&out->memory, n, sizeof(double));
    return rc_pool_check(&out->memory, "importances", err);
}

void rc_importance_free(rc_importance_t *i)
{
    rc_pool_free(&i->memory);
    *i = (rc_importance_t){0};
}

void rc_importance_add(int inputs, const double *splits, const double *gains, double factor,
    double *weight, double *gain)
{
    double all_splits = 0;
    double all_gains = 0;
    for (int i = 0; i < inputs; i++) {
        all_splits += splits[i];
        all_gains += splits[i] > 0 ? gains[i] / splits[i] : 0;
    }
    for (int i = 0; i < inputs; i++) {
        if (splits[i] > 0)
            weight[i] += factor * splits[i] / all_splits;
        if (splits[i] > 0 && all_gains > 0)
            gain[i] += factor * gains[i] / splits[i] / all_gains;
    }
}

rc_status_t rc_importance_record(rc_model_t *m, const rc_importance_t *imp, rc_err_t *err)
{
    json_t *to = json_object();
    json_t *names = json_array();
    int rc = to && names ? 0 : -1;
    for (int i = 0; i < m->inputs && rc == 0; i++)
        rc = json_array_append_new(names, json_string(m->input[i].name));
    for (int k = 0; k < MEMBERS && rc == 0; k++) {
        json_t *list = json_array();
        for (int i = 0; i < m->inputs && rc == 0; i++)
            rc = json_array_append_new(list, json_real(member(imp, k)[i]));
        rc |= json_object_set_new(to, members[k], list);
    }
    if (rc == 0)
        rc = json_object_set(to, "inputs", names);
    if (rc == 0)
        rc = json_object_set(m->training, "importance", to);
    json_decref(names);
    json_decref(to);
    return rc ? rc_fail(err, RC_ENOMEM, "no memory to describe a fit") : RC_OK;
}

rc_status_t rc_importance_read(const rc_model_t *m, rc_importance_t *out, rc_err_t *err)
{
    const json_t *from = m->training ? json_object_get(m->training, "importance") : NULL;
    const json_t *names = json_object_get(from, "inputs");
    rc_importance_t imp;
    if (!from)
        return rc_fail(err, RC_EINVAL,
            "a model of kind %s has no importances: those of xgboost-nisa have", m->kind);
    int broken = json_array_size(names) != (size_t)m->inputs;
    rc_status_t st = rc_importance_new(m->inputs, &imp, err);
    for (int k = 0; st == RC_OK && k < MEMBERS && !broken; k++) {
        const json_t *list = json_object_get(from, members[k]);
        for (int i = 0; i < m->inputs && !broken; i++) {
            const json_t *value = json_array_get(list, (size_t)i);
            const char *name = json_string_value(json_array_get(names, (size_t)i));
            broken = !json_is_number(value) || !name || strcmp(name, m->input[i].name) != 0;
            member(&imp, k)[i] = json_number_value(value);
        }
    }
    if (st == RC_OK && broken)
        st = rc_fail(err, RC_EINVAL,
            "training.importance: expected %s, %s, %s and %s of each of %d inputs", members[0],
            members[1], members[2], members[3], m->inputs);
    if (st < 0)
        rc_importance_free(&imp);
    else
        *out = imp;
    return st;
}

/* "k" and "value_bytes" are no features. */
static int is_feature(const rc_model_input_t *in)
{
    return strcmp(in->name, "k") != 0 && strcmp(in->name, "value_bytes") != 0;
}

rc_status_t rc_importance_top(const rc_model_t *m, int count, rc_str_t *list, rc_err_t *err)
{
    rc_importance_t imp;
    int features = 0;
    for (int i = 0; i < m->inputs; i++)
        features += is_feature(&m->input[i]);
    if (count < 1 || count > features)
        return rc_fail(
            err, RC_EINVAL, "expected 1 to %d features of the model, found %d", features, count);
    RC_PASS(rc_importance_read(m, &imp, err));
    for (int i = 0; i < m->inputs; i++) /* what is no feature comes after all */
        imp.folds_weight[i] = is_feature(&m->input[i]) ? imp.folds_weight[i] : -INFINITY;
    for (int i = 0; i < m->inputs; i++)
        if (rc_importance_rank(imp.folds_weight, m->inputs, i) < count)
            rc_str_addf(list, "%s%s", list->text ? "," : "", m->input[i].name);
    rc_importance_free(&imp);
    return list->failed ? rc_fail(err, RC_ENOMEM, "no memory for a list of features") : RC_OK;
}

int rc_importance_rank(const double *weight, int n, int i)
{
    int ahead = 0;
    for (int k = 0; k < n; k++)
        ahead += weight[k] > weight[i] || (weight[k] == weight[i] && k < i);
    return ahead;
}
