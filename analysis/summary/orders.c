#include "config.h"
#include "analysis/papers/paper.h"
#include "analysis/summary/lines.h"
#include "base/error.h"
#include "table/speedup.h"

/* A table with lines for the policies of each setting. */
typedef struct lines {
    const char *own;
    int of_paper; /* of these columns, those that are of the paper: the last */
    int first;    /* policy; csr against itself is 1 by definition */
    int oracle;   /* 1: behind the policies */
    void (*put)(rc_table_t *t, const rc_speedup_table_t *s, int p, int paper);
} lines_t;

/* A setting in which nothing but csr was measured has nothing to compare. */
static int has_orders(const rc_speedup_table_t *s)
{
    return s->matrices > 0 && s->policies > 1;
}

static rc_status_t print_lines(const lines_t *l, const rc_summary_options_t *o, rc_err_t *err)
{
    rc_speedup_table_t *s = NULL;
    int n = 0;
    RC_PASS(rc_speedup_make(o->view, o->where, &s, &n, err));
    rc_head_t h = rc_head_new(o, RC_HEAD_KERNEL);
    for (int i = 0; i < n; i++)
        if (has_orders(&s[i]))
            rc_head_see(&h, &s[i].setting, s[i].row);
    rc_table_t *t = rc_head_begin(&h, l->own, o->paper ? 0 : l->of_paper, err);
    for (int i = 0; i < n; i++)
        for (int p = l->first; p < s[i].policies + l->oracle && has_orders(&s[i]); p++) {
            rc_head_put(t, &h, &s[i].setting, s[i].row);
            l->put(t, &s[i], p, o->paper);
        }
    rc_speedup_free(s, n);
    return rc_table_end(t, err);
}

static void put_speedup(rc_table_t *t, const rc_speedup_table_t *s, int p, int paper)
{
    enum { THEIRS = 6 };
    const rc_speedup_t *r = &s->speedup[p];
    const char *line = rc_paper_line(rc_mehrabi_speedup, &r->policy, 1);
    RC_CELLS(t, RC_TEXT(r->policy), RC_INT(r->gain.count));
    rc_put_stats(t, &r->gain);
    RC_CELLS(t, RC_REAL(r->mean_held_out, 4), RC_REAL(r->geomean_held_out, 4));
    for (int c = 0; paper && c < THEIRS; c++)
        rc_table_real(t, rc_paper_number(line, c), 4);
}

static rc_status_t print_speedup(const rc_summary_options_t *o, rc_err_t *err)
{
    static const char own[] =
        "policy|matrices|max:x|mean:x|geomean:x|median:x|min:x|mean_held_out:x|geomean_held_out:x|"
        "paper_gv100_max:x|paper_gv100_mean:x|paper_gv100_min:x|paper_2080ti_max:x|"
        "paper_2080ti_mean:x|paper_2080ti_min:x";
    return print_lines(&(lines_t){own, 6, 1, 1, put_speedup}, o, err);
}

const rc_summary_t rc_summary_speedup = {.name = "speedup",
    .shows = "table-I",
    .summary = "speedup of each order over csr, with the same kernel",
    .print = print_speedup};

static void put_share(rc_table_t *t, const rc_speedup_table_t *s, int p, int paper)
{
    const rc_speedup_t *r = &s->speedup[p];
    const double all = (double)s->matrices;
    RC_CELLS(t, RC_TEXT(r->policy), RC_INT(r->gain.count), RC_INT(r->wins),
        RC_REAL(100 * (double)r->wins / all, 3), RC_INT(r->clear), RC_INT(r->ties),
        RC_REAL(100 * (double)r->over5 / all, 3));
    if (paper)
        rc_table_text(t, rc_paper_says(rc_mehrabi_words, "share", &s->setting, r->policy, ""));
}

static rc_status_t print_share(const rc_summary_options_t *o, rc_err_t *err)
{
    static const char own[] = "policy|matrices|wins|share:%|clear|ties|gain_over_5:%|paper";
    return print_lines(&(lines_t){own, 1, 0, 1, put_share}, o, err);
}

const rc_summary_t rc_summary_share = {.name = "share",
    .shows = "figure-9",
    .summary = "on how many matrices each order is the fastest",
    .print = print_share};

static void put_portfolio(rc_table_t *t, const rc_speedup_table_t *s, int p, int paper)
{
    const rc_portfolio_t *r = &s->portfolio[p];
    char policies[16];
    (void)snprintf(policies, sizeof policies, "%d", p + 1);
    RC_CELLS(t, RC_INT(p + 1), RC_TEXT(r->policy), RC_REAL(r->geomean, 4), RC_REAL(r->mean, 4),
        RC_REAL(r->geomean_held_out, 4), RC_REAL(r->mean_held_out, 4));
    if (paper)
        rc_table_text(t, rc_paper_says(rc_mehrabi_words, "portfolio", &s->setting, policies, ""));
}

static rc_status_t print_portfolio(const rc_summary_options_t *o, rc_err_t *err)
{
    static const char own[] =
        "policies|added|geomean:x|mean:x|geomean_held_out:x|mean_held_out:x|paper";
    return print_lines(&(lines_t){own, 1, 0, 0, put_portfolio}, o, err);
}

const rc_summary_t rc_summary_portfolio = {.name = "portfolio",
    .shows = "figure-10",
    .summary = "what each further order adds",
    .print = print_portfolio};
