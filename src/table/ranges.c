#include "config.h"
#include "table/ranges.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/features_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int64_t rc_range_edges[RC_RANGES] = {
    0, 10000, 50000, 100000, 500000, 1000000, 5000000, 50000000};
const char *const rc_range_names[RC_RANGES] = {
    "0-10K", "10-50K", "50-100K", "100-500K", "500K-1M", "1-5M", "5-50M", ">50M"};

static void mark_matching(const rc_view_t *v, const rc_expr_t *where, unsigned char *in)
{
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        int32_t matrix = rc_view_result(v, i)->matrix;
        if (!in[matrix] && rc_view_result(v, i)->op == RC_OP_SPMV && rc_view_is_newest(v, i) &&
            rc_view_matches(v, i, where))
            in[matrix] = 1;
    }
}

static void add(rc_range_t *r, const rc_row_matrix_t *m, double sigma)
{
    double rows = (double)m->rows;
    double cols = (double)m->cols;
    double nnz = (double)m->nnz;
    r->matrices++;
    r->rows += rows; /* sums, until finish */
    r->cols += cols;
    r->density += m->nnz ? nnz / rows / cols : 0;
    r->nnz_mu += m->nnz ? nnz / rows : 0;
    if (!isnan(sigma)) {
        r->nnz_sigma += sigma;
        r->sigmas++;
    }
}

static void finish(rc_range_t *r)
{
    double n = r->matrices ? (double)r->matrices : NAN;
    r->rows /= n;
    r->cols /= n;
    r->density /= n;
    r->nnz_mu /= n;
    r->nnz_sigma /= r->sigmas ? (double)r->sigmas : NAN;
}

static int range_of(int64_t nnz)
{
    int i = RC_RANGES - 1;
    while (i > 0 && nnz < rc_range_edges[i])
        i--;
    return i;
}

rc_status_t rc_ranges_make(const char *store, const rc_view_t *v, const rc_expr_t *where,
    rc_range_t *real, rc_range_t *all, rc_err_t *err)
{
    int32_t n = rc_view_matrices(v);
    double *sigma = rc_alloc((size_t)n, sizeof *sigma, "features", err);
    unsigned char *in = rc_alloc0((size_t)n, 1, "marks", err);
    rc_status_t st;
    RC_TRY(sigma && in ? RC_OK : RC_ENOMEM);
    for (int32_t i = 0; i < n; i++)
        sigma[i] = NAN; /* unknown */
    RC_TRY(rc_feature_by_matrix(store, "nisa", "nnz_sigma", sigma, n, err));
    mark_matching(v, where, in);
    memset(real, 0, RC_RANGES * sizeof *real);
    memset(all, 0, RC_RANGES * sizeof *all);
    for (int32_t i = 0; i < n; i++) {
        const rc_row_matrix_t *m = rc_view_matrix(v, i);
        if (!in[i])
            continue;
        add(&all[range_of(m->nnz)], m, sigma[i]);
        if (!rc_view_is_generated(v, i))
            add(&real[range_of(m->nnz)], m, sigma[i]);
    }
    for (int i = 0; i < RC_RANGES; i++) {
        finish(&real[i]);
        finish(&all[i]);
    }
done:
    free(sigma);
    free(in);
    return st;
}
