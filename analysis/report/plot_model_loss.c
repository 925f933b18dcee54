#include "config.h"
#include "analysis/report/plot_model.h"

#include <math.h>

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    rc_plot_evaluation_t e;
    int there = rc_plot_evaluation(in, &e, text);
    const json_t *edge = json_object_get(e.rows, "loss_bin_upper_edges");
    const json_t *rows = json_object_get(e.rows, "loss_bin_rows");
    size_t n = json_array_size(rows);
    double sum = 0;
    double so_far = 0;
    (void)err;
    if (!there)
        return RC_OK;
    for (size_t i = 0; i < n; i++)
        sum += fmax(0, rc_plot_json_at(rows, i));
    if (n == 0 || json_array_size(edge) != n || sum <= 0) {
        rc_plot_model_lacks(text, "histogram of losses");
        return RC_OK;
    }
    fputs("loss above (%),loss of at most (%),rows,share (%),cumulative share (%)\n", csv);
    for (size_t i = 0; i < n; i++) {
        double count = fmax(0, rc_plot_json_at(rows, i));
        so_far += count;
        rc_plot_put_number(csv, i ? 100 * rc_plot_json_at(edge, i - 1) : 0);
        fputc(',', csv);
        rc_plot_put_number(csv, 100 * rc_plot_json_at(edge, i)); /* the last one is open */
        fprintf(csv, ",%.0f,%.4f,%.4f\n", count, 100 * count / sum, 100 * so_far / sum);
    }
    rc_str_addf(&text->define, "BINS = %zu\nHEIGHT = %zu\n", n, 80 + 26 * n);
    rc_str_add(&text->caption,
        "Rows by loss, the time of the choice over that of the best class less 1; a right choice "
        "loses nothing and is in the first bin.");
    const json_t *mean = json_object_get(json_object_get(e.rows, "loss_mean"), "value");
    if (json_is_number(mean))
        rc_str_addf(&text->caption, " Mean loss %.2f %%.", 100 * json_number_value(mean));
    rc_plot_model_rows(in, &e, text);
    return RC_OK;
}

const rc_plot_t rc_plot_model_loss = {
    .name = "model-loss",
    .title = "Loss against the best class",
    .source = "Mehrabi et al., figure 14",
    .section = "Model",
    .needs_model = 1,
    .home = rc_plot_home_model,
    .write = write,
};
