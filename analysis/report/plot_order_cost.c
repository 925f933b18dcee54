#include "config.h"
#include "analysis/report/plot_panels.h"

#include <math.h>

static double entries(const rc_survey_matrix_t *m)
{
    return (double)m->row->nnz;
}

/* Time to build the order over one product in the original order. */
static double cost(const rc_plot_orders_t *o, const rc_view_t *v, int policy, int64_t i)
{
    int64_t row = o->row[policy * o->matrices + i];
    int64_t csr = o->row[i];
    if (row < 0 || csr < 0 || rc_view_result(v, row)->order_ns <= 0)
        return NAN;
    return (double)rc_view_result(v, row)->order_ns / rc_view_result(v, csr)->median_ns;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    static const rc_plot_panels_t panels = {
        .x_name = "entries",
        .y_name = "time to order (products in the original order)",
        .x = entries,
        .y = cost,
        .caption = "Time to build each row order on the host, in products of the original order, "
                   "against entries, a point per matrix,",
    };
    return rc_plot_panels_write(&panels, in, csv, text, err);
}

const rc_plot_t rc_plot_order_cost = {
    .name = "order-cost",
    .title = "What building each row order costs",
    .source = "Hong et al., figure 13",
    .section = "Cost",
    .home = rc_plot_home_orders,
    .write = write,
};
