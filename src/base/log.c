#include "config.h"
#include "base/log.h"
#include "base/clock.h"
#include "base/visible.h"

#include <stdarg.h>
#include <string.h>

void rc_log(const rc_log_t *log, rc_log_level_t level, const char *area, const char *fmt, ...)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};
    if (!log || !log->stream || level > log->level)
        return;
    char message[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    char shown[sizeof message * 2];
    rc_visible(message, shown, sizeof shown);
    char stamp[21];
    char rank[32] = "";
    rc_utc_text(rc_utc_ns(), stamp);
    if (log->rank >= 0)
        snprintf(rank, sizeof rank, "rank %d ", log->rank);
    /* the time of day is enough on a terminal; the date is in the store */
    fprintf(log->stream, "%.8s %s%s %s: %s\n", strlen(stamp) > 19 ? stamp + 11 : stamp, rank,
        names[level], area, shown);
    fflush(log->stream);
}
