#include "config.h"
#include "analysis/summary/lines.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "table/split_half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A kernel with its parameters and an order in a setting; where it was measured with several
 * geometries the fastest counts.  A loss is its time over the best time of any on that matrix, less
 * 1; the best of many is too fast, so a loss is too large.  Held out (table/split_half.h) the best
 * is chosen in one half and both are taken from the other. */
typedef struct line {
    const rc_setting_t *setting;
    const char *kernel;
    const char *policy;
    int64_t wins;      /* matrices on which it is the fastest (equals: the earlier row) */
    int64_t clear;     /* of these, matrices on which no other is within the error */
    int64_t ties;      /* matrices on which it is the fastest, or within the error of that, and not
                        alone so (rc_timed_tie) */
    rc_sums_t over;    /* times over the best */
    double held_out;   /* sum of logarithms */
    int64_t two_cards; /* of these, timed on another card than the best */
    int32_t last_matrix;
} line_t;

static int by_wins_then_loss(const void *a, const void *b)
{
    const line_t *x = a;
    const line_t *y = b;
    if (x->wins != y->wins)
        return x->wins > y->wins ? -1 : 1;
    double p = rc_sums_geomean(&x->over) - 1;
    double q = rc_sums_geomean(&y->over) - 1;
    if (p != q)
        return p < q ? -1 : 1;
    int c = strcmp(x->kernel, y->kernel);
    return c ? c : strcmp(x->policy, y->policy);
}

/* Rows [i, end) of a matrix, fastest first: whose lead is beyond the error, and who else ties. */
static void count_wins(const rc_counted_t *c, int64_t i, int64_t end, line_t *line)
{
    line_t *winner = &line[c->row[i].variant];
    rc_timed_t best = rc_timed_of(c->view, c->row[i].row);
    int ties = 0;
    winner->wins++;
    for (int64_t j = i + 1; j < end; j++) {
        line_t *own = &line[c->row[j].variant];
        rc_timed_t time = rc_timed_of(c->view, c->row[j].row);
        if (own == winner || own->last_matrix == c->row[j].matrix)
            continue;
        own->last_matrix = c->row[j].matrix;
        own->ties += rc_timed_tie(&best, &time);
        ties += rc_timed_tie(&best, &time);
    }
    for (int64_t j = i; j < end; j++)
        line[c->row[j].variant].last_matrix = -1;
    winner->ties += ties > 0;
    winner->clear += ties == 0;
}

/* The same rows: what each loses. */
static rc_status_t score(const rc_counted_t *c, int64_t i, int64_t end, line_t *line, rc_err_t *err)
{
    rc_halves_t halves;
    int n = (int)(end - i);
    RC_PASS(rc_halves_make(1, n, &halves, err));
    rc_status_t st = RC_OK;
    for (int k = 0; st == RC_OK && k < n; k++) {
        rc_timed_t time = rc_timed_of(c->view, c->row[i + k].row);
        st = rc_halves_set(&halves, 0, k, &time, NULL, err);
    }
    double held_out = rc_halves_best(&halves, 0, n);
    for (int k = 0; st == RC_OK && k < n; k++) {
        const rc_counted_row_t *e = &c->row[i + k];
        line_t *own = &line[e->variant];
        if (own->last_matrix == e->matrix)
            continue; /* slower with another geometry */
        own->last_matrix = e->matrix;
        own->kernel = rc_view_kernel(c->view, e->kernel);
        own->policy = rc_view_policy(c->view, e->policy);
        own->held_out += rc_halves_mean(&halves, 0, k) - held_out;
        rc_sums_add(&own->over, e->ns / c->row[i].ns);
        own->two_cards +=
            !rc_card_fits(rc_view_card(c->view, e->row), rc_view_card(c->view, c->row[i].row));
    }
    rc_halves_free(&halves);
    return st;
}

static void put_line(rc_table_t *t, const line_t *l)
{
    const double n = (double)l->over.n;
    RC_CELLS(t, RC_TEXT(l->kernel), RC_TEXT(l->policy), RC_INT(l->over.n), RC_INT(l->wins),
        RC_REAL(100 * (double)l->wins / (double)l->setting->matrices, 3), RC_INT(l->clear),
        RC_INT(l->ties), RC_REAL(100 * (rc_sums_geomean(&l->over) - 1), 4),
        RC_REAL(100 * (rc_sums_mean(&l->over) - 1), 4), RC_REAL(100 * (l->over.most - 1), 4),
        RC_REAL(100 * expm1(l->held_out / n), 4), RC_INT(l->two_cards));
}

static rc_status_t put_best(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    const int variants = of->c->variants;
    int n = 0;
    rc_status_t st = RC_OK;
    line_t *line = rc_alloc0((size_t)variants, sizeof *line, "kernels and orders", err);
    RC_PASS(line ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < variants; i++)
        line[i] = (line_t){.setting = of->setting, .last_matrix = -1};
    for (int64_t i = of->from, end; i < of->to && st == RC_OK; i = end) {
        end = rc_counted_end(of->c, i);
        count_wins(of->c, i, end, line);
        st = score(of->c, i, end, line, err);
    }
    for (int i = 0; i < variants; i++)
        if (line[i].over.n > 0)
            line[n++] = line[i];
    qsort(line, (size_t)n, sizeof *line, by_wins_then_loss);
    for (int i = 0; st == RC_OK && i < n && (of->o->top == 0 || i < of->o->top); i++) {
        rc_head_put(t, of->head, of->setting, of->setting->row);
        put_line(t, &line[i]);
    }
    free(line);
    return st;
}

static const rc_lines_t best = {
    .columns =
        "kernel|policy|matrices|wins|share:%|clear|ties|loss_geomean:%|loss_mean:%|loss_max:%|"
        "loss_held_out:%|two_cards",
    .has_head = 1,
    .op = -1,
    .sets = 1,
    .put = put_best};

const rc_summary_t rc_summary_best = {.name = "best",
    .summary = "which kernel and order wins, and what always taking it loses",
    .takes = RC_TAKES_TOP,
    .lines = &best};
