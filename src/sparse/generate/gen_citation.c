#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, mean, copy, recent };

typedef struct graph {
    double mean;
    double copy;
    int recent;
    uint64_t seed;
} graph_t;

static int64_t count_of(const graph_t *g, int64_t i)
{
    rc_draw_t d = {rc_draw_of(g->seed, i).key, 0};
    double wanted = g->mean * 2 * rc_draw_unit(&d);
    int64_t count = rc_draw_count(&d, wanted);
    return count < i ? count : i;
}

/* The k-th citation of i, i > 0: an earlier one, mostly a recent one, or what that one cites. */
static int64_t cited(const graph_t *g, int64_t i, int64_t k)
{
    for (;;) {
        rc_draw_t d = {rc_draw_of(g->seed, i).key, (uint64_t)(2 + 3 * k)};
        int64_t j = i - 1 - rc_draw_skewed(&d, i, g->recent);
        int copies = rc_draw_unit(&d) < g->copy;
        int64_t theirs = copies ? count_of(g, j) : 0;
        if (theirs == 0)
            return j;
        k = rc_draw_below(&d, theirs);
        i = j;
    }
}

static void row(const void *of, int64_t i, rc_row_t *out)
{
    const graph_t *g = of;
    int64_t count = count_of(g, i);
    for (int64_t k = 0; k < count; k++)
        rc_row_add(out, cited(g, i, k));
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    graph_t g = {.mean = p[mean], .copy = p[copy], .recent = (int)p[recent], .seed = seed};
    int64_t rows = (int64_t)p[n];
    const rc_rows_t r = {.rows = rows, .cols = rows, .mean = p[mean], .row = row, .of = &g};
    return rc_rows_build(&r, seed, out, err);
}

const rc_generator_t rc_generator_citation = {
    .name = "citation",
    .summary = "papers in the order of their dates, each citing earlier ones",
    .source =
        "copying: Kumar et al. 2000, doi:10.1109/SFCS.2000.892065; drawn again instead of looked "
        "up: Sanders, Schulz 2016, doi:10.1016/j.ipl.2016.02.004",
    .version = 1,
    .param =
        {
            {"n", "rows", 20000, 1, 2147483647, 1},
            {"mean", "mean entries drawn per row; equal ones count once", 10, 0, 100000, 0},
            {"copy", "share of the citations taken over from a cited paper", 0.5, 0, 0.95, 0},
            {"recent", "1: all ages alike; more: recent papers are cited more", 3, 1, 8, 1},
        },
    .generate = generate,
};
