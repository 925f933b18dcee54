#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/generate.h"
#include "sparse/generate/permute.h"
#include "sparse/generate/rows.h"

#include <stdlib.h>

enum { rows, cols, mean, row_skew, col_skew };

typedef struct ratings {
    rc_permute_t rank; /* of a row: 0 is the longest */
    int32_t *col;      /* [cols] where the columns of the ranks are */
} ratings_t;

static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    const ratings_t *m = r->of;
    int skew = (int)r->p[row_skew];
    rc_draw_t d = rc_draw_of(r->seed, i);
    int64_t rank = rc_permute_at(&m->rank, i);
    double part = rc_skewed_share(rank + 1, r->rows, skew) - rc_skewed_share(rank, r->rows, skew);
    double most = (double)r->cols;
    double wanted = r->p[mean] * r->p[rows] * part;
    int64_t count = rc_draw_count(&d, wanted < most ? wanted : most);
    for (int64_t k = 0; k < count; k++)
        rc_row_add(out, m->col[rc_draw_skewed(&d, r->cols, (int)r->p[col_skew])]);
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    ratings_t m = {.rank = rc_permute_make(seed, (int64_t)p[rows])};
    rc_rows_t r = rc_rows_of(p, seed, row, p[mean]);
    r.cols = (int64_t)(p[cols] > 0 ? p[cols] : p[rows]);
    r.loops = 1;
    r.of = &m;
    rc_permute_t places = rc_permute_make(~seed, r.cols);
    RC_PASS(rc_rows_check(&r, err));
    RC_PASS(RC_NEW(m.col, r.cols, "the places of columns", err));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < r.cols; i++)
        m.col[i] = (int32_t)rc_permute_at(&places, i);
    rc_status_t st = rc_rows_build(&r, out, err);
    free(m.col);
    return st;
}

const rc_generator_t rc_generator_bipartite = {
    .name = "bipartite",
    .summary = "bipartite graph with power laws of rows and columns, as ratings of users",
    .source = "Chung, Lu 2002, doi:10.1073/pnas.252631999, for two sides",
    .version = 1,
    .param = {{"rows", "users", 20000, 1, 2147483647, 1},
        {"cols", "items, 0: as many as users", 5000, 0, 2147483647, 1},
        {"mean", "mean entries drawn per row; equal ones count once", 20, 0, 1000000, 0},
        {"row_skew", "1: even; rows have the exponent 1 + skew / (skew - 1)", 2, 1, 8, 1},
        {"col_skew", "the same of columns", 2, 1, 8, 1}},
    .generate = generate,
};
