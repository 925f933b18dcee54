/** \file sweep/session.h  MPI start and end, so that no other room has to know about it. */
#ifndef RC_SWEEP_SESSION_H
#define RC_SWEEP_SESSION_H

#include <mpi.h>

#include "rowcast.h"

enum { RC_SWEEP_NAME_MAX = 160 };

typedef struct rc_session {
    MPI_Comm comm; /**< all ranks; errors are returned.  MPI_COMM_NULL: alone, MPI is not started */
    MPI_Comm node; /**< ranks that share this node's memory; MPI_COMM_NULL: alone */
    int rank;
    int size;
    int node_rank;
    int node_size;
    int threads_ok; /**< 1: several threads may call MPI */
    char host[128];
} rc_session_t;

/** Start MPI where a launcher did start this process; else it is one rank without MPI.
 *  Refuses a job of N singletons: when the launcher says that there are more tasks than MPI sees
 *  (the wrong MPI plugin), every process would believe to be rank 0 of 1.
 *  \return RC_OK, RC_EMPI */
rc_status_t rc_session_open(int *argc, char ***argv, rc_session_t *out, rc_err_t *err);

/** End MPI in good order; collective. */
void rc_session_close(rc_session_t *s);

/** The smallest status of all ranks, so that all take the same branch; ranks that were fine get a
 *  text that says another one was not.  Collective. */
rc_status_t rc_session_agree(const rc_session_t *s, rc_status_t st, rc_err_t *err);

/** The lowest rank that says yes; the number of ranks when none does.  Collective; without an
 *  answer of MPI's every rank that says yes takes itself for it. */
int rc_session_first(const rc_session_t *s, int yes);

/** Send an array of rank 0 to all.  Collective.
 *  \param[in,out] data  rank 0: the array; elsewhere it is allocated, free with free()
 *  \param[in]     count, size  of its elements, the same on all ranks
 *  \return RC_OK, RC_ENOMEM, RC_EMPI */
rc_status_t rc_session_broadcast(
    const rc_session_t *s, void **data, int64_t count, size_t size, rc_err_t *err);

/** The same number of bytes of each rank, to all.  Collective over the session.
 *  \param[in] comm  of the session: all ranks, or those of the node
 *  \param[in] what  they are, for messages: "the CPU sets of the ranks"
 *  \return an element for each rank of comm, free(); on all ranks NULL with err set, which is not
 *          NULL: RC_ENOMEM, RC_EMPI */
void *rc_session_gather(const rc_session_t *s, MPI_Comm comm, const char *what, const void *mine,
    size_t size, rc_err_t *err);

/** Barrier that sleeps instead of spinning: ranks that wait must not disturb one that measures. */
void rc_session_wait_all(const rc_session_t *s);

#endif
