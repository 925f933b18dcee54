#include "config.h"
#include "analysis/report/plot_model.h"

#include <math.h>

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    rc_plot_evaluation_t e;
    int there = rc_plot_evaluation(in, &e, text);
    const json_t *cells = json_object_get(e.confusion, "rows_best_by_chosen");
    const json_t *classes = e.classes;
    size_t n = json_array_size(classes);
    double all = 0;
    (void)err;
    if (!there)
        return RC_OK;
    if (json_array_size(cells) != n) {
        rc_plot_model_lacks(text, "confusion matrix");
        return RC_OK;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            all += fmax(0, rc_plot_json_at(json_array_get(cells, i), k));
    fputs("class,rows that it is best on,share (%)\n", csv);
    for (size_t i = 0; i < n; i++) {
        double rows = 0;
        for (size_t k = 0; k < n; k++)
            rows += fmax(0, rc_plot_json_at(json_array_get(cells, i), k));
        rc_plot_put_text(csv, rc_plot_json_text(classes, i));
        fprintf(csv, ",%.0f,%.4f\n", rows, all > 0 ? 100 * rows / all : 0);
    }
    rc_plot_define_texts(text, "CLASS", classes);
    rc_str_addf(&text->define, "CLASSES = %zu\nHEIGHT = %zu\n", n, 70 + 44 * n);
    rc_str_add(&text->caption, "How often each class is the best one.");
    rc_plot_model_rows(in, &e, text);
    return RC_OK;
}

const rc_plot_t rc_plot_model_classes = {
    .name = "model-classes",
    .title = "Which class is best, and how often",
    .source = "Mehrabi et al., figure 11",
    .section = "Model",
    .needs_model = 1,
    .home = rc_plot_home_model,
    .write = write,
};
