/** \file analysis/split.h  Which rows train and which test.  Matrices never sit on both sides, and
 *  by default neither do groups of the collection.  Seeded; independent of the order of rows. */
#ifndef RC_ANALYSIS_SPLIT_H
#define RC_ANALYSIS_SPLIT_H

#include "analysis/dataset.h"

typedef enum rc_split_kind {
    RC_SPLIT_GROUP = 0,     /**< all matrices of a group on one side */
    RC_SPLIT_RANDOM = 1,    /**< the protocol of Mehrabi et al.: by matrix */
    RC_SPLIT_STRATIFIED = 2 /**< that of Nisa et al.: by matrix, folds with equal shares of each
                                 label (rc_dataset_best); a share is as of RC_SPLIT_RANDOM */
} rc_split_kind_t;

extern const char *const rc_split_names[]; /**< "group", "random", "stratified" */

/** Number the rows with folds 0 .. folds - 1: units (groups or matrices) in seeded order, larger
 *  ones first, each to the fold that has fewest rows; stratified: as rc_split_stratified.
 *  \param[out] fold  [rows]
 *  \return RC_OK, RC_EINVAL (fewer units than folds), RC_ENOMEM */
rc_status_t rc_split_folds(const rc_dataset_t *d, rc_split_kind_t kind, int folds, uint64_t seed,
    int *fold, rc_err_t *err);

/** Number some rows with folds such that each has about the same share of every label (class of
 *  least time): the matrices of a label, in seeded order, are dealt out one after the other, and
 *  those of the next label go on where they ended.  The label of a matrix is that of its first row.
 *  \param[in]  row   [n] NULL: all, n = d->rows
 *  \param[out] fold  [n]
 *  \return as rc_split_folds */
rc_status_t rc_split_stratified(const rc_dataset_t *d, const int64_t *row, int64_t n, int folds,
    uint64_t seed, int *fold, rc_err_t *err);

/** Mark the test part: units in seeded order until its share of the rows is as near to `share` as
 *  whole units allow, at least one unit on each side.
 *  \param[out] test  [rows] 0 or 1 */
rc_status_t rc_split_share(const rc_dataset_t *d, rc_split_kind_t kind, double share, uint64_t seed,
    int *test, rc_err_t *err);

/** The same within some rows, for a validation part: test[i] is of row[i]. */
rc_status_t rc_split_share_of(const rc_dataset_t *d, const int64_t *row, int64_t n,
    rc_split_kind_t kind, double share, uint64_t seed, int *test, rc_err_t *err);

#endif
