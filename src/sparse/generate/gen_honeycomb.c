#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, width };

typedef struct grid {
    int64_t n;
    int64_t width;
} grid_t;

/* A wall of bricks: every other node has its upright edge above, the others below. */
static void row(const void *of, int64_t i, rc_row_t *out)
{
    const grid_t *g = of;
    int64_t x = i % g->width;
    int64_t y = i / g->width;
    rc_row_add(out, x > 0 ? i - 1 : -1);
    rc_row_add(out, x + 1 < g->width ? i + 1 : -1);
    rc_row_add(out, (x + y) % 2 == 0 ? i + g->width : i - g->width);
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    grid_t g = {.n = (int64_t)p[n]};
    g.width = p[width] > 0 ? (int64_t)p[width] : rc_whole_root(g.n, 2);
    const rc_rows_t r = {.rows = g.n, .cols = g.n, .mean = 3, .row = row, .of = &g};
    return rc_rows_build(&r, seed, out, err);
}

const rc_generator_t rc_generator_honeycomb = {
    .name = "honeycomb",
    .summary = "hexagons: three neighbours, fewer at the border",
    .source = "the hexagonal lattice drawn as a wall of bricks",
    .version = 1,
    .param =
        {
            {"n", "rows", 20000, 1, 2147483647, 1},
            {"width", "nodes in x, 0: a square", 0, 0, 2147483647, 1},
        },
    .generate = generate,
};
