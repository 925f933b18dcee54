#include "config.h"
#include "analysis/report/plot_model.h"

#include <inttypes.h>
#include <math.h>

/* Its figures for the setting that is shown, over all rows where none is. */
static const json_t *rows_of(const rc_plot_input_t *in, const json_t *variant)
{
    const json_t *e = json_object_get(variant, "evaluation");
    return in->shown < 0 ? json_object_get(e, "all") : rc_plot_part(in, e, NULL, in->shown);
}

static int home(const rc_plot_input_t *in)
{
    const json_t *e = json_object_get(json_array_get(in->topologies, 0), "evaluation");
    return rc_plot_home_part(in, e, NULL);
}

static double mean_loss(const json_t *rows, const char *part)
{
    const json_t *x = json_object_get(json_object_get(rows, "loss_mean"), part);
    return json_is_number(x) ? 100 * json_number_value(x) : NAN;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const json_t *list = in->topologies;
    size_t lines = 0;
    (void)err;
    if (!list) {
        rc_str_add(&text->missing, "no evaluation of topologies was given (--topologies): `rowcast "
                                   "evaluate STORE --topologies -f json` makes one");
        return RC_OK;
    }
    fputs("topology,mean loss (%),95 % interval from (%),to (%)\n", csv);
    const json_t *rows = NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(one, "name"));
        const json_t *own = rows_of(in, one);
        double loss = mean_loss(own, "value");
        if (!name || isnan(loss))
            continue;
        rows = own;
        rc_plot_put_text(csv, name);
        fputc(',', csv);
        rc_plot_put_number(csv, loss);
        fputc(',', csv);
        rc_plot_put_number(csv, mean_loss(own, "low"));
        fputc(',', csv);
        rc_plot_put_number(csv, mean_loss(own, "high"));
        fputc('\n', csv);
        lines++;
    }
    if (lines == 0)
        rc_str_addf(&text->missing, "the file of topologies has no evaluation in it%s",
            in->shown < 0 ? "" : " of this product");
    rc_str_addf(&text->define, "LINES = %zu\nHEIGHT = %zu\n", lines, 80 + 30 * lines);
    rc_str_addf(&text->caption,
        "Mean loss against the best class of networks by their layers, and of simpler choosers, "
        "with 95 %% bootstrap intervals, over %" JSON_INTEGER_FORMAT " unseen rows%s%s.",
        json_integer_value(json_object_get(rows, "rows")), in->shown < 0 ? "" : ", ",
        in->shown < 0 ? "" : in->survey->setting[in->shown].label);
    if (in->shown >= 0)
        rc_plot_define_text(text, "SUBTITLE", in->survey->setting[in->shown].label);
    return RC_OK;
}

const rc_plot_t rc_plot_model_topologies = {
    .name = "model-topologies",
    .title = "Loss over the layers of the network",
    .source = "Mehrabi et al., figure 15",
    .section = "Model",
    .home = home,
    .write = write,
};
