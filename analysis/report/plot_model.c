#include "config.h"
#include "analysis/report/plot_model.h"

#include <inttypes.h>
#include <math.h>

void rc_plot_model_lacks(rc_plot_text_t *text, const char *what)
{
    rc_str_addf(&text->missing,
        "the model file carries no %s: `rowcast train STORE -o MODEL` writes one that does", what);
}

const json_t *rc_plot_evaluation(const rc_plot_input_t *in, rc_plot_text_t *text)
{
    const json_t *e = json_object_get(in->model_file, "evaluation");
    if (json_array_size(json_object_get(e, "classes")) > 0)
        return e;
    rc_plot_model_lacks(text, "evaluation");
    return NULL;
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

void rc_plot_model_rows(const rc_plot_input_t *in, const json_t *evaluation, rc_plot_text_t *text)
{
    const json_t *all = json_object_get(evaluation, "all");
    const json_t *protocol = json_object_get(evaluation, "protocol");
    const char *split = json_string_value(json_object_get(protocol, "split"));
    json_int_t folds = json_integer_value(json_object_get(protocol, "folds"));
    rc_str_addf(&text->caption,
        " %" JSON_INTEGER_FORMAT " rows (matrix, K, precision) of %" JSON_INTEGER_FORMAT
        " matrices that the fit had not seen",
        json_integer_value(json_object_get(all, "rows")),
        json_integer_value(json_object_get(all, "matrices")));
    if (split)
        rc_str_addf(&text->caption, ", split by %s", split);
    if (folds > 1)
        rc_str_addf(&text->caption, " in %" JSON_INTEGER_FORMAT " folds", folds);
    rc_str_addf(&text->caption, "; model %s.", in->model_name ? in->model_name : "");
    rc_plot_define_text(text, "SUBTITLE", in->model_name ? in->model_name : "");
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
