#include "config.h"
#include "analysis/papers/hong/hong.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS(list) (int)(sizeof(list) / sizeof *(list))

void rc_hong_put_setting(
    rc_table_t *t, const rc_view_t *v, const rc_setting_t *s, rc_segmented_set_t set)
{
    rc_put_k(t, s);
    rc_put_setting(t, v, s);
    rc_table_text(t, rc_segmented_set_names[set]);
}

static void put_paper(rc_table_t *t, const char *table, const rc_setting_t *s, const char *who)
{
    rc_paper_put(t, rc_paper_says(rc_hong_words, table, s, who, ""));
}

static void put_mean(rc_table_t *t, const rc_segmented_mean_t *m)
{
    RC_CELLS(t, RC_INT(m->matrices), RC_REAL(m->geomean, 4), RC_REAL(m->worst, 4));
}

/* Figure 7 is of K = 128, fp32. */
static rc_status_t print_modelling(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {RC_HONG_SETTING, {"t", "of none"}, {"matrices_none", ""},
        {"none", "of the best"}, {"worst_none", ""}, {"matrices", ""}, {"model", "of the best"},
        {"worst", ""}, {"close", "share >= .95"}, {"gain", "x"}, {"paper", "figure 7"}};
    rc_modelling_t *m = NULL;
    int n = 0;
    if (o->kernel && strcmp(o->kernel, "rs") != 0)
        return rc_fail(err, RC_EINVAL, "--kernel: modelling is of rs, found '%s'", o->kernel);
    rc_status_t st = rc_modelling_make(v, where, &m, &n, err);
    rc_table_t *t = st < 0 ? NULL : rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    for (int i = 0; t && i < n; i++) {
        rc_hong_put_setting(t, v, &m[i].setting, m[i].set);
        if (m[i].t > 0)
            rc_table_int(t, m[i].t);
        else
            rc_table_missing(t);
        put_mean(t, &m[i].none);
        put_mean(t, &m[i].model);
        rc_table_real(t, m[i].close, 4);
        rc_table_real(t, m[i].gain, 4);
        put_paper(t, "modelling", &m[i].setting, "");
    }
    free(m);
    return st < 0 ? st : t ? rc_table_end(t, err) : RC_ENOMEM;
}

const rc_summary_t rc_summary_hong_modelling = {.name = "modelling",
    .shows = "figure-7",
    .summary = "what fixed parameters and those of the model reach of the best",
    .takes = RC_TAKES_KERNEL | RC_TAKES_TUNING,
    .print = print_modelling};

/* Figure 13 is of K = 128; its text has no number. */
static rc_status_t print_prepare(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {RC_HONG_SETTING, {"op", ""}, {"kernel", ""},
        {"matrices", ""}, {"median", "products"}, {"p90", "products"}, {"most", "products"},
        {"within_2", "share"}, {"paper", "figure 13"}};
    rc_paying_t *p = NULL;
    int n = 0;
    rc_status_t st = rc_paying_make(v, where, o->kernel ? o->kernel : "rs", &p, &n, err);
    rc_table_t *t = st < 0 ? NULL : rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    for (int i = 0; t && i < n; i++) {
        rc_hong_put_setting(t, v, &p[i].setting, p[i].set);
        RC_CELLS(t, RC_TEXT(rc_view_name(rc_op_names, p[i].setting.op)), RC_TEXT(p[i].kernel),
            RC_INT(p[i].matrices), RC_REAL(p[i].median, 4), RC_REAL(p[i].p90, 4),
            RC_REAL(p[i].most, 4), RC_REAL(p[i].within, 4));
        put_paper(t, "prepare", &p[i].setting, "");
    }
    free(p);
    return st < 0 ? st : t ? rc_table_end(t, err) : RC_ENOMEM;
}

const rc_summary_t rc_summary_hong_prepare = {.name = "prepare",
    .shows = "figure-13",
    .summary = "after how many products the split has paid",
    .takes = RC_TAKES_KERNEL | RC_TAKES_TUNING,
    .print = print_prepare};

/* Figures 14 and 15 are of K = 128. */
static rc_status_t print_both(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {RC_HONG_SETTING, {"contestant", ""}, {"matrices", ""},
        {"over_library", "x"}, {"worst", "x"}, {"bytes", "of the library's"},
        {"paper", "section 6"}};
    rc_both_t *b = NULL;
    int n = 0;
    (void)o;
    rc_status_t st = rc_both_make(v, where, &b, &n, err);
    rc_table_t *t = st < 0 ? NULL : rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    for (int i = 0; t && i < n; i++) {
        rc_hong_put_setting(t, v, &b[i].setting, b[i].set);
        rc_table_text(t, b[i].contestant);
        put_mean(t, &b[i].over);
        rc_table_real(t, b[i].bytes, 4);
        put_paper(t, "both", &b[i].setting, b[i].contestant);
    }
    free(b);
    return st < 0 ? st : t ? rc_table_end(t, err) : RC_ENOMEM;
}

const rc_summary_t rc_summary_hong_both = {.name = "both",
    .shows = "figure-14 figure-15",
    .summary = "A B and A' B, the times added up",
    .takes = RC_TAKES_TUNING,
    .print = print_both};
