#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>

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
        int b = 0;
        while (b + 1 < BINS && gain[i] >= edge(b + 1))
            b++;
        h->count[b]++;
        h->slower += gain[i] < 0.99;
        h->faster += gain[i] > 1.01;
    }
}

static rc_status_t draw(const rc_plot_input_t *in, const rc_plot_orders_t *o, FILE *csv,
    rc_plot_text_t *text, rc_err_t *err)
{
    int rows = (o->policies + COLUMNS - 1) / COLUMNS; /* all orders but csr, and the oracle */
    rc_pool_t pool = {0};
    histogram_t *h = rc_pool_get(&pool, (size_t)o->policies + 1, sizeof *h);
    double *gain = rc_pool_get(&pool, (size_t)o->matrices, sizeof *gain);
    rc_status_t st;
    (void)in;
    RC_TRY(rc_pool_check(&pool, "a figure", err));
    rc_str_addf(&text->define,
        "PANELS = %d\narray PANEL[PANELS]\narray SLOWER[PANELS]\narray FASTER[PANELS]\n"
        "ROWS = %d\nHEIGHT = %d\n",
        o->policies, rows, 90 + 125 * rows);
    fputs("policy,speedup from (x),speedup below (x),matrices,share (%)\n", csv);
    for (int p = 1; p <= o->policies; p++) {
        const char *name = p == o->policies ? "oracle" : o->policy[p];
        count(gain, rc_plot_orders_column(o, p, gain), &h[p]);
        for (int b = 0; b < BINS; b++)
            RC_PLOT_ROW(csv, RC_TEXT(name), RC_REAL(edge(b), 6), RC_REAL(edge(b + 1), 6),
                RC_INT(h[p].count[b]), RC_REAL(share(h[p].count[b], h[p].n), -4));
        rc_plot_define_item(text, "PANEL", p, name);
        rc_str_addf(&text->define, "SLOWER[%d] = %.1f\nFASTER[%d] = %.1f\n", p,
            share(h[p].slower, h[p].n), p, share(h[p].faster, h[p].n));
    }
    rc_plot_block_begin(text, "BINS");
    for (int p = 1; p <= o->policies; p++) {
        for (int b = 0; b < BINS; b++) /* the open bins are drawn as wide as the others */
            rc_str_addf(&text->define, "%.6g,%.6g,%.4f\n", pow(width, b - 1 - HALF),
                pow(width, b - HALF), share(h[p].count[b], h[p].n));
        rc_str_add(&text->define, "\n\n");
    }
    rc_plot_block_end(text);
    rc_str_addf(&text->caption,
        "Share of matrices by speedup over the original order, in bins of 5 %%; the outermost "
        "bins hold everything beyond. The figures are the shares that are slower and faster by "
        "more than 1 %%. The oracle is plain: it chooses and is scored on the same "
        "measurements. %" PRId64 " matrices, kernel %s, %s.",
        o->matrices, o->setting->reference, o->setting->label);
done:
    rc_pool_free(&pool);
    return st;
}

const rc_plot_t rc_plot_speedup_histogram = {
    .name = "speedup-histogram",
    .title = "Histogram of the speedups of each row order",
    .source = "Mehrabi et al., figures 5 (c) and 6 (c)",
    .section = "Orders",
    .draw = draw,
};
