/** \file store/lock.h  Locks beside a store: a small file that is made only when it is not there,
 *  and names its owner (owner.h).  No lock of the file system's is needed: creation and rename are
 *  atomic on NFS too.  A lock whose owner is gone is taken over by exactly one of those who find
 *  it. */
#ifndef RC_STORE_LOCK_H
#define RC_STORE_LOCK_H

#include "base/log.h"
#include "store/owner.h"

typedef struct rc_lock rc_lock_t;

/** How long to wait. */
typedef struct rc_lock_wait {
    int64_t busy_ns;     /**< for an owner that lives */
    int64_t silent_ns;   /**< for a sign of life of one on another machine; 0: RC_OWNER_SILENT_NS */
    const rc_log_t *log; /**< is told who holds it, when that begins and each 10 s; NULL: nobody */
    int64_t tell_ns;     /**< instead of these 10 s; 0: these */
} rc_lock_wait_t;

/** Create the folder when it is missing, then take the lock `name` in it.
 *  \param[in] wait  NULL: not at all for an owner that lives
 *  \return RC_OK; RC_EBUSY with the owner (process, host, since when) in the text; RC_EIO, with
 *      what
 *  to do, when folder or lock cannot be made.  Free with rc_lock_release. */
rc_status_t rc_lock_take(
    const char *dir, const char *name, const rc_lock_wait_t *wait, rc_lock_t **out, rc_err_t *err);

/** Whether the lock is still this process's: another machine may have taken it over from a process
 *  that stood still for long.  Cost: three system calls.
 *  \return RC_OK; RC_EIO with the new owner in the text */
rc_status_t rc_lock_check(const rc_lock_t *l, rc_err_t *err);

/** Whether anybody holds a lock, without taking it: GONE also when there is none. */
rc_owner_state_t rc_lock_state(const char *dir, const char *name);

/** Release; removes the lock file.  NULL is allowed. */
void rc_lock_release(rc_lock_t *l);

#endif
