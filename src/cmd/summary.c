#include "config.h"
#include "cmd/summary.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/summary_hong.h"
#include "cmd/summary_reorder.h"
#include "cmd/summary_segmented.h"
#include "cmd/summary_setting.h"
#include "cmd/summary_spmv.h"
#include "cmd/summary_suite.h"
#include "table/best.h"
#include "table/rate.h"
#include "table/speedup.h"
#include "table/versus.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- headings */

/* Columns that tell the lines of a table apart beside kernel, K and precision. */
enum {
    SHOW_DEVICE = 1,
    SHOW_GEOMETRY = 2,
    SHOW_CACHE = 4,
    SHOW_C_ORDER = 8,
    SHOW_KERNEL = 16,
    SHOW_OP = 32,
    SHOW_SET = 64,
    HEAD_MAX = 11,
    OWN_MAX = 14
};

typedef struct head {
    const rc_view_t *v;
    rc_table_format_t format;
    rc_setting_t first; /* that was seen */
    int64_t first_row;  /* its row, -1 */
    int show;
    rc_column_t column[HEAD_MAX + OWN_MAX];
} head_t;

/* A table for people shows only what differs; the others have the same columns always. */
static head_t new_head(const rc_view_t *v, rc_table_format_t format, int show)
{
    if (format != RC_TABLE_TEXT)
        show |= SHOW_DEVICE | SHOW_CACHE | SHOW_C_ORDER | (show & SHOW_KERNEL ? SHOW_GEOMETRY : 0);
    return (head_t){.v = v, .format = format, .first_row = -1, .show = show};
}

static void see(head_t *h, const rc_setting_t *s, int64_t row)
{
    const rc_row_result_t *r = rc_view_result(h->v, row);
    if (h->first_row < 0) {
        h->first = *s;
        h->first_row = row;
    }
    const rc_row_result_t *first = rc_view_result(h->v, h->first_row);
    h->show |= s->op != 0 ? SHOW_OP : 0; /* spmm goes unsaid where there is nothing else */
    h->show |= s->device != h->first.device ? SHOW_DEVICE : 0;
    h->show |= s->cache != h->first.cache ? SHOW_CACHE : 0;
    h->show |= s->c_order != h->first.c_order ? SHOW_C_ORDER : 0;
    if (h->show & SHOW_KERNEL &&
        (r->nw != first->nw || r->nt != first->nt || r->line != first->line))
        h->show |= SHOW_GEOMETRY;
}

static rc_table_t *begin(head_t *h, const rc_column_t *own, int owns, rc_err_t *err)
{
    int n = 0;
    if (h->show & SHOW_OP)
        h->column[n++] = (rc_column_t){"op", ""};
    if (h->show & SHOW_KERNEL)
        h->column[n++] = (rc_column_t){"kernel", ""};
    h->column[n++] = (rc_column_t){"k", ""};
    h->column[n++] = (rc_column_t){"precision", ""};
    if (h->show & SHOW_DEVICE)
        h->column[n++] = (rc_column_t){"device", ""};
    if (h->show & SHOW_GEOMETRY) {
        h->column[n++] = (rc_column_t){"nw", ""};
        h->column[n++] = (rc_column_t){"nt", ""};
        h->column[n++] = (rc_column_t){"line", ""};
    }
    if (h->show & SHOW_C_ORDER)
        h->column[n++] = (rc_column_t){"c_order", ""};
    if (h->show & SHOW_CACHE)
        h->column[n++] = (rc_column_t){"cache", ""};
    if (h->show & SHOW_SET)
        h->column[n++] = (rc_column_t){"set", ""};
    for (int i = 0; i < owns; i++)
        h->column[n++] = own[i];
    return rc_table_begin(stdout, h->format, h->column, n, err);
}

/* What the rows of setting s have in common; `row` is one of them. */
static void put(rc_table_t *t, const head_t *h, const rc_setting_t *s, int64_t row)
{
    const rc_row_result_t *r = rc_view_result(h->v, row);
    if (h->show & SHOW_OP)
        rc_table_text(t, rc_view_name(rc_op_names, s->op));
    if (h->show & SHOW_KERNEL)
        rc_table_text(t, rc_view_kernel(h->v, r->kernel));
    rc_put_k(t, s);
    rc_table_text(t, rc_view_name(rc_precision_names, s->precision));
    if (h->show & SHOW_DEVICE)
        rc_table_text(t, rc_view_device(h->v, s->device));
    if (h->show & SHOW_GEOMETRY) {
        rc_table_int(t, r->nw);
        rc_table_int(t, r->nt);
        rc_table_int(t, r->line);
    }
    if (h->show & SHOW_C_ORDER)
        rc_table_text(t, rc_view_name(rc_c_order_names, s->c_order));
    if (h->show & SHOW_CACHE)
        rc_table_text(t, rc_view_name(rc_cache_names, s->cache));
}

/* Lines of two sets: real matrices, and all.  A table for people has both where they differ, the others always.
 * \param[in] matrices  of the line of all and of the one of real ones  */
static void see_sets(head_t *h, int64_t all, int64_t real)
{
    h->show |= all != real || h->format != RC_TABLE_TEXT ? SHOW_SET : 0;
}

/* 1: the line is shown.  Then its set is too, where lines have one. */
static int put_set(rc_table_t *t, const head_t *h, const rc_setting_t *s, rc_segmented_set_t set)
{
    if (!(h->show & SHOW_SET) && set != RC_SEGMENTED_ALL)
        return 0;
    put(t, h, s, s->row);
    if (h->show & SHOW_SET)
        rc_table_text(t, rc_segmented_set_names[set]);
    return 1;
}

/* Words of a paper have the last column.  A table for people has it where there are any, the others always.
 * \return 1: the column is there */
static int has_words(const head_t *h, int any)
{
    return any || h->format != RC_TABLE_TEXT;
}

/* ---------------------------------------------------------- of the papers */

/* A setting in which nothing but csr was measured has nothing to compare. */
static int has_orders(const rc_speedup_table_t *s)
{
    return s->matrices > 0 && s->policies > 1;
}

static head_t head_of_settings(
    const rc_view_t *v, rc_table_format_t format, const rc_speedup_table_t *s, int n)
{
    head_t h = new_head(v, format, SHOW_KERNEL);
    for (int i = 0; i < n; i++)
        if (has_orders(&s[i]))
            see(&h, &s[i].setting, s[i].row);
    return h;
}

static rc_status_t print_speedup(
    rc_table_format_t format, const rc_view_t *v, const rc_speedup_table_t *s, int n, rc_err_t *err)
{
    static const rc_column_t own[] = {{"policy", ""}, {"matrices", ""}, {"max", "x"}, {"mean", "x"},
        {"geomean", "x"}, {"median", "x"}, {"min", "x"}, {"mean_held_out", "x"},
        {"geomean_held_out", "x"}};
    head_t h = head_of_settings(v, format, s, n);
    rc_table_t *t = begin(&h, own, 9, err);
    if (!t)
        return RC_ENOMEM;
    for (int i = 0; i < n; i++)
        /* csr against itself is 1 by definition */
        for (int p = 1; p <= s[i].policies && has_orders(&s[i]); p++) {
            const rc_speedup_t *r = &s[i].speedup[p];
            put(t, &h, &s[i].setting, s[i].row);
            rc_table_text(t, r->policy);
            rc_table_int(t, r->matrices);
            rc_table_real(t, r->max, 4);
            rc_table_real(t, r->mean, 4);
            rc_table_real(t, r->geomean, 4);
            rc_table_real(t, r->median, 4);
            rc_table_real(t, r->min, 4);
            rc_table_real(t, r->mean_held_out, 4);
            rc_table_real(t, r->geomean_held_out, 4);
        }
    return rc_table_end(t, err);
}

static rc_status_t print_share(
    rc_table_format_t format, const rc_view_t *v, const rc_speedup_table_t *s, int n, rc_err_t *err)
{
    static const rc_column_t own[] = {{"policy", ""}, {"matrices", ""}, {"wins", ""},
        {"share", "%"}, {"clear", ""}, {"ties", ""}, {"gain_over_5", "%"}};
    head_t h = head_of_settings(v, format, s, n);
    rc_table_t *t = begin(&h, own, 7, err);
    if (!t)
        return RC_ENOMEM;
    for (int i = 0; i < n; i++)
        for (int p = 0; p <= s[i].policies && has_orders(&s[i]); p++) {
            const rc_speedup_t *r = &s[i].speedup[p];
            double all = (double)s[i].matrices;
            put(t, &h, &s[i].setting, s[i].row);
            rc_table_text(t, r->policy);
            rc_table_int(t, r->matrices);
            rc_table_int(t, r->wins);
            rc_table_real(t, 100 * (double)r->wins / all, 3);
            rc_table_int(t, r->clear);
            rc_table_int(t, r->ties);
            rc_table_real(t, 100 * (double)r->over5 / all, 3);
        }
    return rc_table_end(t, err);
}

static rc_status_t print_portfolio(
    rc_table_format_t format, const rc_view_t *v, const rc_speedup_table_t *s, int n, rc_err_t *err)
{
    static const rc_column_t own[] = {{"policies", ""}, {"added", ""}, {"geomean", "x"},
        {"mean", "x"}, {"geomean_held_out", "x"}, {"mean_held_out", "x"}};
    head_t h = head_of_settings(v, format, s, n);
    rc_table_t *t = begin(&h, own, 6, err);
    if (!t)
        return RC_ENOMEM;
    for (int i = 0; i < n; i++)
        for (int p = 0; p < s[i].policies && has_orders(&s[i]); p++) {
            put(t, &h, &s[i].setting, s[i].row);
            rc_table_int(t, p + 1);
            rc_table_text(t, s[i].portfolio[p].policy);
            rc_table_real(t, s[i].portfolio[p].geomean, 4);
            rc_table_real(t, s[i].portfolio[p].mean, 4);
            rc_table_real(t, s[i].portfolio[p].geomean_held_out, 4);
            rc_table_real(t, s[i].portfolio[p].mean_held_out, 4);
        }
    return rc_table_end(t, err);
}

static rc_status_t print_settings(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    rc_speedup_table_t *s = NULL;
    int n = 0;
    rc_status_t st = rc_speedup_make(v, where, &s, &n, err);
    if (st < 0)
        return st;
    if (strcmp(o->name, "portfolio") == 0)
        st = print_portfolio(format, v, s, n, err);
    else
        st = strcmp(o->name, "share") == 0 ? print_share(format, v, s, n, err)
                                           : print_speedup(format, v, s, n, err);
    rc_speedup_free(s, n);
    return st;
}

/* ----------------------------------------------------------- across kernels */

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
    rc_table_int(t, r->matrices);
    rc_table_int(t, r->only_a);
    rc_table_int(t, r->only_b);
    rc_table_int(t, r->wins);
    rc_table_real(t, 100 * (double)r->wins / (double)r->matrices, 3);
    rc_table_int(t, r->clear);
    rc_table_int(t, r->ties);
    rc_table_real(t, r->max, 4);
    rc_table_real(t, r->mean, 4);
    rc_table_real(t, r->geomean, 4);
    rc_table_real(t, r->median, 4);
    rc_table_real(t, r->min, 4);
    rc_table_real(t, r->geomean_held_out, 4);
}

/* Of RS-SpMM, or of row orders. */
static const char *paper_of_versus(const rc_setting_t *s, const char *a, const char *b)
{
    const char *text = rc_paper_of_versus(s, a, b);
    return *text ? text : rc_paper_of_orders(s, a, b);
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
    head_t h = new_head(v, format, 0);
    int words = 0;
    for (int i = 0; i < n; i++) {
        see(&h, &r[i].setting, r[i].setting.row);
        words |= *paper_of_versus(&r[i].setting, side_a, side_b);
        if (r[i].set == RC_SEGMENTED_ALL)
            see_sets(&h, members(&r[i]), members(&r[i - 1]));
    }
    words = has_words(&h, words);
    rc_table_t *t = st < 0 ? NULL : begin(&h, own, 13 + words, err);
    if (st == RC_OK && !t)
        st = RC_ENOMEM;
    for (int i = 0; t && i < n; i++) {
        if (members(&r[i]) == 0 || !put_set(t, &h, &r[i].setting, r[i].set))
            continue; /* neither side was measured there */
        put_versus(t, &r[i]);
        if (words)
            rc_table_text(t, paper_of_versus(&r[i].setting, side_a, side_b));
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

static void put_best(rc_table_t *t, const head_t *h, const rc_best_t *c, int64_t top)
{
    for (int i = 0; i < c->variants && (top == 0 || i < top); i++) {
        const rc_best_row_t *r = &c->variant[i];
        put(t, h, &c->setting, c->setting.row);
        rc_table_text(t, r->kernel);
        rc_table_text(t, r->policy);
        rc_table_int(t, r->matrices);
        rc_table_int(t, r->wins);
        rc_table_real(t, 100 * (double)r->wins / (double)c->setting.matrices, 3);
        rc_table_int(t, r->clear);
        rc_table_int(t, r->ties);
        rc_table_real(t, 100 * r->loss_geomean, 4);
        rc_table_real(t, 100 * r->loss_mean, 4);
        rc_table_real(t, 100 * r->loss_max, 4);
        rc_table_real(t, 100 * r->loss_held_out, 4);
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
    rc_status_t st = rc_best_make(v, where, &c, &n, err);
    if (st < 0)
        return st;
    head_t h = new_head(v, format, 0);
    for (int i = 0; i < n; i++)
        see(&h, &c[i].setting, c[i].setting.row);
    rc_table_t *t = begin(&h, own, 11, err);
    for (int i = 0; t && i < n; i++)
        put_best(t, &h, &c[i], o->top);
    st = t ? rc_table_end(t, err) : RC_ENOMEM;
    rc_best_free(c, n);
    return st;
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
        return rc_summary_rates(v, o, where, format, err);
    if (o->by)
        return rc_summary_rate_by(v, o, where, format, err);
    rc_status_t st = rc_rate_make(v, where, &r, &n, err);
    if (st < 0)
        return st;
    head_t h = new_head(v, format, 0);
    int64_t matrices[2] = {0, 0};
    int words = 0;
    for (int i = 0; i < n; i++) {
        see(&h, &r[i].setting, r[i].setting.row);
        matrices[r[i].set == RC_SEGMENTED_ALL] += r[i].matrices;
        words |= *rc_paper_of_rate(&r[i].setting, r[i].kernel);
    }
    see_sets(&h, matrices[1], matrices[0]);
    words = has_words(&h, words);
    rc_table_t *t = begin(&h, own, 9 + words, err);
    for (int i = 0; t && i < n; i++) {
        if (!put_set(t, &h, &r[i].setting, r[i].set))
            continue;
        rc_table_text(t, r[i].kernel);
        rc_table_text(t, r[i].policy);
        rc_table_int(t, r[i].matrices);
        rc_table_real(t, r[i].gflops_geomean, 4);
        rc_table_real(t, r[i].gflops_mean, 4);
        rc_table_real(t, r[i].gflops_max, 4);
        rc_table_real(t, r[i].gbs_geomean, 4);
        rc_table_real(t, r[i].gbs_mean, 4);
        rc_table_real(t, r[i].gbs_max, 4);
        if (words)
            rc_table_text(t, rc_paper_of_rate(&r[i].setting, r[i].kernel));
    }
    st = t ? rc_table_end(t, err) : RC_ENOMEM;
    free(r);
    return st;
}

/* -------------------------------------------------------------------- which */

/* Of a kernel, or of a plan that is an order too. */
static rc_status_t print_prepare(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    return (o->plan ? rc_summary_reorder_cost : rc_summary_prepare)(v, o, where, format, err);
}

typedef rc_status_t print_fn(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err);

static const struct {
    const char *name;
    print_fn *print;
} tables[] = {
    {"speedup", print_settings},
    {"share", print_settings},
    {"portfolio", print_settings},
    {"versus", print_versus},
    {"best", print_best},
    {"rate", print_rate},
    {"ranges", rc_summary_ranges},
    {"formats", rc_summary_formats},
    {"coo", rc_summary_coo},
    {"suite", rc_summary_suite},
    {"suite-rate", rc_summary_suite_rate},
    {"scaling", rc_summary_scaling},
    {"modelling", rc_summary_modelling},
    {"prepare", print_prepare},
    {"both", rc_summary_both},
    {"profile", rc_summary_profile},
    {"roofline", rc_summary_roofline},
    {"tiles", rc_summary_tiles},
    {"classes", rc_summary_classes},
    {"forced", rc_summary_forced},
};
enum { TABLES = sizeof tables / sizeof *tables };

const char *rc_summary_name(int i)
{
    return i >= 0 && i < TABLES ? tables[i].name : NULL;
}

static int find(const char *name)
{
    for (int i = 0; i < TABLES; i++)
        if (strcmp(tables[i].name, name) == 0)
            return i;
    return -1;
}

rc_status_t rc_summary_check(const rc_summary_options_t *o, rc_err_t *err)
{
    const char *name = o->name ? o->name : "";
    if (o->name && find(o->name) < 0)
        return rc_fail(err, RC_EINVAL,
            "--summary: expected speedup, share, portfolio, versus, best, rate, ranges, formats, coo, suite, suite-rate, "
            "scaling, modelling, prepare, both, profile, roofline, tiles, classes or forced, found '%s'",
            o->name);
    if (o->by_matrix && strcmp(name, "rate") != 0 && strcmp(name, "suite-rate") != 0)
        return rc_fail(err, RC_EINVAL, "--matrices goes with --summary rate and suite-rate only");
    if ((o->side_a || o->side_b) && strcmp(name, "versus") != 0 && strcmp(name, "classes") != 0)
        return rc_fail(err, RC_EINVAL, "--side-a and --side-b go with --summary versus and classes only");
    if (o->orders && strcmp(name, "versus") != 0)
        return rc_fail(err, RC_EINVAL, "--orders goes with --summary versus only");
    if (o->plan && (o->kernel || strcmp(name, "prepare") != 0))
        return rc_fail(err, RC_EINVAL, "--plan goes with --summary prepare only, and without --kernel");
    if (o->kernel && strcmp(name, "prepare") != 0 && (strcmp(name, "modelling") != 0 || strcmp(o->kernel, "rs") != 0))
        return rc_fail(err, RC_EINVAL, "--kernel goes with --summary prepare, and modelling has rs only");
    if (o->tuning && (!rc_summary_is_of_training(name) || (strcmp(name, "rate") == 0 && o->by_matrix)))
        return rc_fail(err, RC_EINVAL,
            "--tuning goes with --summary versus, modelling, prepare, both, profile and rate only");
    if (o->by && (o->by_matrix || strcmp(name, "rate") != 0))
        return rc_fail(err, RC_EINVAL, "--by goes with --summary rate only, and without --matrices");
    if (o->limits && strcmp(name, "roofline") != 0)
        return rc_fail(err, RC_EINVAL, "--limits goes with --summary roofline only");
    if (o->contestants && strcmp(name, "profile") != 0)
        return rc_fail(err, RC_EINVAL, "--contestants goes with --summary profile only");
    if (o->top && strcmp(name, "best") != 0)
        return rc_fail(err, RC_EINVAL, "--top goes with --summary best only");
    return RC_OK;
}

rc_status_t rc_summary_print(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    return tables[find(o->name)].print(v, o, where, format, err);
}
