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

/** What is divided, and how. */
typedef struct rc_split {
    const rc_dataset_t *d;
    const int64_t *row; /**< [n] NULL: all, n = d->rows */
    int64_t n;
    rc_split_kind_t kind;
    uint64_t seed;
} rc_split_t;

/** Number rows with folds 0 .. folds - 1: units (groups or matrices) in seeded order, larger ones
 *  first, each to the fold that has fewest rows.  Stratified: such that each fold has about the
 *  same share of every label (class of least time): the matrices of a label, in seeded order, are
 *  dealt out one after the other, and those of the next label go on where they ended.  The label
 *  of a matrix is that of its first row.
 *  \param[out] fold  [n]
 *  \return RC_OK, RC_EINVAL (fewer units than folds), RC_ENOMEM */
rc_status_t rc_split_folds(const rc_split_t *split, int folds, int *fold, rc_err_t *err);

/** Validation parts inside of the rows of a fit, for grids of classifiers: folds 0 .. *folds - 1,
 *  by group, else stratified; 5 of them, or as many as there are groups or matrices.
 *  \return RC_OK, RC_EINVAL (fewer than two groups, or matrices), RC_ENOMEM */
rc_status_t rc_split_inside(const rc_split_t *split, int *fold, int *folds, rc_err_t *err);

/** Mark a test or validation part: units in seeded order until its share of the rows is as near to
 *  `share` as whole units allow, at least one unit on each side.
 *  \param[out] test  [n] 0 or 1 */
rc_status_t rc_split_share(const rc_split_t *split, double share, int *test, rc_err_t *err);

#endif
