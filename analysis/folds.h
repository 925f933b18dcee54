/** \file analysis/folds.h  Validation parts inside of the rows of a fit.  Local. */
#ifndef RC_ANALYSIS_FOLDS_H
#define RC_ANALYSIS_FOLDS_H

#include "analysis/split.h"

enum { RC_FOLDS = 5 };

/** Number the rows of a fit with folds 0 .. *folds - 1, so that each is held out once, with its
 *  whole group or matrix: RC_FOLDS of them, or as many as there are groups or matrices.
 *  \param[out] fold  [n]
 *  \return RC_OK, RC_EINVAL (fewer than two groups, or matrices), RC_ENOMEM */
rc_status_t rc_folds_inside(const rc_dataset_t *d, const int64_t *row, int64_t n,
    rc_split_kind_t kind, uint64_t seed, int *fold, int *folds, rc_err_t *err);

/** The same for grids of classifiers: by group as above; by matrix stratified by label
 *  (rc_split_stratified). */
rc_status_t rc_folds_labelled(const rc_dataset_t *d, const int64_t *row, int64_t n,
    rc_split_kind_t kind, uint64_t seed, int *fold, int *folds, rc_err_t *err);

#endif
