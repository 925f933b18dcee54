#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, width };

/* A wall of bricks: every other node has its upright edge above, the others below. */
static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    int64_t along = *(const int64_t *)r->of;
    int64_t x = i % along;
    int64_t y = i / along;
    rc_row_add(out, x > 0 ? i - 1 : -1);
    rc_row_add(out, x + 1 < along ? i + 1 : -1);
    rc_row_add(out, (x + y) % 2 == 0 ? i + along : i - along);
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    int64_t rows = (int64_t)p[n];
    int64_t along = p[width] > 0 ? (int64_t)p[width] : rc_whole_root(rows, 2);
    const rc_rows_t r = {
        .rows = rows, .cols = rows, .mean = 3, .seed = seed, .row = row, .of = &along};
    return rc_rows_build(&r, out, err);
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
