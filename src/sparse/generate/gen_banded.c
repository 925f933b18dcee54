#include "config.h"
#include "sparse/generate/entries.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, lower, upper, fill };

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    int64_t rows = (int64_t)p[n];
    rc_rng_t r;
    rc_rng_seed(&r, seed);
    rc_entries_t e = {0};
    for (int64_t i = 0; i < rows && !e.failed; i++) {
        int64_t first = i > (int64_t)p[lower] ? i - (int64_t)p[lower] : 0;
        int64_t last = i + (int64_t)p[upper] < rows ? i + (int64_t)p[upper] : rows - 1;
        for (int64_t j = first; j <= last; j++)
            if (rc_rng_unit(&r) < p[fill] || i == j)
                rc_entries_add(&e, i, j);
    }
    return rc_entries_build(&e, rows, rows, seed, out, err);
}

const rc_generator_t rc_generator_banded = {
    .name = "banded",
    .summary = "a band around the diagonal, full or randomly filled",
    .source = "band matrices; the diagonal is always there",
    .version = 1,
    .param =
        {
            {"n", "rows", 10000, 1, 100000000, 1},
            {"lower", "diagonals below the main one", 5, 0, 1000000, 1},
            {"upper", "diagonals above the main one", 5, 0, 1000000, 1},
            {"fill", "share of the band that is filled", 1, 0, 1, 0},
        },
    .generate = generate,
};
