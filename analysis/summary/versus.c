#include "config.h"
#include "analysis/papers/paper.h"
#include "analysis/summary/lines.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "table/side.h"
#include "table/split_half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Side A against side B in one setting.  A ratio is the best time of B over the best time of A on
 * a matrix: above 1, A is faster. */
typedef struct line {
    rc_setting_t setting;
    rc_segmented_set_t set;
    int64_t only_a; /* matrices that B lacks */
    int64_t only_b;
    int64_t wins;      /* matrices on which A is faster */
    int64_t clear;     /* of these, matrices on which by more than the error */
    int64_t two_cards; /* matrices whose sides were timed on two cards */
    int64_t ties;      /* matrices on which the sides are within the error */
    rc_stats_t ratio;  /* its count: matrices that both sides have */
    double held_out;   /* geomean; the best of each side chosen in one half, scored in the other */
} line_t;

typedef struct versus {
    const char *text[2];
    rc_side_t side[2];
    line_t *line;
    size_t lines;
    size_t capacity;
} versus_t;

/* One matrix: rows [i, end), fastest first. */
static rc_status_t meet(
    const rc_lines_of_t *of, int64_t i, int64_t end, line_t *l, int64_t *n, rc_err_t *err)
{
    const versus_t *x = of->user;
    double log_ns[2];
    int64_t row_a = rc_side_fastest(of->c, i, end, &x->side[0]);
    int64_t row_b = rc_side_fastest(of->c, i, end, &x->side[1]);
    l->only_a += row_a >= 0 && row_b < 0;
    l->only_b += row_b >= 0 && row_a < 0;
    if (row_a < 0 || row_b < 0)
        return RC_OK;
    l->two_cards +=
        !rc_card_fits(rc_view_card(of->c->view, row_a), rc_view_card(of->c->view, row_b));
    rc_timed_t a = rc_timed_of(of->c->view, row_a);
    rc_timed_t b = rc_timed_of(of->c->view, row_b);
    int tie = rc_timed_tie(&a, &b);
    l->wins += a.ns < b.ns;
    l->clear += a.ns < b.ns && !tie;
    l->ties += tie;
    of->scratch[(*n)++] = b.ns / a.ns;
    for (int s = 0; s < 2; s++)
        RC_PASS(rc_side_held_out(of->c, i, end, &x->side[s], &log_ns[s], err));
    l->held_out += log_ns[1] - log_ns[0]; /* a sum until all have met */
    return RC_OK;
}

/* 1: a side has a kernel whose parameters were chosen on the training matrices: then these are
 * left out. */
static int is_trained(const rc_lines_of_t *of)
{
    const versus_t *x = of->user;
    for (int64_t i = of->from; i < of->to; i++) {
        const rc_row_result_t *r = rc_view_result(of->c->view, of->c->row[i].row);
        if (rc_segmented_is_tuned(rc_view_kernel(of->c->view, r->kernel)) &&
            (rc_side_has(&x->side[0], of->c->view, r) || rc_side_has(&x->side[1], of->c->view, r)))
            return 1;
    }
    return 0;
}

static rc_status_t add_line(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    versus_t *x = of->user;
    const int leaves_out = is_trained(of);
    line_t l = {.setting = *of->setting, .set = (rc_segmented_set_t)of->set};
    int64_t n = 0;
    (void)t;
    for (int64_t i = of->from, end; i < of->to; i = end) {
        const int32_t matrix = of->c->row[i].matrix;
        end = rc_counted_end(of->c, i);
        if ((!leaves_out || !of->training[matrix]) && rc_segmented_is_in(of->c, matrix, l.set))
            RC_PASS(meet(of, i, end, &l, &n, err));
    }
    rc_stats_compute(of->scratch, n, &l.ratio);
    l.held_out = n ? exp(l.held_out / (double)n) : NAN;
    RC_PASS(RC_GROW(x->line, x->capacity, x->lines + 1, "a summary", err));
    x->line[x->lines++] = l;
    return RC_OK;
}

/* Matrices that a side was measured on; the line of real ones stands before the one of all. */
static int64_t members(const line_t *l)
{
    return l->ratio.count + l->only_a + l->only_b;
}

/* A side that nothing is on makes a table of dashes: say which, and what there is. */
static void warn_of_empty_sides(const versus_t *x, const rc_view_t *v)
{
    rc_str_t names = {0};
    int64_t on[2] = {0, 0};
    for (size_t i = 0; i < x->lines; i++) {
        on[0] += x->line[i].ratio.count + x->line[i].only_a;
        on[1] += x->line[i].ratio.count + x->line[i].only_b;
    }
    size_t last = 0; /* where the last name begins; kernels that differ in parameters are one */
    for (int32_t id = 0; id < rc_view_kernels(v); id++) {
        const char *name = rc_view_kernel(v, id);
        size_t n = strcspn(name, ":");
        if (names.len - last == n && names.len && strncmp(names.text + last, name, n) == 0)
            continue;
        last = names.len ? names.len + 2 : 0;
        rc_str_addf(&names, "%s%.*s", last ? ", " : "", (int)n, name);
    }
    for (int s = 0; s < 2; s++)
        if (on[s] == 0)
            fprintf(stderr, "versus: no result is on side %c, '%s'; the store has %s\n", "ab"[s],
                x -> text[s], names.text && !names.failed ? names.text : "no kernel");
    rc_str_free(&names);
}

/* Of RS-SpMM, or of row orders. */
static const char *words_of(const versus_t *x, const rc_setting_t *s)
{
    const char *text = rc_paper_says(rc_hong_words, "versus", s, x->text[0], x->text[1]);
    text = text ? text : rc_paper_says(rc_jiang_words, "classes", s, x->text[0], x->text[1]);
    return text ? text : "";
}

static rc_status_t print_lines(const versus_t *x, const rc_summary_options_t *o, rc_err_t *err)
{
    static const char own[] =
        "matrices|only_a|only_b|wins_a|share_a:%|clear_a|ties|max:x|mean:x|geomean:x|median:x|"
        "min:x|geomean_held_out:x|two_cards|paper:Hong et al.";
    rc_head_t h = rc_head_new(o, 0);
    int words = 0;
    for (const line_t *l = x->line; l < x->line + x->lines; l++) {
        rc_head_see(&h, &l->setting, l->setting.row);
        words |= *words_of(x, &l->setting);
        if (l->set == RC_SEGMENTED_ALL)
            rc_head_see_sets(&h, members(l), members(l - 1));
    }
    words = rc_head_has_words(&h, words);
    rc_table_t *t = rc_head_begin(&h, own, !words, err);
    for (const line_t *l = x->line; l < x->line + x->lines; l++) {
        if (members(l) == 0 || !rc_head_put_set(t, &h, &l->setting, l->set))
            continue; /* neither side was measured there */
        RC_CELLS(t, RC_INT(l->ratio.count), RC_INT(l->only_a), RC_INT(l->only_b), RC_INT(l->wins),
            RC_REAL(100 * (double)l->wins / (double)l->ratio.count, 3), RC_INT(l->clear),
            RC_INT(l->ties));
        rc_put_stats(t, &l->ratio);
        RC_CELLS(t, RC_REAL(l->held_out, 4), RC_INT(l->two_cards));
        if (words)
            rc_table_text(t, words_of(x, &l->setting));
    }
    return rc_table_end(t, err);
}

static rc_status_t print_versus(const rc_summary_options_t *o, rc_err_t *err)
{
    versus_t x = {
        .text = {o->side_a ? o->side_a : RC_SIDE_OURS, o->side_b ? o->side_b : RC_SIDE_VENDOR}};
    const char *orders = o->orders ? o->orders : "csr";
    rc_status_t st = RC_OK;
    for (int s = 0; s < 2 && st == RC_OK; s++) {
        st = rc_side_parse(x.text[s], orders, &x.side[s], err);
        if (st < 0)
            (void)rc_err_context(err, "--side-%c", "ab"[s]);
    }
    static const rc_lines_t lines = {NULL, 0, -1, RC_SEGMENTED_SETS, add_line};
    if (st == RC_OK)
        st = rc_lines_print(&lines, &x, o, err);
    if (st == RC_OK)
        st = print_lines(&x, o, err);
    if (st == RC_OK)
        warn_of_empty_sides(&x, o->view);
    free(x.line);
    for (int s = 0; s < 2; s++)
        rc_side_free(&x.side[s]);
    return st;
}

const rc_summary_t rc_summary_versus = {.name = "versus",
    .shows = "figure-3",
    .summary = "two sides matrix by matrix",
    .takes = RC_TAKES_SIDES | RC_TAKES_ORDERS | RC_TAKES_TUNING,
    .print = print_versus};
