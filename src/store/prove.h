/** \file store/prove.h  The one way by which a new store becomes a whole one: what was to be
 *  written is read again in a fresh open, and only then it gets its seal.  Local; private to
 *  src/store and src/table. */
#ifndef RC_STORE_PROVE_H
#define RC_STORE_PROVE_H

#include "store/contents.h"

/** Read a new store that has been closed, compare it with what it is to hold, put the seal behind
 *  it, compare that with the bytes, and sync them.
 *  \return RC_OK; RC_EIO: the disk lost something, or fails; RC_ENOMEM.  Then it is of no use.
 *  Cost: reads the file three times, each byte hashed as often */
rc_status_t rc_prove(const char *fresh, const rc_contents_t *expected, rc_err_t *err);

#endif
