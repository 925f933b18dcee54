#include "config.h"
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

enum { ns_per_s = 1000000000 };

static int64_t read_clock(clockid_t id)
{
    struct timespec t;
    if (clock_gettime(id, &t) != 0)
        return 0;
    return (int64_t)t.tv_sec * ns_per_s + t.tv_nsec;
}

int64_t rc_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t rc_clock_resolution_ns(void)
{
    struct timespec t;
    if (clock_getres(CLOCK_MONOTONIC, &t) != 0)
        return 1;
    return (int64_t)t.tv_sec * ns_per_s + t.tv_nsec;
}

int64_t rc_utc_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

void rc_sleep_ns(int64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / ns_per_s), .tv_nsec = (long)(ns % ns_per_s)};
    nanosleep(&t, NULL);
}

void rc_utc_text(int64_t utc_ns, char buf[21])
{
    time_t s = (time_t)(utc_ns / ns_per_s);
    struct tm tm;
    if (!gmtime_r(&s, &tm) || strftime(buf, 21, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        snprintf(buf, 21, "-");
}

double rc_wait_due(rc_wait_t *w, int64_t now_ns)
{
    static const int64_t usual_ns = INT64_C(10000000000);
    if (!w->since_ns)
        w->since_ns = w->said_ns = now_ns;
    if (now_ns - w->said_ns < (w->every_ns ? w->every_ns : usual_ns))
        return 0;
    w->said_ns = now_ns;
    return (double)(now_ns - w->since_ns) * 1e-9;
}
