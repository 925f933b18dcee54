#include "config.h"
#include "analysis/report/plot_data.h"

#include <inttypes.h>
#include <math.h>

/* Curves that can be told apart; steps of a power of ten, powers. */
enum { CURVES = 7, STEPS = 6, POWERS = 6 };

static void put_row(const rc_survey_t *s, const rc_survey_pair_t *p, FILE *csv)
{
    const rc_row_result_t *r = rc_view_result(s->view, p->row[RC_CHOICE_ALL]);
    RC_PLOT_ROW(csv, RC_TEXT(s->setting[p->setting].label), RC_TEXT(s->matrix[p->matrix].name),
        RC_TEXT(rc_view_kernel(s->view, r->kernel)), RC_TEXT(rc_view_policy(s->view, r->policy)),
        RC_REAL(p->break_even, 0));
}

/* How many pairs have paid after so many products. */
static int64_t paid(const rc_survey_t *s, const rc_survey_setting_t *a, double products)
{
    int64_t n = 0;
    for (int64_t i = a->first; i < a->first + a->pairs; i++)
        n += s->pair[i].break_even <= products; /* false for NaN */
    return n;
}

static void put_curve(
    const rc_survey_t *s, const rc_survey_setting_t *a, int64_t known, rc_plot_text_t *t)
{
    for (int i = 0; i <= STEPS * POWERS; i++) {
        double products = pow(10, (double)i / STEPS);
        rc_str_addf(&t->define, "%.6g,%.5g\n", products,
            100 * (double)paid(s, a, products) / (double)known);
    }
    rc_str_add(&t->define, "\n\n");
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    rc_plot_text_t names = {0};
    int curves = 0;
    int shown = 0; /* its curve, from 1 */
    (void)err;
    rc_str_addf(&names.define, "array CURVE[%d]\n", CURVES);
    fputs("setting,matrix,kernel,policy,products until the fastest plan has paid\n", csv);
    rc_plot_block_begin(text, "STEPS");
    for (int k = 0; k < s->settings; k++) {
        const rc_survey_setting_t *a = &s->setting[k];
        int64_t known = 0;
        for (int64_t i = a->first; i < a->first + a->pairs; i++)
            if (!isnan(s->pair[i].break_even)) {
                put_row(s, &s->pair[i], csv);
                known++;
            }
        if (known == 0 || (curves == CURVES - 1 && k < in->shown) || curves == CURVES)
            continue;
        shown = k == in->shown ? curves + 1 : shown;
        rc_plot_define_item(&names, "CURVE", ++curves, a->label);
        put_curve(s, a, known, text);
        rc_str_addf(&names.caption, "%s%" PRId64, curves > 1 ? ", " : "", known);
    }
    rc_plot_block_end(text);
    rc_str_addf(&text->define, "%sCURVES = %d\nSHOWN = %d\nHEIGHT = %d\n",
        names.define.text ? names.define.text : "", curves, shown, 320 + 22 * curves);
    if (curves == 0)
        rc_str_add(&text->missing, "no matrix has a result in the original order");
    else if (shown == 0)
        rc_str_add(&text->missing, "no matrix has a result in the original order there");
    rc_str_addf(&text->caption,
        "Share of matrices on which the fastest kernel and order has made up for the time of its "
        "order and its preprocessing after so many products, against the fastest in the original "
        "order; matrices on which the original order is the fastest count from the start. %s "
        "matrices, in the order of the key; %s is brought out.",
        names.caption.text ? names.caption.text : "0",
        in->shown >= 0 ? s->setting[in->shown].label : "none");
    text->define.failed |= names.define.failed | names.caption.failed;
    rc_plot_text_free(&names);
    return RC_OK;
}

const rc_plot_t rc_plot_break_even = {
    .name = "break-even",
    .title = "After how many products the fastest plan has paid",
    .source = "",
    .section = "Cost",
    .home = rc_plot_home_main,
    .write = write,
};
