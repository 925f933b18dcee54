/* When a row order may pay: how much rows share next to each other now, how much they could share
 * near each other, and what decides whether sharing matters.  Where the numbering has lost its
 * locality, run_reuse is near 1 and ball_reuse (or column_reuse, where rows and columns are not
 * numbered alike) is not; and it matters where the working set, column_bytes times K, is larger
 * than the L2.  Samples: order/sample.h; the runs are those by which the policy `auto` decides.  A
 * ratio of nothing is 1. */
#include "config.h"
#include "base/error.h"
#include "feature/feature.h"
#include "order/sample.h"

static const rc_feature_t features[] = {
    {"run_reuse", "entries", RC_COST_SHAPE,
        "entries over distinct columns of sampled runs of 64 rows that follow each other"},
    {"ball_reuse", "entries", RC_COST_SHAPE,
        "the same of up to 64 rows that are reached first, breadth first, from a sampled row by "
        "the numbers of columns"},
    {"column_reuse", "entries", RC_COST_NNZ,
        "the same of up to 64 rows that hold a sampled column, without that column"},
    {"agreement", "1", RC_COST_SHAPE,
        "share of sampled entries (i, j), j not i, whose row j holds i or another column of row i"},
    {"row_skew", "1", RC_COST_ROWS, "entries of the longest row over the mean; 1 without entries"},
    {"column_bytes", "bytes", RC_COST_SHAPE, "bytes of a column of B in fp32: 4 n_col"},
};

static double ratio(const rc_sharing_t *s)
{
    return s->distinct > 0 ? (double)s->entries / (double)s->distinct : 1;
}

static rc_status_t compute(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    rc_local_samples_t s;
    (void)geometry;
    RC_PASS(rc_sample_all(a, rc_feature_threads(a, 0, threads), &s, err));
    out[0] = ratio(&s.run);
    out[1] = ratio(&s.ball);
    out[2] = ratio(&s.column);
    out[3] =
        s.agreement.entries > 0 ? (double)s.agreement.distinct / (double)s.agreement.entries : 0;
    out[4] = a->nnz > 0 ? (double)s.longest * (double)a->rows / (double)a->nnz : 1;
    out[5] = 4 * (double)a->cols;
    return RC_OK;
}

const rc_feature_set_t rc_feature_set_regime = {
    .name = "regime",
    .summary = "what rows share next to and near each other; where a row order may pay",
    .source = "our own, at the top of src/feature/set_regime.c and in src/order/sample.h",
    .version = 1,
    .count = sizeof features / sizeof features[0],
    .feature = features,
    .compute = compute,
};
