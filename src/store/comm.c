#include "config.h"
#include "store/comm.h"

#include <string.h>

int rc_comm_rank(MPI_Comm comm)
{
    int rank = 0;
    if (comm != MPI_COMM_NULL)
        MPI_Comm_rank(comm, &rank);
    return rank;
}

int rc_comm_size(MPI_Comm comm)
{
    int size = 1;
    if (comm != MPI_COMM_NULL)
        MPI_Comm_size(comm, &size);
    return size;
}

rc_status_t rc_comm_broadcast(MPI_Comm comm, void *data, size_t bytes)
{
    enum { piece = 1 << 30 }; /* MPI counts with an int */
    if (comm == MPI_COMM_NULL)
        return RC_OK;
    for (size_t at = 0; at < bytes; at += piece) {
        int n = bytes - at < piece ? (int)(bytes - at) : piece;
        if (MPI_Bcast((char *)data + at, n, MPI_BYTE, 0, comm) != MPI_SUCCESS)
            return RC_EMPI;
    }
    return RC_OK;
}

rc_status_t rc_comm_reduce(
    MPI_Comm comm, const void *mine, void *all, int n, size_t size, MPI_Datatype type, MPI_Op op)
{
    if (comm != MPI_COMM_NULL)
        return MPI_Allreduce(mine, all, n, type, op, comm) == MPI_SUCCESS ? RC_OK : RC_EMPI;
    memcpy(all, mine, (size_t)n * size);
    return RC_OK;
}

rc_status_t rc_comm_agree(MPI_Comm comm, rc_status_t st)
{
    int mine = st;
    int all = st;
    rc_status_t said = rc_comm_reduce(comm, &mine, &all, 1, sizeof mine, MPI_INT, MPI_MIN);
    return said < 0 ? said : (rc_status_t)all;
}

rc_status_t rc_comm_gather(MPI_Comm comm, const void *mine, void *all, size_t bytes)
{
    if (comm != MPI_COMM_NULL)
        return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, comm) ==
                       MPI_SUCCESS
                   ? RC_OK
                   : RC_EMPI;
    memcpy(all, mine, bytes);
    return RC_OK;
}
