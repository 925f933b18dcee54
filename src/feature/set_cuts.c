/* What Jiang et al. 2020 decide by (set jiang) at the two other least counts of a dense column that
 * their text and programs leave open: 8, whose share of matrices without tiles comes nearest to
 * theirs, and 24 [chosen: tile_min is one more]. */
#include "config.h"
#include "base/error.h"
#include "feature/feature.h"
#include "sparse/tiles.h"

static const rc_feature_t features[] = {
    {"dense_ratio_8", "1", RC_COST_NNZ,
        "share of the entries in dense tiles, col_min 8, tile_min 9"},
    {"rest_similarity_8", "1", RC_COST_NNZ, "similarity of neighbouring rows outside of these"},
    {"dense_ratio_24", "1", RC_COST_NNZ,
        "share of the entries in dense tiles, col_min 24, tile_min 25"},
    {"rest_similarity_24", "1", RC_COST_NNZ, "similarity of neighbouring rows outside of these"},
};

static rc_status_t compute(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    static const int32_t col_min[] = {8, 24};
    rc_tile_figures_t f;
    (void)geometry;
    for (int i = 0; i < 2; i++) {
        rc_tile_rule_t rule = RC_TILE_RULE;
        rule.col_min = col_min[i];
        rule.tile_min = col_min[i] + 1;
        RC_PASS(rc_tile_shares(a, NULL, &rule, rc_feature_threads(a, 0, threads), &f, err));
        out[2 * i] = f.dense_ratio;
        out[2 * i + 1] = f.rest_similarity;
    }
    return RC_OK;
}

const rc_feature_set_t rc_feature_set_cuts = {
    .name = "cuts",
    .summary = "dense tiles and what is outside of them, at two other counts",
    .source = "Jiang et al. 2020, section 4",
    .version = 1,
    .count = sizeof features / sizeof features[0],
    .feature = features,
    .compute = compute,
};
