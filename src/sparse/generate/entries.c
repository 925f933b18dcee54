#include "config.h"
#include "sparse/generate/entries.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng_hash.h"

#include <inttypes.h>
#include <stdlib.h>

void rc_entries_add(rc_entries_t *e, int64_t row, int64_t col)
{
    if (e->failed)
        return;
    if (e->n >= e->capacity && RC_GROW(e->triple, e->capacity, e->n + 1, "entries", NULL) < 0) {
        e->failed = 1;
        return;
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
    const rc_generator_t *g, const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    rc_entries_t e = {.rows = 0};
    rc_rng_t r;
    rc_rng_seed(&r, seed);
    g->fill(p, &r, &e);
    rc_status_t st =
        e.failed ? rc_fail(err, RC_ENOMEM, "no memory for more than %zu entries", e.n)
                 : rc_csr_from_triples(e.rows, e.cols, e.triple, (int64_t)e.n, 0, out, NULL, err);
    free(e.triple);
    RC_PASS(st);
    uint64_t key = rc_rng_key(seed);
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < out->rows; i++)
        for (int64_t k = out->row_ptr[i]; k < out->row_ptr[i + 1]; k++)
            out->val[k] = rc_rng_keyed_signed(key, (uint64_t)i << 32 | (uint32_t)out->col_idx[k]);
    return RC_OK;
}
