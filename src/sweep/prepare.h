/** \file sweep/prepare.h  The next matrix to measure.  With preparers, threads take items and
 *  prepare them ahead of the measuring thread; what is ready waits in a list that is bounded in
 *  number and in host memory.  Without, an item is taken and prepared when it is asked for.
 *
 *  A suspect is in hand alone: nothing else is prepared or measured meanwhile, so that what dies
 *  then died of it.  Local but for the queue. */
#ifndef RC_SWEEP_PREPARE_H
#define RC_SWEEP_PREPARE_H

#include "sweep/stage.h"

typedef struct rc_prepare rc_prepare_t;

/** Start.  \param[in] w  borrowed.  Free with rc_prepare_close. */
rc_status_t rc_prepare_open(const rc_worker_t *w, rc_prepare_t **out, rc_err_t *err);

/** Wait for the next job that is ready.
 *  \param[out] out  borrowed until rc_prepare_done; NULL when there are no more
 *  \return RC_OK, RC_EINTR when draining, else what a preparer ended with (RC_EIO, ...) */
rc_status_t rc_prepare_take(rc_prepare_t *p, rc_job_t **out, rc_err_t *err);

/** The job was measured, and stays in hand until rc_prepare_done: nothing of it is in flight
 *  meanwhile.  \return as rc_ledger_settled */
rc_status_t rc_prepare_keep(rc_prepare_t *p, rc_job_t *j, rc_err_t *err);

/** The job was measured, or given up with the status st; it is freed.  \return as rc_job_end */
rc_status_t rc_prepare_done(rc_prepare_t *p, rc_job_t *j, rc_status_t st, rc_err_t *err);

/** Threads of the preparers that nothing is prepared with now. */
int rc_prepare_idle(rc_prepare_t *p);

/** Stop the preparers, give back what was prepared and not taken, free. */
void rc_prepare_close(rc_prepare_t *p);

#endif
