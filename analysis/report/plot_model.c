/* Figures of the evaluation on unseen rows that a model file carries. */
#include "config.h"
#include "analysis/evaluation.h"
#include "analysis/report/plot_data.h"
#include "base/type.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* That evaluation, or its part of one K and precision.  Borrowed. */
typedef struct evaluation {
    const json_t *classes;
    const json_t *confusion;
    const json_t *time_error;
    const json_t *rows; /* how many they are, losses, speedups */
    const json_t *protocol;
    const char *label; /* "K = 128, fp32"; NULL: all rows */
} evaluation_t;

/* A figure of it: writes the CSV and the caption, or says what is missing.
 * \return how many classes it does not draw */
typedef struct figure {
    size_t (*put)(const evaluation_t *e, FILE *csv, rc_plot_text_t *text);
} figure_t;

/* Say that an evaluation lacks `what`, and which command makes a model file that has it. */
static size_t lacks(rc_plot_text_t *text, const char *what)
{
    rc_str_addf(&text->missing,
        "the model file carries no %s: `rowcast train STORE -o MODEL` writes one that does", what);
    return 0;
}

/* The part of an evaluation that is of the rows of a setting, with C in the original order and a
 * warm cache, as models are fitted; NULL: none.  \param[in] device  whose times; NULL: any */
static const json_t *part_of(
    const rc_plot_input_t *in, const json_t *evaluation, const char *device, int setting)
{
    char name[64];
    size_t i;
    const json_t *one;
    const rc_survey_setting_t *a = &in->survey->setting[setting];
    const rc_setting_t *x = &a->setting;
    if (x->c_order != 0 || x->cache != 0 || (device && strcmp(a->device, device) != 0))
        return NULL;
    rc_evaluation_k_name(x->k, x->is_n, (rc_precision_t)x->precision, name, sizeof name);
    json_array_foreach(json_object_get(evaluation, "by_k"), i, one)
    {
        const char *own = json_string_value(json_object_get(one, "name"));
        if (own && strcmp(own, name) == 0)
            return one;
    }
    return NULL;
}

/* Whose evaluation it is; device NULL: of any. */
typedef struct whose {
    const json_t *evaluation;
    const char *device;
} whose_t;

static int has_part(const rc_plot_input_t *in, int setting, const void *user)
{
    const whose_t *w = user;
    return part_of(in, w->evaluation, w->device, setting) != NULL;
}

static int home_model(const rc_plot_input_t *in)
{
    const json_t *e = json_object_get(in->model_file, "evaluation");
    return in->model ? rc_plot_home_of(in, has_part, &(whose_t){e, in->model->device}) : -1;
}

/* The evaluation for the setting that is shown, of all rows where none is.
 * \return 1; 0, with text->missing set, when the file has none */
static int read_evaluation(const rc_plot_input_t *in, evaluation_t *out, rc_plot_text_t *text)
{
    const json_t *e = json_object_get(in->model_file, "evaluation");
    const json_t *part = in->shown >= 0 ? part_of(in, e, in->model->device, in->shown) : e;
    *out = (evaluation_t){.classes = json_object_get(e, "classes"),
        .confusion = json_object_get(part, "confusion"),
        .time_error = json_object_get(part, "time_error"),
        .rows = in->shown >= 0 ? part : json_object_get(e, "all"),
        .protocol = json_object_get(e, "protocol"),
        .label = in->shown >= 0 ? in->survey->setting[in->shown].label : NULL};
    if (json_array_size(out->classes) == 0)
        (void)lacks(text, "evaluation");
    else if (!part)
        rc_plot_lacks(in, "the model has no evaluation", text);
    return text->missing.len == 0;
}

/* Element i of a JSON array, NaN or "" when there is none. */
static double number_at(const json_t *list, size_t i)
{
    const json_t *x = json_array_get(list, i);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

static const char *text_at(const json_t *list, size_t i)
{
    const char *text = json_string_value(json_array_get(list, i));
    return text ? text : "";
}

/* Append to the caption over which rows an evaluation is: " 488 rows of 488 matrices, ...", and
 * name the model above the drawing. */
static void name_rows(const rc_plot_input_t *in, const evaluation_t *e, rc_plot_text_t *text)
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

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const figure_t *figure = in->plot->how;
    evaluation_t e;
    (void)err;
    if (!read_evaluation(in, &e, text))
        return RC_OK;
    size_t further = figure->put(&e, csv, text);
    if (text->missing.len == 0)
        name_rows(in, &e, text);
    if (further)
        rc_str_addf(&text->caption, " %zu further classes are in the CSV.", further);
    return RC_OK;
}

/* -------------------------------------------------------------------- classes */

/* The cells of a confusion matrix of n classes. */
static double cell_at(const json_t *cells, size_t i, size_t k)
{
    return number_at(json_array_get(cells, i), k);
}

static double rows_best(const json_t *cells, size_t i, size_t n)
{
    double rows = 0;
    for (size_t k = 0; k < n; k++)
        rows += fmax(0, cell_at(cells, i, k));
    return rows;
}

static void define_classes(const json_t *classes, rc_plot_text_t *text)
{
    rc_str_addf(&text->define, "array CLASS[%zu]\n", json_array_size(classes));
    for (size_t i = 0; i < json_array_size(classes); i++)
        rc_plot_define_item(text, "CLASS", (int)i + 1, text_at(classes, i));
}

static size_t put_classes(const evaluation_t *e, FILE *csv, rc_plot_text_t *text)
{
    const json_t *cells = json_object_get(e->confusion, "rows_best_by_chosen");
    size_t n = json_array_size(e->classes);
    double all = 0;
    if (json_array_size(cells) != n)
        return lacks(text, "confusion matrix");
    for (size_t i = 0; i < n; i++)
        all += rows_best(cells, i, n);
    fputs("class,rows that it is best on,share (%)\n", csv);
    for (size_t i = 0; i < n; i++) {
        double rows = rows_best(cells, i, n);
        RC_PLOT_ROW(csv, RC_TEXT(text_at(e->classes, i)), RC_REAL(rows, 0),
            RC_REAL(all > 0 ? 100 * rows / all : 0, -4));
    }
    define_classes(e->classes, text);
    rc_str_addf(&text->define, "CLASSES = %zu\nHEIGHT = %zu\n", n, 70 + 44 * n);
    rc_str_add(&text->caption, "How often each class is the best one.");
    return 0;
}

const rc_plot_t rc_plot_model_classes = {
    .name = "model-classes",
    .title = "Which class is best, and how often",
    .source = "Mehrabi et al., figure 11",
    .section = "Model",
    .needs_model = 1,
    .home = home_model,
    .how = &(const figure_t){put_classes},
    .write = write,
};

static size_t put_confusion(const evaluation_t *e, FILE *csv, rc_plot_text_t *text)
{
    enum { INSIDE = 10, FEW = 6 }; /* letters beside and above the cells */
    const json_t *cells = json_object_get(e->confusion, "rows_best_by_chosen");
    const json_t *losses = json_object_get(e->confusion, "loss_mean_best_by_chosen");
    size_t n = json_array_size(e->classes);
    if (json_array_size(cells) != n || json_array_size(losses) != n)
        return lacks(text, "confusion matrix");
    fputs("best,chosen,rows,share of the rows of the best (%),mean loss (%)\n", csv);
    for (size_t i = 0; i < n; i++) {
        double all = rows_best(cells, i, n);
        for (size_t k = 0; k < n; k++) {
            double rows = cell_at(cells, i, k);
            RC_PLOT_ROW(csv, RC_TEXT(text_at(e->classes, i)), RC_TEXT(text_at(e->classes, k)),
                RC_REAL(rows, 0), RC_REAL(all > 0 ? 100 * rows / all : 0, -4),
                RC_REAL(100 * cell_at(losses, i, k), 6));
        }
    }
    define_classes(e->classes, text);
    /* names too long for the axes, or too many, stand below, and numbers for them */
    int numbered = n > FEW;
    for (size_t i = 0; i < n; i++)
        numbered |= strlen(text_at(e->classes, i)) > INSIDE;
    rc_str_addf(&text->define,
        "CLASSES = %zu\nNUMBERED = %d\nCELL = %d\nHEIGHT = 60 + CLASSES * (CELL + %d)\n", n,
        numbered, n > FEW ? 46 : 64, numbered ? 20 : 0);
    rc_str_add(&text->caption,
        "Rows by the class that is best (down) and the one that is chosen (across): how many, and "
        "their mean loss, the time of the choice over that of the best less 1. The filled part of "
        "a cell is its share of the line.");
    return 0;
}

const rc_plot_t rc_plot_model_confusion = {
    .name = "model-confusion",
    .title = "What is chosen where what is best, and what that loses",
    .source = "Mehrabi et al., figure 13",
    .section = "Model",
    .needs_model = 1,
    .home = home_model,
    .how = &(const figure_t){put_confusion},
    .write = write,
};

/* -------------------------------------------------------- errors and losses */

static const char *class_at(const json_t *list, size_t i)
{
    const char *class = json_string_value(json_object_get(json_array_get(list, i), "class"));
    return class ? class : "";
}

static size_t put_error(const evaluation_t *e, FILE *csv, rc_plot_text_t *text)
{
    enum { CURVES = 7 }; /* that can be told apart: all classes together, then the first ones */
    const json_t *quantile = json_object_get(e->time_error, "quantiles");
    const json_t *list = json_object_get(e->time_error, "absolute_relative_error");
    size_t n = json_array_size(list);
    size_t curves = n > CURVES ? CURVES : n;
    if (n == 0 || json_array_size(quantile) == 0) {
        rc_str_add(&text->missing, "the model predicts no times, so they have no error");
        return 0;
    }
    fputs("class,share of predictions (%),absolute error of at most (%)\n", csv);
    rc_plot_block_begin(text, "CURVES");
    for (size_t i = 0; i < n; i++) {
        const json_t *at = json_object_get(json_array_get(list, i), "at_quantiles");
        const char *class = class_at(list, i);
        for (size_t k = 0; k < json_array_size(quantile); k++) {
            double share = 100 * number_at(quantile, k);
            double x = 100 * number_at(at, k);
            RC_PLOT_ROW(csv, RC_TEXT(class), RC_REAL(share, 6), RC_REAL(x, 6));
            if (i < curves && x > 0)
                rc_str_addf(&text->define, "%.5g,%.5g\n", x, share);
        }
        if (i < curves)
            rc_str_add(&text->define, "NaN,NaN\n\n\n");
    }
    rc_plot_block_end(text);
    rc_str_addf(&text->define, "CURVES = %zu\narray CURVE[CURVES]\nHEIGHT = %zu\n", curves,
        330 + 22 * curves);
    for (size_t i = 0; i < curves; i++)
        rc_plot_define_item(text, "CURVE", (int)i + 1, class_at(list, i));
    rc_str_add(&text->caption, "Cumulative share of predicted times by their absolute error.");
    return n - curves;
}

const rc_plot_t rc_plot_model_error = {
    .name = "model-error",
    .title = "Error of the predicted times",
    .source = "Mehrabi et al., figure 12",
    .section = "Model",
    .needs_model = 1,
    .home = home_model,
    .how = &(const figure_t){put_error},
    .write = write,
};

static double mean_loss(const json_t *rows, const char *part)
{
    const json_t *x = json_object_get(json_object_get(rows, "loss_mean"), part);
    return json_is_number(x) ? 100 * json_number_value(x) : NAN;
}

static size_t put_loss(const evaluation_t *e, FILE *csv, rc_plot_text_t *text)
{
    const json_t *edge = json_object_get(e->rows, "loss_bin_upper_edges");
    const json_t *rows = json_object_get(e->rows, "loss_bin_rows");
    size_t n = json_array_size(rows);
    double sum = 0;
    double so_far = 0;
    for (size_t i = 0; i < n; i++)
        sum += fmax(0, number_at(rows, i));
    if (n == 0 || json_array_size(edge) != n || sum <= 0)
        return lacks(text, "histogram of losses");
    fputs("loss above (%),loss of at most (%),rows,share (%),cumulative share (%)\n", csv);
    for (size_t i = 0; i < n; i++) {
        double count = fmax(0, number_at(rows, i));
        so_far += count;
        /* the last one is open */
        RC_PLOT_ROW(csv, RC_REAL(i ? 100 * number_at(edge, i - 1) : 0, 6),
            RC_REAL(100 * number_at(edge, i), 6), RC_REAL(count, 0), RC_REAL(100 * count / sum, -4),
            RC_REAL(100 * so_far / sum, -4));
    }
    rc_str_addf(&text->define, "BINS = %zu\nHEIGHT = %zu\n", n, 80 + 26 * n);
    rc_str_add(&text->caption,
        "Rows by loss, the time of the choice over that of the best class less 1; a right choice "
        "loses nothing and is in the first bin.");
    double mean = mean_loss(e->rows, "value");
    if (!isnan(mean))
        rc_str_addf(&text->caption, " Mean loss %.2f %%.", mean);
    return 0;
}

const rc_plot_t rc_plot_model_loss = {
    .name = "model-loss",
    .title = "Loss against the best class",
    .source = "Mehrabi et al., figure 14",
    .section = "Model",
    .needs_model = 1,
    .home = home_model,
    .how = &(const figure_t){put_loss},
    .write = write,
};

static int home_topologies(const rc_plot_input_t *in)
{
    const json_t *e = json_object_get(json_array_get(in->topologies, 0), "evaluation");
    return rc_plot_home_of(in, has_part, &(whose_t){e, NULL});
}

static rc_status_t write_topologies(
    const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
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
        const json_t *e =
            json_object_get(one, "evaluation"); /* over all rows where none is shown */
        const json_t *own =
            in->shown < 0 ? json_object_get(e, "all") : part_of(in, e, NULL, in->shown);
        const double loss[] = {
            mean_loss(own, "value"), mean_loss(own, "low"), mean_loss(own, "high")};
        if (!name || isnan(loss[0]))
            continue;
        rows = own;
        RC_PLOT_ROW(
            csv, RC_TEXT(name), RC_REAL(loss[0], 6), RC_REAL(loss[1], 6), RC_REAL(loss[2], 6));
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
    .home = home_topologies,
    .write = write_topologies,
};
