/** \file store/in_place.h  Writing a store that cannot be replaced.  Private to src/store, for
 *  replace.c. */
#ifndef RC_STORE_IN_PLACE_H
#define RC_STORE_IN_PLACE_H

#include "rowcast.h"

/** Write the contents of `whole` into `target`, sync them, and read both again.  Blocks that are
 *  the same are not written.  A kill at any instant leaves `whole`, from which it can be done
 *  again.
 *  \param[out] touched  0: it failed with the target as it was
 *  \return RC_OK, RC_EIO (also when there is no room for it), RC_ENOMEM */
rc_status_t rc_in_place(const char *whole, const char *target, int *touched, rc_err_t *err);

#endif
