#include "config.h"
#include "analysis/folds.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>

rc_status_t rc_folds_inside(const rc_dataset_t *d, const int64_t *row, int64_t n,
    rc_split_kind_t kind, uint64_t seed, int *fold, int *folds, rc_err_t *err)
{
    rc_dataset_t part = *d; /* a split reads samples and groups */
    rc_status_t st = RC_EINVAL;
    if (kind == RC_SPLIT_STRATIFIED)
        return rc_folds_labelled(d, row, n, kind, seed, fold, folds, err);
    part.rows = n;
    part.sample = rc_alloc((size_t)n, sizeof *part.sample, "validation parts", err);
    if (!part.sample)
        return RC_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        part.sample[i] = d->sample[row[i]];
    int k = RC_FOLDS;
    for (; k >= 2; k--) {
        st = rc_split_folds(&part, kind, k, seed, fold, err);
        if (st != RC_EINVAL)
            break;
    }
    free(part.sample);
    if (st < 0)
        return rc_err_context(err, "validation parts");
    *folds = k;
    return RC_OK;
}

rc_status_t rc_folds_labelled(const rc_dataset_t *d, const int64_t *row, int64_t n,
    rc_split_kind_t kind, uint64_t seed, int *fold, int *folds, rc_err_t *err)
{
    rc_status_t st = RC_EINVAL;
    if (kind == RC_SPLIT_GROUP)
        return rc_folds_inside(d, row, n, kind, seed, fold, folds, err);
    for (int k = RC_FOLDS; k >= 2 && st == RC_EINVAL; k--) {
        st = rc_split_stratified(d, row, n, k, seed, fold, err);
        *folds = k;
    }
    return st < 0 ? rc_err_context(err, "validation parts") : RC_OK;
}
