#include "config.h"
#include "base/error.h"
#include "catalog/fetch_private.h"

/* A build without libcurl: nothing can be opened, so nothing else is ever called. */

rc_status_t rc_http_open(rc_fetch_t *f, rc_err_t *err)
{
    (void)f;
    return rc_fail(err, RC_ENOTSUP,
        "this program was built without libcurl, which downloads; install it (Debian: "
        "libcurl4-openssl-dev), then configure and build again");
}

rc_status_t rc_http_get(
    rc_fetch_t *f, const rc_fetch_request_t *q, rc_fetch_reply_t *out, rc_err_t *err)
{
    (void)f;
    (void)q;
    (void)out;
    return rc_fail(err, RC_ENOTSUP, "built without libcurl");
}

void rc_http_close(rc_fetch_t *f)
{
    (void)f;
}

double rc_http_retry_after(const char *text, int64_t now_s)
{
    (void)text;
    (void)now_s;
    return -1;
}
