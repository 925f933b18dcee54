#include "config.h"
#include "sparse/generate/entries.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, cols, mean };

static void fill(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    e->rows = (int64_t)p[n];
    e->cols = p[cols] > 0 ? (int64_t)p[cols] : e->rows;
    for (int64_t i = 0; i < e->rows && !e->failed; i++)
        rc_entries_add_uniform(e, r, i, e->cols, rc_entries_count(r, p[mean]));
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
    .fill = fill,
};
