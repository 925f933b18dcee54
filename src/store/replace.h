/** \file store/replace.h  A finished file takes the place of another, so that a kill or a power cut
 *  at any instant leaves one of the two whole; names that last.  Private to src/store. */
#ifndef RC_STORE_REPLACE_H
#define RC_STORE_REPLACE_H

#include <sys/types.h>

#include "rowcast.h"

/** Sync `fresh`, give it its permissions, rename it to `target` and sync the folder.
 *  \param[in] mode  permissions; NULL: those that it has
 *  \return RC_OK, RC_EIO, RC_ENOMEM; until the rename `target` is as it was */
rc_status_t rc_replace(const char *fresh, const char *target, const mode_t *mode, rc_err_t *err);

/** Sync what was written to a file.  \return RC_OK, RC_EIO */
rc_status_t rc_sync_file(const char *path, rc_err_t *err);

/** Sync the folder that a file or folder was made in, so that a power cut leaves its name.
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_sync_folder_of(const char *path, rc_err_t *err);

#endif
