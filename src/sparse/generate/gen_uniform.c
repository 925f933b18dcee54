#include "config.h"
#include "sparse/generate/entries.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, cols, mean };

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    int64_t rows = (int64_t)p[n];
    int64_t width = p[cols] > 0 ? (int64_t)p[cols] : rows;
    rc_rng_t r;
    rc_rng_seed(&r, seed);
    rc_entries_t e = {0};
    for (int64_t i = 0; i < rows && !e.failed; i++)
        rc_entries_add_uniform(&e, &r, i, width, rc_entries_count(&r, p[mean]));
    return rc_entries_build(&e, rows, width, seed, out, err);
}

const rc_generator_t rc_generator_uniform = {
    .name = "uniform",
    .summary = "random columns, the same mean in every row",
    .source = "Erdos-Renyi graphs; square or rectangular",
    .version = 1,
    .param =
        {
            {"n", "rows", 10000, 1, 100000000, 1},
            {"cols", "columns, 0: as many as rows", 0, 0, 100000000, 1},
            {"mean", "mean entries drawn per row; equal ones count once", 10, 0, 100000, 0},
        },
    .generate = generate,
};
