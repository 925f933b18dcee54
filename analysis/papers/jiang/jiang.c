#include "config.h"
#include "analysis/papers/paper.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/print_setting.h"
#include "table/features_read.h"
#include "table/reorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETTING_COLUMNS                                                                            \
    {"op", ""}, {"k", ""}, RC_SETTING_COLUMNS,                                                     \
    {                                                                                              \
        "set", ""                                                                                  \
    }
#define COLUMNS(list) (int)(sizeof(list) / sizeof *(list))

static void put_setting(
    rc_table_t *t, const rc_view_t *v, const rc_setting_t *s, rc_reorder_set_t set)
{
    rc_table_text(t, rc_view_name(rc_op_names, s->op));
    rc_put_k(t, s);
    rc_put_setting(t, v, s);
    rc_table_text(t, rc_reorder_set_names[set]);
}

static double percent(int64_t part, int64_t all)
{
    return 100 * (double)part / (double)all;
}

/* The paper is of matrices within its limits. */
static void put_words(
    rc_table_t *t, const char *table, const rc_setting_t *s, int set, const char *a, const char *b)
{
    const char *text =
        set == RC_REORDER_LIMITS ? rc_paper_says(rc_jiang_words, table, s, a, b) : NULL;
    rc_table_text(t, rc_paper_text(text, 0));
}

/* ------------------------------------------------------------------- tiles */

/* Where what the rules ask is, at each least count of a dense column. */
static const struct {
    int64_t col_min;
    const char *set;
    const char *ratio;
    const char *rest;
} cuts[] = {
    {8, "cuts", "dense_ratio_8", "rest_similarity_8"},
    {16, "jiang", "dense_ratio", "rest_similarity"},
    {24, "cuts", "dense_ratio_24", "rest_similarity_24"},
};

typedef struct needs {
    int64_t matrices;
    int64_t few;    /* below 1 % in tiles */
    int64_t first;  /* round 1 is not skipped */
    int64_t second; /* only round 2 is not */
} needs_t;

/* 1 for each matrix with a result that matches.  \param[out] marks  free() */
static rc_status_t mark(
    const rc_view_t *v, const rc_expr_t *where, unsigned char **marks, rc_err_t *err)
{
    unsigned char *m = rc_alloc0((size_t)rc_view_matrices(v) + 1, 1, "marks", err);
    RC_PASS(m ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        rc_cursor_t row;
        rc_view_seek(v, i, &row);
        if (rc_view_is_newest(v, i) && rc_expr_match(where, rc_view_get, &row))
            m[rc_view_result(v, i)->matrix] = 1;
    }
    *marks = m;
    return RC_OK;
}

/* The newest row of a matrix counts.  \param[in,out] marks  2: counted */
static void count_needs(const rc_view_t *v, const rc_feature_table_t *f, int ratio, int rest,
    unsigned char *marks, needs_t needs[RC_REORDER_SETS])
{
    const double most = 0.1;
    for (int64_t i = f->rows; i-- > 0;) {
        int32_t m = f->row[i].matrix;
        if (m < 0 || m >= rc_view_matrices(v) || marks[m] != 1)
            continue;
        double x = f->value[i * f->names.count + ratio];
        double y = f->value[i * f->names.count + rest];
        needs_t *n = &needs[rc_reorder_set_of(v, m)];
        marks[m] = 2;
        if (isnan(x) || isnan(y))
            continue; /* unknown, as for rc_view_needs_reordering */
        n->matrices++;
        n->few += x < 0.01;
        n->first += x <= most;
        n->second += x > most && y <= most;
    }
    for (int32_t m = 0; m < rc_view_matrices(v); m++)
        marks[m] = marks[m] != 0;
}

static void put_needs(rc_table_t *t, int64_t col_min, const needs_t needs[RC_REORDER_SETS])
{
    for (int set = 0; set < RC_REORDER_SETS; set++) {
        const needs_t *n = &needs[set];
        if (n->matrices == 0)
            continue;
        RC_CELLS(t, RC_INT(col_min), RC_TEXT(rc_reorder_set_names[set]), RC_INT(n->matrices),
            RC_INT(n->few), RC_REAL(percent(n->few, n->matrices), 4), RC_INT(n->first),
            RC_INT(n->second), RC_INT(n->first + n->second),
            RC_REAL(percent(n->first + n->second, n->matrices), 4));
        put_words(t, "tiles", NULL, set, "", "");
    }
}

static rc_status_t print_tiles(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {{"col_min", ""}, {"set", ""}, {"matrices", ""},
        {"below_1", ""}, {"below_1_share", "%"}, {"round_1", ""}, {"only_round_2", ""},
        {"needed", ""}, {"needed_share", "%"}, {"paper", ""}};
    unsigned char *marks = NULL;
    rc_words_t sets = {0};
    rc_table_t *t = NULL;
    rc_status_t st;
    RC_TRY(mark(v, where, &marks, err));
    RC_TRY(rc_feature_tables(o->store, &sets, err));
    t = rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    RC_TRY(t ? RC_OK : RC_ENOMEM);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        rc_feature_table_t f = {.rows = 0};
        needs_t needs[RC_REORDER_SETS] = {{0}};
        int there = 0;
        for (int s = 0; s < sets.count; s++)
            there |= strcmp(sets.word[s], cuts[i].set) == 0;
        if (!there)
            continue; /* an older store */
        RC_TRY(rc_feature_table_read(o->store, cuts[i].set, &f, err));
        int ratio = rc_feature_column(&f, cuts[i].ratio);
        int rest = rc_feature_column(&f, cuts[i].rest);
        if (ratio >= 0 && rest >= 0)
            count_needs(v, &f, ratio, rest, marks, needs);
        rc_feature_table_free(&f);
        put_needs(t, cuts[i].col_min, needs);
    }
done:
    if (t) {
        rc_status_t end = rc_table_end(t, st < 0 ? NULL : err);
        st = st < 0 ? st : end;
    }
    free(marks);
    rc_words_free(&sets);
    return st;
}

static const rc_summary_t tiles = {.name = "tiles",
    .shows = "section-1",
    .summary = "how many matrices need reordering",
    .print = print_tiles};

/* ----------------------------------------------------------------- classes */

static void put_classes(rc_table_t *t, const rc_view_t *v, const rc_classes_t *c, const char *a,
    const char *b, const char *table)
{
    put_setting(t, v, &c->setting, c->set);
    RC_CELLS(t, RC_TEXT(a), RC_TEXT(b), RC_INT(c->matrices));
    for (int i = 0; i < RC_SPEEDUP_CLASSES; i++)
        rc_table_real(t, percent(c->in[i], c->matrices), 4);
    RC_CELLS(t, RC_REAL(c->max, 4), RC_REAL(c->mean, 4), RC_REAL(c->geomean, 4),
        RC_REAL(c->median, 4), RC_REAL(c->min, 4));
    put_words(t, table, &c->setting, c->set, a, b);
}

/* Those of both sides, with what the paper says in a table of its words. */
static rc_status_t print_sides(const rc_view_t *v, const rc_summary_options_t *o, const char *table,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {SETTING_COLUMNS, {"a", ""}, {"b", ""}, {"matrices", ""},
        {"slower", "%"}, {"to_10", "%"}, {"to_50", "%"}, {"to_100", "%"}, {"over_100", "%"},
        {"max", "x"}, {"mean", "x"}, {"geomean", "x"}, {"median", "x"}, {"min", "x"},
        {"paper", ""}};
    rc_contestant_t *a = NULL;
    rc_contestant_t *b = NULL;
    rc_classes_t *c = NULL;
    rc_table_t *t = NULL;
    int as = 0;
    int bs = 0;
    int n = 0;
    rc_status_t st = rc_contestants_parse(o->side_a, &a, &as, err);
    if (st < 0)
        (void)rc_err_context(err, "--side-a");
    else if ((st = rc_contestants_parse(o->side_b, &b, &bs, err)) < 0)
        (void)rc_err_context(err, "--side-b");
    RC_TRY(st);
    RC_TRY(rc_classes_make(v, where, a, as, b, bs, &c, &n, err));
    t = rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    RC_TRY(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++)
        put_classes(t, v, &c[i], a[c[i].a].name, b[c[i].b].name, table);
    st = rc_table_end(t, err);
    if (st == RC_OK && n == 0)
        fprintf(stderr, "no matrix has results of both '%s' and '%s'\n", o->side_a, o->side_b);
done:
    free(c);
    rc_contestants_free(a, as);
    rc_contestants_free(b, bs);
    return st;
}

static rc_status_t print_classes(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    const rc_summary_options_t own = {.side_a = o->side_a ? o->side_a : "aspt-nr,aspt-rr",
        .side_b = o->side_b ? o->side_b : "cusparse"};
    return print_sides(v, &own, "classes", where, format, err);
}

static const rc_summary_t classes = {.name = "classes",
    .shows = "figure-8 table-1 table-2",
    .summary = "plans by class of speedup",
    .takes = RC_TAKES_SIDES,
    .print = print_classes};

/* Figure 9 compares with nr.  What the two changes are is not in a store: it has the figures of
 * the original order. */
static rc_status_t print_forced(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    const rc_summary_options_t own = {.side_a = "aspt-forced", .side_b = "aspt-nr"};
    (void)o;
    return print_sides(v, &own, "forced", where, format, err);
}

static const rc_summary_t forced = {.name = "forced",
    .shows = "figure-9",
    .summary = "both rounds whatever the rules say",
    .print = print_forced};

/* -------------------------------------------------------------------- cost */

/* Tables 3 and 4: shares below 5, 10 and 100 times "the computation", which is not one product;
 * products that would give the first of them. */
static void put_cost_paper(rc_table_t *t, const rc_reorder_cost_t *c)
{
    const char *shares = rc_paper_says(rc_jiang_words, "prepare", &c->setting, "", "");
    const double below_5 = rc_paper_number(shares, 0) / 100;
    rc_table_real(t, shares ? rc_reorder_products(c, below_5, 5) : NAN, 4);
    put_words(t, "prepare", &c->setting, (int)c->set, "", "");
}

static rc_status_t print_cost(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {SETTING_COLUMNS, {"plan", ""}, {"matrices", ""},
        {"least", "s"}, {"mean", "s"}, {"median", "s"}, {"most", "s"}, {"products", "median"},
        {"below_5", "%"}, {"below_10", "%"}, {"below_100", "%"}, {"more", "%"}, {"faster_10", ""},
        {"pays", "products"}, {"pays_1000", "share"}, {"as_paper", "products"}, {"paper", ""}};
    const char *plan_text = o->plan ? o->plan : "aspt-rr";
    rc_contestant_t *plan = NULL;
    rc_contestant_t *nr = NULL;
    rc_reorder_cost_t *c = NULL;
    rc_table_t *t = NULL;
    int plans = 0;
    int nrs = 0;
    int n = 0;
    rc_status_t st = rc_contestants_parse(plan_text, &plan, &plans, err);
    if (st == RC_OK && plans != 1)
        st = rc_fail(err, RC_EINVAL, "one plan is expected, found '%s'", plan_text);
    if (st < 0)
        (void)rc_err_context(err, "--plan");
    RC_TRY(st);
    RC_TRY(rc_contestants_parse("aspt-nr", &nr, &nrs, err));
    RC_TRY(rc_reorder_cost_make(v, where, plan, nr, &c, &n, err));
    t = rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    RC_TRY(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++) {
        put_setting(t, v, &c[i].setting, c[i].set);
        RC_CELLS(t, RC_TEXT(plan[0].name), RC_INT(c[i].matrices), RC_REAL(c[i].least, 4),
            RC_REAL(c[i].mean, 4), RC_REAL(c[i].median, 4), RC_REAL(c[i].most, 4),
            RC_REAL(c[i].products, 4));
        for (int k = 0; k < RC_RATIO_CLASSES; k++)
            rc_table_real(t, 100 * c[i].share[k], 4);
        RC_CELLS(t, c[i].compared > 0 ? RC_INT(c[i].faster) : RC_MISSING, RC_REAL(c[i].pays, 4),
            RC_REAL(c[i].pays_1000, 4));
        put_cost_paper(t, &c[i]);
    }
    st = rc_table_end(t, err);
    if (st == RC_OK && n == 0)
        fprintf(stderr, "no matrix has a result of '%s'\n", plan_text);
done:
    rc_reorder_cost_free(c, n);
    rc_contestants_free(plan, plans);
    rc_contestants_free(nr, nrs);
    return st;
}

static const rc_summary_t cost = {.name = "prepare",
    .shows = "figure-12 table-3 table-4",
    .summary = "what a plan takes, and after how many products it has paid",
    .takes = RC_TAKES_PLAN,
    .print = print_cost};

static const rc_summary_t *const tables[] = {&tiles, &classes, &forced, &cost, NULL};

const rc_paper_t rc_paper_jiang = {.name = "jiang",
    .cite = "Jiang et al. 2020, row reordering for adaptive sparse tiling",
    .tables = tables};
