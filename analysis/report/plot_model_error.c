#include "config.h"
#include "analysis/report/plot_block.h"
#include "analysis/report/plot_model.h"

#include <math.h>

/* Curves that can be told apart: all classes together, then the first ones. */
enum { CURVES = 7 };

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    rc_plot_evaluation_t e;
    int there = rc_plot_evaluation(in, &e, text);
    const json_t *quantile = json_object_get(e.time_error, "quantiles");
    const json_t *list = json_object_get(e.time_error, "absolute_relative_error");
    size_t n = json_array_size(list);
    size_t curves = n > CURVES ? CURVES : n;
    char name[32];
    (void)err;
    if (!there)
        return RC_OK;
    if (n == 0 || json_array_size(quantile) == 0) {
        rc_str_add(&text->missing, "the model predicts no times, so they have no error");
        return RC_OK;
    }
    fputs("class,share of predictions (%),absolute error of at most (%)\n", csv);
    rc_plot_block_begin(text, "CURVES");
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i);
        const json_t *at = json_object_get(one, "at_quantiles");
        const char *class = json_string_value(json_object_get(one, "class"));
        for (size_t k = 0; k < json_array_size(quantile); k++) {
            double share = 100 * rc_plot_json_at(quantile, k);
            double x = 100 * rc_plot_json_at(at, k);
            rc_plot_put_text(csv, class ? class : "");
            fprintf(csv, ",%.6g,", share);
            rc_plot_put_number(csv, x);
            fputc('\n', csv);
            if (i < curves && x > 0)
                rc_str_addf(&text->define, "%.5g,%.5g\n", x, share);
        }
        if (i < curves)
            rc_str_add(&text->define, "NaN,NaN\n\n\n");
    }
    rc_plot_block_end(text);
    rc_str_addf(&text->define, "CURVES = %zu\narray CURVE[CURVES]\nHEIGHT = %zu\n", curves,
        330 + 22 * curves);
    for (size_t i = 0; i < curves; i++) {
        const char *class = json_string_value(json_object_get(json_array_get(list, i), "class"));
        snprintf(name, sizeof name, "CURVE[%zu]", i + 1);
        rc_plot_define_text(text, name, class ? class : "");
    }
    rc_str_add(&text->caption, "Cumulative share of predicted times by their absolute error.");
    rc_plot_model_rows(in, &e, text);
    if (n > curves)
        rc_str_addf(&text->caption, " %zu further classes are in the CSV.", n - curves);
    return RC_OK;
}

const rc_plot_t rc_plot_model_error = {
    .name = "model-error",
    .title = "Error of the predicted times",
    .source = "Mehrabi et al., figure 12",
    .section = "Model",
    .needs_model = 1,
    .home = rc_plot_home_model,
    .write = write,
};
