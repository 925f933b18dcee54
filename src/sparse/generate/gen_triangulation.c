#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, width };

typedef struct grid {
    int64_t n;
    int64_t width;
    uint64_t seed;
} grid_t;

/* Whether the square whose corner nearest to the origin is (x, y) is cut from there to (x + 1, y +
 * 1). */
static int falling(const grid_t *g, int64_t x, int64_t y)
{
    return (int)(rc_draw_of(g->seed, y * g->width + x).key & 1);
}

static void row(const void *of, int64_t i, rc_row_t *out)
{
    const grid_t *g = of;
    int64_t x = i % g->width;
    int64_t y = i / g->width;
    int right = x + 1 < g->width;
    rc_row_add(out, x > 0 ? i - 1 : -1);
    rc_row_add(out, right && i + 1 < g->n ? i + 1 : -1);
    rc_row_add(out, i - g->width);
    rc_row_add(out, i + g->width);
    if (x > 0 && y > 0 && falling(g, x - 1, y - 1))
        rc_row_add(out, i - g->width - 1);
    if (right && falling(g, x, y))
        rc_row_add(out, i + g->width + 1);
    if (right && y > 0 && !falling(g, x, y - 1))
        rc_row_add(out, i - g->width + 1);
    if (x > 0 && !falling(g, x - 1, y))
        rc_row_add(out, i + g->width - 1);
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    grid_t g = {.n = (int64_t)p[n], .seed = seed};
    g.width = p[width] > 0 ? (int64_t)p[width] : rc_whole_root(g.n, 2);
    const rc_rows_t r = {.rows = g.n, .cols = g.n, .mean = 6, .row = row, .of = &g};
    return rc_rows_build(&r, seed, out, err);
}

const rc_generator_t rc_generator_triangulation = {
    .name = "triangulation",
    .summary = "planar triangulation: a grid whose squares are cut along a random diagonal",
    .source =
        "a triangulation of n points has 3 n edges less the border: 6 neighbours, here 4 to 8",
    .version = 1,
    .param =
        {
            {"n", "rows", 20000, 1, 2147483647, 1},
            {"width", "nodes in x, 0: a square", 0, 0, 2147483647, 1},
        },
    .generate = generate,
};
