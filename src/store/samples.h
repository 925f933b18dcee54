/** \file store/samples.h  Raw times of rows, one row after the other, read in large pieces where
 *  rows follow each other in the file.  Private to src/store. */
#ifndef RC_STORE_SAMPLES_H
#define RC_STORE_SAMPLES_H

#include "store/h5.h"

/** Rows of a table, a large piece at a time: for stretches that mostly follow each other.
 *  Set h and t, and zero the rest; free its data with free(). */
typedef struct rc_window {
    const rc_h5_t *h; /**< another one: set count to 0 */
    const rc_schema_table_t *t;
    void *data; /**< rows [first, first + count) */
    size_t capacity;
    int64_t first;
    int64_t count;
} rc_window_t;

/** Make rows [first, first + count) be in the window.
 *  \param[in] end  behind the last one that may be read: one that is read to no use costs little
 *                  where those in between are wanted too
 *  \return RC_OK, RC_ESTORE, RC_ENOMEM */
rc_status_t rc_window_look(
    rc_window_t *w, int64_t first, int64_t count, int64_t end, rc_err_t *err);

/** A row that is in it, valid until the next look. */
const void *rc_window_row(const rc_window_t *w, int64_t row);

/** Set h and total, and zero the rest; free with rc_samples_free. */
typedef struct rc_samples {
    const rc_h5_t *h;
    int64_t total; /**< raw times in the store (rc_h5_rows) */
    rc_window_t window;
} rc_samples_t;

/** 1: a row has raw times. */
int rc_samples_has(const rc_row_result_t *r);

/** 1: they are inside of /samples. */
int rc_samples_inside(const rc_samples_t *s, const rc_row_result_t *r);

/** Raw times of a row for which both hold.
 *  \param[out] ns  [r->reps], valid until the next call
 *  \return RC_OK, RC_ESTORE, RC_ENOMEM */
rc_status_t rc_samples_of(
    rc_samples_t *s, const rc_row_result_t *r, const int64_t **ns, rc_err_t *err);

void rc_samples_free(rc_samples_t *s);

#endif
