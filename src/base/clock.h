/** \file base/clock.h  The two clocks: a monotonic one for durations, UTC for stamps. */
#ifndef RC_BASE_CLOCK_H
#define RC_BASE_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Monotonic time in ns since an arbitrary start. */
int64_t rc_clock_ns(void);

/** Resolution of rc_clock_ns in ns. */
int64_t rc_clock_resolution_ns(void);

/** UTC in ns since 1970. */
int64_t rc_utc_ns(void);

/** Sleep for at least `ns`; returns early on a signal. */
void rc_sleep_ns(int64_t ns);

/** "2026-01-31T12:34:56Z" of a UTC stamp, in buf[21]. */
void rc_utc_text(int64_t utc_ns, char buf[21]);

#ifdef __cplusplus
}
#endif

#endif
