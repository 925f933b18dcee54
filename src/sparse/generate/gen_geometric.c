#include "config.h"
#include "base/error.h"
#include "sparse/generate.h"
#include "sparse/generate/points.h"
#include "sparse/generate/rows.h"

enum { n, dim, mean, dof, lattice, jitter };

typedef struct graph {
    rc_points_t points;
    int64_t unknowns; /* of a node */
    int64_t radius;
    int64_t reach; /* in cells */
} graph_t;

typedef struct near {
    int64_t unknowns; /* of a node */
    rc_row_t *out;
} near_t;

static void add_node(void *of, int64_t node, int64_t squared)
{
    const near_t *near = of;
    (void)squared;
    for (int64_t k = 0; k < near->unknowns; k++)
        rc_row_add(near->out, node * near->unknowns + k);
}

static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    const graph_t *g = r->of;
    near_t near = {g->unknowns, out};
    add_node(&near, i / g->unknowns, 0);
    rc_points_near(&g->points, i / g->unknowns, g->reach, g->radius * g->radius, add_node, &near);
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    rc_rows_t r = rc_rows_of(p, seed, row, p[mean] + p[dof]);
    graph_t g = {.unknowns = (int64_t)p[dof]};
    double nodes = (p[mean] + 1) / p[dof]; /* the row's own node is one, and a lattice has it too */
    nodes -= p[lattice] > 0 ? 0 : 1;
    g.radius = rc_points_radius(nodes > 0 ? nodes : 0, (int)p[dim]);
    g.reach = (g.radius >> RC_POINT_BITS) + 1;
    r.same = g.unknowns;
    r.of = &g;
    g.points = (rc_points_t){
        .n = (r.rows + g.unknowns - 1) / g.unknowns, .dim = (int)p[dim], .jitter = p[jitter]};
    return rc_points_rows(&g.points, (int)p[lattice], &r, out, err);
}

const rc_generator_t rc_generator_geometric = {
    .name = "geometric",
    .summary = "random geometric graph: nodes nearer to each other than a radius",
    .source =
        "Gilbert 1961, doi:10.1137/0109045; on a lattice with unknowns per node it stands for an "
        "unstructured mesh",
    .version = 1,
    .param = {{"n", "rows", 20000, 1, 2147483647, 1},
        {"dim", "2: in a square, 3: in a cube", 2, 2, 3, 1},
        {"mean", "mean entries of a row, fewer at the border", 8, 0, 100000, 0},
        {"dof", "unknowns per node: dense blocks", 1, 1, 100, 1},
        {"lattice", "1: one node in each cell of a lattice; 0: nodes anywhere", 0, 0, 1, 1},
        {"jitter", "how far from the middle of its cell a node may be, 1: anywhere in it", 1, 0, 1,
            0}},
    .generate = generate,
};
