/** \file table/export.h  The tables of a store, one after the other, for tools that know nothing of
 *  it: every row stands alone, with names where the store has ids, and columns of one meaning have
 *  one name in all tables, so that tables are joined by the columns that they share.  Local. */
#ifndef RC_TABLE_EXPORT_H
#define RC_TABLE_EXPORT_H

#include "base/expr.h"
#include "rowcast.h"

typedef struct rc_tidy rc_tidy_t;

/** Which rows. */
typedef struct rc_tidy_options {
    const rc_expr_t *where; /**< over rc_view_fields: of the results, and so of samples; borrowed;
                                 NULL: all */
    int all;                /**< 1: also rows that newer ones supersede: of results and samples
                                 those of cases that were redone, of features those of the same
                                 matrix and geometry */
    int samples;            /**< 1: with a table of the raw times */
} rc_tidy_options_t;

/** A table as others see it; all borrowed from the rc_tidy_t. */
typedef struct rc_tidy_table {
    const char *name; /**< "results", "features_mehrabi", ... */
    const char *help; /**< what a row is */
    int columns;
    const rc_field_t *column; /**< [columns] */
    const char *const *unit;  /**< [columns], "" none */
} rc_tidy_table_t;

/** Read a store.  Tables: results, matrices, sources, policies, kernels, devices, runs, provenance,
 *  orders, a features_<set> for each set, and samples when asked for.
 *  \param[in]  options  copied
 *  \param[out] out      free with rc_tidy_free
 *  \return RC_OK, RC_ENOENT, RC_ESTORE, RC_ENOMEM.  Cost: reads all but the raw times. */
rc_status_t rc_tidy_open(
    const char *store, const rc_tidy_options_t *options, rc_tidy_t **out, rc_err_t *err);
void rc_tidy_free(rc_tidy_t *t);

int rc_tidy_tables(const rc_tidy_t *t);
const rc_tidy_table_t *rc_tidy_table(const rc_tidy_t *t, int table);

/** Go to the start of a table. */
void rc_tidy_begin(rc_tidy_t *t, int table);

/** Go to its next row.  \param[out] more  0: there was none
 *  \return RC_OK, RC_ESTORE (raw times outside of the file), RC_ENOMEM */
rc_status_t rc_tidy_next(rc_tidy_t *t, int *more, rc_err_t *err);

/** rc_field_get_fn of an rc_tidy_t: a column of the current row. */
void rc_tidy_get(const void *tidy, int column, rc_value_t *out);

/** Part of the table that is behind the current row, 0 to 1. */
double rc_tidy_done(const rc_tidy_t *t);

#endif
