#include "config.h"
#include "sparse/generate/entries.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, empty, run, mean };

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    int64_t rows = (int64_t)p[n];
    rc_rng_t r;
    rc_rng_seed(&r, seed);
    rc_entries_t e = {0};
    int is_empty = 0;
    for (int64_t i = 0; i < rows && !e.failed; i++) {
        if (i % (int64_t)p[run] == 0)
            is_empty = rc_rng_unit(&r) < p[empty];
        if (!is_empty)
            rc_entries_add_uniform(&e, &r, i, rows, rc_entries_count(&r, p[mean]));
    }
    return rc_entries_build(&e, rows, rows, seed, out, err);
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
    .generate = generate,
};
