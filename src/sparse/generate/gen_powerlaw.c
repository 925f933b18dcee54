#include "config.h"
#include "sparse/generate/entries.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, shortest, tail, longest };

static void fill(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    int64_t rows = e->rows = e->cols = (int64_t)p[n];
    int64_t most = p[longest] > 0 ? (int64_t)p[longest] : rows;
    for (int64_t i = 0; i < rows && !e->failed; i++) {
        int64_t base = (int64_t)p[shortest];
        while (base < most && rc_rng_unit(r) < p[tail])
            base *= 2;
        int64_t count = base + (int64_t)rc_rng_below(r, (uint64_t)base);
        rc_entries_add_uniform(e, r, i, rows, count < most ? count : most);
    }
}

const rc_generator_t rc_generator_powerlaw = {
    .name = "powerlaw",
    .summary = "row lengths that follow a power law, uniform columns",
    .source = "discrete power law by doubling: exponent 1 + log2(1 / tail)",
    .version = 1,
    .param =
        {
            {"n", "rows", 20000, 1, 100000000, 1},
            {"shortest", "entries drawn of the shortest rows", 2, 1, 100000, 1},
            {"tail", "share of the rows that are at least twice as long as any length", 0.4, 0,
                0.95, 0},
            {"longest", "entries drawn of the longest rows, 0: rows", 0, 0, 100000000, 1},
        },
    .fill = fill,
};
