/** \file sweep/shared.h  Whether all ranks work in the same folder. */
#ifndef RC_SWEEP_SHARED_H
#define RC_SWEEP_SHARED_H

#include "sweep/session.h"

/** See on every rank that a file of rank 0 is there, with what rank 0 reads in it: a folder of the
 *  same name on a node's own disk is another folder.  On network file systems a new file may be
 *  seen late, so it is looked for for 10 s.  Collective.
 *  \param[in] dir, name  of the file; it holds what no other has, in its first 255 bytes
 *  \return RC_OK; RC_EIO, with host and folder in the text; RC_ENOMEM, RC_EMPI.  Cost: one
 *      broadcast */
rc_status_t rc_shared_check(
    const rc_session_t *s, const char *dir, const char *name, rc_err_t *err);

#endif
