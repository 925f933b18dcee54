/** \file store/replace.h  A finished file takes the place of another, so that a kill or a power cut
 *  at any instant leaves one of the two whole; names that last.  Private to src/store and
 *  src/table.
 *
 *  It is renamed over the other one, with its owner, group and permissions.  Where that cannot be
 *  it is written into the file that is there.  Until that is proved the new contents are whole
 *  beside it, as FILE.whole, which readers then read.  A time of change of its own tells it from
 *  files of others. */
#ifndef RC_STORE_REPLACE_H
#define RC_STORE_REPLACE_H

#include "rowcast.h"

/** Look whether `target`, if it is there, may be changed, and can be replaced or written, before
 *  anything long is begun.
 *  \param[in]  fresh  name of a file beside it that is made and removed for a trial
 *  \param[out] why    why it will be written in place; NULL: it is not there, or will be replaced
 *  \return RC_OK; RC_EIO: it is write-protected, or neither is possible */
rc_status_t rc_replace_look(const char *fresh, const char *target, const char **why, rc_err_t *err);

/** Finish what a kill has interrupted: a target that is not whole gets the contents of FILE.whole.
 *  \return RC_OK, also when there is nothing to finish; RC_EIO; RC_ESTORE: that copy is damaged */
rc_status_t rc_replace_finish(const char *target, rc_err_t *err);

/** Sync `fresh`, a sealed store, and let it take the place of `target`, which need not be there.
 *  \return RC_OK, RC_EIO, RC_ENOMEM: then `target` is as it was, or FILE.whole is there, which a
 *          line says */
rc_status_t rc_replace(const char *fresh, const char *target, rc_err_t *err);

/** The file that holds a store now: FILE.whole while FILE is written in place, else FILE itself.
 *  \param[out] out  free with free().  \return RC_OK, RC_ENOMEM */
rc_status_t rc_replace_readable(const char *target, char **out, rc_err_t *err);

#endif
