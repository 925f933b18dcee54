/** \file table/export.h  The tables of a store, one after the other, for tools that know nothing of
 *  it: every row stands alone, with names where the store has ids, and columns of one meaning have
 *  one name in all tables, so that tables are joined by the columns that they share.  Local. */
#ifndef RC_TABLE_EXPORT_H
#define RC_TABLE_EXPORT_H

#include "base/expr.h"
#include "rowcast.h"

typedef struct rc_export rc_export_t;

/** Which rows. */
typedef struct rc_export_options {
    const rc_expr_t *where; /**< over rc_view_fields: of the results, and so of samples; borrowed;
                                 NULL: all */
    int all;                /**< 1: also rows that newer ones supersede: of results and samples
                                 those of cases that were redone, of features those of the same
                                 matrix and geometry */
    int samples;            /**< 1: with a table of the raw times */
} rc_export_options_t;

/** A table as others see it; all borrowed from the rc_export_t. */
typedef struct rc_export_table {
    const char *name; /**< "results", "features_mehrabi", ... */
    int columns;
    const rc_field_t *column; /**< [columns] */
} rc_export_table_t;

/** Read a store.  Tables: results, matrices, sources, policies, kernels, devices, runs, provenance,
 *  orders, a features_<set> for each set, and samples when asked for.
 *  \param[in]  options  copied
 *  \param[out] out      free with rc_export_free
 *  \return RC_OK, RC_ENOENT, RC_ESTORE, RC_ENOMEM.  Cost: reads all but the raw times. */
rc_status_t rc_export_open(
    const char *store, const rc_export_options_t *options, rc_export_t **out, rc_err_t *err);
void rc_export_free(rc_export_t *t);

int rc_export_tables(const rc_export_t *t);
const rc_export_table_t *rc_export_table(const rc_export_t *t, int table);

/** Go to the start of a table. */
void rc_export_begin(rc_export_t *t, int table);

/** Go to its next row.  \param[out] more  0: there was none
 *  \return RC_OK, RC_ESTORE (raw times outside of the file), RC_ENOMEM */
rc_status_t rc_export_next(rc_export_t *t, int *more, rc_err_t *err);

/** rc_field_get_fn of an rc_export_t: a column of the current row. */
void rc_export_get(const void *export, int column, rc_value_t *out);

/** Part of the table that is behind the current row, 0 to 1. */
double rc_export_done(const rc_export_t *t);

#endif
