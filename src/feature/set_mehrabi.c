/* The 24 features of Mehrabi et al. 2021, Table II.  Where there is nothing to take a minimum, mean
 * or maximum of (no rows, no columns, a single row's adjacent pairs) the feature is 0. */
#include "config.h"
#include "base/error.h"
#include "feature/feature.h"
#include "feature/walk.h"

#define EXTENT(name, unit, cost, what)                                                             \
    {name "_min", unit, cost, "smallest " what}, {name "_mean", unit, cost, "mean " what},         \
    {                                                                                              \
        name "_max", unit, cost, "largest " what                                                   \
    }

static const rc_feature_t features[RC_FEATURES_MEHRABI] = {
    {"n_row", "rows", RC_COST_SHAPE, "rows of A"},
    {"n_col", "columns", RC_COST_SHAPE, "columns of A"},
    {"density", "1", RC_COST_SHAPE, "entries over rows times columns"},
    EXTENT("nnz_per_row", "entries", RC_COST_ROWS, "number of entries of a row"),
    EXTENT("nnz_blocks_per_row", "blocks", RC_COST_NNZ,
        "number of blocks of N_w consecutive columns with an entry, over rows"),
    EXTENT("warp_load", "iterations", RC_COST_ROWS,
        "sum of ceil(entries / N_t) over the rows of a warp, over warps"),
    EXTENT("same_cache_lines", "transactions", RC_COST_NNZ,
        "number of transactions that request a line, over the lines of a column of B"),
    EXTENT("distinct_cache_lines_per_warp", "lines", RC_COST_NNZ,
        "number of distinct lines over all rows of a warp, over warps"),
    EXTENT("total_cache_lines_per_warp", "transactions", RC_COST_NNZ,
        "number of transactions of a warp, over warps"),
    EXTENT("adjacent_vector_distance", "lines", RC_COST_NNZ,
        "number of lines that exactly one of two adjacent rows touches"),
};

static rc_status_t compute(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    rc_walk_t w;
    RC_PASS(rc_walk_matrix(a, geometry, threads, &w, err));
    double values = (double)a->rows * (double)a->cols;
    out[0] = (double)a->rows;
    out[1] = (double)a->cols;
    out[2] = values > 0 ? (double)a->nnz / values : 0;
    const rc_extent_t *const extents[] = {
        &w.entries, &w.blocks, &w.load, &w.requested, &w.distinct, &w.total, &w.distance};
    enum { shapes = 3, each = 3 };
    for (int i = 0; i < (RC_FEATURES_MEHRABI - shapes) / each; i++) {
        double *to = out + shapes + each * i;
        to[0] = (double)extents[i]->min;
        to[1] = rc_extent_mean(extents[i]);
        to[2] = (double)extents[i]->max;
    }
    return RC_OK;
}

const rc_feature_set_t rc_feature_set_mehrabi = {
    .name = "mehrabi",
    .summary = "the 24 features of the selector of Mehrabi et al.",
    .source = "Mehrabi et al. 2021, Table II",
    .version = 1,
    .count = RC_FEATURES_MEHRABI,
    .feature = features,
    .compute = compute,
};
