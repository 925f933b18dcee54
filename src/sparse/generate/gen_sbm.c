#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, communities, mean, outside };

typedef struct graph {
    int64_t n;
    int64_t communities;
    double half;
    double outside;
    uint64_t seed;
} graph_t;

/* First row of a community: row i belongs to floor(i communities / n). */
static int64_t first_of(const graph_t *g, int64_t community)
{
    return (community * g->n + g->communities - 1) / g->communities;
}

static void row(const void *of, int64_t i, rc_row_t *out)
{
    const graph_t *g = of;
    rc_draw_t d = rc_draw_of(g->seed, i);
    int64_t community = i * g->communities / g->n;
    int64_t first = first_of(g, community);
    int64_t size = first_of(g, community + 1) - first;
    int64_t count = rc_draw_count(&d, g->half);
    for (int64_t k = 0; k < count; k++) {
        int far = rc_draw_unit(&d) < g->outside;
        rc_row_add(out, far ? rc_draw_below(&d, g->n) : first + rc_draw_below(&d, size));
    }
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    graph_t g = {.n = (int64_t)p[n], .half = p[mean] / 2, .outside = p[outside], .seed = seed};
    g.communities = p[communities] < p[n] ? (int64_t)p[communities] : g.n;
    const rc_rows_t r = {
        .rows = g.n, .cols = g.n, .mean = p[mean], .mirror = 1, .row = row, .of = &g};
    return rc_rows_build(&r, seed, out, err);
}

const rc_generator_t rc_generator_sbm = {
    .name = "sbm",
    .summary = "stochastic block model: communities of equal size, a share of the edges outside",
    .source =
        "Holland, Laskey, Leinhardt 1983, doi:10.1016/0378-8733(83)90021-7; each row draws half "
        "its edges",
    .version = 1,
    .param =
        {
            {"n", "rows", 20000, 1, 2147483647, 1},
            {"communities", "number of communities", 100, 1, 2147483647, 1},
            {"mean", "mean entries of a row; equal ones count once", 16, 0, 100000, 0},
            {"outside", "share of the entries that may be anywhere", 0.1, 0, 1, 0},
        },
    .generate = generate,
};
