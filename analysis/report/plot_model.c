#include "config.h"
#include "analysis/evaluation.h"
#include "base/type.h"
#include "analysis/report/plot_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void rc_plot_model_lacks(rc_plot_text_t *text, const char *what)
{
    rc_str_addf(&text->missing,
        "the model file carries no %s: `rowcast train STORE -o MODEL` writes one that does", what);
}

static int name_is(const json_t *part, const char *name)
{
    const char *own = json_string_value(json_object_get(part, "name"));
    return own && strcmp(own, name) == 0;
}

const json_t *rc_plot_part(
    const rc_plot_input_t *in, const json_t *evaluation, const char *device, int setting)
{
    char name[64];
    size_t i;
    const json_t *one;
    const rc_survey_setting_t *a = &in->survey->setting[setting];
    const rc_setting_t *x = &a->setting;
    if (x->c_order != 0 || x->cache != 0 || (device && strcmp(a->device, device) != 0))
        return NULL;
    rc_evaluation_k_name(x->k, x->is_n, rc_type(x->precision)->bytes, name, sizeof name);
    json_array_foreach(
        json_object_get(evaluation, "by_k"), i, one) if (name_is(one, name)) return one;
    return NULL;
}

int rc_plot_home_part(const rc_plot_input_t *in, const json_t *evaluation, const char *device)
{
    const rc_survey_t *s = in->survey;
    int best = s->main_setting;
    if (best >= 0 && rc_plot_part(in, evaluation, device, best))
        return best;
    best = -1;
    for (int a = 0; a < s->settings; a++)
        if (rc_plot_part(in, evaluation, device, a) &&
            (best < 0 || s->setting[a].pairs > s->setting[best].pairs))
            best = a;
    return best;
}

int rc_plot_home_model(const rc_plot_input_t *in)
{
    const json_t *e = json_object_get(in->model_file, "evaluation");
    return in->model ? rc_plot_home_part(in, e, in->model->device) : -1;
}

int rc_plot_evaluation(const rc_plot_input_t *in, rc_plot_evaluation_t *out, rc_plot_text_t *text)
{
    const json_t *e = json_object_get(in->model_file, "evaluation");
    const json_t *part = in->shown >= 0 ? rc_plot_part(in, e, in->model->device, in->shown) : e;
    *out = (rc_plot_evaluation_t){.classes = json_object_get(e, "classes"),
        .confusion = json_object_get(part, "confusion"),
        .time_error = json_object_get(part, "time_error"),
        .rows = in->shown >= 0 ? part : json_object_get(e, "all"),
        .protocol = json_object_get(e, "protocol"),
        .label = in->shown >= 0 ? in->survey->setting[in->shown].label : NULL};
    if (json_array_size(out->classes) == 0)
        rc_plot_model_lacks(text, "evaluation");
    else if (!part)
        rc_str_add(&text->missing, "the model was not evaluated there");
    return text->missing.len == 0;
}

double rc_plot_json_at(const json_t *list, size_t i)
{
    const json_t *x = json_array_get(list, i);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

const char *rc_plot_json_text(const json_t *list, size_t i)
{
    const char *text = json_string_value(json_array_get(list, i));
    return text ? text : "";
}

void rc_plot_model_rows(
    const rc_plot_input_t *in, const rc_plot_evaluation_t *e, rc_plot_text_t *text)
{
    const char *model = in->model_name ? in->model_name : "";
    const char *split = json_string_value(json_object_get(e->protocol, "split"));
    json_int_t folds = json_integer_value(json_object_get(e->protocol, "folds"));
    rc_str_t title = {0};
    rc_str_addf(&text->caption,
        " %" JSON_INTEGER_FORMAT " rows (matrix, K, precision) of %" JSON_INTEGER_FORMAT
        " matrices that the fit had not seen",
        json_integer_value(json_object_get(e->rows, "rows")),
        json_integer_value(json_object_get(e->rows, "matrices")));
    if (e->label)
        rc_str_addf(&text->caption, ", %s", e->label);
    if (split)
        rc_str_addf(&text->caption, ", split by %s", split);
    if (folds > 1)
        rc_str_addf(&text->caption, " in %" JSON_INTEGER_FORMAT " folds", folds);
    rc_str_addf(&text->caption, "; model %s.", model);
    rc_str_addf(&title, "%s%s%s", model, e->label ? ", " : "", e->label ? e->label : "");
    rc_plot_define_text(text, "SUBTITLE", title.text ? title.text : "");
    text->define.failed |= title.failed;
    rc_str_free(&title);
}

void rc_plot_define_texts(rc_plot_text_t *t, const char *name, const json_t *list)
{
    char element[48];
    rc_str_addf(&t->define, "array %s[%zu]\n", name, json_array_size(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        snprintf(element, sizeof element, "%s[%zu]", name, i + 1);
        rc_plot_define_text(t, element, rc_plot_json_text(list, i));
    }
}
