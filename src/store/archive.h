/** \file store/archive.h  A compressed copy of a store, for keeping and publishing.  Local. */
#ifndef RC_STORE_ARCHIVE_H
#define RC_STORE_ARCHIVE_H

#include "rowcast.h"

/** Write a copy of a store with its tables compressed (shuffle and deflate, which every HDF5 can
 *  read).  Whatever the file holds is copied, attributes included; a copy can be swept into.
 *  \param[in] to       replaced when it is there; a failure leaves it as it was
 *  \param[in] samples  0: leave /samples empty; results keep `reps` and get sample_offset -1
 *  \return RC_OK, RC_ENOENT, RC_EIO, RC_ESTORE, RC_ENOTSUP (this HDF5 cannot deflate), RC_EINVAL
 *          (both are the same file), RC_ENOMEM.  Cost: reads each table whole. */
rc_status_t rc_archive(const char *from, const char *to, int samples, rc_err_t *err);

#endif
