#include "config.h"
#include "feature/feature.h"
#include "base/error.h"
#include "order/policy.h"
#include "sparse/csr.h"

#include <string.h>

#define RC_FEATURE_SET(id) extern const rc_feature_set_t rc_feature_set_##id;
#include "feature/sets.def"

#define RC_FEATURE_SET(id) &rc_feature_set_##id,
const rc_feature_set_t *const rc_feature_sets[] = {
#include "feature/sets.def"
    NULL};

const rc_feature_set_t *rc_feature_set_find(const char *name)
{
    for (int i = 0; rc_feature_sets[i]; i++)
        if (strcmp(rc_feature_sets[i]->name, name) == 0)
            return rc_feature_sets[i];
    return NULL;
}

int rc_feature_index(const rc_feature_t *feature, int count, const char *name, int from)
{
    for (int i = 0; i < count; i++) {
        int at = from + i < count ? from + i : from + i - count;
        if (strcmp(feature[at].name, name) == 0)
            return at;
    }
    return -1;
}

int rc_feature_is_of_product(const rc_feature_set_t *set, const char *name)
{
    return set->product && rc_feature_index(set->product->input, set->product->count, name, 0) >= 0;
}

const rc_feature_t *rc_feature_find(const rc_feature_set_t *set, const char *name)
{
    int at = rc_feature_index(set->feature, set->count, name, 0);
    if (at >= 0)
        return &set->feature[at];
    at = set->product ? rc_feature_index(set->product->input, set->product->count, name, 0) : -1;
    return at >= 0 ? &set->product->input[at] : NULL;
}

int rc_feature_threads(const rc_csr_t *a, int64_t tables, int threads)
{
    enum { start = 1 << 15 }; /* a team takes as long as some ten thousand entries */
    int64_t work = a->nnz + a->rows;
    int64_t most = work < RC_FEATURE_ALONE ? 1 : 1 + work / (start + tables);
    if (most > a->rows)
        most = a->rows > 0 ? a->rows : 1;
    return most < threads ? (int)most : threads;
}

/* The public calls are about the first set; what it has must be what the header promises. */
static const rc_feature_set_t *const public_set = &rc_feature_set_mehrabi;

rc_status_t rc_features_compute(const rc_csr_t *a, const rc_geometry_t *geometry, int threads,
    double out[RC_FEATURES_MEHRABI], rc_err_t *err)
{
    static const rc_geometry_t paper = {32, 32, 32};
    const rc_geometry_t *g = geometry ? geometry : &paper;
    int team = 1;
    if (!out)
        return rc_fail(err, RC_EINVAL, "features: expected where to put them, found NULL");
    RC_PASS(rc_geometry_check(g, err));
    RC_PASS(rc_csr_given(a, threads, &team, err));
    return public_set->compute(a, g, team, out, err);
}

const char *rc_feature_name(int i)
{
    return i >= 0 && i < public_set->count ? public_set->feature[i].name : NULL;
}
