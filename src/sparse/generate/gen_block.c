#include "config.h"
#include "sparse/generate/entries.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, size, between };

static void fill(const double *p, rc_rng_t *r, rc_entries_t *e)
{
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
    .param =
        {
            {"n", "rows; the last block is cut when size does not divide it", 10000, 1, 100000000,
                1},
            {"size", "rows and columns of a block", 8, 1, 4096, 1},
            {"between", "mean number of random blocks per block row besides the diagonal one", 0, 0,
                1000, 0},
        },
    .fill = fill,
};
