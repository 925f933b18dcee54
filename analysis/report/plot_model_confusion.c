#include "config.h"
#include "analysis/report/plot_model.h"

#include <math.h>
#include <string.h>

/* Letters of a name that fit beside and above the cells. */
enum { NAME_MAX_INSIDE = 10 };

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    rc_plot_evaluation_t e;
    int there = rc_plot_evaluation(in, &e, text);
    const json_t *cells = json_object_get(e.confusion, "rows_best_by_chosen");
    const json_t *losses = json_object_get(e.confusion, "loss_mean_best_by_chosen");
    const json_t *classes = e.classes;
    size_t n = json_array_size(classes);
    (void)err;
    if (!there)
        return RC_OK;
    if (json_array_size(cells) != n || json_array_size(losses) != n) {
        rc_plot_model_lacks(text, "confusion matrix");
        return RC_OK;
    }
    fputs("best,chosen,rows,share of the rows of the best (%),mean loss (%)\n", csv);
    for (size_t i = 0; i < n; i++) {
        double all = 0;
        for (size_t k = 0; k < n; k++)
            all += fmax(0, rc_plot_json_at(json_array_get(cells, i), k));
        for (size_t k = 0; k < n; k++) {
            double rows = rc_plot_json_at(json_array_get(cells, i), k);
            rc_plot_put_text(csv, rc_plot_json_text(classes, i));
            fputc(',', csv);
            rc_plot_put_text(csv, rc_plot_json_text(classes, k));
            fprintf(csv, ",%.0f,%.4f,", rows, all > 0 ? 100 * rows / all : 0);
            rc_plot_put_number(csv, 100 * rc_plot_json_at(json_array_get(losses, i), k));
            fputc('\n', csv);
        }
    }
    rc_plot_define_texts(text, "CLASS", classes);
    size_t longest = 0;
    for (size_t i = 0; i < n; i++)
        longest = strlen(rc_plot_json_text(classes, i)) > longest
                      ? strlen(rc_plot_json_text(classes, i))
                      : longest;
    int numbered = longest > NAME_MAX_INSIDE || n > 6;
    /* long names are below, and numbers stand for them */
    rc_str_addf(&text->define,
        "CLASSES = %zu\nNUMBERED = %d\nCELL = %d\nHEIGHT = 60 + CLASSES * (CELL + %d)\n", n,
        numbered, n > 6 ? 46 : 64, numbered ? 20 : 0);
    rc_str_add(&text->caption,
        "Rows by the class that is best (down) and the one that is chosen (across): how many, and "
        "their mean loss, the time of the choice over that of the best less 1. The filled part of "
        "a cell is its share "
        "of the line.");
    rc_plot_model_rows(in, &e, text);
    return RC_OK;
}

const rc_plot_t rc_plot_model_confusion = {
    .name = "model-confusion",
    .title = "What is chosen where what is best, and what that loses",
    .source = "Mehrabi et al., figure 13",
    .section = "Model",
    .needs_model = 1,
    .home = rc_plot_home_model,
    .write = write,
};
