/** \file store/samples.h  Raw times of rows, one row after the other, read in large pieces where
 *  rows follow each other in the file.  Private to src/store. */
#ifndef RC_STORE_SAMPLES_H
#define RC_STORE_SAMPLES_H

#include "store/h5.h"

/** Set h and total, and zero the rest; free with rc_samples_free. */
typedef struct rc_samples {
    const rc_h5_t *h;
    int64_t total; /**< raw times in the store (rc_h5_rows) */
    int64_t *ns;   /**< raw times [first, first + count) */
    size_t capacity;
    int64_t first;
    int64_t count;
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
