/* Nodes on a planar grid, row by row. */
#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

enum { n, width }; /* keys of both */

static rc_status_t build(
    const double *p, double mean, uint64_t seed, rc_rows_make_fn *row, rc_csr_t *out, rc_err_t *err)
{
    rc_rows_t r = rc_rows_of(p, seed, row, mean);
    int64_t along = p[width] > 0 ? (int64_t)p[width] : rc_whole_root(r.rows, 2);
    r.of = &along;
    return rc_rows_build(&r, out, err);
}

/* A wall of bricks: every other node has its upright edge above, the others below. */
static void honeycomb_row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    int64_t along = *(const int64_t *)r->of;
    int64_t x = i % along;
    int64_t y = i / along;
    rc_row_add(out, x > 0 ? i - 1 : -1);
    rc_row_add(out, x + 1 < along ? i + 1 : -1);
    rc_row_add(out, (x + y) % 2 == 0 ? i + along : i - along);
}

static rc_status_t generate_honeycomb(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    return build(p, 3, seed, honeycomb_row, out, err);
}

const rc_generator_t rc_generator_honeycomb = {
    .name = "honeycomb",
    .summary = "hexagons: three neighbours, fewer at the border",
    .source = "the hexagonal lattice drawn as a wall of bricks",
    .version = 1,
    .param = {{"n", "rows", 20000, 1, 2147483647, 1},
        {"width", "nodes in x, 0: a square", 0, 0, 2147483647, 1}},
    .generate = generate_honeycomb,
};

/* Whether the square whose corner nearest to the origin is (x, y) is cut from there to (x + 1, y +
 * 1); `at` is the number of that corner. */
static int falling(const rc_rows_t *r, int64_t at)
{
    return (int)(rc_draw_of(r->seed, at).key & 1);
}

static void triangulation_row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    int64_t along = *(const int64_t *)r->of;
    int64_t x = i % along;
    int above = i >= along;
    int right = x + 1 < along;
    rc_row_add(out, x > 0 ? i - 1 : -1);
    rc_row_add(out, right && i + 1 < r->rows ? i + 1 : -1);
    rc_row_add(out, i - along);
    rc_row_add(out, i + along);
    if (x > 0 && above && falling(r, i - along - 1))
        rc_row_add(out, i - along - 1);
    if (right && falling(r, i))
        rc_row_add(out, i + along + 1);
    if (right && above && !falling(r, i - along))
        rc_row_add(out, i - along + 1);
    if (x > 0 && !falling(r, i - 1))
        rc_row_add(out, i + along - 1);
}

static rc_status_t generate_triangulation(
    const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    return build(p, 6, seed, triangulation_row, out, err);
}

const rc_generator_t rc_generator_triangulation = {
    .name = "triangulation",
    .summary = "planar triangulation: a grid whose squares are cut along a random diagonal",
    .source =
        "a triangulation of n points has 3 n edges less the border: 6 neighbours, here 4 to 8",
    .version = 1,
    .param = {{"n", "rows", 20000, 1, 2147483647, 1},
        {"width", "nodes in x, 0: a square", 0, 0, 2147483647, 1}},
    .generate = generate_triangulation,
};
