#include "config.h"
#include "base/error.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

#include <inttypes.h>

typedef struct mesh {
    int64_t side[3]; /* nodes along x, y and z; of two dimensions 1 along z */
    int64_t layer;   /* nodes */
    int64_t dof;
    int corners; /* 1: neighbours also over edges and corners */
} mesh_t;

static int64_t lower(int64_t at)
{
    return at > 0 ? -1 : 0;
}

static int64_t upper(int64_t at, int64_t side)
{
    return at + 1 < side ? 1 : 0;
}

static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    const mesh_t *m = r->of;
    int64_t node = i / m->dof;
    int64_t x = node % m->side[0];
    int64_t y = node / m->side[0] % m->side[1];
    int64_t z = node / m->layer;
    for (int64_t dz = lower(z); dz <= upper(z, m->side[2]); dz++)
        for (int64_t dy = lower(y); dy <= upper(y, m->side[1]); dy++)
            for (int64_t dx = lower(x); dx <= upper(x, m->side[0]); dx++) {
                if (!m->corners && dx * dx + dy * dy + dz * dz > 1)
                    continue;
                int64_t other = node + dx + dy * m->side[0] + dz * m->layer;
                for (int64_t k = 0; k < m->dof; k++)
                    rc_row_add(out, other * m->dof + k);
            }
}

/* Entries of an inner row. */
static double mean_of(const mesh_t *m)
{
    double all = 1;
    int64_t along = 1;
    for (int i = 0; i < 3; i++) {
        all *= m->side[i] > 2 ? 3 : (double)m->side[i];
        along += m->side[i] > 2 ? 2 : m->side[i] - 1;
    }
    return (double)m->dof * (m->corners ? all : (double)along);
}

/* Parameters are the nodes per side, those along each dimension, points and unknowns. */
static rc_status_t build(
    const double *p, int dimensions, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    const double points = p[1 + dimensions];
    const int few = 2 * dimensions + 1;
    const int many = dimensions == 2 ? 9 : 27;
    mesh_t m = {.side = {1, 1, 1}, .dof = (int64_t)p[2 + dimensions], .corners = points == many};
    if (points != few && points != many)
        return rc_fail(err, RC_EINVAL, "points: expected %d or %d, found %g", few, many, points);
    for (int d = 0; d < dimensions; d++)
        m.side[d] = (int64_t)(p[1 + d] > 0 ? p[1 + d] : p[0]);
    m.layer = m.side[0] * m.side[1];
    if (m.layer > INT32_MAX / m.side[2] / m.dof)
        return rc_fail(err, RC_ERANGE,
            "a mesh of %" PRId64 " x %" PRId64 " x %" PRId64 " nodes with %" PRId64
            " unknowns: expected at most %d unknowns",
            m.side[0], m.side[1], m.side[2], m.dof, INT32_MAX);
    int64_t rows = m.layer * m.side[2] * m.dof;
    const rc_rows_t r = {.rows = rows,
        .cols = rows,
        .mean = mean_of(&m),
        .loops = 1,
        .seed = seed,
        .row = row,
        .of = &m};
    return rc_rows_build(&r, out, err);
}

static rc_status_t generate_2d(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    return build(p, 2, seed, out, err);
}

static rc_status_t generate_3d(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    return build(p, 3, seed, out, err);
}

const rc_generator_t rc_generator_mesh2d = {
    .name = "mesh2d",
    .summary = "5- or 9-point stencil on a 2D grid with dense blocks of unknowns",
    .source = "finite differences and bilinear finite elements on a structured grid",
    .version = 1,
    .param = {{"n", "nodes per side", 100, 1, 46340, 1},
        {"nx", "nodes in x, 0: n", 0, 0, 10000000, 1},
        {"ny", "nodes in y, 0: n", 0, 0, 10000000, 1},
        {"points", "5 or 9 points in the stencil", 5, 5, 9, 1},
        {"dof", "unknowns per node", 1, 1, 6, 1}},
    .generate = generate_2d,
};

const rc_generator_t rc_generator_mesh3d = {
    .name = "mesh3d",
    .summary = "7- or 27-point stencil on a 3D grid with dense blocks of unknowns",
    .source = "finite differences and trilinear finite elements on a structured grid",
    .version = 1,
    .param = {{"n", "nodes per side", 20, 1, 1290, 1},
        {"nx", "nodes in x, 0: n", 0, 0, 10000000, 1},
        {"ny", "nodes in y, 0: n", 0, 0, 10000000, 1},
        {"nz", "nodes in z, 0: n", 0, 0, 10000000, 1},
        {"points", "7 or 27 points in the stencil", 7, 7, 27, 1},
        {"dof", "unknowns per node", 1, 1, 6, 1}},
    .generate = generate_3d,
};
