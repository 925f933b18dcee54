#include "config.h"
#include "sparse/generate/entries.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, width, band };

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    int64_t rows = (int64_t)p[n];
    int64_t border = (int64_t)p[width];
    rc_entries_t e = {0};
    for (int64_t i = 0; i < rows && !e.failed; i++) {
        int64_t first = i > (int64_t)p[band] ? i - (int64_t)p[band] : 0;
        int64_t last = i + (int64_t)p[band] < rows ? i + (int64_t)p[band] : rows - 1;
        if (i < border) {
            first = 0;
            last = rows - 1;
        }
        for (int64_t j = 0; j < border && j < first; j++)
            rc_entries_add(&e, i, j);
        for (int64_t j = first; j <= last; j++)
            rc_entries_add(&e, i, j);
    }
    return rc_entries_build(&e, rows, rows, seed, out, err);
}

const rc_generator_t rc_generator_arrow = {
    .name = "arrow",
    .summary = "a band with dense first rows and columns",
    .source = "arrowhead matrices, as of bordered block-diagonal systems",
    .version = 1,
    .param =
        {
            {"n", "rows", 10000, 1, 100000000, 1},
            {"width", "dense rows and columns", 1, 0, 1000, 1},
            {"band", "diagonals on each side of the main one", 0, 0, 1000, 1},
        },
    .generate = generate,
};
