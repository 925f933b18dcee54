#include "config.h"
#include "analysis/papers/paper.h"
#include "analysis/summary/lines.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "table/features_read.h"
#include "table/reorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETTING_COLUMNS "op|k|" RC_SETTING_COLUMNS "set|"
/* The matrices of a line: real ones within the paper's limits, real ones that are smaller,
 * generated ones. */
enum { LIMITS, SMALLER, GENERATED, SETS };
static const char *const set_names[] = {"limits", "smaller", "generated"};

static int set_of(const rc_view_t *v, int32_t matrix)
{
    const rc_row_matrix_t *m = rc_view_matrix(v, matrix);
    if (rc_view_is_generated(v, matrix))
        return GENERATED;
    return m->rows >= 10000 && m->cols >= 10000 && m->nnz >= 100000 ? LIMITS : SMALLER;
}

static void put_setting(rc_table_t *t, const rc_lines_of_t *of)
{
    RC_CELLS(t, RC_TEXT(rc_view_name(rc_op_names, of->setting->op)), rc_k_cell(of->setting));
    rc_put_setting(t, of->c->view, of->setting);
    rc_table_text(t, set_names[of->set]);
}

static double percent(int64_t part, int64_t all)
{
    return 100 * (double)part / (double)all;
}

/* The paper is of matrices within its limits. */
static void put_words(
    rc_table_t *t, const char *table, const rc_setting_t *s, int set, const char *a, const char *b)
{
    rc_paper_put_text(t, set == LIMITS ? rc_paper_says(rc_jiang_words, table, s, a, b) : NULL);
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

/* Those of matrices with a result that matches.
 * \param[in] ratio, rest  [matrices of the view] NaN: unknown, as for the field needs_reordering */
static void count_needs(const rc_view_t *v, const unsigned char *marks, const double *ratio,
    const double *rest, needs_t needs[SETS])
{
    const double most = 0.1;
    for (int32_t m = 0; m < rc_view_matrices(v); m++) {
        needs_t *n = &needs[set_of(v, m)];
        if (!marks[m] || isnan(ratio[m]) || isnan(rest[m]))
            continue;
        n->matrices++;
        n->few += ratio[m] < 0.01;
        n->first += ratio[m] <= most;
        n->second += ratio[m] > most && rest[m] <= most;
    }
}

static void put_needs(rc_table_t *t, int64_t col_min, const needs_t needs[SETS])
{
    for (int set = 0; set < SETS; set++) {
        const needs_t *n = &needs[set];
        if (n->matrices == 0)
            continue;
        RC_CELLS(t, RC_INT(col_min), RC_TEXT(set_names[set]), RC_INT(n->matrices), RC_INT(n->few),
            RC_REAL(percent(n->few, n->matrices), 4), RC_INT(n->first), RC_INT(n->second),
            RC_INT(n->first + n->second), RC_REAL(percent(n->first + n->second, n->matrices), 4));
        put_words(t, "tiles", NULL, set, "", "");
    }
}

static rc_status_t print_tiles(const rc_summary_options_t *o, rc_err_t *err)
{
    static const char columns[] =
        "col_min|set|matrices|below_1|below_1_share:%|round_1|only_round_2|needed|needed_share:%|"
        "paper";
    const rc_view_t *v = o->view;
    const int32_t n = rc_view_matrices(v);
    unsigned char *marks = rc_alloc0((size_t)n, 1, "marks", err);
    double *ratio = rc_alloc((size_t)n, sizeof *ratio, "features", err);
    double *rest = rc_alloc((size_t)n, sizeof *rest, "features", err);
    rc_table_t *t = NULL;
    rc_status_t st;
    RC_TRY(marks && ratio && rest ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < rc_view_count(v); i++)
        if (rc_view_is_newest(v, i) && rc_view_matches(v, i, o->where))
            marks[rc_view_result(v, i)->matrix] = 1;
    t = rc_table_of(stdout, o->format, columns, 0, err);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        needs_t needs[SETS] = {{0}};
        for (int32_t m = 0; m < n; m++)
            ratio[m] = rest[m] = NAN; /* an older store has not all sets */
        RC_TRY(rc_feature_by_matrix(o->store, cuts[i].set, cuts[i].ratio, ratio, n, err));
        RC_TRY(rc_feature_by_matrix(o->store, cuts[i].set, cuts[i].rest, rest, n, err));
        count_needs(v, marks, ratio, rest, needs);
        put_needs(t, cuts[i].col_min, needs);
    }
done:
    st = rc_table_end_after(st, t, err);
    free(marks);
    free(ratio);
    free(rest);
    return st;
}

static const rc_summary_t tiles = {.name = "tiles",
    .shows = "section-1",
    .summary = "how many matrices need reordering",
    .print = print_tiles};

/* ----------------------------------------------------------------- classes */

/* Classes of speedup: slower, up to 10 %, 50 %, 100 % faster, more. */
enum { CLASSES = 5 };

static int class_of(double x, const double *upto, int classes)
{
    int i = 0;
    while (i < classes - 1 && x >= upto[i])
        i++;
    return i;
}

/* Contestants of a comparison. */
typedef struct sides {
    rc_contestant_t *a;
    rc_contestant_t *b;
    int as;
    int bs;
    const char *table; /* of the paper's words */
    int lines;         /* that there are */
} sides_t;

/* Contestant a over b: time of b over time of a. */
static void put_pair(const rc_lines_of_t *of, rc_table_t *t, const rc_contestant_t *a,
    const rc_contestant_t *b, sides_t *sides)
{
    static const double upto[CLASSES - 1] = {1, 1.1, 1.5, 2};
    const rc_view_t *v = of->c->view;
    rc_lines_of_t line = *of;
    for (line.set = 0; line.set < SETS; line.set++) {
        int64_t in[CLASSES] = {0};
        int64_t n = 0;
        rc_stats_t s;
        for (int64_t i = of->from, end; i < of->to; i = end) {
            end = rc_counted_end(of->c, i);
            int64_t row_a = rc_contestant_first(of->c, i, end, a);
            int64_t row_b = rc_contestant_first(of->c, i, end, b);
            if (row_a < 0 || row_b < 0 || set_of(v, of->c->row[i].matrix) != line.set)
                continue;
            double speedup = rc_view_ns(v, row_b) / rc_view_ns(v, row_a);
            in[class_of(speedup, upto, CLASSES)]++;
            of->scratch[n++] = speedup;
        }
        if (n == 0)
            continue;
        rc_stats_compute(of->scratch, n, &s);
        put_setting(t, &line);
        RC_CELLS(t, RC_TEXT(a->name), RC_TEXT(b->name), RC_INT(n));
        for (int i = 0; i < CLASSES; i++)
            rc_table_real(t, percent(in[i], n), 4);
        rc_put_stats(t, &s);
        put_words(t, sides->table, of->setting, line.set, a->name, b->name);
        sides->lines++;
    }
}

static rc_status_t put_classes(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    sides_t *sides = of->user;
    (void)err;
    for (int a = 0; a < sides->as; a++)
        for (int b = 0; b < sides->bs; b++)
            put_pair(of, t, &sides->a[a], &sides->b[b], sides);
    return RC_OK;
}

/* Those of both sides, with what the paper says in a table of its words. */
static rc_status_t print_sides(const rc_summary_options_t *o, const char *side_a,
    const char *side_b, const char *table, rc_err_t *err)
{
    static const rc_lines_t lines = {SETTING_COLUMNS
        "a|b|matrices|slower:%|to_10:%|to_50:%|to_100:%|over_100:%|max:x|mean:x|"
        "geomean:x|median:x|min:x|paper",
        0, -1, 1, put_classes};
    sides_t sides = {.table = table};
    rc_status_t st = rc_contestants_parse(side_a, &sides.a, &sides.as, err);
    if (st < 0)
        (void)rc_err_context(err, "--side-a");
    else if ((st = rc_contestants_parse(side_b, &sides.b, &sides.bs, err)) < 0)
        (void)rc_err_context(err, "--side-b");
    if (st == RC_OK)
        st = rc_lines_print(&lines, &sides, o, err);
    if (st == RC_OK && sides.lines == 0)
        fprintf(stderr, "no matrix has results of both '%s' and '%s'\n", side_a, side_b);
    rc_contestants_free(sides.a, sides.as);
    rc_contestants_free(sides.b, sides.bs);
    return st;
}

static rc_status_t print_classes(const rc_summary_options_t *o, rc_err_t *err)
{
    return print_sides(o, o->side_a ? o->side_a : "aspt-nr,aspt-rr",
        o->side_b ? o->side_b : "cusparse", "classes", err);
}

static const rc_summary_t classes = {.name = "classes",
    .shows = "figure-8 table-1 table-2",
    .summary = "plans by class of speedup",
    .takes = RC_TAKES_SIDES,
    .print = print_classes};

/* Figure 9 compares with nr.  What the two changes are is not in a store: it has the figures of
 * the original order. */
static rc_status_t print_forced(const rc_summary_options_t *o, rc_err_t *err)
{
    return print_sides(o, "aspt-forced", "aspt-nr", "forced", err);
}

static const rc_summary_t forced = {.name = "forced",
    .shows = "figure-9",
    .summary = "both rounds whatever the rules say",
    .print = print_forced};

/* -------------------------------------------------------------------- cost */

/* ns before the first product: order, tiles and both rounds; what is not known took nothing. */
static double before(const rc_row_result_t *r)
{
    return fmax(0, (double)r->order_ns) + fmax(0, (double)r->prepare_ns) +
           fmax(0, (double)r->preprocess_ns);
}

/* A plan, and what it must win against. */
typedef struct plans {
    rc_contestant_t *plan;
    rc_contestant_t *nr;
    int lines; /* that there are */
} plans_t;

/* Against nr, where there is that too. */
typedef struct paying {
    int64_t compared;
    int64_t faster; /* of these, matrices on which the plan is more than 10 % faster */
    int64_t within; /* of these, matrices on which 1,000 products are enough */
    double *products;
} paying_t;

static void note_paying(paying_t *p, const rc_row_result_t *plan, const rc_row_result_t *nr)
{
    p->compared++;
    if (nr->median_ns <= 1.1 * plan->median_ns)
        return;
    double paid = fmax(0, before(plan) - before(nr)) / (nr->median_ns - plan->median_ns);
    p->within += paid <= 1000;
    p->products[p->faster++] = paid;
}

/* After how many of its own products a plan is ready.  \param[in,out] ratio  [n], is sorted */
static void put_ratios(rc_table_t *t, double *ratio, int64_t n)
{
    enum { RATIOS = 4 };
    static const double upto[RATIOS - 1] = {5, 10, 100};
    double share[RATIOS] = {0};
    rc_stats_t s;
    rc_stats_compute(ratio, n, &s);
    for (int64_t i = 0; i < n; i++)
        share[class_of(ratio[i], upto, RATIOS)] += 1 / (double)n;
    rc_table_real(t, s.median, 4);
    for (int k = 0; k < RATIOS; k++)
        rc_table_real(t, 100 * share[k], 4);
}

/* Tables 3 and 4 have the shares below 5, 10 and 100 times "the computation", which is not one
 * product; as_paper is the products that would give the first of them. */
static void put_paying(
    const rc_lines_of_t *of, rc_table_t *t, const paying_t *p, const double *ratio, int64_t n)
{
    const char *shares = rc_paper_says(rc_jiang_words, "prepare", of->setting, "", "");
    rc_stats_t s = {.median = NAN};
    if (p->faster > 0)
        rc_stats_compute(p->products, p->faster, &s);
    RC_CELLS(t, p->compared > 0 ? RC_INT(p->faster) : RC_MISSING, RC_REAL(s.median, 4),
        RC_REAL(p->faster > 0 ? (double)p->within / (double)p->faster : NAN, 4),
        RC_REAL(
            shares ? rc_stats_quantile(ratio, n, rc_paper_number(shares, 0) / 100) / 5 : NAN, 4));
    put_words(t, "prepare", of->setting, of->set, "", "");
}

static rc_status_t put_cost(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    plans_t *who = of->user;
    const rc_view_t *v = of->c->view;
    const int64_t most = of->c->rows;
    double *seconds = of->scratch;
    double *ratio = of->scratch + most;
    paying_t paying = {.products = of->scratch + 2 * most};
    rc_stats_t s;
    int64_t n = 0;
    (void)err;
    for (int64_t i = of->from, end; i < of->to; i = end) {
        end = rc_counted_end(of->c, i);
        int64_t row = rc_contestant_first(of->c, i, end, who->plan);
        int64_t other = rc_contestant_first(of->c, i, end, who->nr);
        if (row < 0 || set_of(v, of->c->row[i].matrix) != of->set)
            continue;
        const rc_row_result_t *r = rc_view_result(v, row);
        seconds[n] = before(r) / 1e9;
        ratio[n++] = before(r) / r->median_ns;
        if (other >= 0)
            note_paying(&paying, r, rc_view_result(v, other));
    }
    if (n == 0)
        return RC_OK;
    rc_stats_compute(seconds, n, &s);
    put_setting(t, of);
    RC_CELLS(t, RC_TEXT(who->plan->name), RC_INT(n), RC_REAL(s.min, 4), RC_REAL(s.mean, 4),
        RC_REAL(s.median, 4), RC_REAL(s.max, 4));
    put_ratios(t, ratio, n);
    put_paying(of, t, &paying, ratio, n);
    who->lines++;
    return RC_OK;
}

static rc_status_t print_cost(const rc_summary_options_t *o, rc_err_t *err)
{
    static const rc_lines_t lines = {SETTING_COLUMNS
        "plan|matrices|least:s|mean:s|median:s|most:s|products:median|below_5:%|"
        "below_10:%|below_100:%|more:%|faster_10|pays:products|pays_1000:share|as_paper:products|"
        "paper",
        0, -1, SETS, put_cost};
    const char *plan_text = o->plan ? o->plan : "aspt-rr";
    plans_t who = {.lines = 0};
    int plans = 0;
    int nrs = 0;
    rc_status_t st = rc_contestants_parse(plan_text, &who.plan, &plans, err);
    if (st == RC_OK && plans != 1)
        st = rc_fail(err, RC_EINVAL, "one plan is expected, found '%s'", plan_text);
    if (st < 0)
        (void)rc_err_context(err, "--plan");
    RC_TRY(st);
    RC_TRY(rc_contestants_parse("aspt-nr", &who.nr, &nrs, err));
    RC_TRY(rc_lines_print(&lines, &who, o, err));
    if (who.lines == 0)
        fprintf(stderr, "no matrix has a result of '%s'\n", plan_text);
done:
    rc_contestants_free(who.plan, plans);
    rc_contestants_free(who.nr, nrs);
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
