/** \file store/path.h  The one name of a store: its journals and locks are named after it, and a
 *  commit renames over it, so links are followed once, before anything else. */
#ifndef RC_STORE_PATH_H
#define RC_STORE_PATH_H

#include "rowcast.h"

/** Absolute path without links.  The store need not exist, its folder must.
 *  \param[out] out  free with free()
 *  \return RC_OK, RC_ENOENT (no such folder), RC_EINVAL (no regular file), RC_EIO, RC_ENOMEM
 */
rc_status_t rc_store_path(const char *path, char **out, rc_err_t *err);

#endif
