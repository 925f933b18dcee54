#include "config.h"
#include "analysis/papers/paper.h"
#include "analysis/summary/lines.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"

#include <stdlib.h>
#include <string.h>

/* A kernel and order over the matrices of a setting and set; where it was measured with several
 * geometries the fastest counts. */
typedef struct line {
    rc_setting_t setting;
    rc_segmented_set_t set;
    const char *kernel;
    const char *policy;
    rc_sums_t gflops; /* rc_view_flops / median */
    rc_sums_t gbs;    /* compulsory traffic / median, in 1e9 bytes a second */
} line_t;

typedef struct rates {
    line_t *line;
    size_t lines;
    size_t capacity;
} rates_t;

static int by_kernel_policy(const void *a, const void *b)
{
    const line_t *x = a;
    const line_t *y = b;
    int c = strcmp(x->kernel, y->kernel);
    return c ? c : strcmp(x->policy, y->policy);
}

typedef struct seen {
    int32_t matrix; /* counted last, -1 */
    int64_t line;   /* its number in the list, -1 */
} seen_t;

/* Kernels with the parameters of a tuning have no rate on its training matrices.
 * \param[in,out] seen  of the row's kernel and order */
static rc_status_t add(
    const rc_lines_of_t *of, const rc_counted_row_t *e, seen_t *seen, rc_err_t *err)
{
    rates_t *x = of->user;
    const rc_view_t *v = of->c->view;
    const char *kernel = rc_view_kernel(v, e->kernel);
    if (seen->matrix == e->matrix ||
        !rc_segmented_is_in(of->c, e->matrix, (rc_segmented_set_t)of->set) ||
        (of->training[e->matrix] && rc_segmented_is_tuned(kernel)))
        return RC_OK; /* slower with another geometry, or not of the set */
    if (seen->line < 0) {
        RC_PASS(RC_GROW(x->line, x->capacity, x->lines + 1, "rates", err));
        seen->line = (int64_t)x->lines++;
        x->line[seen->line] = (line_t){.setting = *of->setting,
            .set = (rc_segmented_set_t)of->set,
            .kernel = kernel,
            .policy = rc_view_policy(v, e->policy)};
    }
    seen->matrix = e->matrix;
    rc_sums_add(&x->line[seen->line].gflops,
        rc_view_flops(v, e->row) / rc_view_result(v, e->row)->median_ns);
    rc_sums_add(&x->line[seen->line].gbs,
        (double)rc_view_result(v, e->row)->bytes_min / rc_view_result(v, e->row)->median_ns);
    return RC_OK;
}

static rc_status_t add_lines(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    rates_t *x = of->user;
    const size_t first = x->lines;
    rc_status_t st = RC_OK;
    seen_t *seen = rc_alloc((size_t)of->c->variants, sizeof *seen, "kernels and orders", err);
    RC_PASS(seen ? RC_OK : RC_ENOMEM);
    (void)t;
    for (int i = 0; i < of->c->variants; i++)
        seen[i] = (seen_t){-1, -1};
    for (int64_t i = of->from; i < of->to && st == RC_OK; i++)
        st = add(of, &of->c->row[i], &seen[of->c->row[i].variant], err);
    free(seen);
    if (x->lines > first)
        qsort(x->line + first, x->lines - first, sizeof *x->line, by_kernel_policy);
    return st;
}

static const char *words_of(const line_t *l)
{
    const char *text = rc_paper_says(rc_hong_words, "rate", &l->setting, l->kernel, "");
    return text ? text : "";
}

static rc_status_t print_lines(const rates_t *x, const rc_summary_options_t *o, rc_err_t *err)
{
    static const char own[] =
        "kernel|policy|matrices|geomean:Gflop/s|mean:Gflop/s|max:Gflop/s|geomean_bytes:GB/s|"
        "mean_bytes:GB/s|max_bytes:GB/s|paper:Gflop/s, Hong et al.";
    rc_head_t h = rc_head_new(o, 0);
    int64_t matrices[2] = {0, 0};
    int words = 0;
    for (const line_t *l = x->line; l < x->line + x->lines; l++) {
        rc_head_see(&h, &l->setting, l->setting.row);
        matrices[l->set == RC_SEGMENTED_ALL] += l->gflops.n;
        words |= *words_of(l);
    }
    rc_head_see_sets(&h, matrices[1], matrices[0]);
    words = rc_head_has_words(&h, words);
    rc_table_t *t = rc_head_begin(&h, own, !words, err);
    for (const line_t *l = x->line; l < x->line + x->lines; l++) {
        if (!rc_head_put_set(t, &h, &l->setting, l->set))
            continue;
        RC_CELLS(t, RC_TEXT(l->kernel), RC_TEXT(l->policy), RC_INT(l->gflops.n),
            RC_REAL(rc_sums_geomean(&l->gflops), 4), RC_REAL(rc_sums_mean(&l->gflops), 4),
            RC_REAL(l->gflops.most, 4), RC_REAL(rc_sums_geomean(&l->gbs), 4),
            RC_REAL(rc_sums_mean(&l->gbs), 4), RC_REAL(l->gbs.most, 4));
        if (words)
            rc_table_text(t, words_of(l));
    }
    return rc_table_end(t, err);
}

static rc_status_t print_rate(const rc_summary_options_t *o, rc_err_t *err)
{
    rates_t x = {.lines = 0};
    static const rc_lines_t lines = {NULL, 0, -1, RC_SEGMENTED_SETS, add_lines};
    if (o->by_matrix)
        return rc_lines_print(rc_summary_nisa_rates.lines, NULL, o, err);
    if (o->by)
        return rc_summary_hong_rate.print(o, err);
    rc_status_t st = rc_lines_print(&lines, &x, o, err);
    if (st == RC_OK)
        st = print_lines(&x, o, err);
    free(x.line);
    return st;
}

const rc_summary_t rc_summary_rate = {.name = "rate",
    .summary = "Gflop/s and GB/s of each kernel and order",
    .takes = RC_TAKES_MATRICES | RC_TAKES_BY | RC_TAKES_TUNING,
    .print = print_rate};
