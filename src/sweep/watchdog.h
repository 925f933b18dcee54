/** \file sweep/watchdog.h  Ends a rank in which something has been in flight for too long.  A call
 *  that does not come back (a kernel that hangs, on a CPU or a GPU) cannot be taken back; the rank
 *  can only die of it.  The journal names what was in flight, so that a case which hung in two runs
 *  gets the status crashed, and the next run goes on without it.  Local. */
#ifndef RC_SWEEP_WATCHDOG_H
#define RC_SWEEP_WATCHDOG_H

#include "base/log.h"
#include "base/outcome.h"

typedef struct rc_watchdog rc_watchdog_t;

/** Start watching with a thread of its own, which sleeps nearly always.
 *  \param[in]  limit_s  longest time in one phase of a job; 0: *out is NULL, which the other calls
 *                       take
 *  \param[in]  log      borrowed; gets the reason before the end
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_watchdog_start(
    double limit_s, const rc_log_t *log, rc_watchdog_t **out, rc_err_t *err);
void rc_watchdog_stop(rc_watchdog_t *w);

/** A phase of a job begins; the one before it has ended.  From any thread.
 *  \param[in] name  of the matrix, for the log; copied
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_watchdog_begin(
    rc_watchdog_t *w, int64_t job, const char *name, rc_phase_t phase, rc_err_t *err);

/** Nothing of the job is in flight any more. */
void rc_watchdog_end(rc_watchdog_t *w, int64_t job);

#endif
