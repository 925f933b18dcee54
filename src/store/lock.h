/** \file store/lock.h  Advisory locks beside a store, held with flock() on small files in the
 *  journal folder.  A lock ends with its process, also by kill -9; the files carry the name of the
 *  holder for the message to the next one. */
#ifndef RC_STORE_LOCK_H
#define RC_STORE_LOCK_H

#include "rowcast.h"

typedef struct rc_lock rc_lock_t;

/** Create the folder when it is missing, then take the lock `name` in it.
 *  \param[in] wait_ns  how long to wait for it
 *  \return RC_OK; RC_EBUSY with holder (host, process, since when) in the text; RC_EIO, with what
 *  to do, when the folder cannot be made or the file system has no locks.  Free with
 *  rc_lock_release. */
rc_status_t rc_lock_take(
    const char *dir, const char *name, int64_t wait_ns, rc_lock_t **out, rc_err_t *err);

/** Release; removes the lock file.  NULL is allowed. */
void rc_lock_release(rc_lock_t *l);

#endif
