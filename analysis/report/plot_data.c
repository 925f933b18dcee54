#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/visible.h"
#include "kernels/vendor/vendor.h"
#include "table/reorder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void rc_plot_put_row(FILE *csv, const rc_table_cell_t *cell, size_t n)
{
    rc_str_t line = {0};
    for (size_t i = 0; i < n; i++) {
        char number[RC_DECIMAL_BYTES] = "";
        if (cell[i].kind == RC_CELL_TEXT)
            rc_str_add_csv(&line, cell[i].text);
        else if (cell[i].kind == RC_CELL_INT)
            rc_str_addf(&line, "%" PRId64, cell[i].whole);
        else if (cell[i].digits <= 0)
            rc_str_addf(&line, "%.*f", -cell[i].digits, cell[i].real);
        else if (isfinite(cell[i].real))
            rc_decimal_real(cell[i].real, cell[i].digits, number);
        rc_str_add(&line, number);
        rc_str_add(&line, i + 1 < n ? "," : "\n");
    }
    fputs(line.failed ? "?\n" : line.text, csv);
    rc_str_free(&line);
}

void rc_plot_define_text(rc_plot_text_t *t, const char *name, const char *value)
{
    /* nothing is substituted between single quotes; a quote is written twice */
    rc_str_addf(&t->define, "%s = '", name);
    for (; *value; value++) {
        char c = (unsigned char)*value < ' ' ? ' ' : *value;
        rc_str_addn(&t->define, &c, 1);
        if (c == '\'')
            rc_str_addn(&t->define, &c, 1);
    }
    rc_str_add(&t->define, "'\n");
}

void rc_plot_define_item(rc_plot_text_t *t, const char *array, int i, const char *value)
{
    char name[48];
    (void)snprintf(name, sizeof name, "%s[%d]", array, i);
    rc_plot_define_text(t, name, value);
}

void rc_plot_define_number(rc_plot_text_t *t, const char *name, double value)
{
    if (isfinite(value))
        rc_str_addf(&t->define, "%s = %.17g\n", name, value);
    else
        rc_str_addf(&t->define, "%s = NaN\n", name);
}

/* ----------------------------------------------------------------- blocks */

enum { GROUPS_MAX = 16, GROUP_MIN = 8 };

void rc_plot_block_begin(rc_plot_text_t *t, const char *name)
{
    rc_str_addf(&t->define, "$%s << END_OF_BLOCK\n", name);
}

void rc_plot_block_end(rc_plot_text_t *t)
{
    rc_str_add(&t->define, "END_OF_BLOCK\n");
}

void rc_plot_block_text(rc_plot_text_t *t, const char *text)
{
    rc_str_add(&t->define, "\"");
    for (; *text; text++) {
        char c = (unsigned char)*text < ' ' || *text == '"' || *text == 0x7f ? ' ' : *text;
        rc_str_addn(&t->define, &c, 1);
    }
    rc_str_add(&t->define, "\"");
}

static int is_point(const double *x, const double *y, int64_t i)
{
    return isfinite(x[i]) && isfinite(y[i]);
}

int64_t rc_plot_block_points(
    rc_plot_text_t *t, const double *x, const double *y, int64_t n, int64_t most)
{
    int64_t there = 0;
    int64_t put = 0;
    for (int64_t i = 0; i < n; i++)
        there += is_point(x, y, i);
    /* the most-th part of all hashes, about */
    uint64_t limit =
        there > most ? (uint64_t)((double)UINT64_MAX / (double)there * (double)most) : UINT64_MAX;
    for (int64_t i = 0; i < n; i++)
        if (is_point(x, y, i) && rc_rng_hash(1, (uint64_t)i) <= limit) {
            rc_str_addf(&t->define, "%.5g,%.5g\n", x[i], y[i]);
            put++;
        }
    rc_str_add(&t->define, put ? "\n\n" : "NaN,NaN\n\n\n");
    return there - put;
}

void rc_plot_say_hidden(rc_plot_text_t *t, int64_t hidden, const char *lines)
{
    if (hidden)
        rc_str_addf(&t->caption,
            " %" PRId64 " points, chosen without regard to their values, are not drawn; %s and "
            "CSV have all.",
            hidden, lines);
}

typedef struct point {
    double x;
    double y;
} point_t;

static int by_x(const void *a, const void *b)
{
    const point_t *p = a;
    const point_t *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

rc_status_t rc_plot_block_trend(
    rc_plot_text_t *t, const double *x, const double *y, int64_t n, rc_err_t *err)
{
    int64_t there = 0;
    rc_pool_t pool = {0};
    point_t *p = rc_pool_get(&pool, (size_t)n, sizeof *p);
    double *group = rc_pool_get(&pool, (size_t)n, sizeof *group);
    rc_status_t st;
    RC_TRY(rc_pool_check(&pool, "points", err));
    for (int64_t i = 0; i < n; i++)
        if (is_point(x, y, i))
            p[there++] = (point_t){x[i], y[i]};
    if (there)
        qsort(p, (size_t)there, sizeof *p, by_x);
    int64_t groups = there / GROUP_MIN > GROUPS_MAX ? GROUPS_MAX : there / GROUP_MIN;
    for (int64_t g = 0; g < groups; g++) {
        int64_t from = g * there / groups;
        int64_t m = (g + 1) * there / groups - from;
        for (int64_t i = 0; i < m; i++)
            group[i] = p[from + i].y;
        qsort(group, (size_t)m, sizeof *group, rc_stats_compare);
        rc_str_addf(&t->define, "%.5g,%.5g,%.5g,%.5g\n",
            0.5 * (p[from + (m - 1) / 2].x + p[from + m / 2].x), rc_stats_quantile(group, m, 0.5),
            rc_stats_quantile(group, m, 0.25), rc_stats_quantile(group, m, 0.75));
    }
    rc_str_add(&t->define, groups ? "\n\n" : "NaN,NaN,NaN,NaN\n\n\n");
done:
    rc_pool_free(&pool);
    return st;
}

const char rc_plot_no_results[] = "no result is ok";

void rc_plot_lacks(const rc_plot_input_t *in, const char *what, rc_plot_text_t *text)
{
    rc_str_add(&text->missing, what);
    text->of_shown = in->shown >= 0;
}

/* ----------------------------------------------------------------- orders */

static int is_of(const rc_survey_t *s, int64_t i, const char *kernel)
{
    return strcmp(rc_view_kernel(s->view, rc_view_result(s->view, s->rows[i])->kernel), kernel) ==
           0;
}

/* Number the orders that the kernel ran, csr first.
 * \param[out] number  [policies of the view] -1: it did not */
static void number_policies(
    const rc_survey_t *s, const char *kernel, int32_t *number, rc_plot_orders_t *o)
{
    const rc_survey_setting_t *a = o->setting;
    int32_t ids = rc_view_policies(s->view);
    for (int32_t id = 0; id < ids; id++)
        number[id] = -1;
    for (int64_t i = rc_survey_first_row(s, a->first);
         i < rc_survey_first_row(s, a->first + a->pairs); i++)
        if (is_of(s, i, kernel))
            number[rc_view_result(s->view, s->rows[i])->policy] = 0;
    o->policy[0] = "csr";
    o->policies = 1;
    for (int32_t id = 0; id < ids; id++) {
        const char *name = rc_view_policy(s->view, id);
        if (number[id] == 0 && strcmp(name, "csr") != 0) {
            number[id] = o->policies;
            o->policy[o->policies++] = name;
        }
    }
}

/* One more matrix, where the pair has the original order and another. */
static void add_matrix(const rc_survey_t *s, int64_t pair, const char *kernel,
    const int32_t *number, rc_plot_orders_t *o)
{
    int64_t at = o->matrices;
    int64_t *row = o->row + at * o->policies;
    double *gain = o->gain + at * o->policies;
    for (int p = 0; p < o->policies; p++) {
        row[p] = -1;
        gain[p] = NAN;
    }
    for (int64_t i = rc_survey_first_row(s, pair); i < rc_survey_first_row(s, pair + 1); i++) {
        int32_t p = number[rc_view_result(s->view, s->rows[i])->policy];
        if (!is_of(s, i, kernel) ||
            (row[p] >= 0 && rc_view_ns(s->view, row[p]) <= rc_view_ns(s->view, s->rows[i])))
            continue;
        row[p] = s->rows[i];
        gain[p] = rc_view_speedup(s->view, row[p]);
    }
    int others = 0;
    for (int p = 1; p < o->policies; p++)
        others += !isnan(gain[p]);
    if (row[0] < 0 || others == 0)
        return;
    o->matrix[at] = s->pair[pair].matrix;
    o->best[at] = 1;
    o->winner[at] = 0;
    for (int p = 1; p < o->policies; p++)
        if (gain[p] > o->best[at]) {
            o->best[at] = gain[p];
            o->winner[at] = p;
        }
    o->matrices++;
}

rc_status_t rc_plot_orders_make(
    const rc_survey_t *s, int setting, const char *kernel, rc_plot_orders_t *out, rc_err_t *err)
{
    const rc_survey_setting_t *a = &s->setting[setting];
    size_t pairs = (size_t)a->pairs;
    size_t ids = (size_t)rc_view_policies(s->view);
    rc_plot_orders_t o = {.setting = a};
    rc_status_t st;
    int32_t *number = rc_pool_get(&o.memory, ids, sizeof *number);
    o.policy = rc_pool_get(&o.memory, ids + 1, sizeof *o.policy);
    RC_TRY(rc_pool_check(&o.memory, "orders", err));
    number_policies(s, kernel, number, &o);
    o.matrix = rc_pool_get(&o.memory, pairs, sizeof *o.matrix);
    o.gain = rc_pool_get(&o.memory, pairs * (size_t)o.policies, sizeof *o.gain);
    o.row = rc_pool_get(&o.memory, pairs * (size_t)o.policies, sizeof *o.row);
    o.best = rc_pool_get(&o.memory, pairs, sizeof *o.best);
    o.winner = rc_pool_get(&o.memory, pairs, sizeof *o.winner);
    RC_TRY(rc_pool_check(&o.memory, "speedups", err));
    for (int64_t i = a->first; i < a->first + a->pairs; i++)
        add_matrix(s, i, kernel, number, &o);
    *out = o;
    o.memory = (rc_pool_t){0};
done:
    rc_pool_free(&o.memory);
    return st;
}

void rc_plot_orders_free(rc_plot_orders_t *o)
{
    rc_pool_free(&o->memory);
    *o = (rc_plot_orders_t){0};
}

int rc_plot_home_main(const rc_plot_input_t *in)
{
    return in->survey->main_setting;
}

int rc_plot_home_of(const rc_plot_input_t *in,
    int (*fits)(const rc_plot_input_t *in, int setting, const void *user), const void *user)
{
    const rc_survey_t *s = in->survey;
    int best = s->main_setting;
    if (best >= 0 && fits(in, best, user))
        return best;
    best = -1;
    for (int a = 0; a < s->settings; a++)
        if (fits(in, a, user) && (best < 0 || s->setting[a].pairs > s->setting[best].pairs))
            best = a;
    return best;
}

static int has_orders(const rc_plot_input_t *in, int setting, const void *user)
{
    (void)user;
    return in->survey->setting[setting].reference[0] != '\0';
}

int rc_plot_home_orders(const rc_plot_input_t *in)
{
    return rc_plot_home_of(in, has_orders, NULL);
}

rc_status_t rc_plot_main_orders(
    const rc_plot_input_t *in, rc_plot_orders_t *out, rc_plot_text_t *text, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    int setting = in->shown >= 0 && s->setting[in->shown].reference[0] ? in->shown : -1;
    *out = (rc_plot_orders_t){0};
    if (setting < 0) {
        rc_plot_lacks(in,
            s->main_setting < 0 ? rc_plot_no_results : "no kernel ran another row order than csr",
            text);
        return RC_OK;
    }
    const rc_survey_setting_t *a = &s->setting[setting];
    rc_status_t st = rc_plot_orders_make(s, setting, a->reference, out, err);
    if (st == RC_OK && (out->matrices == 0 || out->policies < 2)) {
        rc_str_addf(&text->missing, "kernel %s has no matrix with both csr and another row order",
            a->reference);
        text->of_shown = 1;
        rc_plot_orders_free(out);
    }
    rc_str_t title = {0};
    rc_str_addf(&title, "%s, %s", a->label, a->reference);
    rc_plot_define_text(text, "SUBTITLE", title.text ? title.text : "");
    text->define.failed |= title.failed;
    rc_str_free(&title);
    return st;
}

rc_status_t rc_plot_write_orders(
    const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    rc_plot_orders_t o;
    rc_status_t st = rc_plot_main_orders(in, &o, text, err);
    if (st == RC_OK && text->missing.len == 0)
        st = in->plot->draw(in, &o, csv, text, err);
    rc_plot_orders_free(&o);
    return st;
}

double rc_plot_orders_gain(const rc_plot_orders_t *o, int policy, int64_t i)
{
    return policy == o->policies ? o->best[i] : o->gain[i * o->policies + policy];
}

int64_t rc_plot_orders_column(const rc_plot_orders_t *o, int policy, double *out)
{
    int64_t n = 0;
    for (int64_t i = 0; i < o->matrices; i++) {
        double x = rc_plot_orders_gain(o, policy, i);
        if (!isnan(x))
            out[n++] = x;
    }
    return n;
}

/* ------------------------------------------------------------ all kernels */

const char rc_plot_no_vendor[] =
    "no matrix was measured with both a cuSPARSE kernel and another one";

int64_t rc_plot_fastest(const rc_survey_t *s, int64_t pair,
    int (*takes)(const char *kernel, const void *user), const void *user)
{
    int64_t best = -1;
    for (int64_t i = rc_survey_first_row(s, pair); i < s->entering && s->row_pair[i] == pair; i++) {
        const rc_row_result_t *r = rc_view_result(s->view, s->rows[i]);
        if (rc_view_is_csr(s->view, r) && takes(rc_view_kernel(s->view, r->kernel), user) &&
            (best < 0 || rc_view_ns(s->view, s->rows[i]) < rc_view_ns(s->view, best)))
            best = s->rows[i];
    }
    return best;
}

double rc_plot_gflops(const rc_survey_t *s, int64_t row)
{
    double flops = row < 0 ? 0 : rc_view_flops(s->view, row);
    return flops > 0 ? flops / rc_view_result(s->view, row)->median_ns : NAN;
}

int64_t rc_plot_own_best(const rc_survey_t *s, int64_t pair, int csr_only)
{
    const rc_survey_pair_t *p = &s->pair[pair];
    return s->setting[p->setting].is_vendors ? -1
                                             : p->row[csr_only ? RC_CHOICE_CSR : RC_CHOICE_ALL];
}

rc_status_t rc_plot_plans(const rc_plot_input_t *in, int setting, const char *plans, int count,
    int64_t **row, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    const rc_survey_setting_t *a = &s->setting[setting];
    rc_contestant_t *list = NULL;
    int n = 0;
    *row = NULL;
    rc_status_t st = rc_contestants_parse(plans, &list, &n, err);
    if (st == RC_OK) {
        *row = rc_alloc((size_t)(a->pairs * count), sizeof **row, "a figure", err);
        st = *row ? RC_OK : RC_ENOMEM;
    }
    for (int64_t i = 0; st == RC_OK && i < a->pairs; i++) {
        int64_t first = rc_survey_first_row(s, a->first + i);
        int64_t end = rc_survey_first_row(s, a->first + i + 1);
        for (int k = 0; k < count; k++)
            (*row)[i * count + k] =
                rc_contestant_fastest(s->view, s->rows + first, end - first, &list[k]);
    }
    rc_contestants_free(list, n);
    return st;
}
