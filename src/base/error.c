#include "config.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *rc_status_name(rc_status_t status)
{
    switch (status) {
    case RC_OK:
        return "ok";
    case RC_EINVAL:
        return "invalid";
    case RC_ENOMEM:
        return "memory";
    case RC_EIO:
        return "io";
    case RC_EFORMAT:
        return "format";
    case RC_ERANGE:
        return "range";
    case RC_ENOTSUP:
        return "unsupported";
    case RC_ENOENT:
        return "absent";
    case RC_EBUSY:
        return "busy";
    case RC_EWRONG:
        return "wrong";
    case RC_EINTR:
        return "interrupted";
    case RC_ESTORE:
        return "store";
    case RC_EDEVICE:
        return "device";
    case RC_EMPI:
        return "mpi";
    }
    return "unknown";
}

const char *rc_version(void)
{
    return PACKAGE_VERSION;
}

/* A message is one line whatever went into it: control characters become spaces. */
static void one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = ' ';
}

static void set(rc_err_t *err, rc_status_t status, const char *fmt, va_list ap)
{
    err->status = status;
    if (vsnprintf(err->text, sizeof err->text, fmt, ap) < 0)
        err->text[0] = '\0';
    one_line(err->text);
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
        return RC_EINVAL; /* the status is not known, but it is no success */
    char context[2 * sizeof err->text + 2]; /* both texts, then cut to one */
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(context, sizeof err->text, fmt, ap);
    va_end(ap);
    if (n < 0)
        return err->status;
    one_line(context);
    size_t used = strlen(context);
    snprintf(context + used, sizeof context - used, ": %s", err->text);
    memcpy(err->text, context, sizeof err->text - 1);
    err->text[sizeof err->text - 1] = '\0';
    return err->status;
}
