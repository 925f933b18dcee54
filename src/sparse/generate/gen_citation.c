#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/rows.h"

enum { n, mean, copy, recent };

static int64_t count_of(const rc_rows_t *r, int64_t i)
{
    rc_draw_t d = rc_draw_of(r->seed, i);
    int64_t count = rc_draw_count(&d, r->p[mean] * 2 * rc_draw_unit(&d));
    return count < i ? count : i;
}

/* The k-th citation of i, i > 0: an earlier one, mostly a recent one, or what that one cites. */
static int64_t cited(const rc_rows_t *r, int64_t i, int64_t k)
{
    for (;;) {
        rc_draw_t d = {rc_draw_of(r->seed, i).key, (uint64_t)(2 + 3 * k)};
        int64_t j = i - 1 - rc_draw_skewed(&d, i, (int)r->p[recent]);
        int copies = rc_draw_unit(&d) < r->p[copy];
        int64_t theirs = copies ? count_of(r, j) : 0;
        if (theirs == 0)
            return j;
        k = rc_draw_below(&d, theirs);
        i = j;
    }
}

static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    int64_t count = count_of(r, i);
    for (int64_t k = 0; k < count; k++)
        rc_row_add(out, cited(r, i, k));
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    const rc_rows_t r = rc_rows_of(p, seed, row, p[mean]);
    return rc_rows_build(&r, out, err);
}

const rc_generator_t rc_generator_citation = {
    .name = "citation",
    .summary = "papers in the order of their dates, each citing earlier ones",
    .source =
        "copying: Kumar et al. 2000, doi:10.1109/SFCS.2000.892065; drawn again instead of looked "
        "up: Sanders, Schulz 2016, doi:10.1016/j.ipl.2016.02.004",
    .version = 1,
    .param = {{"n", "rows", 20000, 1, 2147483647, 1},
        {"mean", "mean entries drawn per row; equal ones count once", 10, 0, 100000, 0},
        {"copy", "share of the citations taken over from a cited paper", 0.5, 0, 0.95, 0},
        {"recent", "1: all ages alike; more: recent papers are cited more", 3, 1, 8, 1}},
    .generate = generate,
};
