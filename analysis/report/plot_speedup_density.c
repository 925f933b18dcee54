#include "config.h"
#include "analysis/report/plot_panels.h"

static double density(const rc_survey_matrix_t *m)
{
    return m->density;
}

static double speedup(const rc_plot_orders_t *o, const rc_view_t *v, int policy, int64_t i)
{
    (void)v;
    return policy == o->policies ? o->best[i] : o->gain[policy * o->matrices + i];
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    static const rc_plot_panels_t panels = {
        .x_name = "density",
        .y_name = "speedup over csr (x)",
        .x = density,
        .y = speedup,
        .oracle = 1,
        .caption = "Speedup of each row order over the original one against density, a point per "
                   "matrix,",
    };
    return rc_plot_panels_write(&panels, in, csv, text, err);
}

const rc_plot_t rc_plot_speedup_density = {
    .name = "speedup-density",
    .title = "Speedup of each row order over density",
    .source = "Mehrabi et al., figures 5 (a) and 6 (a)",
    .section = "Orders",
    .home = rc_plot_home_orders,
    .write = write,
};
