#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

enum { n, width, band };

static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    int64_t border = (int64_t)r->p[width];
    int64_t reach = (int64_t)r->p[band];
    int64_t first = i > reach ? i - reach : 0;
    int64_t last = i + reach < r->rows ? i + reach : r->rows - 1;
    if (i < border) {
        first = 0;
        last = r->rows - 1;
    }
    for (int64_t j = 0; j < border && j < first; j++)
        rc_row_add(out, j);
    for (int64_t j = first; j <= last; j++)
        rc_row_add(out, j);
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    rc_rows_t r = rc_rows_of(p, seed, row, 2 * p[width] + 2 * p[band] + 1);
    r.loops = 1;
    return rc_rows_build(&r, out, err);
}

const rc_generator_t rc_generator_arrow = {
    .name = "arrow",
    .summary = "a band with dense first rows and columns",
    .source = "arrowhead matrices, as of bordered block-diagonal systems",
    .version = 1,
    .param = {{"n", "rows", 10000, 1, 100000000, 1},
        {"width", "dense rows and columns", 1, 0, 1000, 1},
        {"band", "diagonals on each side of the main one", 0, 0, 1000, 1}},
    .generate = generate,
};
