/** \file store/contents.h  What a new store is to hold: rows, raw times, features and attributes
 *  are added up while they are handed to HDF5, and compared with what a fresh open of the file
 *  reads (store/prove.h).  The sum of a dataset is over the digests of its rows, each mixed with
 *  its number: so they may be added in any order.  Private to src/store. */
#ifndef RC_STORE_CONTENTS_H
#define RC_STORE_CONTENTS_H

#include "base/digest.h"
#include "rowcast.h"

/** Zero-initialise; free with rc_contents_free. */
typedef struct rc_contents {
    struct rc_contents_entry *entry;
    size_t capacity;
    size_t count;
    int failed; /**< 1: there was no memory for an entry; nothing will compare equal */
} rc_contents_t;

void rc_contents_free(rc_contents_t *t);

typedef enum rc_contents_kind {
    RC_CONTENTS_ROWS,      /**< of a dataset */
    RC_CONTENTS_ATTRIBUTES /**< of an object, each as a row */
} rc_contents_kind_t;

/** Rows [first, first + n) of a dataset have been written.  n may be 0: the dataset is there.
 *  \param[in,out] t  NULL: nobody counts */
void rc_contents_add(rc_contents_t *t, rc_contents_kind_t kind, const char *path, int64_t first,
    const void *rows, int64_t n, size_t row_bytes);

/** 1: something, or nothing (n 0), was added for that path. */
int rc_contents_knows(const rc_contents_t *t, rc_contents_kind_t kind, const char *path);

/** A dataset is written anew: its rows so far do not count.  \param[in,out] t  may be NULL */
void rc_contents_forget(rc_contents_t *t, const char *path);

/** \param[in] path  of the file that `found` was read from
 *  \return RC_OK; RC_EIO with the dataset that is another one; RC_ENOMEM */
rc_status_t rc_contents_compare(
    const rc_contents_t *expected, const rc_contents_t *found, const char *path, rc_err_t *err);

#endif
