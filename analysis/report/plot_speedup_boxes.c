#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { QUANTITIES = 9 };

/* The same problem as that of the setting shown, on whichever device. */
static int is_sibling(const rc_survey_t *s, int shown, int a)
{
    const rc_setting_t *x = &s->setting[a].setting;
    const rc_setting_t *y = &s->setting[shown].setting;
    return s->setting[a].reference[0] && x->is_n == y->is_n && (x->is_n || x->k == y->k) &&
           x->precision == y->precision && x->op == y->op && x->c_order == y->c_order &&
           x->cache == y->cache;
}

static void put_box(
    const rc_plot_orders_t *o, int policy, double *gain, FILE *csv, rc_plot_text_t *t)
{
    rc_stats_t s;
    int64_t n = rc_plot_orders_column(o, policy, gain);
    const char *name = policy == o->policies ? "oracle" : o->policy[policy];
    if (n == 0)
        return;
    rc_stats_compute(gain, n, &s); /* sorts */
    const double q[QUANTITIES] = {s.min, rc_stats_quantile(gain, n, 0.05),
        rc_stats_quantile(gain, n, 0.25), s.median, rc_stats_quantile(gain, n, 0.75),
        rc_stats_quantile(gain, n, 0.95), s.max, s.geomean, s.mean};
    rc_table_cell_t cell[4 + QUANTITIES] = {
        RC_TEXT(o->setting->device), RC_TEXT(o->setting->reference), RC_TEXT(name), RC_INT(n)};
    rc_plot_block_text(t, name);
    for (size_t i = 0; i < QUANTITIES; i++) {
        cell[4 + i] = RC_REAL(q[i], 6);
        rc_str_addf(&t->define, ",%.6g", q[i]);
    }
    rc_plot_put_row(csv, cell, 4 + QUANTITIES);
    rc_str_add(&t->define, "\n");
}

static rc_status_t put_device(const rc_survey_t *s, int setting, FILE *csv, rc_plot_text_t *t,
    rc_plot_text_t *titles, int *devices, int *lines, rc_err_t *err)
{
    rc_plot_orders_t o = {.policies = 0};
    double *gain = NULL;
    rc_status_t st;
    RC_TRY(rc_plot_orders_make(s, setting, s->setting[setting].reference, &o, err));
    if (o.matrices == 0 || o.policies < 2)
        goto done;
    RC_TRY(RC_NEW(gain, o.matrices, "a figure", err));
    for (int p = 1; p <= o.policies; p++)
        put_box(&o, p, gain, csv, t);
    rc_str_add(&t->define, "\n\n");
    rc_plot_define_item(titles, "PANEL", ++*devices, o.setting->device);
    rc_str_addf(&titles->define, "LINES[%d] = %d\n", *devices, o.policies);
    rc_str_addf(&titles->caption, "%s%" PRId64 " matrices on %s (%s)", *devices > 1 ? ", " : "",
        o.matrices, o.setting->device, o.setting->reference);
    *lines += o.policies;
done:
    free(gain);
    rc_plot_orders_free(&o);
    return st;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    rc_plot_text_t titles = {0};
    rc_plot_orders_t o;
    int devices = 0;
    int lines = 0;
    rc_status_t st = rc_plot_main_orders(in, &o, text, err); /* says what is missing */
    rc_plot_orders_free(&o);
    if (st < 0 || text->missing.len)
        return st;
    fputs("device,kernel,policy,matrices,min (x),5 % (x),25 % (x),median (x),75 % (x),95 % (x),max "
          "(x),geomean (x),mean (x)\n",
        csv);
    rc_plot_block_begin(text, "BOXES");
    for (int a = 0; a < s->settings && st == RC_OK; a++)
        if (is_sibling(s, in->shown, a))
            st = put_device(s, a, csv, text, &titles, &devices, &lines, err);
    rc_plot_block_end(text);
    rc_str_addf(&text->define, "DEVICES = %d\narray PANEL[DEVICES]\narray LINES[DEVICES]\n%s",
        devices, titles.define.text ? titles.define.text : "");
    rc_str_addf(&text->define, "HEIGHT = %d\n", 60 + 60 * devices + 24 * lines);
    rc_str_addf(&text->caption,
        "Speedup of each row order over the original one: quartiles (box, median), 5th and 95th "
        "percentile (whiskers), smallest and largest (points), geomean (cross). The oracle is "
        "plain: it chooses and is scored on the same measurements. %s, %s.",
        s->setting[in->shown].label, titles.caption.text ? titles.caption.text : "");
    if (titles.define.failed || titles.caption.failed)
        text->define.failed = 1;
    rc_plot_text_free(&titles);
    return st;
}

const rc_plot_t rc_plot_speedup_boxes = {
    .name = "speedup-boxes",
    .title = "Distribution of the speedups of each row order",
    .source = "Mehrabi et al., figure 8",
    .section = "Orders",
    .home = rc_plot_home_orders,
    .write = write,
};
