#include "config.h"
#include "base/error.h"
#include "base/visible.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *rc_status_name(rc_status_t status)
{
    static const char *const names[] = {"ok", "invalid", "memory", "io", "format", "range",
        "unsupported", "absent", "busy", "wrong", "interrupted", "store", "device", "mpi"};
    const int64_t at = -(int64_t)status;
    return at >= 0 && at < (int64_t)(sizeof names / sizeof *names) ? names[at] : "unknown";
}

const char *rc_version(void)
{
    return PACKAGE_VERSION;
}

/* A message is one line whatever went into it: ends of lines become spaces, other control
 * characters visible. */
static void one_line(const char *from, char *text, size_t size)
{
    char flat[2 * sizeof((rc_err_t *)0)->text + 2];
    size_t n = 0;
    for (; from[n] && n + 1 < sizeof flat; n++)
        flat[n] = strchr("\t\r\n", from[n]) ? ' ' : from[n];
    flat[n] = '\0';
    rc_visible(flat, text, size);
}

static void set(rc_err_t *err, rc_status_t status, const char *fmt, va_list ap)
{
    char text[sizeof err->text];
    err->status = status;
    if (vsnprintf(text, sizeof text, fmt, ap) < 0)
        text[0] = '\0';
    one_line(text, err->text, sizeof err->text);
}

rc_status_t rc_fail(rc_err_t *err, rc_status_t status, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        set(err, status, fmt, ap);
        va_end(ap);
    }
    return status;
}

rc_status_t rc_fail_errno(rc_err_t *err, rc_status_t status, int errnum, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, fmt);
        set(err, status, fmt, ap);
        va_end(ap);
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(errnum));
    }
    return status;
}

rc_status_t rc_err_context(rc_err_t *err, const char *fmt, ...)
{
    if (!err)
        return RC_EINVAL;                   /* the status is not known, but it is no success */
    char context[2 * sizeof err->text + 2]; /* both texts, then cut to one */
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(context, sizeof err->text, fmt, ap);
    va_end(ap);
    if (n < 0)
        return err->status;
    size_t used = strlen(context);
    snprintf(context + used, sizeof context - used, ": %s", err->text);
    one_line(context, err->text, sizeof err->text);
    return err->status;
}

void rc_err_keep(rc_status_t st, const rc_err_t *said, rc_status_t *all, rc_err_t *err)
{
    if (st >= 0)
        return;
#pragma omp critical(rc_err_keep)
    {
        *all = st;
        if (err)
            *err = *said;
    }
}
