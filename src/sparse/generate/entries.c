#include "config.h"
#include "sparse/generate/entries.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

void rc_entries_free(rc_entries_t *e)
{
    free(e->triple);
    *e = (rc_entries_t){0};
}

void rc_entries_add(rc_entries_t *e, int64_t row, int64_t col)
{
    if (e->failed)
        return;
    if (e->n >= e->capacity) {
        void *p = e->triple;
        if (rc_grow(&p, &e->capacity, e->n + 1, sizeof *e->triple, "entries", NULL) < 0) {
            e->failed = 1;
            return;
        }
        e->triple = p;
    }
    e->triple[e->n++] = (rc_triple_t){(int32_t)row, (int32_t)col, 0};
}

void rc_entries_add_uniform(rc_entries_t *e, rc_rng_t *r, int64_t row, int64_t cols, int64_t count)
{
    for (int64_t k = 0; k < count && !e->failed; k++)
        rc_entries_add(e, row, (int64_t)rc_rng_below(r, (uint64_t)cols));
}

int64_t rc_entries_count(rc_rng_t *r, double mean)
{
    int64_t whole = (int64_t)mean;
    return whole + (rc_rng_unit(r) < mean - (double)whole);
}

rc_status_t rc_entries_build(
    rc_entries_t *e, int64_t rows, int64_t cols, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    rc_status_t st =
        e->failed ? rc_fail(err, RC_ENOMEM, "no memory for more than %zu entries", e->n)
                  : rc_csr_from_triples(rows, cols, e->triple, (int64_t)e->n, 0, out, NULL, err);
    rc_entries_free(e);
    if (st < 0)
        return st;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = out->row_ptr[i]; k < out->row_ptr[i + 1]; k++)
            out->val[k] = rc_rng_signed(seed, (uint64_t)i << 32 | (uint32_t)out->col_idx[k]);
    return RC_OK;
}

static int64_t lower(int64_t at)
{
    return at > 0 ? -1 : 0;
}

static int64_t upper(int64_t at, int64_t side)
{
    return at + 1 < side ? 1 : 0;
}

rc_status_t rc_mesh_build(
    const int64_t side[3], int corners, int64_t dof, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    int64_t layer = side[0] * side[1];
    if (layer > INT32_MAX / side[2] / dof)
        return rc_fail(err, RC_ERANGE,
            "a mesh of %" PRId64 " x %" PRId64 " x %" PRId64 " nodes with %" PRId64
            " unknowns: expected at most %d unknowns",
            side[0], side[1], side[2], dof, INT32_MAX);
    int64_t nodes = layer * side[2];
    rc_entries_t e = {0};
    for (int64_t node = 0; node < nodes && !e.failed; node++) {
        int64_t x = node % side[0];
        int64_t y = node / side[0] % side[1];
        int64_t z = node / layer;
        for (int64_t dz = lower(z); dz <= upper(z, side[2]); dz++)
            for (int64_t dy = lower(y); dy <= upper(y, side[1]); dy++)
                for (int64_t dx = lower(x); dx <= upper(x, side[0]); dx++) {
                    if (!corners && dx * dx + dy * dy + dz * dz > 1)
                        continue;
                    int64_t other = node + dx + dy * side[0] + dz * layer;
                    for (int64_t k = 0; k < dof * dof; k++)
                        rc_entries_add(&e, node * dof + k / dof, other * dof + k % dof);
                }
    }
    return rc_entries_build(&e, nodes * dof, nodes * dof, seed, out, err);
}
