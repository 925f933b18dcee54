/** \file table/features_read.h  The feature values of a store: a view has only their identities.
 *  Local. */
#ifndef RC_TABLE_FEATURES_READ_H
#define RC_TABLE_FEATURES_READ_H

#include "base/str.h"
#include "table/view.h"

/** One feature set, whole.  Free with rc_feature_table_free. */
typedef struct rc_feature_table {
    rc_words_t names;      /**< of the columns */
    int64_t rows;          /**< in the order of the store: later rows are newer */
    rc_row_feature_t *row; /**< [rows] which matrix, geometry and version; matrix ids may lead
                                outside of the dictionary in a damaged file */
    double *value;         /**< [rows * names.count] */
} rc_feature_table_t;

/** Names of the feature sets of a store, sorted.  Free with rc_words_free; none is no error.
 *  \return RC_OK, RC_ENOENT, RC_ESTORE, RC_ENOMEM */
rc_status_t rc_feature_tables(const char *store, rc_words_t *out, rc_err_t *err);

/** Read a set.
 *  \return RC_OK, RC_ENOENT (no such file, no such set), RC_ESTORE (also when the names do not fit
 *          the columns), RC_ENOMEM.  Cost: reads the set whole. */
rc_status_t rc_feature_table_read(
    const char *store, const char *set, rc_feature_table_t *out, rc_err_t *err);
void rc_feature_table_free(rc_feature_table_t *t);

/** The column of a feature; -1. */
int rc_feature_column(const rc_feature_table_t *t, const char *name);

/** A feature by matrix, the newest row of each.  What the store does not have stays as it is.
 *  \param[in,out] out  [matrices]  \return as rc_feature_table_read, but RC_OK without the set */
rc_status_t rc_feature_by_matrix(const char *store, const char *set, const char *name, double *out,
    int32_t matrices, rc_err_t *err);

/** Find the feature set of a store that has a feature which is a share from 0 to 1, and read it.
 *  \param[out] out  [rc_view_matrices] the newest value of each matrix, NaN without one; free()
 *  \return RC_OK; RC_EINVAL: no set has it, or a value is not from 0 to 1; as
 *      rc_feature_table_read */
rc_status_t rc_feature_share(
    const rc_view_t *v, const char *store, const char *feature, double **out, rc_err_t *err);

#endif
