#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/portfolio.h"
#include "table/split_half.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The same steps held out.  \param[out] cost  [policies][matrices] */
static rc_status_t hold_out(
    const rc_survey_t *s, const rc_plot_orders_t *o, double *cost, rc_err_t *err)
{
    rc_halves_t h;
    RC_PASS(rc_halves_make(o->matrices, o->policies, &h, err));
    rc_status_t st = RC_OK;
    for (int64_t i = 0; st == RC_OK && i < o->matrices; i++) {
        rc_timed_t csr = rc_timed_of(s->view, o->row[i]);
        for (int p = 0; st == RC_OK && p < o->policies; p++) {
            int64_t row = o->row[p * o->matrices + i];
            rc_timed_t t = row < 0 ? csr : rc_timed_of(s->view, row);
            if (row >= 0)
                st = rc_halves_set(&h, i, p, &t, &csr, err);
        }
    }
    if (st == RC_OK)
        st = rc_halves_portfolio(&h, 0, NULL, o->matrices, cost, err);
    rc_halves_free(&h);
    return st;
}

/* One line for each step of the portfolio. */
static void put_steps(const rc_plot_orders_t *o, const double *cost, const double *held_out,
    const rc_portfolio_step_t *step, int steps, double *best, FILE *csv)
{
    double n = (double)o->matrices;
    for (int64_t i = 0; i < o->matrices; i++)
        best[i] = 0;
    fputs("orders,adds,geomean speedup over csr (x),mean speedup over csr (x),geomean held out "
          "(x),mean held out (x)\n",
        csv);
    for (int s = 0; s < steps; s++) {
        double sum = 0;
        double log_apart = 0;
        double apart = 0;
        for (int64_t i = 0; i < o->matrices; i++) {
            best[i] = fmin(best[i], cost[i * o->policies + step[s].added]); /* NaN is passed over */
            sum += exp(-best[i]);
            log_apart -= held_out[s * o->matrices + i];
            apart += exp(-held_out[s * o->matrices + i]);
        }
        fprintf(csv, "%d,", s + 1);
        rc_plot_put_text(csv, o->policy[step[s].added]);
        fprintf(csv, ",%.6g,%.6g,%.6g,%.6g\n", exp(-step[s].sum / n), sum / n, exp(log_apart / n),
            apart / n);
    }
}

static rc_status_t put_portfolio(
    const rc_survey_t *s, const rc_plot_orders_t *o, FILE *csv, rc_err_t *err)
{
    size_t policies = (size_t)o->policies;
    int steps = 0;
    double *cost = rc_alloc(policies * (size_t)o->matrices, sizeof *cost, "a figure", err);
    double *held_out = rc_alloc(policies * (size_t)o->matrices, sizeof *held_out, "a figure", err);
    double *best = rc_alloc((size_t)o->matrices, sizeof *best, "a figure", err);
    rc_portfolio_step_t *step = rc_alloc(policies, sizeof *step, "a figure", err);
    rc_status_t st = cost && held_out && best && step ? RC_OK : RC_ENOMEM;
    for (int64_t i = 0; st == RC_OK && i < o->matrices; i++)
        for (int p = 0; p < o->policies; p++)
            cost[i * o->policies + p] = p == 0 ? 0 : -log(o->gain[p * o->matrices + i]);
    const rc_portfolio_costs_t costs = {.cost = cost,
        .rows = o->matrices,
        .columns = o->policies,
        .first = 0,
        .most = o->policies,
        .limit = -INFINITY};
    if (st == RC_OK)
        st = rc_portfolio_greedy(&costs, step, &steps, err);
    if (st == RC_OK)
        st = hold_out(s, o, held_out, err);
    if (st == RC_OK)
        put_steps(o, cost, held_out, step, steps, best, csv);
    free(cost);
    free(held_out);
    free(best);
    free(step);
    return st;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    rc_plot_orders_t o;
    rc_status_t st = rc_plot_main_orders(in, &o, text, err);
    if (st < 0 || text->missing.len)
        return st;
    st = put_portfolio(in->survey, &o, csv, err);
    rc_str_addf(&text->define, "STEPS = %d\nHEIGHT = %d\n", o.policies, 100 + 26 * o.policies);
    rc_str_addf(&text->caption,
        "Speedup over the original order of an oracle that may choose among the row orders down to "
        "each line; each line adds the order that raises the geomean most. Held out: orders and "
        "the choice among them are of one half of what was measured, the score of the other, so a "
        "line need not have the orders that are named; plain: all of the same measurements. "
        "Geomeans over %" PRId64 " matrices, kernel %s, %s.",
        o.matrices, o.setting->reference, o.setting->label);
    rc_plot_orders_free(&o);
    return st;
}

const rc_plot_t rc_plot_portfolio = {
    .name = "portfolio",
    .title = "What more row orders are worth",
    .source = "Mehrabi et al., figure 10",
    .section = "Orders",
    .home = rc_plot_home_orders,
    .write = write,
};
