/** \file base/clock.h  The two clocks: a monotonic one for durations, UTC for stamps. */
#ifndef RC_BASE_CLOCK_H
#define RC_BASE_CLOCK_H

#include <stdint.h>

/** Monotonic time in ns since an arbitrary start. */
int64_t rc_clock_ns(void);

/** Resolution of rc_clock_ns in ns. */
int64_t rc_clock_resolution_ns(void);

/** UTC in ns since 1970. */
int64_t rc_utc_ns(void);

/** Sleep for at least `ns`; returns early on a signal. */
void rc_sleep_ns(int64_t ns);

/** A wait that others may wonder about; zero-initialise. */
typedef struct rc_wait {
    int64_t since_ns; /**< 0: it has not begun */
    int64_t said_ns;
    int64_t every_ns; /**< between two words; 0: 10 s */
} rc_wait_t;

/** Begin or go on with a wait.
 *  \param[in] now_ns  rc_clock_ns(), not 0
 *  \return seconds waited so far when it is time to say so; else 0 */
double rc_wait_due(rc_wait_t *w, int64_t now_ns);

/** "2026-01-31T12:34:56Z" of a UTC stamp, in buf[21]. */
void rc_utc_text(int64_t utc_ns, char buf[21]);

#endif
