/** \file io/csr_file.h  A matrix as it is in memory, in a file: for a cache, not for exchange.
 *
 *  Layout, in the byte order of the machine that wrote it: a header of 512 bytes (struct header in
 *  csr_file.c), row_ptr, col_idx, val, each from a multiple of 64 bytes on, then an XXH3 digest for
 *  each piece of 4 MiB of what is between header and digests; the header has the digest of these
 *  and its own.  A file that is cut, changed, of another version or byte order is not taken. */
#ifndef RC_IO_CSR_FILE_H
#define RC_IO_CSR_FILE_H

#include "base/digest.h"
#include "rowcast_io.h"

/** What the matrix was read from. */
typedef struct rc_csr_origin {
    int64_t bytes;
    int64_t mtime_ns;
    int64_t ctime_ns;
    int64_t seen_ns;    /**< UTC when it was read */
    rc_digest_t digest; /**< of its contents */
} rc_csr_origin_t;

/** Write; the file appears under its name only when complete.  It is not synced: what a power
 *  failure leaves of it is not taken by rc_csr_file_read.
 *  \param[in] info  what the Matrix Market file said
 *  \return RC_OK, RC_EIO with the cause, RC_ENOMEM.  Cost: a pass over the arrays. */
rc_status_t rc_csr_file_write(const char *path, const rc_csr_t *a, const rc_mtx_info_t *info,
    const rc_csr_origin_t *origin, rc_err_t *err);

typedef struct rc_csr_file rc_csr_file_t;

/** Open, and read the header.
 *  \return RC_OK, RC_ENOENT, RC_EIO, RC_EFORMAT (not such a file, cut, or of another version),
 *          RC_ENOMEM */
rc_status_t rc_csr_file_open(const char *path, rc_csr_file_t **out, rc_err_t *err);
void rc_csr_file_close(rc_csr_file_t *f);

/** What it was made from.  Borrowed until the file is closed. */
const rc_csr_origin_t *rc_csr_file_origin(const rc_csr_file_t *f);

/** Read the matrix; digests and all invariants of rc_csr_t have been checked.
 *  \param[in]  threads  0: all
 *  \param[out] out   free with rc_csr_free
 *  \param[out] info  may be NULL
 *  \return RC_OK, RC_EIO, RC_EFORMAT, RC_ENOMEM */
rc_status_t rc_csr_file_read(
    rc_csr_file_t *f, int threads, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err);

#endif
