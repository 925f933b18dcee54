/** \file store/seal.h  Digests of a store file's bytes, behind its end as HDF5 sees it: HDF5 reads
 *  no digests of its own, and damaged structures can make it crash, so a file is checked before
 *  HDF5 sees it.
 *
 *  Layout: the HDF5 file (the body), one 16-byte XXH3 per block of the body, a 64-byte footer:
 *  "RCSEAL", version, byte-order mark, body bytes, block bytes, number of blocks, XXH3 of the
 *  digests and the footer before it.  HDF5 ignores bytes behind its end, and drops them when it
 *  opens a file for writing: a file that another program has changed has no seal, rather than a
 *  wrong one.  */
#ifndef RC_STORE_SEAL_H
#define RC_STORE_SEAL_H

#include "rowcast.h"

/** What is known of the end of a file. */
typedef struct rc_seal {
    int present;    /**< 0: no seal; the bytes cannot be checked */
    int64_t body;   /**< bytes before the seal: the size of the file when there is none */
    int64_t block;  /**< bytes per digest; the last block may be shorter */
    int64_t blocks; /**< digests */
} rc_seal_t;

/** Told of each stretch of the body that does not match its digests. */
typedef void rc_seal_bad_fn(void *user, int64_t first, int64_t bytes);

/** Look for a seal.
 *  \return RC_OK, also when there is none; RC_ESTORE: there is one, and it is damaged or of another
 *          version; RC_EIO */
rc_status_t rc_seal_find(int fd, const char *path, rc_seal_t *out, rc_err_t *err);

/** Read the body and compare it with the digests.
 *  \param[in] bad  NULL: the first mismatch is an error; else it is told of all, and they are none
 *  \return RC_OK; RC_ESTORE (a mismatch, or as rc_seal_find), RC_EIO, RC_ENOMEM.
 *  Cost: reads the file once. */
rc_status_t rc_seal_check(
    int fd, const char *path, rc_seal_bad_fn *bad, void *user, rc_seal_t *out, rc_err_t *err);

/** The same of a file of ours by its name, with the first mismatch as an error. */
rc_status_t rc_seal_check_file(const char *path, rc_seal_t *out, rc_err_t *err);

/** Put a seal behind a file that has none and is complete.
 *  \return RC_OK, RC_EIO, RC_ENOMEM.  Cost: reads the file once, adds 16 bytes per MiB. */
rc_status_t rc_seal_write(const char *path, rc_err_t *err);

#endif
