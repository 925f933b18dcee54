#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/portfolio.h"
#include "table/split_half.h"

#include <inttypes.h>
#include <math.h>

/* The same steps held out.  \param[out] cost  [policies][matrices] */
static rc_status_t hold_out(
    const rc_survey_t *s, const rc_plot_orders_t *o, double *cost, rc_err_t *err)
{
    rc_halves_t h;
    RC_PASS(rc_halves_make(o->matrices, o->policies, &h, err));
    rc_status_t st = RC_OK;
    for (int64_t i = 0; st == RC_OK && i < o->matrices; i++) {
        rc_timed_t csr = rc_timed_of(s->view, o->row[i * o->policies]);
        for (int p = 0; st == RC_OK && p < o->policies; p++) {
            int64_t row = o->row[i * o->policies + p];
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
        RC_PLOT_ROW(csv, RC_INT(s + 1), RC_TEXT(o->policy[step[s].added]),
            RC_REAL(exp(-step[s].sum / n), 6), RC_REAL(sum / n, 6), RC_REAL(exp(log_apart / n), 6),
            RC_REAL(apart / n, 6));
    }
}

static rc_status_t draw(const rc_plot_input_t *in, const rc_plot_orders_t *o, FILE *csv,
    rc_plot_text_t *text, rc_err_t *err)
{
    size_t policies = (size_t)o->policies;
    int steps = 0;
    rc_pool_t pool = {0};
    double *cost = rc_pool_get(&pool, policies * (size_t)o->matrices, sizeof *cost);
    double *held_out = rc_pool_get(&pool, policies * (size_t)o->matrices, sizeof *held_out);
    double *best = rc_pool_get(&pool, (size_t)o->matrices, sizeof *best);
    rc_portfolio_step_t *step = rc_pool_get(&pool, policies, sizeof *step);
    rc_status_t st;
    RC_TRY(rc_pool_check(&pool, "a figure", err));
    for (int64_t i = 0; i < o->matrices * o->policies; i++)
        cost[i] = i % o->policies == 0 ? 0 : -log(o->gain[i]);
    const rc_portfolio_costs_t costs = {.cost = cost,
        .rows = o->matrices,
        .columns = o->policies,
        .first = 0,
        .most = o->policies,
        .limit = -INFINITY};
    RC_TRY(rc_portfolio_greedy(&costs, step, &steps, err));
    RC_TRY(hold_out(in->survey, o, held_out, err));
    put_steps(o, cost, held_out, step, steps, best, csv);
    rc_str_addf(&text->define, "STEPS = %d\nHEIGHT = %d\n", o->policies, 110 + 36 * o->policies);
    rc_str_addf(&text->caption,
        "Speedup over the original order of an oracle that may choose among the row orders down to "
        "each line; each line adds the order that raises the geomean most. Held out: orders and "
        "the choice among them are of one half of what was measured, the score of the other, so a "
        "line need not have the orders that are named; plain: all of the same measurements. "
        "Geomeans over %" PRId64 " matrices, kernel %s, %s.",
        o->matrices, o->setting->reference, o->setting->label);
done:
    rc_pool_free(&pool);
    return st;
}

const rc_plot_t rc_plot_portfolio = {
    .name = "portfolio",
    .title = "What more row orders are worth",
    .source = "Mehrabi et al., figure 10",
    .section = "Orders",
    .draw = draw,
};
