#include "config.h"
#include "analysis/papers/paper.h"
#include "analysis/summary/head.h"
#include "analysis/summary/summary.h"
#include "base/error.h"
#include "table/best.h"
#include "table/rate.h"
#include "table/versus.h"

#include <stdlib.h>

/* A side that nothing is on makes a table of dashes: say which. */
static void warn_of_empty_sides(const char *side_a, const char *side_b, const rc_versus_t *r, int n)
{
    int64_t a = 0;
    int64_t b = 0;
    for (int i = 0; i < n; i++) {
        a += r[i].matrices + r[i].only_a;
        b += r[i].matrices + r[i].only_b;
    }
    if (a == 0)
        fprintf(stderr, "versus: no result is on side a, '%s'\n", side_a);
    if (b == 0)
        fprintf(stderr, "versus: no result is on side b, '%s'\n", side_b);
}

/* Matrices that a side was measured on; the line of real ones stands before the one of all. */
static int64_t members(const rc_versus_t *r)
{
    return r->matrices + r->only_a + r->only_b;
}

static void put_versus(rc_table_t *t, const rc_versus_t *r)
{
    RC_CELLS(t, RC_INT(r->matrices), RC_INT(r->only_a), RC_INT(r->only_b), RC_INT(r->wins),
        RC_REAL(100 * (double)r->wins / (double)r->matrices, 3), RC_INT(r->clear), RC_INT(r->ties),
        RC_REAL(r->max, 4), RC_REAL(r->mean, 4), RC_REAL(r->geomean, 4), RC_REAL(r->median, 4),
        RC_REAL(r->min, 4), RC_REAL(r->geomean_held_out, 4));
}

/* Of RS-SpMM, or of row orders. */
static const char *words_of_versus(const rc_setting_t *s, const char *a, const char *b)
{
    const char *text = rc_paper_says(rc_hong_words, "versus", s, a, b);
    text = text ? text : rc_paper_says(rc_jiang_words, "classes", s, a, b);
    return rc_paper_text(text, 0);
}

static rc_status_t print_versus(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t own[] = {{"matrices", ""}, {"only_a", ""}, {"only_b", ""},
        {"wins_a", ""}, {"share_a", "%"}, {"clear_a", ""}, {"ties", ""}, {"max", "x"},
        {"mean", "x"}, {"geomean", "x"}, {"median", "x"}, {"min", "x"}, {"geomean_held_out", "x"},
        {"paper", "Hong et al."}};
    const char *side_a = o->side_a ? o->side_a : "!cusparse*";
    const char *side_b = o->side_b ? o->side_b : "cusparse*";
    const char *orders = o->orders ? o->orders : "csr";
    rc_side_t a = {0};
    rc_side_t b = {0};
    rc_versus_t *r = NULL;
    int n = 0;
    rc_status_t st = rc_side_parse(side_a, orders, &a, err);
    if (st < 0)
        (void)rc_err_context(err, "--side-a");
    else if ((st = rc_side_parse(side_b, orders, &b, err)) < 0)
        (void)rc_err_context(err, "--side-b");
    if (st == RC_OK)
        st = rc_versus_make(v, where, &a, &b, &r, &n, err);
    rc_head_t h = rc_head_new(v, format, 0);
    int words = 0;
    for (int i = 0; i < n; i++) {
        rc_head_see(&h, &r[i].setting, r[i].setting.row);
        words |= *words_of_versus(&r[i].setting, side_a, side_b);
        if (r[i].set == RC_SEGMENTED_ALL)
            rc_head_see_sets(&h, members(&r[i]), members(&r[i - 1]));
    }
    words = rc_head_has_words(&h, words);
    rc_table_t *t = st < 0 ? NULL : rc_head_begin(&h, own, 13 + words, err);
    if (st == RC_OK && !t)
        st = RC_ENOMEM;
    for (int i = 0; t && i < n; i++) {
        if (members(&r[i]) == 0 || !rc_head_put_set(t, &h, &r[i].setting, r[i].set))
            continue; /* neither side was measured there */
        put_versus(t, &r[i]);
        if (words)
            rc_table_text(t, words_of_versus(&r[i].setting, side_a, side_b));
    }
    if (t)
        st = rc_table_end(t, err);
    if (st == RC_OK)
        warn_of_empty_sides(side_a, side_b, r, n);
    free(r);
    rc_side_free(&a);
    rc_side_free(&b);
    return st;
}

const rc_summary_t rc_summary_versus = {.name = "versus",
    .shows = "figure-3",
    .summary = "two sides matrix by matrix",
    .takes = RC_TAKES_SIDES | RC_TAKES_ORDERS | RC_TAKES_TUNING,
    .print = print_versus};

static void put_best(rc_table_t *t, const rc_head_t *h, const rc_best_t *c, int64_t top)
{
    for (int i = 0; i < c->variants && (top == 0 || i < top); i++) {
        const rc_best_row_t *r = &c->variant[i];
        rc_head_put(t, h, &c->setting, c->setting.row);
        RC_CELLS(t, RC_TEXT(r->kernel), RC_TEXT(r->policy), RC_INT(r->matrices), RC_INT(r->wins),
            RC_REAL(100 * (double)r->wins / (double)c->setting.matrices, 3), RC_INT(r->clear),
            RC_INT(r->ties), RC_REAL(100 * r->loss_geomean, 4), RC_REAL(100 * r->loss_mean, 4),
            RC_REAL(100 * r->loss_max, 4), RC_REAL(100 * r->loss_held_out, 4));
    }
}

static rc_status_t print_best(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t own[] = {{"kernel", ""}, {"policy", ""}, {"matrices", ""},
        {"wins", ""}, {"share", "%"}, {"clear", ""}, {"ties", ""}, {"loss_geomean", "%"},
        {"loss_mean", "%"}, {"loss_max", "%"}, {"loss_held_out", "%"}};
    rc_best_t *c = NULL;
    int n = 0;
    RC_PASS(rc_best_make(v, where, &c, &n, err));
    rc_head_t h = rc_head_new(v, format, 0);
    for (int i = 0; i < n; i++)
        rc_head_see(&h, &c[i].setting, c[i].setting.row);
    rc_table_t *t = rc_head_begin(&h, own, 11, err);
    for (int i = 0; t && i < n; i++)
        put_best(t, &h, &c[i], o->top);
    rc_status_t st = t ? rc_table_end(t, err) : RC_ENOMEM;
    rc_best_free(c, n);
    return st;
}

const rc_summary_t rc_summary_best = {.name = "best",
    .summary = "which kernel and order wins, and what always taking it loses",
    .takes = RC_TAKES_TOP,
    .print = print_best};

static const char *words_of_rate(const rc_rate_t *r)
{
    return rc_paper_text(rc_paper_says(rc_hong_words, "rate", &r->setting, r->kernel, ""), 0);
}

static rc_status_t print_rate(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t own[] = {{"kernel", ""}, {"policy", ""}, {"matrices", ""},
        {"geomean", "Gflop/s"}, {"mean", "Gflop/s"}, {"max", "Gflop/s"}, {"geomean_bytes", "GB/s"},
        {"mean_bytes", "GB/s"}, {"max_bytes", "GB/s"}, {"paper", "Gflop/s, Hong et al."}};
    rc_rate_t *r = NULL;
    int n = 0;
    if (o->by_matrix)
        return rc_summary_nisa_rates.print(v, o, where, format, err);
    if (o->by)
        return rc_summary_hong_rate.print(v, o, where, format, err);
    RC_PASS(rc_rate_make(v, where, &r, &n, err));
    rc_head_t h = rc_head_new(v, format, 0);
    int64_t matrices[2] = {0, 0};
    int words = 0;
    for (int i = 0; i < n; i++) {
        rc_head_see(&h, &r[i].setting, r[i].setting.row);
        matrices[r[i].set == RC_SEGMENTED_ALL] += r[i].matrices;
        words |= *words_of_rate(&r[i]);
    }
    rc_head_see_sets(&h, matrices[1], matrices[0]);
    words = rc_head_has_words(&h, words);
    rc_table_t *t = rc_head_begin(&h, own, 9 + words, err);
    for (int i = 0; t && i < n; i++) {
        if (!rc_head_put_set(t, &h, &r[i].setting, r[i].set))
            continue;
        RC_CELLS(t, RC_TEXT(r[i].kernel), RC_TEXT(r[i].policy), RC_INT(r[i].matrices),
            RC_REAL(r[i].gflops_geomean, 4), RC_REAL(r[i].gflops_mean, 4),
            RC_REAL(r[i].gflops_max, 4), RC_REAL(r[i].gbs_geomean, 4), RC_REAL(r[i].gbs_mean, 4),
            RC_REAL(r[i].gbs_max, 4));
        if (words)
            rc_table_text(t, words_of_rate(&r[i]));
    }
    rc_status_t st = t ? rc_table_end(t, err) : RC_ENOMEM;
    free(r);
    return st;
}

const rc_summary_t rc_summary_rate = {.name = "rate",
    .summary = "Gflop/s and GB/s of each kernel and order",
    .takes = RC_TAKES_MATRICES | RC_TAKES_BY | RC_TAKES_TUNING,
    .print = print_rate};
