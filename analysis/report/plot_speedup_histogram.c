#include "config.h"
#include "analysis/report/plot_block.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Bins of 5 % from 1 / 1.05^HALF to 1.05^HALF; the first and the last are open. */
enum { HALF = 14, BINS = 2 * HALF + 2, COLUMNS = 3 };
static const double width = 1.05;

/* Bin b is [edge b, edge b + 1); bin HALF + 1 begins at 1. */
static double edge(int b)
{
    if (b == 0)
        return 0;
    return b == BINS ? INFINITY : pow(width, b - 1 - HALF);
}

static int bin_of(double gain)
{
    int b = 0;
    while (b + 1 < BINS && gain >= edge(b + 1))
        b++;
    return b;
}

typedef struct histogram {
    int64_t n;
    int64_t count[BINS];
    int64_t slower; /* by more than 1 % */
    int64_t faster;
} histogram_t;

static double share(int64_t part, int64_t n)
{
    return n ? 100 * (double)part / (double)n : 0;
}

static void count(const double *gain, int64_t n, histogram_t *h)
{
    *h = (histogram_t){.n = n};
    for (int64_t i = 0; i < n; i++) {
        h->count[bin_of(gain[i])]++;
        h->slower += gain[i] < 0.99;
        h->faster += gain[i] > 1.01;
    }
}

static void put_csv(FILE *csv, const char *policy, const histogram_t *h)
{
    for (int b = 0; b < BINS; b++) {
        rc_plot_put_text(csv, policy);
        rc_plot_put_numbers(csv, (const double[]){edge(b), edge(b + 1)}, 2);
        fprintf(csv, ",%" PRId64 ",%.4f\n", h->count[b], share(h->count[b], h->n));
    }
}

static void define_panel(rc_plot_text_t *t, int k, const char *policy, const histogram_t *h)
{
    rc_plot_define_item(t, "PANEL", k, policy);
    rc_str_addf(&t->define, "SLOWER[%d] = %.1f\nFASTER[%d] = %.1f\n", k, share(h->slower, h->n), k,
        share(h->faster, h->n));
}

static void put_block(rc_plot_text_t *t, const histogram_t *h)
{
    /* the open bins are drawn as wide as the others */
    for (int b = 0; b < BINS; b++)
        rc_str_addf(&t->define, "%.6g,%.6g,%.4f\n", pow(width, b - 1 - HALF), pow(width, b - HALF),
            share(h->count[b], h->n));
    rc_str_add(&t->define, "\n\n");
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    rc_plot_orders_t o;
    rc_status_t st = rc_plot_main_orders(in, &o, text, err);
    if (st < 0 || text->missing.len)
        return st;
    int rows = (o.policies + COLUMNS - 1) / COLUMNS; /* all orders but csr, and the oracle */
    histogram_t *h = rc_alloc((size_t)o.policies + 1, sizeof *h, "a figure", err);
    double *gain = rc_alloc((size_t)o.matrices, sizeof *gain, "a figure", err);
    if (h && gain) {
        rc_str_addf(&text->define,
            "PANELS = %d\narray PANEL[PANELS]\narray SLOWER[PANELS]\narray FASTER[PANELS]\n"
            "ROWS = %d\nHEIGHT = %d\n",
            o.policies, rows, 90 + 125 * rows);
        fputs("policy,speedup from (x),speedup below (x),matrices,share (%)\n", csv);
        for (int p = 1; p <= o.policies; p++) {
            const char *name = p == o.policies ? "oracle" : o.policy[p];
            count(gain, rc_plot_orders_column(&o, p, gain), &h[p]);
            put_csv(csv, name, &h[p]);
            define_panel(text, p, name, &h[p]);
        }
        rc_plot_block_begin(text, "BINS");
        for (int p = 1; p <= o.policies; p++)
            put_block(text, &h[p]);
        rc_plot_block_end(text);
        rc_str_addf(&text->caption,
            "Share of matrices by speedup over the original order, in bins of 5 %%; the outermost "
            "bins hold everything beyond. The figures are the shares that are slower and faster by "
            "more than 1 %%. The oracle is plain: it chooses and is scored on the same "
            "measurements. %" PRId64 " matrices, kernel %s, %s.",
            o.matrices, o.setting->reference, o.setting->label);
    } else
        st = RC_ENOMEM;
    free(h);
    free(gain);
    rc_plot_orders_free(&o);
    return st;
}

const rc_plot_t rc_plot_speedup_histogram = {
    .name = "speedup-histogram",
    .title = "Histogram of the speedups of each row order",
    .source = "Mehrabi et al., figures 5 (c) and 6 (c)",
    .section = "Orders",
    .home = rc_plot_home_orders,
    .write = write,
};
