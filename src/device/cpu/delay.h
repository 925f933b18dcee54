/** \file device/cpu/delay.h  How long a team of this process waits for CPUs that others have. */
#ifndef RC_DEVICE_CPU_DELAY_H
#define RC_DEVICE_CPU_DELAY_H

#include "device/cpu/crowd.h"
#include "rowcast.h"

/** A span that is watched. */
typedef struct rc_delay {
    const char *root; /**< as in rc_crowd_meter_t */
    int most;         /**< threads of a team at most */
    int threads;      /**< of the team; 0: it has more of them than CPUs, and waits for itself */
    int *id;          /**< [most] of the threads */
    int64_t *since;   /**< [most] what each had waited when the span began */
    int64_t begin_ns;
    int64_t cpu_ns; /**< CPU time of the process then */
} rc_delay_t;

/** Time that a thread was ready to run and did not, of its /proc/PID/task/ID/schedstat, in ns.
 *  \return -1: the line does not say */
int64_t rc_delay_parse(const char *schedstat);

/** \param[in] root  borrowed  \param[in] most  threads of a team at most
 *  \return RC_OK, RC_ENOMEM.  Free with rc_delay_close, also then. */
rc_status_t rc_delay_open(rc_delay_t *d, const char *root, int most, rc_err_t *err);

void rc_delay_close(rc_delay_t *d);

/** Whose waiting counts: the team of that size that the caller leads.  It begins one.
 *  \param[in] c  the CPUs that it may use */
void rc_delay_team(rc_delay_t *d, int team, const rc_crowd_t *c);

/** Begin a span.  2 to 10 us for each thread of the team. */
void rc_delay_begin(rc_delay_t *d);

/** How long the thread that waited most did so since; or for how long none of the process ran,
 *  where that is more: not all kernels of Linux tell the former, nor what a hypervisor took. */
int64_t rc_delay_end(const rc_delay_t *d);

#endif
