/* Row segments of RS-SpMM, in panels of 256 columns.
 *
 * segments: what the tree of Hong et al. 2018 takes beside the distances of set `hong`: section 4.3
 * names "the number of accumulations" and says no more of it.  It is taken as the row segments with
 * entries.  A set of its own: stores that were made before keep `hong` with its twelve columns.
 *
 * heavy: how much of a matrix is read from shared memory at the usual threshold: what figure 16
 * orders matrices by. */
#include "config.h"
#include "base/error.h"
#include "feature/feature.h"
#include "sparse/segments.h"

enum { PANEL = 256 };

static rc_status_t measure(
    const rc_csr_t *a, int64_t t, int threads, rc_segments_size_t *out, rc_err_t *err)
{
    const rc_segments_rule_t rule = {PANEL, t};
    const rc_segments_source_t source = rc_segments_source_of(a);
    return rc_segments_measure(&source, &rule, rc_feature_threads(a, 0, threads), out, err);
}

static const rc_feature_t segments[] = {
    {"accumulations", "segments", RC_COST_NNZ,
        "segments with entries: of one row in one panel of 256 columns"},
};

static rc_status_t compute_segments(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    rc_segments_size_t size;
    (void)geometry;
    RC_PASS(measure(a, 0, threads, &size, err));
    out[0] = (double)size.segments;
    return RC_OK;
}

const rc_feature_set_t rc_feature_set_segments = {
    .name = "segments",
    .summary = "row segments, what the tree of RS-SpMM takes beside the distances",
    .source = "Hong et al. 2018, section 4.3",
    .version = 1,
    .count = sizeof segments / sizeof segments[0],
    .feature = segments,
    .compute = compute_segments,
};

static const rc_feature_t heavy[] = {
    {"heavy_ratio", "share", RC_COST_NNZ,
        "entries in heavy row segments (w = 256, t = 4) over all; 0 without entries"},
    {"heavy_reuse", "entries", RC_COST_NNZ,
        "these over the rows of B that their panels load; 0 without any"},
};

static rc_status_t compute_heavy(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    rc_segments_size_t size;
    (void)geometry;
    RC_PASS(measure(a, 4, threads, &size, err));
    out[0] = rc_segments_ratio(&size);
    out[1] = size.heavy_panels > 0
                 ? (double)size.nnz_heavy / ((double)size.heavy_panels * (double)PANEL)
                 : 0;
    return RC_OK;
}

const rc_feature_set_t rc_feature_set_heavy = {
    .name = "heavy",
    .summary = "what RS-SpMM reads from shared memory",
    .source = "Hong et al. 2018, figure 16",
    .version = 1,
    .count = sizeof heavy / sizeof heavy[0],
    .feature = heavy,
    .compute = compute_heavy,
};
