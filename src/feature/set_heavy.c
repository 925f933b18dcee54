/* How much of a matrix RS-SpMM reads from shared memory, at the panel of its accumulations and the
 * usual threshold: what figure 16 of Hong et al. 2018 orders matrices by. */
#include "config.h"
#include "feature/feature.h"
#include "sparse/segments.h"

static const rc_feature_t features[] = {
    {"heavy_ratio", "share", RC_COST_NNZ,
        "entries in heavy row segments (w = 256, t = 4) over all; 0 without entries"},
    {"heavy_reuse", "entries", RC_COST_NNZ,
        "these over the rows of B that their panels load; 0 without any"},
};
enum { COUNT = sizeof features / sizeof features[0] };

static rc_status_t compute(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    static const rc_segments_rule_t rule = {256, 4};
    const rc_segments_source_t source = rc_segments_source_of(a);
    rc_segments_size_t size;
    (void)geometry;
    rc_status_t st =
        rc_segments_measure(&source, &rule, rc_feature_threads(a, 0, threads), &size, err);
    if (st < 0)
        return st;
    out[0] = a->nnz > 0 ? (double)size.nnz_heavy / (double)a->nnz : 0;
    out[1] = size.heavy_panels > 0
                 ? (double)size.nnz_heavy / ((double)size.heavy_panels * (double)rule.w)
                 : 0;
    return RC_OK;
}

const rc_feature_set_t rc_feature_set_heavy = {
    .name = "heavy",
    .summary = "what RS-SpMM reads from shared memory",
    .source = "Hong et al. 2018, figure 16",
    .version = 1,
    .count = COUNT,
    .feature = features,
    .compute = compute,
};
