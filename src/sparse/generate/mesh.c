#include "config.h"
#include "sparse/generate/mesh.h"
#include "base/error.h"
#include "sparse/generate/rows.h"

#include <inttypes.h>

typedef struct mesh {
    int64_t side[3];
    int64_t layer; /* nodes */
    int64_t dof;
    int corners;
} mesh_t;

static int64_t lower(int64_t at)
{
    return at > 0 ? -1 : 0;
}

static int64_t upper(int64_t at, int64_t side)
{
    return at + 1 < side ? 1 : 0;
}

static void row(const void *of, int64_t i, rc_row_t *out)
{
    const mesh_t *m = of;
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

rc_status_t rc_mesh_build(
    const int64_t side[3], int corners, int64_t dof, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    mesh_t m = {{side[0], side[1], side[2]}, side[0] * side[1], dof, corners};
    if (m.layer > INT32_MAX / side[2] / dof)
        return rc_fail(err, RC_ERANGE,
            "a mesh of %" PRId64 " x %" PRId64 " x %" PRId64 " nodes with %" PRId64
            " unknowns: expected at most %d unknowns",
            side[0], side[1], side[2], dof, INT32_MAX);
    int64_t rows = m.layer * side[2] * dof;
    const rc_rows_t r = {
        .rows = rows, .cols = rows, .mean = mean_of(&m), .loops = 1, .row = row, .of = &m};
    return rc_rows_build(&r, seed, out, err);
}
