/* Patterns of kinds of problems, drawn as a list of entries on one thread. */
#include "config.h"
#include "sparse/generate/entries.h"

static void fill_banded(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    enum { n, lower, upper, share };
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
    .param = {{"n", "rows", 10000, 1, 100000000, 1},
        {"lower", "diagonals below the main one", 5, 0, 1000000, 1},
        {"upper", "diagonals above the main one", 5, 0, 1000000, 1},
        {"fill", "share of the band that is filled", 1, 0, 1, 0}},
    .fill = fill_banded,
};

static void fill_block(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    enum { n, size, between };
    int64_t rows = e->rows = e->cols = (int64_t)p[n];
    int64_t width = (int64_t)p[size];
    int64_t blocks = (rows + width - 1) / width;
    for (int64_t b = 0; b < blocks && !e->failed; b++) {
        int64_t count = 1 + rc_entries_count(r, p[between]);
        for (int64_t k = 0; k < count; k++) {
            int64_t other = k == 0 ? b : (int64_t)rc_rng_below(r, (uint64_t)blocks);
            for (int64_t i = b * width; i < (b + 1) * width && i < rows; i++)
                for (int64_t j = other * width; j < (other + 1) * width && j < rows; j++)
                    rc_entries_add(e, i, j);
        }
    }
}

const rc_generator_t rc_generator_block = {
    .name = "block",
    .summary = "dense blocks: on the diagonal, and at random places",
    .source = "block-structured matrices of coupled systems",
    .version = 1,
    .param = {{"n", "rows; the last block is cut when size does not divide it", 10000, 1, 100000000,
                  1},
        {"size", "rows and columns of a block", 8, 1, 4096, 1},
        {"between", "mean number of random blocks per block row besides the diagonal one", 0, 0,
            1000, 0}},
    .fill = fill_block,
};

static void fill_circuit(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    enum { n, mean, reach, dense, share };
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
    .param = {{"n", "rows", 20000, 1, 100000000, 1},
        {"mean", "mean entries of a short row besides the diagonal", 4, 0, 1000, 0},
        {"reach", "farthest column of three quarters of them", 50, 1, 100000000, 1},
        {"dense", "dense rows, and as many dense columns", 4, 0, 1000, 1},
        {"share", "share of a dense row or column that is filled", 0.2, 0, 1, 0}},
    .fill = fill_circuit,
};

static void fill_lp(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    enum { rows, cols, mean, linking, share, slack };
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
    .param = {{"rows", "constraints", 5000, 1, 100000000, 1},
        {"cols", "variables, slack columns not counted", 15000, 1, 100000000, 1},
        {"mean", "mean entries of a variable", 4, 0, 10000, 0},
        {"linking", "rows that reach over all variables", 5, 0, 10000, 1},
        {"share", "share of a linking row that is filled", 0.1, 0, 1, 0},
        {"slack", "1: a slack column per constraint", 1, 0, 1, 1}},
    .fill = fill_lp,
};
