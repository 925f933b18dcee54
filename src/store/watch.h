/** \file store/watch.h  The store of a running sweep, as one process watches it: whether it is
 *  still there, or another fold has put its successor in place, and what a run has in it.
 *  Local. */
#ifndef RC_STORE_WATCH_H
#define RC_STORE_WATCH_H

#include "rowcast.h"

typedef struct rc_watch rc_watch_t;

/** Begin.  The store need not be there yet.
 *  \param[in] path     real path of the store, copied
 *  \param[in] results  that it must have at least
 *  \return RC_OK, RC_EIO (there are fewer, or it cannot be opened), RC_ESTORE, RC_ENOMEM.  Free
 *      with rc_watch_close. */
rc_status_t rc_watch_open(const char *path, int64_t results, rc_watch_t **out, rc_err_t *err);
void rc_watch_close(rc_watch_t *w);

/** Whether the store is still there.  Another file under its name is the store when it has all runs
 *  and at least the results that were there before, as after a fold by another process; it is
 *  watched from then on.
 *  Cost: two system calls while the file is the same.
 *  \return RC_OK; RC_EIO: removed, moved, or replaced by something else; RC_ESTORE, RC_ENOMEM */
rc_status_t rc_watch_check(rc_watch_t *w, rc_err_t *err);

/** This process put the file that is open there under the name of the store: it is the store from
 *  now on, also when it is gone by the next rc_watch_check.
 *  \param[in] fd  taken over */
void rc_watch_hold(rc_watch_t *w, int fd);

/** What a run has in the store; nothing while there is none.
 *  \param[in]  uuid     of the run
 *  \param[out] results  rows of /results from its journals: without cases that it died over
 *  \param[out] sources  rows of /sources, likewise
 *  Cost: reads the results that were added since rc_watch_open. */
rc_status_t rc_watch_count(
    const rc_watch_t *w, const char *uuid, int64_t *results, int64_t *sources, rc_err_t *err);

/** When the store is not there any more: copy what it was to a new file.
 *  \param[out] saved  1: copied; 0: it is there, or never was
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_watch_save(const rc_watch_t *w, const char *to, int *saved, rc_err_t *err);

#endif
