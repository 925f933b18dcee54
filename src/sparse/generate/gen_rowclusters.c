#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

enum { rows, cols, clusters, own, share, noise };

static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    int64_t all = r->p[clusters] < r->p[rows] ? (int64_t)r->p[clusters] : r->rows;
    rc_draw_t columns = rc_draw_of(~r->seed, i * all / r->rows);
    rc_draw_t d = rc_draw_of(r->seed, i);
    for (int64_t k = 0; k < (int64_t)r->p[own]; k++) {
        int64_t col = rc_draw_below(&columns, r->cols);
        if (rc_draw_unit(&d) < r->p[share])
            rc_row_add(out, col);
    }
    int64_t count = rc_draw_count(&d, r->p[noise]);
    for (int64_t k = 0; k < count; k++)
        rc_row_add(out, rc_draw_below(&d, r->cols));
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    rc_rows_t r = rc_rows_of(p, seed, row, p[own] * p[share] + p[noise]);
    r.cols = (int64_t)(p[cols] > 0 ? p[cols] : p[rows]);
    r.loops = 1;
    return rc_rows_build(&r, out, err);
}

const rc_generator_t rc_generator_rowclusters = {
    .name = "rowclusters",
    .summary = "clusters of rows that share columns, with noise; shuffle=rows hides them",
    .source = "the case of Jiang, Hong, Agrawal 2020, doi:10.1145/3332466.3374546, as a planted "
              "partition",
    .version = 1,
    .param = {{"rows", "rows", 20000, 1, 2147483647, 1},
        {"cols", "columns, 0: as many as rows", 0, 0, 2147483647, 1},
        {"clusters", "clusters of rows, of equal size", 200, 1, 2147483647, 1},
        {"own", "columns drawn for each cluster", 20, 0, 1000000, 1},
        {"share", "share of them that each of its rows has", 0.8, 0, 1, 0},
        {"noise", "mean entries of a row that are anywhere", 2, 0, 1000000, 0}},
    .generate = generate,
};
