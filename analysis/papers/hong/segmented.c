#include "config.h"
#include "analysis/papers/hong/hong.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/family.h"
#include "base/stats.h"
#include "kernels/tuning/rs_tuning.h"
#include "kernels/tuning/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void rc_hong_put_setting(rc_table_t *t, const rc_lines_of_t *of)
{
    RC_CELLS(t, rc_k_cell(of->setting));
    rc_put_setting(t, of->c->view, of->setting);
    rc_table_text(t, rc_segmented_set_names[of->set]);
}

int rc_hong_counts(const rc_lines_of_t *of, int64_t i)
{
    const int32_t matrix = of->c->row[i].matrix;
    return !of->training[matrix] && rc_segmented_is_in(of->c, matrix, (rc_segmented_set_t)of->set);
}

static void put_paper(rc_table_t *t, const char *table, const rc_setting_t *s, const char *who)
{
    rc_table_text(t, rc_paper_says(rc_hong_words, table, s, who, ""));
}

static void put_tally(rc_table_t *t, const rc_sums_t *x)
{
    RC_CELLS(t, RC_INT(x->n), RC_REAL(rc_sums_geomean(x), 4), RC_REAL(rc_sums_least(x), 4));
}

static int is_natural(const rc_counted_t *c, int64_t i)
{
    return strcmp(rc_view_policy(c->view, c->row[i].policy), "csr") == 0;
}

/* --------------------------------------------------------------- modelling */

enum { T = 16 };

/* The t that is best on the most training matrices; 0: none has a time. */
static int64_t frequent_t(const rc_lines_of_t *of)
{
    const rc_counted_t *c = of->c;
    int64_t count[T + 1] = {0};
    int64_t best = 0;
    for (int64_t i = of->from, end; i < of->to; i = end) {
        end = rc_counted_end(c, i);
        int64_t at = i; /* the fastest comes first */
        while (at < end && !rc_segmented_is_closed(rc_view_kernel(c->view, c->row[at].kernel)))
            at++;
        if (!of->training[c->row[i].matrix] || at == end)
            continue;
        int64_t t = rc_spec_number(rc_view_kernel(c->view, c->row[at].kernel), "t");
        if (t <= T)
            count[t]++;
    }
    for (int64_t t = 1; t <= T; t++)
        if (count[t] > count[best])
            best = t;
    return best;
}

/* Times of rs on a matrix; NaN: not measured. */
typedef struct times {
    double best;
    double none;
    double model;
} times_t;

static times_t times_of(const rc_counted_t *c, int64_t from, int64_t to, int64_t t)
{
    times_t x = {NAN, NAN, NAN};
    for (int64_t i = from; i < to; i++) {
        const char *kernel = rc_view_kernel(c->view, c->row[i].kernel);
        double ns = c->row[i].ns;
        if (!is_natural(c, i))
            continue;
        if (rc_segmented_is_closed(kernel)) {
            x.best = fmin(x.best, ns);
            if (rc_spec_number(kernel, "t") == t && rc_spec_number(kernel, "cfv") == 1 &&
                rc_spec_number(kernel, "cfh") == 1)
                x.none = fmin(x.none, ns);
        } else if (rc_segmented_is_model(kernel))
            x.model = fmin(x.model, ns);
    }
    return x;
}

/* What parameters reach of those that are best for each matrix, best time over theirs: rs:cfv=1:
 * cfh=1 with the most frequent t, and rs:t=0:cfv=0. */
static rc_status_t put_modelling(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    const double enough = 0.95;
    const int64_t frequent = frequent_t(of);
    rc_sums_t none = {0};
    rc_sums_t model = {0};
    rc_sums_t gain = {0};
    int64_t close = 0;
    (void)err;
    for (int64_t i = of->from, end; i < of->to; i = end) {
        end = rc_counted_end(of->c, i);
        if (!rc_hong_counts(of, i))
            continue;
        times_t x = times_of(of->c, i, end, frequent);
        if (x.none > 0)
            rc_sums_add(&none, x.best / x.none);
        if (x.model > 0 && x.best > 0) {
            /* the model may choose what was measured only as it: then it is the best */
            rc_sums_add(&model, fmin(x.best, x.model) / x.model);
            close += x.best >= enough * x.model;
        }
        if (x.model > 0 && x.none > 0)
            rc_sums_add(&gain, x.none / x.model);
    }
    if (none.n + model.n == 0)
        return RC_OK;
    rc_hong_put_setting(t, of);
    RC_CELLS(t, frequent > 0 ? RC_INT(frequent) : RC_MISSING);
    put_tally(t, &none);
    put_tally(t, &model);
    RC_CELLS(t, RC_REAL(model.n ? (double)close / (double)model.n : NAN, 4),
        RC_REAL(rc_sums_geomean(&gain), 4));
    put_paper(t, "modelling", of->setting, "");
    return RC_OK;
}

/* Figure 7 is of K = 128, fp32. */
static rc_status_t print_modelling(const rc_summary_options_t *o, rc_err_t *err)
{
    static const rc_lines_t lines = {RC_HONG_SETTING
        "t:of none|matrices_none|none:of the best|worst_none|matrices|"
        "model:of the best|worst|close:share >= .95|gain:x|paper:figure 7",
        0, RC_OP_SPMM, RC_SEGMENTED_SETS, put_modelling};
    if (o->kernel && strcmp(o->kernel, "rs") != 0)
        return rc_fail(err, RC_EINVAL, "--kernel: modelling is of rs, found '%s'", o->kernel);
    return rc_lines_print(&lines, NULL, o, err);
}

static const rc_summary_t modelling_table = {.name = "modelling",
    .shows = "figure-7",
    .summary = "what fixed parameters and those of the model reach of the best",
    .takes = RC_TAKES_KERNEL | RC_TAKES_TUNING,
    .print = print_modelling};

/* ----------------------------------------------------------------- prepare */

/* A line of x[0..n): as many products, as a matrix takes time to prepare. */
static void put_paying(
    const rc_lines_of_t *of, rc_table_t *t, const char *kernel, double *x, int64_t n)
{
    const double two = 2;
    int64_t within = 0;
    qsort(x, (size_t)n, sizeof *x, rc_stats_compare);
    for (int64_t i = 0; i < n; i++)
        within += x[i] <= two;
    rc_hong_put_setting(t, of);
    RC_CELLS(t, RC_TEXT(rc_view_name(rc_op_names, of->setting->op)), RC_TEXT(kernel), RC_INT(n),
        RC_REAL(n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / two, 4),
        RC_REAL(x[(9 * n + 9) / 10 - 1], 4), RC_REAL(x[n - 1], 4),
        RC_REAL((double)within / (double)n, 4));
    put_paper(t, "prepare", of->setting, "");
}

/* Nothing was chosen for other kernels than rs: of them training matrices count. */
static rc_status_t put_prepare(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    const rc_view_t *v = of->c->view;
    const char *name = of->o->kernel ? of->o->kernel : "rs";
    (void)err;
    for (int32_t k = 0; k < rc_view_kernels(v); k++) {
        int64_t n = 0;
        int32_t last = -1;
        for (int64_t i = rc_spec_is(rc_view_kernel(v, k), name) ? of->from : of->to; i < of->to;
             i++) {
            const rc_counted_row_t *e = &of->c->row[i];
            const int64_t prepare_ns = rc_view_result(v, e->row)->prepare_ns;
            if (e->kernel != k || e->matrix == last || prepare_ns < 0 || !is_natural(of->c, i) ||
                !rc_segmented_is_in(of->c, e->matrix, (rc_segmented_set_t)of->set) ||
                (of->training[e->matrix] && rc_segmented_is_of(name)))
                continue;
            last = e->matrix;
            of->scratch[n++] = (double)prepare_ns / e->ns;
        }
        if (n > 0)
            put_paying(of, t, rc_view_kernel(v, k), of->scratch, n);
    }
    return RC_OK;
}

/* Figure 13 is of K = 128; its text has no number. */
static const rc_lines_t prepare = {RC_HONG_SETTING
    "op|kernel|matrices|median:products|p90:products|most:products|"
    "within_2:share|paper:figure 13",
    0, -1, RC_SEGMENTED_SETS, put_prepare};

static const rc_summary_t prepare_table = {.name = "prepare",
    .shows = "figure-13",
    .summary = "after how many products the split has paid",
    .takes = RC_TAKES_KERNEL | RC_TAKES_TUNING,
    .lines = &prepare};

/* -------------------------------------------------------------------- both */

/* Time of the library's fastest pair over that of a contestant's, and its bytes over the
 * library's. */
static rc_status_t put_both(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    const int other = rc_both_setting(of->c, of->setting);
    (void)err;
    for (int who = 0; other >= 0 && rc_both_name(who); who++) {
        rc_sums_t over = {0};
        rc_sums_t bytes = {0};
        for (int64_t i = of->from, end; i < of->to; i = end) {
            int64_t at[2];
            double own_bytes[2] = {NAN, NAN};
            end = rc_counted_end(of->c, i);
            const int64_t a[2] = {i, end};
            if (!rc_hong_counts(of, i))
                continue;
            rc_both_rows(of->c, other, of->c->row[i].matrix, at);
            double library = rc_both_time(of->c, 0, a, at, &own_bytes[0]);
            double own = rc_both_time(of->c, who, a, at, &own_bytes[1]);
            if (!(library > 0) || !(own > 0))
                continue;
            rc_sums_add(&over, library / own);
            rc_sums_add(&bytes, own_bytes[1] / own_bytes[0]);
        }
        if (over.n == 0)
            continue;
        rc_hong_put_setting(t, of);
        rc_table_text(t, rc_both_name(who));
        put_tally(t, &over);
        rc_table_real(t, rc_sums_geomean(&bytes), 4);
        put_paper(t, "both", of->setting, rc_both_name(who));
    }
    return RC_OK;
}

/* Figures 14 and 15 are of K = 128. */
static const rc_lines_t both = {RC_HONG_SETTING
    "contestant|matrices|over_library:x|worst:x|bytes:of the library's|paper:section 6",
    0, -1, RC_SEGMENTED_SETS, put_both};

static const rc_summary_t both_table = {.name = "both",
    .shows = "figure-14 figure-15",
    .summary = "A B and A' B, the times added up",
    .takes = RC_TAKES_TUNING,
    .lines = &both};

/* ------------------------------------------------------------------ paper */

static rc_status_t mark(const json_t *root, void *user, rc_err_t *err)
{
    const json_t *list = json_object_get(root, "training_matrices");
    const int32_t n = rc_view_matrices(user);
    unsigned char *marks = rc_alloc0((size_t)n, 1, "matrices", err);
    RC_PASS(marks ? RC_OK : RC_ENOMEM);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        for (int32_t m = 0; name && m < n; m++)
            marks[m] |= strcmp(rc_view_matrix(user, m)->name, name) == 0;
    }
    rc_view_take_training(user, marks);
    return RC_OK;
}

rc_status_t rc_summary_mark_training(
    rc_view_t *v, const rc_summary_t *s, const rc_summary_options_t *o, rc_err_t *err)
{
    if (!(s->takes & RC_TAKES_TUNING) || o->by_matrix ||
        (!o->tuning && rc_rs_tuning_is_none("auto")))
        return RC_OK;
    rc_status_t st = rc_tuning_read(o->tuning ? o->tuning : RC_RS_TUNING_USUAL, NULL, mark, v, err);
    return st < 0 && o->tuning ? rc_err_context(err, "--tuning") : st;
}

static rc_status_t print_versus(const rc_summary_options_t *o, rc_err_t *err)
{
    rc_summary_options_t own = *o;
    own.side_a = o->side_a ? o->side_a : "rs:*:t=0:cfv=0:*";
    return rc_summary_versus.print(&own, err);
}

static const rc_summary_t versus = {.name = "versus",
    .shows = "figure-8 figure-9",
    .summary = "rs against a side, matrix by matrix",
    .takes = RC_TAKES_SIDES | RC_TAKES_ORDERS | RC_TAKES_TUNING,
    .print = print_versus};

static const rc_summary_t *const tables[] = {&rc_summary_hong_roofline, &modelling_table, &versus,
    &rc_summary_hong_profile, &prepare_table, &both_table, &rc_summary_hong_rate, NULL};

const rc_paper_t rc_paper_hong = {.name = "hong",
    .cite = "Hong et al. 2018, RS-SpMM: rows in segments of columns",
    .tables = tables};
