#include "config.h"
#include "cmd/summary_segmented.h"
#include "base/alloc.h"
#include "base/error.h"
#include "cmd/summary_setting.h"
#include "kernels/rs_tuning.h"
#include "kernels/tuning.h"
#include "table/segmented.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS(list) (int)(sizeof(list) / sizeof *(list))

void rc_summary_put_setting(rc_table_t *t, const rc_view_t *v, const rc_setting_t *s, rc_segmented_set_t set)
{
    rc_put_k(t, s);
    rc_put_setting(t, v, s);
    rc_table_text(t, rc_segmented_set_names[set]);
}

/* The paper has words for some settings only. */
static void put_paper(rc_table_t *t, const rc_setting_t *s, int64_t k, const char *text)
{
    if (s->k == k && !s->is_n)
        rc_table_text(t, text);
    else
        rc_table_missing(t);
}

static void put_mean(rc_table_t *t, const rc_segmented_mean_t *m)
{
    rc_table_int(t, m->matrices);
    rc_table_real(t, m->geomean, 4);
    rc_table_real(t, m->worst, 4);
}

/* Figure 7 is of K = 128, fp32. */
rc_status_t rc_summary_modelling(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {RC_SUMMARY_SETTING, {"t", "of none"}, {"matrices_none", ""},
        {"none", "of the best"}, {"worst_none", ""}, {"matrices", ""}, {"model", "of the best"}, {"worst", ""},
        {"close", "share >= .95"}, {"gain", "x"}, {"paper", "figure 7"}};
    rc_modelling_t *m = NULL;
    int n = 0;
    (void)o;
    rc_status_t st = rc_modelling_make(v, where, &m, &n, err);
    rc_table_t *t = st < 0 ? NULL : rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    for (int i = 0; t && i < n; i++) {
        rc_summary_put_setting(t, v, &m[i].setting, m[i].set);
        if (m[i].t > 0)
            rc_table_int(t, m[i].t);
        else
            rc_table_missing(t);
        put_mean(t, &m[i].none);
        put_mean(t, &m[i].model);
        rc_table_real(t, m[i].close, 4);
        rc_table_real(t, m[i].gain, 4);
        put_paper(t, &m[i].setting, 128, m[i].setting.precision == RC_FP32 ? "matches or closely follows" : "");
    }
    free(m);
    return st < 0 ? st : t ? rc_table_end(t, err) : RC_ENOMEM;
}

/* Figure 13 is of K = 128; its text has no number. */
rc_status_t rc_summary_prepare(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {RC_SUMMARY_SETTING, {"op", ""}, {"kernel", ""}, {"matrices", ""},
        {"median", "products"}, {"p90", "products"}, {"most", "products"}, {"within_2", "share"}, {"paper", "figure 13"}};
    rc_paying_t *p = NULL;
    int n = 0;
    rc_status_t st = rc_paying_make(v, where, o->kernel ? o->kernel : "rs", &p, &n, err);
    rc_table_t *t = st < 0 ? NULL : rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    for (int i = 0; t && i < n; i++) {
        rc_summary_put_setting(t, v, &p[i].setting, p[i].set);
        rc_table_text(t, rc_view_name(rc_op_names, p[i].setting.op));
        rc_table_text(t, p[i].kernel);
        rc_table_int(t, p[i].matrices);
        rc_table_real(t, p[i].median, 4);
        rc_table_real(t, p[i].p90, 4);
        rc_table_real(t, p[i].most, 4);
        rc_table_real(t, p[i].within, 4);
        put_paper(t, &p[i].setting, 128, "no number");
    }
    free(p);
    return st < 0 ? st : t ? rc_table_end(t, err) : RC_ENOMEM;
}

/* Figures 14 and 15 are of K = 128. */
rc_status_t rc_summary_both(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {RC_SUMMARY_SETTING, {"contestant", ""}, {"matrices", ""}, {"over_library", "x"},
        {"worst", "x"}, {"bytes", "of the library's"}, {"paper", "section 6"}};
    rc_both_t *b = NULL;
    int n = 0;
    (void)o;
    rc_status_t st = rc_both_make(v, where, &b, &n, err);
    rc_table_t *t = st < 0 ? NULL : rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    for (int i = 0; t && i < n; i++) {
        rc_summary_put_setting(t, v, &b[i].setting, b[i].set);
        rc_table_text(t, b[i].contestant);
        put_mean(t, &b[i].over);
        rc_table_real(t, b[i].bytes, 4);
        put_paper(t, &b[i].setting, 128, strcmp(b[i].contestant, "rs") == 0 ? "A' B alone: over 16 on a fifth" : "");
    }
    free(b);
    return st < 0 ? st : t ? rc_table_end(t, err) : RC_ENOMEM;
}

static rc_status_t mark(const json_t *root, void *user, rc_err_t *err)
{
    const json_t *list = json_object_get(root, "training_matrices");
    size_t n = json_array_size(list);
    const char **names = rc_alloc(n, sizeof *names, "training matrices", err);
    if (!names)
        return RC_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        names[i] = name ? name : "";
    }
    rc_status_t st = rc_view_mark_training(user, names, (int64_t)n, err);
    free(names);
    return st;
}

int rc_summary_is_of_training(const char *name)
{
    static const char *const names[] = {"versus", "modelling", "prepare", "both", "profile", "rate"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

rc_status_t rc_summary_mark_training(rc_view_t *v, const rc_summary_options_t *o, rc_err_t *err)
{
    if (!rc_summary_is_of_training(o->name) || (strcmp(o->name, "rate") == 0 && o->by_matrix) ||
        (!o->tuning && rc_rs_tuning_is_none("auto")))
        return RC_OK;
    rc_status_t st = rc_tuning_read(o->tuning ? o->tuning : RC_RS_TUNING_USUAL, NULL, mark, v, err);
    return st < 0 && o->tuning ? rc_err_context(err, "--tuning") : st;
}
