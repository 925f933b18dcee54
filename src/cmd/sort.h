/** \file cmd/sort.h  The order of printed rows: what --sort means, for rows with named fields. */
#ifndef RC_CMD_SORT_H
#define RC_CMD_SORT_H

#include "base/expr.h"

typedef struct rc_sort rc_sort_t;

/** Start an order of rows.
 *  \param[in] keys  "-speedup,name": fields, the first counts most; '-' is descending; NULL: rows
 *                   stay as they come.  An unknown field is RC_EINVAL with the nearest one
 *  \param[in] fields  borrowed until the end
 *  \return RC_OK, RC_EINVAL, RC_ENOMEM.  Free with rc_sort_free */
rc_status_t rc_sort_begin(
    const rc_fields_t *fields, const char *keys, rc_sort_t **out, rc_err_t *err);

/** Add a row by its number; what it is sorted by is copied.  \return RC_OK or RC_ENOMEM */
rc_status_t rc_sort_add(rc_sort_t *s, const void *row, int64_t number, rc_err_t *err);

/** Sort, once: rows that are equal in all keys stay as they came, missing values come last in both
 *  directions.  \return how many rows there are */
int64_t rc_sort_end(rc_sort_t *s);

/** The number of a row by its place. */
int64_t rc_sort_number(const rc_sort_t *s, int64_t i);

void rc_sort_free(rc_sort_t *s);

#endif
