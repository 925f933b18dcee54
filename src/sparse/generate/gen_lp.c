#include "config.h"
#include "sparse/generate/entries.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { rows, cols, mean, linking, share, slack };

static void fill(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    int64_t m = (int64_t)p[rows];
    int64_t width = (int64_t)p[cols];
    int64_t window = m / 20 + 1; /* rows of a block of the staircase */
    for (int64_t j = 0; j < width && !e->failed; j++) {
        int64_t first = j * m / width;
        int64_t room = first + window < m ? window : m - first;
        int64_t count = rc_entries_count(r, p[mean]);
        for (int64_t k = 0; k < count; k++)
            rc_entries_add(e, first + (int64_t)rc_rng_below(r, (uint64_t)room), j);
    }
    for (int64_t i = 0; i < (int64_t)p[linking] && i < m && !e->failed; i++)
        for (int64_t j = 0; j < width; j++)
            if (rc_rng_unit(r) < p[share])
                rc_entries_add(e, m - 1 - i, j);
    int64_t slacks = p[slack] > 0 ? m : 0;
    e->rows = m;
    e->cols = width + slacks;
    for (int64_t i = 0; i < slacks; i++)
        rc_entries_add(e, i, width + i);
}

const rc_generator_t rc_generator_lp = {
    .name = "lp",
    .summary = "rectangular, as the constraints of a linear program",
    .source = "staircase of blocks, a few linking rows, optional slack columns",
    .version = 1,
    .param =
        {
            {"rows", "constraints", 5000, 1, 100000000, 1},
            {"cols", "variables, slack columns not counted", 15000, 1, 100000000, 1},
            {"mean", "mean entries of a variable", 4, 0, 10000, 0},
            {"linking", "rows that reach over all variables", 5, 0, 10000, 1},
            {"share", "share of a linking row that is filled", 0.1, 0, 1, 0},
            {"slack", "1: a slack column per constraint", 1, 0, 1, 1},
        },
    .fill = fill,
};
