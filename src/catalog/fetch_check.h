/** \file catalog/fetch_check.h  Whether a file holds the matrix of an entry, and a thread that
 * finds out while transfers go on.  Private to src/catalog. */
#ifndef RC_CATALOG_FETCH_CHECK_H
#define RC_CATALOG_FETCH_CHECK_H

#include "base/digest.h"
#include "catalog/catalog.h"

/** A question and its answer. */
typedef struct rc_check {
    const rc_entry_t *entry; /**< rows, cols and entries that are expected */
    const char *path;        /**< of the file; borrowed */
    int is_archive;          /**< 1: it must be an archive of the collection, whatever its name */
    void *owner;             /**< the asker's */
    rc_status_t status;      /**< RC_OK; RC_EFORMAT: damaged, hostile, or another matrix; RC_EINTR;
                                  RC_ENOENT, RC_EIO, RC_ENOMEM */
    rc_err_t err;
    int64_t bytes;
    int64_t mtime_ns;
    rc_digest_t digest; /**< of the file */
    int64_t rows;
    int64_t cols;
    int64_t entries;
    struct rc_check *next; /**< the list's */
} rc_check_t;

/** Answer a question: reads the whole file.
 *  The entries of the file, with symmetric kinds expanded, must be as many as the catalogue's
 *  pattern entries (the collection's files hold explicit zeros), or its nnz (a copy without them).
 *  \param[in] stop  asked now and then; may be NULL */
void rc_check_file(rc_check_t *c, int threads, int (*stop)(void *), void *arg);

typedef struct rc_checker rc_checker_t;

/** Start the thread.  \param[in] threads  that read one file */
rc_status_t rc_checker_open(int threads, rc_checker_t **out, rc_err_t *err);

/** Put a question; c is the checker's until rc_checker_take gives it back. */
void rc_checker_ask(rc_checker_t *k, rc_check_t *c);

/** An answered question; NULL when there is none. */
rc_check_t *rc_checker_take(rc_checker_t *k);

/** Let questions that are not answered end with RC_EINTR, soon. */
void rc_checker_stop(rc_checker_t *k);

/** Stop, wait for the thread, free. */
void rc_checker_close(rc_checker_t *k);

#endif
