/** \file store/guard.h  Reading a file whose bytes nothing vouches for: damaged structures make HDF5
 *  crash, so a store without a seal (store/seal.h) is read in a child process.  */
#ifndef RC_STORE_GUARD_H
#define RC_STORE_GUARD_H

#include "rowcast.h"

/** Whether a file begins as HDF5 does; every store does, at its first byte. */
int rc_guard_is_hdf5(int fd);

/** Look at a file before it is opened as a store.
 *  \param[out] unsealed  1: HDF5 would parse bytes that nothing was compared with.  0: they are
 *                        sealed, or the opening refuses the file before HDF5 sees it (not there, not
 *                        HDF5, a seal that does not hold)
 *  \return RC_OK; RC_EIO; RC_ENOMEM.  Cost: reads the seal, not the file. */
rc_status_t rc_guard_look(const char *path, int *unsealed, rc_err_t *err);

/** Go on in a child process.  Returns in both, as fork() does: in the child at once with *child 1, in
 *  the parent when the child has ended.  The child ends with its parent, and leaves no core.  Not
 *  after MPI_Init(), nor with threads.
 *  \param[in]  path     in errors
 *  \param[in]  seconds  of processor time that the child may take; 0: any
 *  \param[out] code     in the parent: the exit code of the child
 *  \return RC_OK; RC_ESTORE: the child died of a signal; RC_EIO: there is no child */
rc_status_t rc_guard_fork(const char *path, int seconds, int *child, int *code, rc_err_t *err);

#endif
