/** \file store/guard.h  Reading a file whose bytes nothing vouches for: damaged structures make
 *  HDF5 crash, so a store without a seal (store/seal.h) is read in a child process.  */
#ifndef RC_STORE_GUARD_H
#define RC_STORE_GUARD_H

#include "rowcast.h"

/** Whether a file begins as HDF5 does; every store does, at its first byte. */
int rc_guard_is_hdf5(int fd);

/** Whether no program says in the head of an HDF5 file (superblock 3) that it is writing it.
 *  \return RC_OK; RC_ESTORE with what to do: one does, or died before it closed it */
rc_status_t rc_guard_closed(int fd, const char *path, rc_err_t *err);

/** Look at a file before it is opened as a store.
 *  \param[out] unsealed  1: HDF5 would parse bytes that nothing was compared with.  0: they are
 *                        sealed, or the opening refuses the file before HDF5 sees it (not there,
 *                        not HDF5, a seal that does not hold)
 *  \return RC_OK; RC_EIO; RC_ENOMEM.  Cost: reads the seal, not the file. */
rc_status_t rc_guard_look(const char *path, int *unsealed, rc_err_t *err);

/** The same for what goes on with a store unattended: one that was sealed when it was written, and
 *  has lost its seal, is refused.  One of schema 1, which may be older than seals, is not.
 *  \param[out] unsealed  may be NULL
 *  \return RC_OK, also when there is none; RC_ESTORE; RC_EIO; RC_ENOMEM */
rc_status_t rc_guard_check(const char *path, int *unsealed, rc_err_t *err);

/** What a child may take. */
typedef struct rc_guard_limits {
    int cpu_s;         /**< processor time; 0: any */
    int idle_s;        /**< time in which it reads and writes no byte while it has one of `file`
                            open; 0: any.  What it does with a file once that is closed has no
                            limit */
    char *const *file; /**< [files], or fewer and NULL; borrowed */
    int files;
} rc_guard_limits_t;

/** The limit that rc_guard_limits_t.idle_s has by default: 60, or what the environment variable
 *  ROWCAST_UNSEALED_SECONDS says; 0 there: none.
 *  \return RC_OK; RC_EINVAL: it is no number of seconds */
rc_status_t rc_guard_idle(int *seconds, rc_err_t *err);

/** Go on in a child process.  Returns in both, as fork() does: in the child at once with *child 1,
 *  in the parent when the child has ended, or was ended as it went beyond a limit.  The child ends
 *  with its parent, and leaves no core.  Not after MPI_Init(), nor with threads.
 *  \param[in]  path    in errors
 *  \param[out] code    in the parent: the exit code of the child
 *  \return RC_OK; RC_ESTORE: the child died of a signal, or got no further; RC_EIO: there is no
 *      child */
rc_status_t rc_guard_fork(
    const char *path, const rc_guard_limits_t *limits, int *child, int *code, rc_err_t *err);

#endif
