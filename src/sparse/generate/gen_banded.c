#include "config.h"
#include "sparse/generate/entries.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, lower, upper, share };

static void fill(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    int64_t rows = e->rows = e->cols = (int64_t)p[n];
    for (int64_t i = 0; i < rows && !e->failed; i++) {
        int64_t first = i > (int64_t)p[lower] ? i - (int64_t)p[lower] : 0;
        int64_t last = i + (int64_t)p[upper] < rows ? i + (int64_t)p[upper] : rows - 1;
        for (int64_t j = first; j <= last; j++)
            if (rc_rng_unit(r) < p[share] || i == j)
                rc_entries_add(e, i, j);
    }
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
    .fill = fill,
};
