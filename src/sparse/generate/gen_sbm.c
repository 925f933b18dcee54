#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

enum { n, communities, mean, outside };

static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    int64_t all = r->p[communities] < r->p[n] ? (int64_t)r->p[communities] : r->rows;
    int64_t community = i * all / r->rows; /* begins with the first row that this gives it for */
    int64_t first = (community * r->rows + all - 1) / all;
    int64_t end = ((community + 1) * r->rows + all - 1) / all;
    rc_draw_t d = rc_draw_of(r->seed, i);
    int64_t count = rc_draw_count(&d, r->p[mean] / 2);
    for (int64_t k = 0; k < count; k++) {
        int far = rc_draw_unit(&d) < r->p[outside];
        rc_row_add(out, far ? rc_draw_below(&d, r->rows) : first + rc_draw_below(&d, end - first));
    }
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    rc_rows_t r = rc_rows_of(p, seed, row, p[mean]);
    r.mirror = 1;
    return rc_rows_build(&r, out, err);
}

const rc_generator_t rc_generator_sbm = {
    .name = "sbm",
    .summary = "stochastic block model: communities of equal size, a share of the edges outside",
    .source =
        "Holland, Laskey, Leinhardt 1983, doi:10.1016/0378-8733(83)90021-7; each row draws half "
        "its edges",
    .version = 1,
    .param = {{"n", "rows", 20000, 1, 2147483647, 1},
        {"communities", "number of communities", 100, 1, 2147483647, 1},
        {"mean", "mean entries of a row; equal ones count once", 16, 0, 100000, 0},
        {"outside", "share of the entries that may be anywhere", 0.1, 0, 1, 0}},
    .generate = generate,
};
