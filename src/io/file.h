/** \file io/file.h  Small services of files and folders. */
#ifndef RC_IO_FILE_H
#define RC_IO_FILE_H

#include "base/digest.h"
#include "rowcast.h"

/** Digest of the contents of a file.
 *  \param[out] bytes, mtime_ns  of the file; may be NULL
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_file_digest(
    const char *path, rc_digest_t *out, int64_t *bytes, int64_t *mtime_ns, rc_err_t *err);

/** Make the folders that a file's name goes through, those that are not there.
 *  \param[in] path  changed and changed back
 *  \return RC_OK, RC_EIO */
rc_status_t rc_file_make_folders(char *path, rc_err_t *err);

#endif
