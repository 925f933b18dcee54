#include "config.h"
#include "analysis/print/evaluation.h"
#include "analysis/importance.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "base/visible.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 4, NAME = 24 };

typedef struct printer {
    const rc_dataset_t *d;
    const rc_evaluation_t *e;
    rc_err_t *err;
    rc_status_t st;
} printer_t;

/* A heading and the table under it; NULL once something failed. */
static rc_table_t *begin(printer_t *p, const char *heading, const rc_column_t *column, int n)
{
    if (p->st < 0)
        return NULL;
    printf("\n%s\n\n", heading);
    rc_table_t *t = rc_table_begin(stdout, RC_TABLE_TEXT, column, n, p->err);
    p->st = t ? RC_OK : RC_ENOMEM;
    return t;
}

static void end(printer_t *p, rc_table_t *t)
{
    if (t)
        p->st = rc_table_end(t, p->err);
}

static double percent(double share)
{
    return 100 * share;
}

/* -------------------------------------------------------------------- speedups */

static void put_figure(rc_table_t *t, const rc_figure_t *f)
{
    RC_CELLS(t, RC_REAL(f->value, DIGITS), RC_REAL(f->low, DIGITS), RC_REAL(f->high, DIGITS));
}

static void put_choosing(rc_table_t *t, const char *name, const rc_choosing_t *c)
{
    rc_table_text(t, name);
    put_figure(t, &c->geomean);
    put_figure(t, &c->mean);
    rc_table_real(t, c->min, DIGITS);
    rc_table_real(t, c->max, DIGITS);
}

static void print_speedups(printer_t *p)
{
    static const rc_column_t column[] = {{"chosen_by", ""}, {"geomean", "x"}, {"low", "x"},
        {"high", "x"}, {"mean", "x"}, {"low", "x"}, {"high", "x"}, {"min", "x"}, {"max", "x"}};
    char heading[512];
    char single[RC_CLASS_NAME_MAX + 32];
    const rc_part_t *a = &p->e->all;
    snprintf(heading, sizeof heading,
        "Speedup over %s on %" PRId64 " rows of %" PRId64
        " matrices, with 95 %% bootstrap intervals:",
        p->d->cls[p->d->baseline].name, a->rows, a->matrices);
    snprintf(single, sizeof single, "always %s", p->d->cls[p->e->single].name);
    rc_table_t *t = begin(p, heading, column, 9);
    if (!t)
        return;
    put_choosing(t, "selector", &a->selector);
    put_choosing(t, "oracle", &a->oracle);
    rc_table_text(t, "oracle, held out");
    put_figure(t, &a->oracle_held_out);
    for (int i = 0; i < 5; i++) /* mean with its interval, min, max */
        rc_table_missing(t);
    put_choosing(t, single, &a->single);
    put_choosing(t, "random", &a->random);
    end(p, t);
    if (!p->e->single_is_given)
        puts("\n(The class that is always taken is the best one on these rows: the training parts "
             "do not agree on one, or are not known.)");
}

static void put_share(rc_table_t *t, const char *name, double value)
{
    RC_CELLS(t, RC_TEXT(name), RC_REAL(percent(value), DIGITS), RC_MISSING, RC_MISSING);
}

static void put_interval(rc_table_t *t, const char *name, const rc_figure_t *f)
{
    RC_CELLS(t, RC_TEXT(name), RC_REAL(percent(f->value), DIGITS), RC_REAL(percent(f->low), DIGITS),
        RC_REAL(percent(f->high), DIGITS));
}

static void print_selector(printer_t *p)
{
    static const rc_column_t column[] = {
        {"figure", ""}, {"value", "%"}, {"low", "%"}, {"high", "%"}};
    const rc_part_t *a = &p->e->all;
    char name[64];
    char worst[256];
    rc_table_t *t = begin(p, "The selector against the oracle:", column, 4);
    if (!t)
        return;
    put_interval(t, "gain recovered", &a->gain);
    put_interval(t, "gain recovered, held out", &a->gain_held_out);
    put_interval(t, "geomean speedup of the oracle's", &a->of_oracle);
    put_interval(t, "geomean speedup of the oracle's, held out", &a->of_oracle_held_out);
    put_interval(t, "the same, best of 3 timed", &a->of_oracle_timed);
    put_interval(t, "mean loss", &a->mean_loss);
    for (int i = 0; i < RC_LOSS_SHARES; i++) {
        snprintf(name, sizeof name, "rows within %g %% of the oracle", percent(rc_loss_shares[i]));
        put_share(t, name, a->within[i]);
    }
    put_share(t, "worst loss", a->worst_loss);
    for (int i = 0; i < RC_TOLERANCES; i++) {
        snprintf(name, sizeof name, "accuracy at %g %% tolerance", percent(rc_tolerances[i]));
        put_share(t, name, a->accuracy[i]);
        snprintf(
            name, sizeof name, "balanced accuracy at %g %% tolerance", percent(rc_tolerances[i]));
        put_share(t, name, a->balanced[i]);
    }
    end(p, t);
    const rc_sample_t *s = &p->d->sample[a->worst_row];
    rc_visible(s->name, worst, sizeof worst);
    printf("\nThe worst loss is on %s, K = %" PRId64 ", %s.\n", worst, s->k,
        rc_type(s->precision)->name);
}

static void put_library(
    rc_table_t *t, const char *name, const char *way, const rc_over_library_t *o)
{
    RC_CELLS(t, RC_TEXT(name), RC_TEXT(way), RC_INT(o->rows), RC_REAL(o->geomean, DIGITS),
        RC_REAL(o->min, DIGITS));
    for (int i = 0; i < RC_LIBRARY_LIMITS; i++)
        rc_table_real(t, percent(o->share_below[i]), DIGITS);
}

/* Nothing where no row has a time of the library. */
static void print_library(printer_t *p)
{
    static const rc_column_t column[] = {{"part", ""}, {"chosen_by", ""}, {"rows", ""},
        {"geomean", "x"}, {"least", "x"}, {"below_0.9", "%"}, {"below_0.97", "%"}};
    static const char *const ways[] = {
        "model", "best of 3 timed", "best of 3 and cuSPARSE's timed"};
    if (p->e->all.over_library.rows == 0)
        return;
    rc_table_t *t = begin(p, "Speedup over the fastest cuSPARSE on the same matrix:", column,
        (int)(sizeof column / sizeof *column));
    for (int i = -1; t && i < p->e->by_k_count; i++) {
        const rc_part_t *a = i < 0 ? &p->e->all : &p->e->by_k[i];
        const rc_over_library_t *const of[] = {
            &a->over_library, &a->over_library_timed, &a->over_library_tuned};
        for (int way = 0; way < 3; way++)
            if (way == 0 || of[way]->rows > 0)
                put_library(t, i < 0 ? "all" : a->name, ways[way], of[way]);
    }
    end(p, t);
}

static void print_losses(printer_t *p)
{
    static const rc_column_t column[] = {
        {"loss_above", "%"}, {"up_to", "%"}, {"rows", ""}, {"share", "%"}, {"so_far", "%"}};
    int64_t sum = 0;
    rc_table_t *t = begin(p, "Loss against the oracle:", column, 5);
    for (int i = 0; t && i < RC_LOSS_BINS; i++) {
        int64_t n = p->e->all.histogram[i];
        sum += n;
        RC_CELLS(t, RC_REAL(percent(rc_loss_edges[i]), DIGITS),
            RC_REAL(percent(rc_loss_edges[i + 1]), DIGITS), RC_INT(n),
            RC_REAL(percent((double)n / (double)p->e->all.rows), DIGITS),
            RC_REAL(percent((double)sum / (double)p->e->all.rows), DIGITS));
    }
    end(p, t);
}

/* --------------------------------------------------------------------- classes */

static void print_classes(printer_t *p)
{
    static const rc_column_t column[] = {
        {"number", ""}, {"class", ""}, {"best_on", "rows"}, {"chosen_on", "rows"}};
    int n = p->e->classes;
    rc_table_t *t = begin(p, "Classes:", column, 4);
    for (int c = 0; t && c < n; c++) {
        int64_t best = 0;
        int64_t chosen = 0;
        for (int o = 0; o < n; o++) {
            best += p->e->all.cells.confusion[c * n + o];
            chosen += p->e->all.cells.confusion[o * n + c];
        }
        RC_CELLS(t, RC_INT(c + 1), RC_TEXT(p->d->cls[c].name), RC_INT(best), RC_INT(chosen));
    }
    end(p, t);
}

/* A heading and a table with columns `head`, then the number of each class.
 * \param[out] column  free() when the table has ended */
static rc_table_t *begin_classes(printer_t *p, const char *heading, const rc_column_t *head,
    int heads, const char *unit, rc_column_t **column)
{
    int n = p->e->classes;
    size_t size = (size_t)(heads + n) * sizeof **column;
    rc_column_t *to = *column =
        p->st == RC_OK ? rc_alloc(1, size + (size_t)n * NAME, "columns", p->err) : NULL;
    if (!to) {
        p->st = p->st < 0 ? p->st : RC_ENOMEM;
        return NULL;
    }
    char *name = (char *)to + size;
    memcpy(to, head, (size_t)heads * sizeof *head);
    for (int c = 0; c < n; c++, name += NAME) {
        snprintf(name, NAME, "%d", c + 1);
        to[heads + c] = (rc_column_t){name, unit};
    }
    return begin(p, heading, to, heads + n);
}

static void print_confusion(printer_t *p)
{
    int n = p->e->classes;
    static const rc_column_t best = {"best", ""};
    const rc_cells_t *cells = &p->e->all.cells;
    rc_column_t *column;
    rc_table_t *t = begin_classes(p,
        "Confusion: rows by best class (down) and chosen class (across):", &best, 1, "", &column);
    for (int i = 0; t && i < n * n; i++) {
        if (i % n == 0)
            rc_table_int(t, i / n + 1);
        rc_table_int(t, cells->confusion[i]);
    }
    end(p, t);
    free(column);
    t = begin_classes(p, "Their mean loss:", &best, 1, "%", &column);
    for (int i = 0; t && i < n * n; i++) {
        if (i % n == 0)
            rc_table_int(t, i / n + 1);
        rc_table_real(t, percent(cells->confusion_loss[i]), 3);
    }
    end(p, t);
    free(column);
}

/* A figure of all classes, which stands behind those of each, then of each. */
static void put_error(rc_table_t *t, const char *name, const double *error, int step, int classes)
{
    rc_table_text(t, name);
    rc_table_real(t, percent(error[classes * step]), 3);
    for (int c = 0; c < classes; c++)
        rc_table_real(t, percent(error[c * step]), 3);
}

static void print_errors(printer_t *p)
{
    static const rc_column_t head[] = {{"rows", ""}, {"all", "%"}};
    const rc_cells_t *cells = &p->e->all.cells;
    int n = p->e->classes;
    rc_column_t *column;
    if (!cells->error_mean) {
        puts("\nThis kind of model predicts no times.");
        return;
    }
    rc_table_t *t = begin_classes(p,
        "Absolute error of the predicted times, |predicted / measured - 1|: so many rows have at "
        "most so much:",
        head, 2, "%", &column);
    for (int q = 0; t && q < RC_ERROR_QUANTILES; q++) {
        char text[NAME];
        snprintf(text, sizeof text, "%g %%", percent(rc_error_quantiles[q]));
        put_error(t, text, cells->error_quantile + q, RC_ERROR_QUANTILES, n);
    }
    if (t)
        put_error(t, "mean", cells->error_mean, 1, n);
    end(p, t);
    free(column);
}

static void print_portfolio(printer_t *p)
{
    static const rc_column_t column[] = {
        {"classes", ""}, {"added", ""}, {"oracle_geomean", "x"}, {"geomean_held_out", "x"}};
    rc_table_t *t =
        begin(p, "Greedy portfolio: the oracle over the first so many classes:", column, 4);
    for (int i = 0; t && i < p->e->classes; i++) {
        RC_CELLS(t, RC_INT(i + 1), RC_TEXT(p->d->cls[p->e->portfolio_class[i]].name),
            RC_REAL(p->e->portfolio[i], DIGITS), RC_REAL(p->e->portfolio_held_out[i], DIGITS));
    }
    end(p, t);
}

/* ----------------------------------------------------------------------- parts */

static void print_parts(
    printer_t *p, const char *heading, const char *what, const rc_part_t *part, int n)
{
    const rc_column_t column[] = {{what, ""}, {"rows", ""}, {"matrices", ""}, {"selector", "x"},
        {"oracle", "x"}, {"oracle_held_out", "x"}, {"single", "x"}, {"random", "x"}, {"gain", "%"},
        {"gain_held_out", "%"}, {"of_oracle", "%"}, {"best_of_3_timed", "%"}, {"mean_loss", "%"},
        {"worst", "%"}, {"within_2", "%"}, {"within_4", "%"}, {"within_5", "%"}, {"within_10", "%"},
        {"accuracy", "%"}, {"balanced", "%"}};
    rc_table_t *t = begin(p, heading, column, (int)(sizeof column / sizeof *column));
    for (int i = 0; t && i < n; i++) {
        const rc_part_t *a = &part[i];
        RC_CELLS(t, RC_TEXT(a->name), RC_INT(a->rows), RC_INT(a->matrices),
            RC_REAL(a->selector.geomean.value, DIGITS), RC_REAL(a->oracle.geomean.value, DIGITS),
            RC_REAL(a->oracle_held_out.value, DIGITS), RC_REAL(a->single.geomean.value, DIGITS),
            RC_REAL(a->random.geomean.value, DIGITS), RC_REAL(percent(a->gain.value), 3),
            RC_REAL(percent(a->gain_held_out.value), 3),
            RC_REAL(percent(a->of_oracle.value), DIGITS),
            RC_REAL(percent(a->of_oracle_timed.value), DIGITS),
            RC_REAL(percent(a->mean_loss.value), 3), RC_REAL(percent(a->worst_loss), 3));
        for (int s = 0; s < RC_LOSS_SHARES; s++)
            rc_table_real(t, percent(a->within[s]), 3);
        rc_table_real(t, percent(a->accuracy[0]), 3);
        rc_table_real(t, percent(a->balanced[0]), 3);
    }
    end(p, t);
}

/* ------------------------------------------------------------------------ all */

static rc_status_t print_json(const json_t *object, rc_err_t *err)
{
    if (json_dumpf(object, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) < 0 ||
        putchar('\n') == EOF || fflush(stdout) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "cannot write the evaluation");
    return RC_OK;
}

rc_status_t rc_evaluation_print(const rc_dataset_t *d, const rc_evaluation_t *e,
    rc_table_format_t format, const json_t *about, rc_err_t *err)
{
    printer_t p = {d, e, err, RC_OK};
    if (format == RC_TABLE_JSON) {
        json_t *object = json_object();
        json_t *own = rc_evaluation_json(d, e, 0, err);
        rc_status_t st = own ? RC_OK : RC_ENOMEM;
        if (own && (!object || (about && json_object_update(object, (json_t *)(uintptr_t)about)) ||
                       json_object_update(object, own) < 0))
            st = rc_fail(err, RC_ENOMEM, "no memory for an evaluation");
        if (st == RC_OK)
            st = print_json(object, err);
        json_decref(object);
        json_decref(own);
        return st;
    }
    print_speedups(&p);
    print_selector(&p);
    print_library(&p);
    print_losses(&p);
    print_classes(&p);
    print_confusion(&p);
    print_errors(&p);
    print_portfolio(&p);
    print_parts(&p, "By K:", "k", e->by_k, e->by_k_count);
    print_parts(&p, "By kind of matrix:", "kind", e->by_kind, e->by_kind_count);
    return p.st;
}

/* ----------------------------------------------------------------- importances */

rc_status_t rc_importance_print(const rc_model_t *m, rc_err_t *err)
{
    static const rc_column_t columns[] = {
        {"input", ""}, {"folds_weight", "%"}, {"folds_gain", "%"}, {"weight", "%"}, {"gain", "%"}};
    rc_importance_t imp;
    if (!m->training || !json_object_get(m->training, "importance"))
        return RC_OK;
    RC_PASS(rc_importance_read(m, &imp, err));
    printf(
        "\nImportance of inputs: share of the splits, and of the mean gain of splits, in the folds "
        "inside of the training part (mean) and in the model:\n\n");
    rc_table_t *t =
        rc_table_begin(stdout, RC_TABLE_TEXT, columns, sizeof columns / sizeof *columns, err);
    for (int at = 0; t && at < m->inputs; at++)
        for (int i = 0; i < m->inputs; i++)
            if (rc_importance_rank(imp.folds_weight, m->inputs, i) == at)
                RC_CELLS(t, RC_TEXT(m->input[i].name), RC_REAL(100 * imp.folds_weight[i], 3),
                    RC_REAL(100 * imp.folds_gain[i], 3), RC_REAL(100 * imp.weight[i], 3),
                    RC_REAL(100 * imp.gain[i], 3));
    rc_importance_free(&imp);
    return t ? rc_table_end(t, err) : RC_ENOMEM;
}

/* ------------------------------------------------------------------ comparison */

static json_t *comparison_json(const rc_dataset_t *d, const rc_comparison_row_t *r, rc_err_t *err)
{
    /* classes and baseline are the same; random counts each row once per class */
    json_t *evaluation = rc_evaluation_json(
        r->variant && r->variant->data ? r->variant->data : d, &r->evaluation, 1, err);
    if (!evaluation)
        return NULL;
    return json_pack("{s:s, s:i, s:o, s:o, s:o}", "name", r->name, "fits", r->cost.fits, "fit_s",
        isfinite(r->cost.fit_s) ? json_real(r->cost.fit_s) : json_null(), "inference_ns",
        isfinite(r->cost.inference_ns) ? json_real(r->cost.inference_ns) : json_null(),
        "evaluation", evaluation);
}

static rc_status_t print_comparison_json(
    const rc_dataset_t *d, const rc_comparison_t *c, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    json_t *list = json_array();
    for (int i = 0; list && i < c->rows; i++)
        if (json_array_append_new(list, comparison_json(d, &c->row[i], err)) < 0)
            st = rc_fail(err, RC_ENOMEM, "no memory for a comparison");
    if (!list)
        st = rc_fail(err, RC_ENOMEM, "no memory for a comparison");
    if (st == RC_OK)
        st = print_json(list, err);
    json_decref(list);
    return st;
}

rc_status_t rc_comparison_print(
    const rc_dataset_t *d, const rc_comparison_t *c, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t column[] = {{"model", ""}, {"gain", "%"}, {"low", "%"}, {"high", "%"},
        {"held_out", "%"}, {"held_out_low", "%"}, {"held_out_high", "%"}, {"of_oracle", "%"},
        {"mean_loss", "%"}, {"within_2", "%"}, {"within_4", "%"}, {"within_5", "%"},
        {"within_10", "%"}, {"worst", "%"}, {"accuracy", "%"}, {"balanced", "%"}, {"mape", "%"},
        {"fit", "s"}, {"inference", "ns"}};
    if (format == RC_TABLE_JSON)
        return print_comparison_json(d, c, err);
    rc_table_t *t =
        rc_table_begin(stdout, format, column, (int)(sizeof column / sizeof *column), err);
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < c->rows; i++) {
        const rc_comparison_row_t *r = &c->row[i];
        const rc_part_t *a = &r->evaluation.all;
        RC_CELLS(t, RC_TEXT(r->name), RC_REAL(percent(a->gain.value), 3),
            RC_REAL(percent(a->gain.low), 3), RC_REAL(percent(a->gain.high), 3),
            RC_REAL(percent(a->gain_held_out.value), 3), RC_REAL(percent(a->gain_held_out.low), 3),
            RC_REAL(percent(a->gain_held_out.high), 3),
            RC_REAL(percent(a->of_oracle.value), DIGITS), RC_REAL(percent(a->mean_loss.value), 3));
        for (int s = 0; s < RC_LOSS_SHARES; s++)
            rc_table_real(t, percent(a->within[s]), 3);
        RC_CELLS(t, RC_REAL(percent(a->worst_loss), 3), RC_REAL(percent(a->accuracy[0]), 3),
            RC_REAL(percent(a->balanced[0]), 3),
            RC_REAL(r->evaluation.all.cells.error_mean
                        ? percent(r->evaluation.all.cells.error_mean[d->classes])
                        : NAN,
                3),
            RC_REAL(r->cost.fit_s, 3), RC_REAL(r->cost.inference_ns, 3));
    }
    return rc_table_end(t, err);
}
