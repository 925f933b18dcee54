#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, width, band };

typedef struct arrow {
    int64_t rows;
    int64_t border;
    int64_t band;
} arrow_t;

static void row(const void *of, int64_t i, rc_row_t *out)
{
    const arrow_t *a = of;
    int64_t first = i > a->band ? i - a->band : 0;
    int64_t last = i + a->band < a->rows ? i + a->band : a->rows - 1;
    if (i < a->border) {
        first = 0;
        last = a->rows - 1;
    }
    for (int64_t j = 0; j < a->border && j < first; j++)
        rc_row_add(out, j);
    for (int64_t j = first; j <= last; j++)
        rc_row_add(out, j);
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    arrow_t a = {(int64_t)p[n], (int64_t)p[width], (int64_t)p[band]};
    const rc_rows_t r = {.rows = a.rows,
        .cols = a.rows,
        .mean = 2 * p[width] + 2 * p[band] + 1,
        .loops = 1,
        .row = row,
        .of = &a};
    return rc_rows_build(&r, seed, out, err);
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
