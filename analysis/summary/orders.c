#include "config.h"
#include "analysis/papers/paper.h"
#include "analysis/summary/head.h"
#include "analysis/summary/summary.h"
#include "base/error.h"
#include "table/speedup.h"

/* A setting in which nothing but csr was measured has nothing to compare. */
static int has_orders(const rc_speedup_table_t *s)
{
    return s->matrices > 0 && s->policies > 1;
}

static rc_head_t head_of_settings(
    const rc_view_t *v, rc_table_format_t format, const rc_speedup_table_t *s, int n)
{
    rc_head_t h = rc_head_new(v, format, RC_HEAD_KERNEL);
    for (int i = 0; i < n; i++)
        if (has_orders(&s[i]))
            rc_head_see(&h, &s[i].setting, s[i].row);
    return h;
}

static rc_status_t print_speedup(rc_table_format_t format, const rc_view_t *v,
    const rc_speedup_table_t *s, int n, int paper, rc_err_t *err)
{
    static const rc_column_t own[] = {{"policy", ""}, {"matrices", ""}, {"max", "x"}, {"mean", "x"},
        {"geomean", "x"}, {"median", "x"}, {"min", "x"}, {"mean_held_out", "x"},
        {"geomean_held_out", "x"}, {"paper_gv100_max", "x"}, {"paper_gv100_mean", "x"},
        {"paper_gv100_min", "x"}, {"paper_2080ti_max", "x"}, {"paper_2080ti_mean", "x"},
        {"paper_2080ti_min", "x"}};
    enum { ours = 9, theirs = 6 };
    rc_head_t h = head_of_settings(v, format, s, n);
    rc_table_t *t = rc_head_begin(&h, own, paper ? ours + theirs : ours, err);
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++)
        /* csr against itself is 1 by definition */
        for (int p = 1; p <= s[i].policies && has_orders(&s[i]); p++) {
            const rc_speedup_t *r = &s[i].speedup[p];
            rc_head_put(t, &h, &s[i].setting, s[i].row);
            RC_CELLS(t, RC_TEXT(r->policy), RC_INT(r->matrices), RC_REAL(r->max, 4),
                RC_REAL(r->mean, 4), RC_REAL(r->geomean, 4), RC_REAL(r->median, 4),
                RC_REAL(r->min, 4), RC_REAL(r->mean_held_out, 4), RC_REAL(r->geomean_held_out, 4));
            const char *line = rc_paper_line(rc_mehrabi_speedup, &r->policy, 1);
            for (int c = 0; paper && c < theirs; c++)
                rc_table_real(t, rc_paper_number(line, c), 4);
        }
    return rc_table_end(t, err);
}

static rc_status_t print_share(rc_table_format_t format, const rc_view_t *v,
    const rc_speedup_table_t *s, int n, int paper, rc_err_t *err)
{
    static const rc_column_t own[] = {{"policy", ""}, {"matrices", ""}, {"wins", ""},
        {"share", "%"}, {"clear", ""}, {"ties", ""}, {"gain_over_5", "%"}, {"paper", ""}};
    rc_head_t h = head_of_settings(v, format, s, n);
    rc_table_t *t = rc_head_begin(&h, own, 7 + paper, err);
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++)
        for (int p = 0; p <= s[i].policies && has_orders(&s[i]); p++) {
            const rc_speedup_t *r = &s[i].speedup[p];
            double all = (double)s[i].matrices;
            rc_head_put(t, &h, &s[i].setting, s[i].row);
            RC_CELLS(t, RC_TEXT(r->policy), RC_INT(r->matrices), RC_INT(r->wins),
                RC_REAL(100 * (double)r->wins / all, 3), RC_INT(r->clear), RC_INT(r->ties),
                RC_REAL(100 * (double)r->over5 / all, 3));
            if (paper)
                rc_paper_put(
                    t, rc_paper_says(rc_mehrabi_words, "share", &s[i].setting, r->policy, ""));
        }
    return rc_table_end(t, err);
}

static rc_status_t print_portfolio(rc_table_format_t format, const rc_view_t *v,
    const rc_speedup_table_t *s, int n, int paper, rc_err_t *err)
{
    static const rc_column_t own[] = {{"policies", ""}, {"added", ""}, {"geomean", "x"},
        {"mean", "x"}, {"geomean_held_out", "x"}, {"mean_held_out", "x"}, {"paper", ""}};
    rc_head_t h = head_of_settings(v, format, s, n);
    rc_table_t *t = rc_head_begin(&h, own, 6 + paper, err);
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++)
        for (int p = 0; p < s[i].policies && has_orders(&s[i]); p++) {
            rc_head_put(t, &h, &s[i].setting, s[i].row);
            RC_CELLS(t, RC_INT(p + 1), RC_TEXT(s[i].portfolio[p].policy),
                RC_REAL(s[i].portfolio[p].geomean, 4), RC_REAL(s[i].portfolio[p].mean, 4),
                RC_REAL(s[i].portfolio[p].geomean_held_out, 4),
                RC_REAL(s[i].portfolio[p].mean_held_out, 4));
            char policies[16];
            (void)snprintf(policies, sizeof policies, "%d", p + 1);
            if (paper)
                rc_paper_put(
                    t, rc_paper_says(rc_mehrabi_words, "portfolio", &s[i].setting, policies, ""));
        }
    return rc_table_end(t, err);
}

typedef rc_status_t print_fn(rc_table_format_t format, const rc_view_t *v,
    const rc_speedup_table_t *s, int n, int paper, rc_err_t *err);

static rc_status_t print_settings(print_fn *print, const rc_view_t *v,
    const rc_summary_options_t *o, const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    rc_speedup_table_t *s = NULL;
    int n = 0;
    rc_status_t st = rc_speedup_make(v, where, &s, &n, err);
    if (st == RC_OK)
        st = print(format, v, s, n, o->paper, err);
    rc_speedup_free(s, n);
    return st;
}

static rc_status_t speedup_table(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    return print_settings(print_speedup, v, o, where, format, err);
}

const rc_summary_t rc_summary_speedup = {.name = "speedup",
    .shows = "table-I",
    .summary = "speedup of each order over csr, with the same kernel",
    .print = speedup_table};

static rc_status_t share_table(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    return print_settings(print_share, v, o, where, format, err);
}

const rc_summary_t rc_summary_share = {.name = "share",
    .shows = "figure-9",
    .summary = "on how many matrices each order is the fastest",
    .print = share_table};

static rc_status_t portfolio_table(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    return print_settings(print_portfolio, v, o, where, format, err);
}

const rc_summary_t rc_summary_portfolio = {.name = "portfolio",
    .shows = "figure-10",
    .summary = "what each further order adds",
    .print = portfolio_table};
