#include "config.h"
#include "catalog/fetch_http.h"
#include "base/error.h"

/* A build without libcurl: nothing can be opened, so nothing else is ever called. */

rc_status_t rc_http_open(double stall_s, double timeout_s, int64_t bytes_per_s,
    const char *certificates, rc_http_t **out, rc_err_t *err)
{
    (void)certificates;
    (void)timeout_s;
    (void)stall_s;
    (void)bytes_per_s;
    (void)out;
    return rc_fail(err, RC_ENOTSUP,
        "this program was built without libcurl, which downloads; install it (Debian: "
        "libcurl4-openssl-dev), then configure and build again");
}

rc_status_t rc_http_get(
    rc_http_t *h, const rc_http_request_t *r, rc_http_reply_t *out, rc_err_t *err)
{
    (void)h;
    (void)r;
    (void)out;
    return rc_fail(err, RC_ENOTSUP, "built without libcurl");
}

int64_t rc_http_received(const rc_http_t *h)
{
    (void)h;
    return 0;
}

void rc_http_close(rc_http_t *h)
{
    (void)h;
}

double rc_http_retry_after(const char *text, int64_t now_s)
{
    (void)text;
    (void)now_s;
    return -1;
}
