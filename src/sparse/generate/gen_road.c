#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

enum { n, chain, keep };

/* Junctions lie on a grid.  Junction j owns the rows from start_of(j): itself, the road to the
 * east, then the road to the south, which are chains. */
typedef struct map {
    int64_t n;
    int64_t junctions;
    int64_t width;
    double keep;
    uint64_t seed;
} map_t;

typedef struct place {
    int64_t start;
    int64_t east; /* rows of the road to the east */
    int64_t end;
    int joins_east; /* the road reaches the next junction */
    int joins_south;
} place_t;

static int64_t start_of(const map_t *m, int64_t j)
{
    if (j <= 0 || j >= m->junctions)
        return j <= 0 ? 0 : m->n;
    int64_t spare = m->n - m->junctions;
    int64_t bits = (int64_t)(rc_draw_of(m->seed, j).key >> 48);
    /* one row each; the spare ones in shares that differ */
    return j +
           (int64_t)((double)spare * ((double)j + (double)bits * 0x1p-16) / (double)m->junctions);
}

static place_t place_of(const map_t *m, int64_t j)
{
    rc_draw_t d = rc_draw_of(m->seed, j);
    place_t p = {.start = start_of(m, j), .end = start_of(m, j + 1)};
    p.east = rc_draw_below(&d, p.end - p.start);
    p.joins_east = rc_draw_unit(&d) < m->keep && (j + 1) % m->width != 0 && j + 1 < m->junctions;
    p.joins_south = rc_draw_unit(&d) < m->keep && j + m->width < m->junctions;
    return p;
}

static int64_t junction_of(const map_t *m, int64_t i)
{
    int64_t j = (int64_t)((double)i / (double)m->n * (double)m->junctions);
    j = j < m->junctions ? j : m->junctions - 1;
    while (start_of(m, j) > i)
        j--;
    while (start_of(m, j + 1) <= i)
        j++;
    return j;
}

static void junction_row(const map_t *m, int64_t j, const place_t *p, rc_row_t *out)
{
    int64_t south = p->start + p->east + 1; /* first row of the road to the south */
    if (p->east > 0)
        rc_row_add(out, p->start + 1);
    else if (p->joins_east)
        rc_row_add(out, p->end);
    if (south < p->end)
        rc_row_add(out, south);
    else if (p->joins_south)
        rc_row_add(out, start_of(m, j + m->width));
    if (j % m->width != 0) {
        place_t west = place_of(m, j - 1);
        if (west.joins_east)
            rc_row_add(out, west.start + west.east);
    }
    if (j >= m->width) {
        place_t north = place_of(m, j - m->width);
        if (north.joins_south)
            rc_row_add(out, north.start + north.east + 1 < north.end ? north.end - 1 : north.start);
    }
}

static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    const map_t *m = r->of;
    int64_t j = junction_of(m, i);
    place_t p = place_of(m, j);
    int64_t south = p.start + p.east + 1;
    if (i == p.start) {
        junction_row(m, j, &p, out);
        return;
    }
    rc_row_add(out, i == south ? p.start : i - 1);
    if (i + 1 < p.end && i + 1 != south)
        rc_row_add(out, i + 1);
    else if (i + 1 == south && p.joins_east)
        rc_row_add(out, p.end);
    else if (i >= south && p.joins_south)
        rc_row_add(out, start_of(m, j + m->width));
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    map_t m = {.n = (int64_t)p[n], .keep = p[keep], .seed = seed};
    m.junctions = (int64_t)(p[n] / p[chain]);
    m.junctions = m.junctions > 0 ? m.junctions : 1;
    m.width = rc_whole_root(m.junctions, 2);
    rc_rows_t r = rc_rows_of(p, seed, row, 2 + 2 / p[chain]);
    r.of = &m;
    return rc_rows_build(&r, out, err);
}

const rc_generator_t rc_generator_road = {
    .name = "road",
    .summary = "road network: junctions of a grid, joined by long chains",
    .source = "a grid with subdivided edges: 2 + 2 (2 keep - 1) / chain entries a row",
    .version = 1,
    .param = {{"n", "rows", 20000, 1, 2147483647, 1},
        {"chain", "rows for each junction: itself and two roads", 8, 1, 1000000, 0},
        {"keep", "share of the roads that reach the next junction", 0.85, 0, 1, 0}},
    .generate = generate,
};
