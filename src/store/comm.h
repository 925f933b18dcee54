/** \file store/comm.h  What the ranks of a job say to each other.  A process that was started alone
 *  has no communicator (MPI_COMM_NULL): it is rank 0 of 1, needs nobody's word, and MPI is never
 *  started.  All are collective over the communicator. */
#ifndef RC_STORE_COMM_H
#define RC_STORE_COMM_H

#include <mpi.h>

#include "rowcast.h"

int rc_comm_rank(MPI_Comm comm);
int rc_comm_size(MPI_Comm comm);

/** Bytes of rank 0 to all.  \return RC_OK, RC_EMPI */
rc_status_t rc_comm_broadcast(MPI_Comm comm, void *data, size_t bytes);

/** Combine n values of each rank, of `size` bytes each.  \return RC_OK, RC_EMPI */
rc_status_t rc_comm_reduce(
    MPI_Comm comm, const void *mine, void *all, int n, size_t size, MPI_Datatype type, MPI_Op op);

/** The smallest status of all ranks; RC_EMPI when that cannot be found out. */
rc_status_t rc_comm_agree(MPI_Comm comm, rc_status_t st);

/** The same number of bytes of each rank, in the order of the ranks, to all.
 *  \return RC_OK, RC_EMPI */
rc_status_t rc_comm_gather(MPI_Comm comm, const void *mine, void *all, size_t bytes);

#endif
