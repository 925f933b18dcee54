#include "config.h"
#include "base/error.h"
#include "sparse/generate.h"
#include "sparse/generate/mesh.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, nx, ny, points, dof };

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    if (p[points] != 5 && p[points] != 9)
        return rc_fail(err, RC_EINVAL, "points: expected 5 or 9, found %g", p[points]);
    int64_t side[3] = {(int64_t)(p[nx] > 0 ? p[nx] : p[n]), (int64_t)(p[ny] > 0 ? p[ny] : p[n]), 1};
    return rc_mesh_build(side, p[points] == 9, (int64_t)p[dof], seed, out, err);
}

const rc_generator_t rc_generator_mesh2d = {
    .name = "mesh2d",
    .summary = "5- or 9-point stencil on a 2D grid with dense blocks of unknowns",
    .source = "finite differences and bilinear finite elements on a structured grid",
    .version = 1,
    .param =
        {
            {"n", "nodes per side", 100, 1, 46340, 1},
            {"nx", "nodes in x, 0: n", 0, 0, 10000000, 1},
            {"ny", "nodes in y, 0: n", 0, 0, 10000000, 1},
            {"points", "5 or 9 points in the stencil", 5, 5, 9, 1},
            {"dof", "unknowns per node", 1, 1, 6, 1},
        },
    .generate = generate,
};
