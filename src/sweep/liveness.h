/** \file sweep/liveness.h  Whether the other ranks are still there.  MPI says nothing about a node
 *  that is lost without a word (its power, its link): calls that wait for it wait for ever.  So
 *  rank 0 and each other rank send each other a word now and then, by a thread of their own, and
 *  who hears nothing for too long ends the job: journals hold what is finished. */
#ifndef RC_SWEEP_LIVENESS_H
#define RC_SWEEP_LIVENESS_H

#include "base/log.h"
#include "sweep/session.h"

typedef struct rc_liveness rc_liveness_t;

/** Begin.  Collective.
 *  \param[in]  limit_s  how long nothing may be heard; 0, one rank, and an MPI that lets only one
 *                       thread call it: *out is NULL, which rc_liveness_stop takes
 *  \param[in]  log      borrowed; gets the reason before MPI_Abort with RC_EXIT_ERROR
 *  Cost: a message of a byte to and from each rank every fourth of the limit, at most every 10 s.
 *  \return RC_OK, RC_ENOMEM, RC_EMPI */
rc_status_t rc_liveness_start(
    const rc_session_t *s, double limit_s, const rc_log_t *log, rc_liveness_t **out, rc_err_t *err);

/** End, when all ranks have come to the same point.  Collective. */
void rc_liveness_stop(rc_liveness_t *l);

#endif
