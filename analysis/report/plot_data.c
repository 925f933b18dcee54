#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/visible.h"
#include "kernels/vendor/vendor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void rc_plot_put_text(FILE *csv, const char *text)
{
    rc_str_t cell = {0};
    rc_str_add_csv(&cell, text);
    fputs(cell.failed || !cell.text ? "?" : cell.text, csv);
    rc_str_free(&cell);
}

void rc_plot_put_number(FILE *csv, double x)
{
    char text[RC_DECIMAL_BYTES];
    if (!isfinite(x))
        return;
    rc_decimal_real(x, 6, text);
    fputs(text, csv);
}

void rc_plot_put_texts(FILE *csv, const char *const *text, int n)
{
    for (int i = 0; i < n; i++) {
        if (i)
            fputc(',', csv);
        rc_plot_put_text(csv, text[i]);
    }
}

void rc_plot_put_numbers(FILE *csv, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        fputc(',', csv);
        rc_plot_put_number(csv, x[i]);
    }
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

const char rc_plot_no_results[] = "no result is ok";

/* ----------------------------------------------------------------- orders */

typedef struct maker {
    const rc_survey_t *s;
    const rc_survey_setting_t *setting;
    const char *kernel;
    int64_t from; /* its entries */
    int64_t to;
    int *number; /* [ids] of the policy in the result, -1 */
    int32_t ids;
    rc_err_t *err;
} maker_t;

static const rc_row_result_t *result(const maker_t *m, int64_t i)
{
    return rc_view_result(m->s->view, m->s->rows[i]);
}

static int takes_part(const maker_t *m, int64_t i)
{
    return strcmp(rc_view_kernel(m->s->view, result(m, i)->kernel), m->kernel) == 0;
}

static int is_csr(const maker_t *m, int32_t policy)
{
    return strcmp(rc_view_policy(m->s->view, policy), "csr") == 0;
}

static void find_entries(maker_t *m)
{
    const rc_survey_t *s = m->s;
    m->from = rc_survey_first_row(s, m->setting->first);
    m->to = rc_survey_first_row(s, m->setting->first + m->setting->pairs);
    for (int64_t i = m->from; i < m->to; i++)
        if (takes_part(m, i) && result(m, i)->policy >= m->ids)
            m->ids = result(m, i)->policy + 1;
}

static rc_status_t number_policies(maker_t *m, rc_plot_orders_t *o)
{
    m->number = rc_alloc((size_t)m->ids, sizeof *m->number, "policies", m->err);
    o->policy = rc_alloc((size_t)m->ids + 1, sizeof *o->policy, "policies", m->err);
    RC_PASS(m->number && o->policy ? RC_OK : RC_ENOMEM);
    for (int32_t id = 0; id < m->ids; id++)
        m->number[id] = -1;
    for (int64_t i = m->from; i < m->to; i++)
        if (takes_part(m, i))
            m->number[result(m, i)->policy] = 0;
    o->policy[0] = "csr";
    o->policies = 1;
    for (int32_t id = 0; id < m->ids; id++)
        if (m->number[id] == 0 && !is_csr(m, id)) { /* csr keeps number 0 */
            m->number[id] = o->policies;
            o->policy[o->policies++] = rc_view_policy(m->s->view, id);
        }
    return RC_OK;
}

/* Column of a matrix in the result, -1 when it has no original order. */
static rc_status_t number_matrices(maker_t *m, rc_plot_orders_t *o, int64_t *column)
{
    for (int64_t i = 0; i < m->setting->pairs; i++)
        column[i] = -1;
    for (int64_t i = m->from; i < m->to; i++)
        if (takes_part(m, i) && is_csr(m, result(m, i)->policy))
            column[m->s->row_pair[i] - m->setting->first] = 0;
    o->matrix = rc_alloc((size_t)m->setting->pairs, sizeof *o->matrix, "matrices", m->err);
    RC_PASS(o->matrix ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < m->setting->pairs; i++)
        if (column[i] == 0) {
            column[i] = o->matrices;
            o->matrix[o->matrices++] = m->s->pair[m->setting->first + i].matrix;
        }
    return RC_OK;
}

static rc_status_t fill_gains(maker_t *m, rc_plot_orders_t *o, const int64_t *column)
{
    const rc_view_t *v = m->s->view;
    size_t cells = (size_t)o->policies * (size_t)o->matrices;
    o->gain = rc_alloc(cells, sizeof *o->gain, "speedups", m->err);
    o->row = rc_alloc(cells, sizeof *o->row, "speedups", m->err);
    o->best = rc_alloc((size_t)o->matrices, sizeof *o->best, "speedups", m->err);
    o->winner = rc_alloc0((size_t)o->matrices, sizeof *o->winner, "speedups", m->err);
    RC_PASS(o->gain && o->row && o->best && o->winner ? RC_OK : RC_ENOMEM);
    for (size_t i = 0; i < cells; i++) {
        o->gain[i] = NAN;
        o->row[i] = -1;
    }
    for (int64_t i = m->from; i < m->to; i++) {
        int64_t at = column[m->s->row_pair[i] - m->setting->first];
        if (!takes_part(m, i) || at < 0)
            continue;
        at += m->number[result(m, i)->policy] * o->matrices;
        if (o->row[at] >= 0 && rc_view_result(v, o->row[at])->median_ns <= result(m, i)->median_ns)
            continue;
        o->row[at] = m->s->rows[i];
        o->gain[at] = rc_view_speedup(v, m->s->rows[i]);
    }
    for (int64_t i = 0; i < o->matrices; i++) {
        o->best[i] = 1;
        for (int p = 1; p < o->policies; p++)
            if (o->gain[p * o->matrices + i] > o->best[i]) {
                o->best[i] = o->gain[p * o->matrices + i];
                o->winner[i] = p;
            }
    }
    return RC_OK;
}

rc_status_t rc_plot_orders_make(
    const rc_survey_t *s, int setting, const char *kernel, rc_plot_orders_t *out, rc_err_t *err)
{
    maker_t m = {.s = s, .setting = &s->setting[setting], .kernel = kernel, .err = err};
    rc_plot_orders_t o = {.setting = m.setting};
    int64_t *column = rc_alloc((size_t)m.setting->pairs, sizeof *column, "matrices", err);
    rc_status_t st;
    RC_TRY(column ? RC_OK : RC_ENOMEM);
    find_entries(&m);
    RC_TRY(number_policies(&m, &o));
    RC_TRY(number_matrices(&m, &o, column));
    RC_TRY(fill_gains(&m, &o, column));
    *out = o;
    o = (rc_plot_orders_t){0};
done:
    rc_plot_orders_free(&o);
    free(column);
    free(m.number);
    return st;
}

void rc_plot_orders_free(rc_plot_orders_t *o)
{
    free(o->policy);
    free(o->matrix);
    free(o->gain);
    free(o->row);
    free(o->best);
    free(o->winner);
    *o = (rc_plot_orders_t){0};
}

int rc_plot_home_main(const rc_plot_input_t *in)
{
    return in->survey->main_setting;
}

int rc_plot_home_orders(const rc_plot_input_t *in)
{
    const rc_survey_t *s = in->survey;
    int best = s->main_setting;
    if (best >= 0 && s->setting[best].reference[0])
        return best;
    best = -1;
    for (int a = 0; a < s->settings; a++)
        if (s->setting[a].reference[0] &&
            (best < 0 || s->setting[a].pairs > s->setting[best].pairs))
            best = a;
    return best;
}

/* What stands above the drawing. */
static void define_title(const rc_survey_setting_t *a, rc_plot_text_t *text)
{
    rc_str_t title = {0};
    rc_str_addf(&title, "%s, %s", a->label, a->reference);
    rc_plot_define_text(text, "SUBTITLE", title.text ? title.text : "");
    text->define.failed |= title.failed;
    rc_str_free(&title);
}

rc_status_t rc_plot_main_orders(
    const rc_plot_input_t *in, rc_plot_orders_t *out, rc_plot_text_t *text, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    int setting = in->shown >= 0 && s->setting[in->shown].reference[0] ? in->shown : -1;
    *out = (rc_plot_orders_t){0};
    if (setting < 0) {
        rc_str_add(&text->missing,
            s->main_setting < 0 ? rc_plot_no_results : "no kernel ran another row order than csr");
        return RC_OK;
    }
    const rc_survey_setting_t *a = &s->setting[setting];
    rc_status_t st = rc_plot_orders_make(s, setting, a->reference, out, err);
    if (st == RC_OK && (out->matrices == 0 || out->policies < 2)) {
        rc_str_addf(&text->missing,
            "kernel %s has no matrix with both csr and another row order (%s)", a->reference,
            a->label);
        rc_plot_orders_free(out);
    }
    if (st == RC_OK)
        define_title(a, text);
    return st;
}

int64_t rc_plot_orders_column(const rc_plot_orders_t *o, int policy, double *out)
{
    int64_t n = 0;
    for (int64_t i = 0; i < o->matrices; i++) {
        double x = policy == o->policies ? o->best[i] : o->gain[policy * o->matrices + i];
        if (!isnan(x))
            out[n++] = x;
    }
    return n;
}

/* ------------------------------------------------------------ all kernels */

const char rc_plot_no_vendor[] =
    "no matrix was measured with both a cuSPARSE kernel and another one";

int64_t rc_plot_fastest(const rc_survey_t *s, int64_t pair, int csr_only,
    int (*takes)(const char *kernel, const void *user), const void *user)
{
    int64_t best = -1;
    for (int64_t i = rc_survey_first_row(s, pair); i < s->entering && s->row_pair[i] == pair; i++) {
        const rc_row_result_t *r = rc_view_result(s->view, s->rows[i]);
        if ((!csr_only || rc_view_is_csr(s->view, r)) &&
            takes(rc_view_kernel(s->view, r->kernel), user) &&
            (best < 0 || r->median_ns < rc_view_result(s->view, best)->median_ns))
            best = s->rows[i];
    }
    return best;
}

static int is_own(const char *kernel, const void *user)
{
    (void)user;
    return !rc_vendor_is(kernel);
}

int64_t rc_plot_own_best(const rc_survey_t *s, int64_t pair, int csr_only)
{
    return rc_plot_fastest(s, pair, csr_only, is_own, NULL);
}
