/* What the tree of Hong et al. 2018 takes beside the distances of set `hong`: section 4.3 names
 * "the number of accumulations" and says no more of it.  It is taken as the row segments with
 * entries in panels of 256 columns.  A set of its own: stores that were made before keep `hong`
 * with its twelve columns. */
#include "config.h"
#include "feature/feature.h"
#include "sparse/segments.h"

static const rc_feature_t features[] = {
    {"accumulations", "segments", RC_COST_NNZ,
        "segments with entries: of one row in one panel of 256 columns"},
};
enum { COUNT = sizeof features / sizeof features[0] };

static rc_status_t compute(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    static const rc_segments_rule_t rule = {256, 0};
    const rc_segments_source_t source = rc_segments_source_of(a);
    rc_segments_size_t size;
    (void)geometry;
    rc_status_t st =
        rc_segments_measure(&source, &rule, rc_feature_threads(a, 0, threads), &size, err);
    if (st == RC_OK)
        out[0] = (double)size.segments;
    return st;
}

const rc_feature_set_t rc_feature_set_segments = {
    .name = "segments",
    .summary = "row segments, what the tree of RS-SpMM takes beside the distances",
    .source = "Hong et al. 2018, section 4.3",
    .version = 1,
    .count = COUNT,
    .feature = features,
    .compute = compute,
};
