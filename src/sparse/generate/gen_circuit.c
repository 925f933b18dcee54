#include "config.h"
#include "sparse/generate/entries.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, mean, reach, dense, share };

static void fill(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    int64_t rows = e->rows = e->cols = (int64_t)p[n];
    int64_t span = 2 * (int64_t)p[reach] + 1;
    for (int64_t i = 0; i < rows && !e->failed; i++) {
        rc_entries_add(e, i, i);
        int64_t count = rc_entries_count(r, p[mean] * rc_rng_unit(r) * 2);
        for (int64_t k = 0; k < count; k++) {
            int64_t j = i - (int64_t)p[reach] + (int64_t)rc_rng_below(r, (uint64_t)span);
            if (rc_rng_below(r, 4) == 0 || j < 0 || j >= rows)
                j = (int64_t)rc_rng_below(r, (uint64_t)rows);
            rc_entries_add(e, i, j);
        }
    }
    for (int64_t k = 0; k < (int64_t)p[dense] && !e->failed; k++) {
        int64_t net = (int64_t)rc_rng_below(r, (uint64_t)rows);
        for (int64_t i = 0; i < rows; i++) {
            if (rc_rng_unit(r) < p[share])
                rc_entries_add(e, net, i);
            if (rc_rng_unit(r) < p[share])
                rc_entries_add(e, i, net);
        }
    }
}

const rc_generator_t rc_generator_circuit = {
    .name = "circuit",
    .summary = "short rows with near neighbours, a few dense rows and columns",
    .source = "circuit simulation: local nets plus supply and clock nets",
    .version = 1,
    .param =
        {
            {"n", "rows", 20000, 1, 100000000, 1},
            {"mean", "mean entries of a short row besides the diagonal", 4, 0, 1000, 0},
            {"reach", "farthest column of three quarters of them", 50, 1, 100000000, 1},
            {"dense", "dense rows, and as many dense columns", 4, 0, 1000, 1},
            {"share", "share of a dense row or column that is filled", 0.2, 0, 1, 0},
        },
    .fill = fill,
};
