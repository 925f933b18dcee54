/** \file store/held.h  A file that is held open while its name must go on to mean it: the journal
 *  that a rank appends to, the store of a running sweep, a lock.  What the descriptor holds can be
 *  copied to a new name after the old one is gone, but not what another client of a network file
 *  system has removed.  Private to src/store. */
#ifndef RC_STORE_HELD_H
#define RC_STORE_HELD_H

#include "rowcast.h"

/** 1: the open file is the one under that name. */
int rc_held_is(int fd, const char *path);

/** The same, with a text that says whether it was removed, or something else is there.
 *  \return RC_OK, RC_EIO */
rc_status_t rc_held_check(int fd, const char *path, rc_err_t *err);

/** Copy a file from its start to where its end is now.
 *  \param[in] from, to  names for the text of an error
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_held_copy(int in, const char *from, int out, const char *to, rc_err_t *err);

/** Copy an open file to a new one, and sync that.  An existing one is left alone.
 *  \param[in] from  name for the text of an error
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_held_save(int in, const char *from, const char *to, rc_err_t *err);

#endif
