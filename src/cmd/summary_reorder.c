#include "config.h"
#include "cmd/summary_reorder.h"
#include "base/alloc.h"
#include "base/error.h"
#include "cmd/summary_setting.h"
#include "table/features_read.h"
#include "table/reorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETTING_COLUMNS {"op", ""}, {"k", ""}, RC_SETTING_COLUMNS, {"set", ""}
#define COLUMNS(list) (int)(sizeof(list) / sizeof *(list))

static void put_setting(rc_table_t *t, const rc_view_t *v, const rc_setting_t *s, rc_reorder_set_t set)
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

/* What the paper says of a setting; "" nothing: it has K = 512 and 1,024 in fp32, of matrices within its limits. */
typedef struct paper {
    rc_op_t op;
    int64_t k;
    const char *a; /* contestants, NULL: any */
    const char *b;
    const char *text;
} paper_t;

static const char in_metis[] = "aspt in an order of METIS";

/* 1: it is what a line of the list names. */
static int is_side(const char *want, const char *side)
{
    if (want == in_metis)
        return strncmp(side, "aspt", 4) == 0 && (strstr(side, "@metis") || strstr(side, "/metis"));
    return !want || strcmp(want, side) == 0;
}

static const char *paper_of(
    const paper_t *list, int n, const rc_setting_t *s, rc_reorder_set_t set, const char *a, const char *b)
{
    for (int i = 0; i < n && set == RC_REORDER_LIMITS && s->precision == RC_FP32 && !s->is_n; i++)
        if ((int)list[i].op == s->op && list[i].k == s->k && is_side(list[i].a, a) && is_side(list[i].b, b))
            return list[i].text;
    return "";
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

static int column_of(const rc_feature_table_t *f, const char *name)
{
    for (int i = 0; i < f->names.count; i++)
        if (strcmp(f->names.word[i], name) == 0)
            return i;
    return -1;
}

/* 1 for each matrix with a result that matches.  \param[out] marks  free() */
static rc_status_t mark(const rc_view_t *v, const rc_expr_t *where, unsigned char **marks, rc_err_t *err)
{
    unsigned char *m = rc_alloc0((size_t)rc_view_matrices(v) + 1, 1, "marks", err);
    if (!m)
        return RC_ENOMEM;
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
static void count_needs(const rc_view_t *v, const rc_feature_table_t *f, int ratio, int rest, unsigned char *marks,
    needs_t needs[RC_REORDER_SETS])
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
        rc_table_int(t, col_min);
        rc_table_text(t, rc_reorder_set_names[set]);
        rc_table_int(t, n->matrices);
        rc_table_int(t, n->few);
        rc_table_real(t, percent(n->few, n->matrices), 4);
        rc_table_int(t, n->first);
        rc_table_int(t, n->second);
        rc_table_int(t, n->first + n->second);
        rc_table_real(t, percent(n->first + n->second, n->matrices), 4);
        rc_table_text(t, set == RC_REORDER_LIMITS ? "below 1 %: 351 of 1,084 (32.4 %); needed: 416 (38.4 %)" : "");
    }
}

rc_status_t rc_summary_tiles(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {{"col_min", ""}, {"set", ""}, {"matrices", ""}, {"below_1", ""}, {"below_1_share", "%"},
        {"round_1", ""}, {"only_round_2", ""}, {"needed", ""}, {"needed_share", "%"}, {"paper", ""}};
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
        int ratio = column_of(&f, cuts[i].ratio);
        int rest = column_of(&f, cuts[i].rest);
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

/* ----------------------------------------------------------------- classes */

static const char best_of_both[] = "max(aspt-nr,cusparse)";

static const paper_t classes_paper[] = {
    {RC_OP_SPMM, 512, "aspt-rr", best_of_both, "table 1: 1 / 40 / 53.1 / 4.8 / 1.1; max 2.73, median 1.12, geomean 1.17"},
    {RC_OP_SPMM, 1024, "aspt-rr", best_of_both, "table 1: 0 / 28.8 / 65.3 / 4.9 / 1; max 2.91, median 1.14, geomean 1.19"},
    {RC_OP_SDDMM, 512, "aspt-rr", "aspt-nr", "table 2: 0 / 11.3 / 44.4 / 33.8 / 10.5; max 3.19, median 1.45, geomean 1.48"},
    {RC_OP_SDDMM, 1024, "aspt-rr", "aspt-nr", "table 2: 0 / 7.0 / 47.4 / 35.7 / 9.9; max 2.95, median 1.45, geomean 1.49"},
    {RC_OP_SPMM, 512, "aspt-nr", "cusparse", "mean 1.35; slower or below 10 % on over 25 %"},
    {RC_OP_SPMM, 512, "aspt-rr", "cusparse", "figure 8: fewer slower and below 10 %, more at 50-100, than nr"},
    {RC_OP_SPMM, 1024, "aspt-rr", "cusparse", "figure 8: fewer slower and below 10 %, more at 50-100, than nr"},
    {RC_OP_SPMM, 512, in_metis, NULL, "section 5.2: all slower"},
    {RC_OP_SPMM, 1024, in_metis, NULL, "section 5.2: all slower"},
    {RC_OP_SDDMM, 512, "aspt-rr", best_of_both, "table 2, over aspt-nr alone: max 3.19, median 1.45, geomean 1.48"},
    {RC_OP_SDDMM, 1024, "aspt-rr", best_of_both, "table 2, over aspt-nr alone: max 2.95, median 1.45, geomean 1.49"},
};

const char *rc_paper_of_orders(const rc_setting_t *s, const char *a, const char *b)
{
    return paper_of(classes_paper, COLUMNS(classes_paper), s, RC_REORDER_LIMITS, a, b);
}

static void put_classes(rc_table_t *t, const rc_view_t *v, const rc_classes_t *c, const char *a, const char *b,
    const paper_t *paper, int papers)
{
    put_setting(t, v, &c->setting, c->set);
    rc_table_text(t, a);
    rc_table_text(t, b);
    rc_table_int(t, c->matrices);
    for (int i = 0; i < RC_SPEEDUP_CLASSES; i++)
        rc_table_real(t, percent(c->in[i], c->matrices), 4);
    rc_table_real(t, c->max, 4);
    rc_table_real(t, c->mean, 4);
    rc_table_real(t, c->geomean, 4);
    rc_table_real(t, c->median, 4);
    rc_table_real(t, c->min, 4);
    rc_table_text(t, paper_of(paper, papers, &c->setting, c->set, a, b));
}

static rc_status_t print_classes(const rc_view_t *v, const char *side_a, const char *side_b, const paper_t *paper, int papers,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {SETTING_COLUMNS, {"a", ""}, {"b", ""}, {"matrices", ""}, {"slower", "%"},
        {"to_10", "%"}, {"to_50", "%"}, {"to_100", "%"}, {"over_100", "%"}, {"max", "x"}, {"mean", "x"}, {"geomean", "x"},
        {"median", "x"}, {"min", "x"}, {"paper", ""}};
    rc_contestant_t *a = NULL;
    rc_contestant_t *b = NULL;
    rc_classes_t *c = NULL;
    rc_table_t *t = NULL;
    int as = 0;
    int bs = 0;
    int n = 0;
    rc_status_t st = rc_contestants_parse(side_a, &a, &as, err);
    if (st < 0)
        (void)rc_err_context(err, "--side-a");
    else if ((st = rc_contestants_parse(side_b, &b, &bs, err)) < 0)
        (void)rc_err_context(err, "--side-b");
    RC_TRY(st);
    RC_TRY(rc_classes_make(v, where, a, as, b, bs, &c, &n, err));
    t = rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    RC_TRY(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++)
        put_classes(t, v, &c[i], a[c[i].a].name, b[c[i].b].name, paper, papers);
    st = rc_table_end(t, err);
    if (st == RC_OK && n == 0)
        fprintf(stderr, "no matrix has results of both '%s' and '%s'\n", side_a, side_b);
done:
    free(c);
    rc_contestants_free(a, as);
    rc_contestants_free(b, bs);
    return st;
}

rc_status_t rc_summary_classes(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err)
{
    return print_classes(v, o->side_a ? o->side_a : "aspt-nr,aspt-rr", o->side_b ? o->side_b : "cusparse", classes_paper,
        COLUMNS(classes_paper), where, format, err);
}

/* Figure 9 compares with nr.  What the two changes are is not in a store: it has the figures of the original order. */
rc_status_t rc_summary_forced(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err)
{
    static const paper_t paper[] = {{RC_OP_SPMM, 512, NULL, NULL, "figure 9: 613 of 1,084 faster (56.5 %)"}};
    (void)o;
    return print_classes(v, "aspt-forced", "aspt-nr", paper, COLUMNS(paper), where, format, err);
}

/* -------------------------------------------------------------------- cost */

/* Tables 3 and 4: shares below 5, 10 and 100 times "the computation", which is not one product. */
static const struct {
    rc_op_t op;
    int64_t k;
    double share[RC_RATIO_CLASSES];
} cost_paper[] = {
    {RC_OP_SPMM, 512, {24.8, 61.1, 12.7, 1.4}},
    {RC_OP_SPMM, 1024, {90.9, 5.3, 3.1, 0.7}},
    {RC_OP_SDDMM, 512, {33.2, 61.3, 4.5, 1.0}},
    {RC_OP_SDDMM, 1024, {95.7, 2.4, 1.7, 0.2}},
};

/* The paper's shares, and products that would give the first of them. */
static void put_cost_paper(rc_table_t *t, const rc_reorder_cost_t *c)
{
    const double *share = NULL;
    char text[128];
    for (size_t i = 0; i < sizeof cost_paper / sizeof *cost_paper; i++)
        if ((int)cost_paper[i].op == c->setting.op && cost_paper[i].k == c->setting.k && !c->setting.is_n &&
            c->setting.precision == RC_FP32)
            share = cost_paper[i].share;
    if (!share) {
        rc_table_missing(t);
        rc_table_text(t, "");
        return;
    }
    snprintf(text, sizeof text, "%g / %g / %g / %g; 0.157 to 298 s, mean 69.4, median 59.6", share[0], share[1], share[2],
        share[3]);
    rc_table_real(t, rc_reorder_products(c, share[0] / 100, 5), 4);
    rc_table_text(t, c->set == RC_REORDER_LIMITS ? text : "");
}

rc_status_t rc_summary_reorder_cost(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {SETTING_COLUMNS, {"plan", ""}, {"matrices", ""}, {"least", "s"}, {"mean", "s"},
        {"median", "s"}, {"most", "s"}, {"products", "median"}, {"below_5", "%"}, {"below_10", "%"}, {"below_100", "%"},
        {"more", "%"}, {"faster_10", ""}, {"pays", "products"}, {"pays_1000", "share"}, {"as_paper", "products"}, {"paper", ""}};
    rc_contestant_t *plan = NULL;
    rc_contestant_t *nr = NULL;
    rc_reorder_cost_t *c = NULL;
    rc_table_t *t = NULL;
    int plans = 0;
    int nrs = 0;
    int n = 0;
    rc_status_t st = rc_contestants_parse(o->plan, &plan, &plans, err);
    if (st == RC_OK && plans != 1)
        st = rc_fail(err, RC_EINVAL, "one plan is expected, found '%s'", o->plan);
    if (st < 0)
        (void)rc_err_context(err, "--plan");
    RC_TRY(st);
    RC_TRY(rc_contestants_parse("aspt-nr", &nr, &nrs, err));
    RC_TRY(rc_reorder_cost_make(v, where, plan, nr, &c, &n, err));
    t = rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    RC_TRY(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++) {
        put_setting(t, v, &c[i].setting, c[i].set);
        rc_table_text(t, plan[0].name);
        rc_table_int(t, c[i].matrices);
        rc_table_real(t, c[i].least, 4);
        rc_table_real(t, c[i].mean, 4);
        rc_table_real(t, c[i].median, 4);
        rc_table_real(t, c[i].most, 4);
        rc_table_real(t, c[i].products, 4);
        for (int k = 0; k < RC_RATIO_CLASSES; k++)
            rc_table_real(t, 100 * c[i].share[k], 4);
        if (c[i].compared > 0)
            rc_table_int(t, c[i].faster);
        else
            rc_table_missing(t);
        rc_table_real(t, c[i].pays, 4);
        rc_table_real(t, c[i].pays_1000, 4);
        put_cost_paper(t, &c[i]);
    }
    st = rc_table_end(t, err);
    if (st == RC_OK && n == 0)
        fprintf(stderr, "no matrix has a result of '%s'\n", o->plan);
done:
    rc_reorder_cost_free(c, n);
    rc_contestants_free(plan, plans);
    rc_contestants_free(nr, nrs);
    return st;
}
