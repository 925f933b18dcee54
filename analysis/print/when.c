#include "config.h"
#include "analysis/print/evaluation.h"
#include "analysis/when.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>

static const rc_column_t columns[] = {{"reuse", "products"}, {"k", ""}, {"by", ""}, {"rows", ""},
    {"ordered", ""}, {"geomean", "x"}, {"gain", "%"}, {"worst", "x"}, {"of", ""}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* What was decided in all ways; [ways][rows]. */
typedef struct outcome {
    int *ordered[RC_WHEN_WAYS];
    double *cost[RC_WHEN_WAYS];
} outcome_t;

static rc_status_t parse_cost(
    const char *option, const char *text, rc_when_cost_t *out, rc_err_t *err)
{
    rc_words_t words = {0};
    double *const to[] = {&out->fixed, &out->row, &out->entry};
    *out = (rc_when_cost_t){NAN, 0, 0};
    if (!text)
        return RC_OK;
    rc_status_t st = rc_words_split(text, ',', &words, err);
    if (st == RC_OK && words.count != 3)
        st = rc_fail(err, RC_EINVAL, "%s: expected NS,ROW,ENTRY, found '%s'", option, text);
    for (int i = 0; st == RC_OK && i < 3; i++) {
        st = rc_parse_double(words.word[i], option, to[i], err);
        if (st == RC_OK && !(*to[i] >= 0 && isfinite(*to[i])))
            st = rc_fail(
                err, RC_EINVAL, "%s: expected a time in ns, found '%s'", option, words.word[i]);
    }
    rc_words_free(&words);
    return st;
}

/* Rows that a line is about. */
typedef struct part {
    double reuse;
    int64_t k; /* 0: all */
    rc_when_made_t made;
} part_t;

static int has(const part_t *p, const rc_when_row_t *r)
{
    return (p->k == 0 || r->k == p->k) && r->made == p->made;
}

/* The time without an order over what was decided. */
static rc_sums_t gains(const rc_when_t *w, const double *cost, const part_t *p)
{
    rc_sums_t gain = {0};
    for (int64_t i = 0; i < w->rows; i++)
        if (has(p, &w->row[i]))
            rc_sums_add(&gain, p->reuse * w->row[i].none_ns / cost[i]);
    return gain;
}

static void print_line(
    rc_table_t *t, const rc_when_t *w, const outcome_t *o, int by, const part_t *p)
{
    const rc_sums_t oracle = gains(w, o->cost[RC_WHEN_ORACLE], p);
    const rc_sums_t gain = gains(w, o->cost[by], p);
    const double best = rc_sums_geomean(&oracle);
    const double own = rc_sums_geomean(&gain);
    int64_t ordered = 0;
    for (int64_t i = 0; i < w->rows; i++)
        ordered += has(p, &w->row[i]) && o->ordered[by][i];
    RC_CELLS(t, RC_REAL(p->reuse, 6), p->k ? RC_INT(p->k) : RC_MISSING, RC_TEXT(rc_when_names[by]),
        RC_INT(gain.n), RC_INT(ordered), RC_REAL(own, 4),
        RC_REAL(best > 1 ? 100 * (own - 1) / (best - 1) : NAN, 4), RC_REAL(gain.least, 4),
        RC_TEXT(rc_when_made_names[p->made]));
}

/* Lines of one reuse: each K that there is, ascending, then all. */
static void print_reuse(
    rc_table_t *t, const rc_when_t *w, const outcome_t *o, double reuse, rc_when_made_t made)
{
    part_t p = {.reuse = reuse, .made = made};
    int64_t last = 0;
    for (;;) {
        p.k = 0;
        for (int64_t i = 0; i < w->rows; i++)
            if (w->row[i].made == made && w->row[i].k > last && (p.k == 0 || w->row[i].k < p.k))
                p.k = w->row[i].k;
        if (p.k == 0 && last == 0)
            return; /* nothing is made so */
        for (int by = 0; by < RC_WHEN_WAYS; by++)
            print_line(t, w, o, by, &p);
        if (p.k == 0)
            return;
        last = p.k;
    }
}

static rc_status_t print_all(const rc_when_t *w, const rc_when_options_t *o, const char *list,
    rc_table_format_t format, rc_err_t *err)
{
    outcome_t found;
    rc_pool_t pool = {0};
    rc_words_t reuse = {0};
    rc_table_t *t = NULL;
    rc_status_t st;
    RC_TRY(rc_words_split(list ? list : "100,1000", ',', &reuse, err));
    for (int by = 0; by < RC_WHEN_WAYS; by++) {
        found.ordered[by] = rc_pool_get(&pool, (size_t)w->rows, sizeof *found.ordered[by]);
        found.cost[by] = rc_pool_get(&pool, (size_t)w->rows, sizeof *found.cost[by]);
    }
    RC_TRY(rc_pool_check(&pool, "decisions", err));
    t = rc_table_begin(stdout, format, columns, COLUMNS, err);
    RC_TRY(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < reuse.count && st == RC_OK; i++) {
        int64_t n;
        st = rc_parse_int(reuse.word[i], 1, INT64_C(1000000000000), "--reuse", &n, err);
        for (int by = 0; by < RC_WHEN_WAYS && st == RC_OK; by++)
            st = rc_when_decide(
                w, o, (rc_when_by_t)by, (double)n, found.ordered[by], found.cost[by], err);
        for (int made = 0; made < RC_WHEN_KINDS && st == RC_OK; made++)
            print_reuse(t, w, &found, (double)n, (rc_when_made_t)made);
    }
done:
    st = rc_table_end_after(st, t, err);
    rc_pool_free(&pool);
    rc_words_free(&reuse);
    return st;
}

rc_status_t rc_when_print(
    const char *store, const rc_when_command_t *c, rc_table_format_t format, rc_err_t *err)
{
    rc_when_options_t o = {.kernels = c->kernels, .orders = c->orders, .device = rc_when_h200};
    rc_when_t w = {0};
    rc_expr_t *where = NULL;
    rc_view_t *v = NULL;
    rc_status_t st;
    RC_TRY(parse_cost("--order-cost", c->order, &o.order, err));
    RC_TRY(parse_cost("--feature-cost", c->feature, &o.feature, err));
    if (c->l2 > 0)
        o.device.l2_bytes = (double)c->l2;
    RC_TRY(rc_view_compile(c->where, "--where", &where, err));
    RC_TRY(rc_view_read_samples(store, &v, err));
    RC_TRY(rc_view_check(v, where, err));
    RC_TRY(rc_when_read(store, v, where, &o, &w, err));
    RC_TRY(print_all(&w, &o, c->reuse, format, err));
done:
    rc_when_free(&w);
    rc_view_free(v);
    rc_expr_free(where);
    return st;
}
