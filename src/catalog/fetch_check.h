/** \file catalog/fetch_check.h  Whether a file holds the matrix of an entry.  Private to
 *  src/catalog. */
#ifndef RC_CATALOG_FETCH_CHECK_H
#define RC_CATALOG_FETCH_CHECK_H

#include "base/digest.h"
#include "catalog/catalog.h"

/** A question and its answer. */
typedef struct rc_check {
    const rc_entry_t *entry; /**< rows, cols and entries that are expected */
    const char *path;        /**< of the file; borrowed */
    int is_archive;          /**< 1: it must be an archive of the collection, whatever its name */
    rc_status_t status;      /**< RC_OK; RC_EFORMAT: damaged, hostile, or another matrix; RC_EINTR;
                                  RC_ENOENT, RC_EIO, RC_ENOMEM */
    rc_err_t err;
    int64_t bytes;
    int64_t mtime_ns;
    rc_digest_t digest; /**< of the file */
    int64_t rows;
    int64_t cols;
    int64_t entries;
} rc_check_t;

/** Answer a question: reads the whole file.
 *  The entries of the file, with symmetric kinds expanded, must be as many as the catalogue's
 *  pattern entries (the collection's files hold explicit zeros), or its nnz (a copy without them).
 *  \param[in] stop  asked now and then; may be NULL */
void rc_check_file(rc_check_t *c, int threads, int (*stop)(void *), void *arg);

#endif
