#include "config.h"
#include "analysis/evaluation.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* jansson passes NULL on: packing or setting a NULL fails, so one check at the end is enough. */

/* A list or an object; NULL where something could not be put into it. */
static json_t *whole(json_t *made, int failed)
{
    if (!failed)
        return made;
    json_decref(made);
    return NULL;
}

/* JSON has no NaN and no infinity. */
static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *numbers(const double *x, int n)
{
    json_t *list = json_array();
    int failed = 0;
    for (int i = 0; i < n; i++)
        failed |= json_array_append_new(list, number(x[i]));
    return whole(list, failed);
}

static json_t *integers(const int64_t *x, int n)
{
    json_t *list = json_array();
    int failed = 0;
    for (int i = 0; i < n; i++)
        failed |= json_array_append_new(list, json_integer(x[i]));
    return whole(list, failed);
}

static json_t *figure(const rc_figure_t *f)
{
    return json_pack("{s:o, s:o, s:o}", "value", number(f->value), "low", number(f->low), "high",
        number(f->high));
}

static json_t *choosing(const rc_choosing_t *w)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "geomean", figure(&w->geomean), "mean",
        figure(&w->mean), "min", number(w->min), "max", number(w->max));
}

/* Shares under the names of their limits: "0.05". */
static json_t *shares(const double *limit, const double *share, int n)
{
    json_t *object = json_object();
    int failed = 0;
    for (int i = 0; i < n; i++) {
        char key[32];
        snprintf(key, sizeof key, "%g", limit[i]);
        failed |= json_object_set_new(object, key, number(share[i]));
    }
    return whole(object, failed);
}

static json_t *row_name(const rc_dataset_t *d, int64_t row)
{
    const rc_sample_t *s = &d->sample[row];
    return json_pack("{s:s, s:I, s:s}", "matrix", s->name, "k", (json_int_t)s->k, "precision",
        rc_type(s->precision)->name);
}

/* null: no row has a time of the library */
static json_t *over_library(const rc_over_library_t *o)
{
    if (o->rows == 0)
        return json_null();
    return json_pack("{s:I, s:o, s:o, s:o}", "rows", (json_int_t)o->rows, "geomean",
        number(o->geomean), "min", number(o->min), "share_below",
        shares(rc_library_limits, o->share_below, RC_LIBRARY_LIMITS));
}

static json_t *part(const rc_dataset_t *d, const rc_part_t *p)
{
    return json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
                     "s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "name", p->name, "rows", (json_int_t)p->rows, "matrices", (json_int_t)p->matrices,
        "gain_recovered", figure(&p->gain), "geomean_speedup_of_oracle_share",
        figure(&p->of_oracle), "geomean_speedup_of_oracle_share_best_of_3_timed",
        figure(&p->of_oracle_timed), "speedup_oracle_held_out_geomean", figure(&p->oracle_held_out),
        "gain_recovered_held_out", figure(&p->gain_held_out),
        "geomean_speedup_of_oracle_share_held_out", figure(&p->of_oracle_held_out),
        "speedup_selector", choosing(&p->selector), "speedup_oracle", choosing(&p->oracle),
        "speedup_single", choosing(&p->single), "speedup_random", choosing(&p->random), "loss_mean",
        figure(&p->mean_loss), "loss_worst", number(p->worst_loss), "loss_worst_row",
        row_name(d, p->worst_row), "share_of_loss_within",
        shares(rc_loss_shares, p->within, RC_LOSS_SHARES), "accuracy_at_tolerance",
        shares(rc_tolerances, p->accuracy, RC_TOLERANCES), "balanced_accuracy_at_tolerance",
        shares(rc_tolerances, p->balanced, RC_TOLERANCES), "loss_bin_upper_edges",
        numbers(rc_loss_edges + 1, RC_LOSS_BINS), "loss_bin_rows",
        integers(p->histogram, RC_LOSS_BINS), "speedup_over_library",
        over_library(&p->over_library), "speedup_over_library_best_of_3_timed",
        over_library(&p->over_library_timed), "speedup_over_library_best_of_3_and_library_timed",
        over_library(&p->over_library_tuned));
}

static json_t *class_names(const rc_dataset_t *d)
{
    json_t *list = json_array();
    int failed = 0;
    for (int c = 0; c < d->classes; c++)
        failed |= json_array_append_new(list, json_string(d->cls[c].name));
    return whole(list, failed);
}

static json_t *confusion(const rc_cells_t *e, int classes)
{
    json_t *rows = json_array();
    json_t *loss = json_array();
    int failed = 0;
    for (int c = 0; c < classes; c++) {
        failed |= json_array_append_new(rows, integers(e->confusion + c * classes, classes));
        failed |= json_array_append_new(loss, numbers(e->confusion_loss + c * classes, classes));
    }
    return whole(
        json_pack("{s:o, s:o}", "rows_best_by_chosen", rows, "loss_mean_best_by_chosen", loss),
        failed);
}

static json_t *error_of(const rc_cells_t *e, const char *name, int at)
{
    return json_pack("{s:s, s:o, s:o}", "class", name, "mean", number(e->error_mean[at]),
        "at_quantiles", numbers(e->error_quantile + at * RC_ERROR_QUANTILES, RC_ERROR_QUANTILES));
}

static json_t *errors(const rc_dataset_t *d, const rc_cells_t *e)
{
    if (!e->error_mean)
        return json_null();
    json_t *list = json_array();
    int failed = json_array_append_new(list, error_of(e, "all", d->classes));
    for (int c = 0; c < d->classes; c++)
        failed |= json_array_append_new(list, error_of(e, d->cls[c].name, c));
    return json_pack("{s:o, s:o}", "quantiles", numbers(rc_error_quantiles, RC_ERROR_QUANTILES),
        "absolute_relative_error", whole(list, failed));
}

static json_t *parts(const rc_dataset_t *d, const rc_part_t *p, int n)
{
    json_t *list = json_array();
    int failed = 0;
    for (int i = 0; i < n; i++) {
        json_t *one = part(d, &p[i]);
        if (p[i].cells.confusion) {
            failed |= json_object_set_new(one, "confusion", confusion(&p[i].cells, d->classes));
            failed |= json_object_set_new(one, "time_error", errors(d, &p[i].cells));
        }
        failed |= json_array_append_new(list, one);
    }
    return whole(list, failed);
}

static json_t *portfolio(const rc_dataset_t *d, const rc_evaluation_t *e)
{
    json_t *list = json_array();
    int failed = 0;
    for (int i = 0; i < e->classes; i++)
        failed |= json_array_append_new(
            list, json_pack("{s:s, s:o, s:o}", "adds", d->cls[e->portfolio_class[i]].name,
                      "oracle_speedup_geomean", number(e->portfolio[i]),
                      "oracle_speedup_geomean_held_out", number(e->portfolio_held_out[i])));
    return whole(list, failed);
}

json_t *rc_evaluation_json(
    const rc_dataset_t *d, const rc_evaluation_t *e, int brief, rc_err_t *err)
{
    json_t *object = json_pack("{s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "classes",
        class_names(d), "baseline", d->cls[d->baseline].name, "single", d->cls[e->single].name,
        "single_chosen_on", e->single_is_given ? "the training part" : "the evaluated rows", "all",
        part(d, &e->all), "confusion", confusion(&e->all.cells, e->classes), "time_error",
        errors(d, &e->all.cells), "by_k", parts(d, e->by_k, e->by_k_count));
    int failed = 0;
    if (object && !brief) {
        failed |= json_object_set_new(object, "by_kind", parts(d, e->by_kind, e->by_kind_count));
        failed |= json_object_set_new(object, "portfolio", portfolio(d, e));
    }
    object = whole(object, failed);
    if (!object)
        rc_fail(err, RC_ENOMEM, "an evaluation as JSON: no memory, or a name is not UTF-8");
    return object;
}
