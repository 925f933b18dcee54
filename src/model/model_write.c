#include "config.h"
#include "base/error.h"
#include "base/replace.h"
#include "base/str.h"
#include "model/model.h"
#include "model/member.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- text */

enum {
    PER_LINE = 8, /* numbers of an array in a line */
    HOW = JSON_ENCODE_ANY | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17)
};

static void add_dump(rc_str_t *s, const json_t *v)
{
    char *text = json_dumps(v, HOW);
    if (text)
        rc_str_add(s, text);
    else
        s->failed = 1;
    free(text);
}

static int is_container(const json_t *v)
{
    return json_is_object(v) || json_is_array(v);
}

/* No container inside: fits into a line, or is a list of numbers. */
static int is_flat(const json_t *v)
{
    const char *key;
    json_t *inner;
    size_t i;
    json_object_foreach((json_t *)v, key, inner) if (is_container(inner)) return 0;
    json_array_foreach(v, i, inner) if (is_container(inner)) return 0;
    return 1;
}

static void new_line(rc_str_t *s, int depth)
{
    rc_str_addf(s, "\n%*s", depth, "");
}

static void add_value(rc_str_t *s, const json_t *v, int depth)
{
    const char *key;
    json_t *inner;
    size_t i;
    if (!is_container(v) || (is_flat(v) && (json_is_object(v) || json_array_size(v) <= PER_LINE))) {
        add_dump(s, v);
    } else if (json_is_array(v)) {
        size_t step = is_flat(v) ? PER_LINE : 1;
        rc_str_add(s, "[");
        json_array_foreach(v, i, inner)
        {
            if (i)
                rc_str_add(s, i % step ? ", " : ",");
            if (i % step == 0)
                new_line(s, depth + 1);
            add_value(s, inner, depth + 1);
        }
        new_line(s, depth);
        rc_str_add(s, "]");
    } else {
        int first = 1;
        rc_str_add(s, "{");
        json_object_foreach((json_t *)v, key, inner)
        {
            rc_str_add(s, first ? "" : ",");
            first = 0;
            new_line(s, depth + 1);
            json_t *name = json_string(key);
            if (name)
                add_dump(s, name);
            else
                s->failed = 1;
            json_decref(name);
            rc_str_add(s, ": ");
            add_value(s, inner, depth + 1);
        }
        new_line(s, depth);
        rc_str_add(s, "}");
    }
}

/* ------------------------------------------------------------------- JSON */

static json_t *geometry_json(const rc_geometry_t *g)
{
    if (g->nw == 0)
        return json_null();
    return json_pack("{s:i, s:i, s:i}", "nw", (int)g->nw, "nt", (int)g->nt, "line", (int)g->line);
}

/* A value, or after a failure NULL. */
static json_t *whole(json_t *v, int failed)
{
    if (!failed)
        return v;
    json_decref(v);
    return NULL;
}

static json_t *inputs_json(const rc_model_t *m)
{
    json_t *list = json_array();
    int failed = 0;
    for (int i = 0; i < m->inputs; i++) {
        const rc_model_input_t *in = &m->input[i];
        failed |= json_array_append_new(
            list, json_pack("{s:s, s:s, s:f, s:f, s:f, s:f}", "name", in->name, "transform",
                      rc_transform_names[in->transform], "mean", in->mean, "scale", in->scale,
                      "min", in->min, "max", in->max));
    }
    return whole(list, failed);
}

static json_t *geometries_json(const rc_model_geometry_t *g)
{
    json_t *all = json_object();
    int failed = 0;
    for (int t = 0; t < RC_TYPES; t++)
        if (RC_MODEL_TYPES >> t & 1 || g->of[t].nw)
            failed |= json_object_set_new(
                all, rc_type((rc_precision_t)t)->name, geometry_json(&g->of[t]));
    return whole(all, failed);
}

static json_t *classes_json(const rc_model_t *m)
{
    json_t *list = json_array();
    int failed = 0;
    for (int c = 0; c < m->classes; c++) {
        const rc_model_class_t *k = &m->cls[c];
        json_t *one = json_pack("{s:s, s:s, s:i, s:s, s:i}", "name", k->name, "policy", k->policy,
            "policy_version", (int)k->policy_version, "kernel", k->kernel, "kernel_version",
            (int)k->kernel_version);
        if (rc_model_first_type(&k->geometry) < RC_TYPES)
            failed |= json_object_set_new(one, "geometry", geometries_json(&k->geometry));
        json_t *abilities = json_pack("{s:s, s:s, s:o}", "layout", rc_layout_bit_names[k->layout],
            "deterministic", rc_deterministic_names[k->deterministic], "memory",
            k->memory > 0 ? json_real(k->memory) : json_null());
        failed |= json_object_update(one, abilities);
        json_decref(abilities);
        failed |= json_array_append_new(list, one);
    }
    return whole(list, failed);
}

/* A cost with the members of `first` in front, which is taken over. */
static json_t *cost_json(const rc_model_t *m, json_t *first, const rc_model_cost_t *cost)
{
    int failed = json_object_set_new(first, "min_log_ns", json_real(cost->min));
    failed |= json_object_set_new(first, "max_log_ns", json_real(cost->max));
    failed |= first && rc_numbers_set_real(
                           first, "", "weights", cost->weight, (size_t)m->inputs + 1, NULL) < 0;
    return whole(first, failed);
}

static json_t *setup_json(const rc_model_t *m)
{
    if (!m->setup)
        return json_null();
    json_t *list = json_array();
    int failed = 0;
    for (int c = 0; c < m->classes; c++)
        failed |= json_array_append_new(
            list, cost_json(m, json_pack("{s:s}", "class", m->cls[c].name), &m->setup[c]));
    return whole(list, failed);
}

static json_t *domain_json(const rc_model_t *m)
{
    const rc_model_ks_t *ks = &m->ks;
    json_t *list = ks->count || ks->n ? json_array() : json_null();
    int failed = 0;
    for (int i = 0; i < ks->count; i++)
        failed |= json_array_append_new(list, json_integer((json_int_t)ks->k[i]));
    if (ks->n)
        failed |= json_array_append_new(list, json_string("n"));
    return json_pack("{s:o, s:s}", "k", whole(list, failed), "c_order", "original");
}

static json_t *root_json(const rc_model_t *m, rc_err_t *err)
{
    json_t *state = m->predictor.kind->write(m->predictor.state, err);
    if (!state)
        return NULL;
    json_t *features = json_pack("{s:s, s:i, s:o}", "set", m->feature_set, "version",
        (int)m->feature_version, "geometry", geometries_json(&m->geometry));
    json_t *predictor = json_pack("{s:s, s:i, s:o}", "kind", m->predictor.kind->name, "version",
        m->predictor.kind->version, "state", state);
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:i, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o}",
        "format", RC_MODEL_FORMAT, "version", (int)RC_MODEL_VERSION, "kind", m->kind,
        "kind_version", (int)m->kind_version, "task", rc_task_names[m->task], "operation",
        rc_model_operation(m), "output", rc_output_names[m->output], "device", m->device, "domain",
        domain_json(m), "features", features, "inputs", inputs_json(m), "classes", classes_json(m),
        "baseline", m->cls[m->baseline].name, "setup", setup_json(m), "featurise",
        m->featurise.weight ? cost_json(m, json_object(), &m->featurise) : json_null(), "predictor",
        predictor);
    int failed = !root;
    if (!failed && m->training)
        failed = json_object_set(root, "training", m->training);
    if (!failed && m->evaluation)
        failed = json_object_set(root, "evaluation", m->evaluation);
    if (!failed)
        return root;
    json_decref(root);
    rc_fail(err, RC_ENOMEM,
        "no memory for the JSON of a model (or a number in it is not finite, or a text not UTF-8)");
    return NULL;
}

/* ------------------------------------------------------------------- calls */

/* JSON has finite numbers alone; packing them says no place. */
static rc_status_t check_numbers(const rc_model_t *m, rc_err_t *err)
{
    if (m->baseline < 0 || m->baseline >= m->classes)
        return rc_fail(err, RC_EINVAL, "the baseline is no class of the model");
    for (int i = 0; i < m->inputs; i++) {
        const rc_model_input_t *in = &m->input[i];
        if (!isfinite(in->mean + in->scale + in->min + in->max))
            return rc_fail(err, RC_EINVAL, "input %d (%s): a number is not finite", i, in->name);
    }
    for (int c = 0; m->setup && c < m->classes; c++)
        for (int i = 0; i <= m->inputs; i++)
            if (!isfinite(m->setup[c].weight[i]))
                return rc_fail(err, RC_EINVAL, "class %s: a number of its setup time is not finite",
                    m->cls[c].name);
    return RC_OK;
}

char *rc_model_text(const rc_model_t *m, rc_err_t *err)
{
    rc_str_t s = {0};
    rc_model_t *copy = NULL;
    json_t *root = NULL;
    rc_status_t st;
    if (!m->predictor.kind)
        RC_TRY(rc_fail(err, RC_EINVAL, "the model has no predictor"));
    RC_TRY(check_numbers(m, err));
    root = root_json(m, err);
    RC_TRY(root ? RC_OK : RC_ENOMEM);
    st = rc_model_from_json(root, &copy, err); /* never write what cannot be read */
    if (st < 0) {
        if (st != RC_ENOMEM && err) {
            rc_err_context(err, "not a valid model");
            err->status = RC_EINVAL;
        }
        goto done;
    }
    add_value(&s, root, 0);
    rc_str_add(&s, "\n");
    if (s.failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for the text of a model");
done:
    rc_model_free(copy);
    json_decref(root);
    if (st < 0)
        rc_str_free(&s);
    return s.text;
}

rc_status_t rc_model_write(const rc_model_t *m, const char *path, rc_err_t *err)
{
    rc_err_t own = {0};
    char *text = rc_model_text(m, &own);
    if (!text)
        return rc_fail(err, own.status, "%s: %s", path, own.text);
    rc_replace_t r = {0};
    rc_status_t st = rc_replace_begin(path, &r, err);
    if (st == RC_OK) {
        fputs(text, r.file);
        st = rc_replace_end(&r, 1, err);
    }
    free(text);
    return st;
}
