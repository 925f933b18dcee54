#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The order that raises the geomean of the oracle over `best` most; of equals the first. */
static int pick(const rc_plot_orders_t *o, const double *best, const char *used)
{
    int at = 0;
    double most = -INFINITY;
    for (int p = 1; p < o->policies; p++) {
        double sum = 0;
        for (int64_t i = 0; i < o->matrices && !used[p]; i++)
            sum += log(fmax(best[i], o->gain[p * o->matrices + i]));
        if (!used[p] && sum > most) {
            at = p;
            most = sum;
        }
    }
    return at;
}

static void put_step(const rc_plot_orders_t *o, int step, int policy, const double *best, FILE *csv)
{
    double sum = 0;
    double log_sum = 0;
    for (int64_t i = 0; i < o->matrices; i++) {
        sum += best[i];
        log_sum += log(best[i]);
    }
    fprintf(csv, "%d,", step + 1);
    rc_plot_put_text(csv, o->policy[policy]);
    fprintf(csv, ",%.6g,%.6g\n", exp(log_sum / (double)o->matrices), sum / (double)o->matrices);
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    rc_plot_orders_t o;
    rc_status_t st = rc_plot_main_orders(in, &o, text, err);
    if (st < 0 || text->missing.len)
        return st;
    double *best = rc_alloc((size_t)o.matrices, sizeof *best, "a figure", err);
    char *used = rc_alloc0((size_t)o.policies, 1, "a figure", err);
    if (best && used) {
        for (int64_t i = 0; i < o.matrices; i++)
            best[i] = 1;
        fputs("orders,adds,geomean speedup over csr (x),mean speedup over csr (x)\n", csv);
        put_step(&o, 0, 0, best, csv);
        for (int step = 1; step < o.policies; step++) {
            int p = pick(&o, best, used);
            used[p] = 1;
            for (int64_t i = 0; i < o.matrices; i++)
                best[i] = fmax(best[i], o.gain[p * o.matrices + i]); /* fmax passes NaN over */
            put_step(&o, step, p, best, csv);
        }
        rc_str_addf(&text->define, "STEPS = %d\nHEIGHT = %d\n", o.policies, 100 + 26 * o.policies);
        rc_str_addf(&text->caption,
            "Speedup over the original order of an oracle that may choose among the row orders "
            "down "
            "to each line; each line adds the order that raises the geomean most. Geomean and mean "
            "over %" PRId64 " matrices, kernel %s, %s.",
            o.matrices, o.setting->reference, o.setting->label);
    } else
        st = RC_ENOMEM;
    free(best);
    free(used);
    rc_plot_orders_free(&o);
    return st;
}

const rc_plot_t rc_plot_portfolio = {
    .name = "portfolio",
    .title = "What more row orders are worth",
    .source = "Mehrabi et al., figure 10",
    .section = "Orders",
    .write = write,
};
