#include "config.h"
#include "sparse/generate/entries.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, empty, run, mean };

static void fill(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    int64_t rows = e->rows = e->cols = (int64_t)p[n];
    int is_empty = 0;
    for (int64_t i = 0; i < rows && !e->failed; i++) {
        if (i % (int64_t)p[run] == 0)
            is_empty = rc_rng_unit(r) < p[empty];
        if (!is_empty)
            rc_entries_add_uniform(e, r, i, rows, rc_entries_count(r, p[mean]));
    }
}

const rc_generator_t rc_generator_manyempty = {
    .name = "manyempty",
    .summary = "many empty rows, scattered or in runs",
    .source = "graphs in which most vertices have no outgoing edge",
    .version = 1,
    .param =
        {
            {"n", "rows", 20000, 1, 100000000, 1},
            {"empty", "share of empty rows", 0.8, 0, 1, 0},
            {"run", "length of the runs that are empty or not together", 1, 1, 1000000, 1},
            {"mean", "mean entries drawn of a row that is not empty", 20, 0, 100000, 0},
        },
    .fill = fill,
};
