/* jiang: what Jiang et al. 2020 decide by, of the rows as they stand: the share of entries in dense
 * tiles (section 2.3) and how alike neighbouring rows are (section 3.2), at the defaults of
 * sparse/tiles.h; and, beyond the paper, how many entries a load of a row of B serves in panels of
 * 8 and 128 rows.
 *
 * cuts: the same at the two other least counts of a dense column that their text and programs leave
 * open: 8, whose share of matrices without tiles comes nearest to theirs, and 24 [chosen: tile_min
 * is one more]. */
#include "config.h"
#include "base/error.h"
#include "feature/feature.h"
#include "sparse/tiles.h"

static const rc_feature_t jiang[] = {
    {"dense_ratio", "1", RC_COST_NNZ, "share of the entries that are in dense tiles"},
    {"similarity", "1", RC_COST_NNZ,
        "mean Jaccard similarity of neighbours among the rows with entries"},
    {"rest_similarity", "1", RC_COST_NNZ, "the same of the entries outside of dense tiles"},
    {"panel_reuse_8", "entries", RC_COST_NNZ, "entries over distinct columns of panels of 8 rows"},
    {"panel_reuse_128", "entries", RC_COST_NNZ,
        "entries over distinct columns of panels of 128 rows"},
};

static rc_status_t compute_jiang(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    static const rc_tile_rule_t rule = RC_TILE_RULE;
    rc_tile_figures_t f;
    (void)geometry;
    RC_PASS(rc_tile_figures(a, NULL, &rule, rc_feature_threads(a, 0, threads), &f, err));
    out[0] = f.dense_ratio;
    out[1] = f.similarity;
    out[2] = f.rest_similarity;
    out[3] = f.panel_reuse_8;
    out[4] = f.panel_reuse_128;
    return RC_OK;
}

const rc_feature_set_t rc_feature_set_jiang = {
    .name = "jiang",
    .summary = "dense tiles, similarity of neighbouring rows, reuse in panels",
    .source = "Jiang et al. 2020, sections 2.3 and 3",
    .version = 1,
    .count = sizeof jiang / sizeof jiang[0],
    .feature = jiang,
    .compute = compute_jiang,
};

static const rc_feature_t cuts[] = {
    {"dense_ratio_8", "1", RC_COST_NNZ,
        "share of the entries in dense tiles, col_min 8, tile_min 9"},
    {"rest_similarity_8", "1", RC_COST_NNZ, "similarity of neighbouring rows outside of these"},
    {"dense_ratio_24", "1", RC_COST_NNZ,
        "share of the entries in dense tiles, col_min 24, tile_min 25"},
    {"rest_similarity_24", "1", RC_COST_NNZ, "similarity of neighbouring rows outside of these"},
};

static rc_status_t compute_cuts(
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
    .count = sizeof cuts / sizeof cuts[0],
    .feature = cuts,
    .compute = compute_cuts,
};
