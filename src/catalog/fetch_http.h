/** \file catalog/fetch_http.h  Transfers, one after the other: HTTP, HTTPS, and files through the
 *  same calls.  The only part that knows libcurl.  Private to src/catalog; not thread-safe. */
#ifndef RC_CATALOG_FETCH_HTTP_H
#define RC_CATALOG_FETCH_HTTP_H

#include "rowcast.h"

typedef struct rc_http rc_http_t;

enum { RC_HTTP_MARK_MAX = 256 };

/** The head of a reply. */
typedef struct rc_http_head {
    int status;           /**< 200, 206, 304, 404, ...; 0: none came */
    int64_t total;        /**< bytes of the whole file; -1 when not known */
    int64_t from;         /**< with 206: first byte of the body in the file; -1 when not said */
    double retry_after_s; /**< what the server asks for, at least 0; negative: nothing */
    char mark[RC_HTTP_MARK_MAX]; /**< strong entity tag, else the date of the last change; "" */
} rc_http_head_t;

/** How a transfer ended. */
typedef enum rc_http_end {
    RC_HTTP_DONE = 0,       /**< the reply is complete; its status may be anything */
    RC_HTTP_BROKEN = 1,     /**< the connection failed or stalled: worth another try */
    RC_HTTP_IMPOSSIBLE = 2, /**< it will fail again: bad address, redirection without end */
    RC_HTTP_REFUSED = 3     /**< begin or write of the request said no */
} rc_http_end_t;

typedef struct rc_http_request {
    const char *url;
    int64_t from;       /**< first byte wanted, when the version still has `mark`; 0: all */
    const char *mark;   /**< of an earlier reply; with from 0: no body when it still has it */
    int64_t most_bytes; /**< longest body that is taken */
    /** Called once before the first byte of a body with status 200 or 206 (and at the end of an
     *  empty one); not RC_OK ends the transfer. */
    rc_status_t (*begin)(void *sink, const rc_http_head_t *head, rc_err_t *err);
    rc_status_t (*write)(void *sink, const void *data, size_t n, rc_err_t *err);
    /** Called about once a second and with whatever comes; not 0 ends the transfer; may be NULL. */
    int (*tick)(void *sink);
    void *sink; /**< of begin, write and tick */
} rc_http_request_t;

typedef struct rc_http_reply {
    rc_http_head_t head;
    rc_http_end_t end;
    int unreachable; /**< BROKEN without a word from the server: name or connection failed */
    rc_err_t err;    /**< why, when the end is not DONE */
} rc_http_reply_t;

/** \param[in] stall_s      a transfer without a byte for this long is broken
 *  \param[in] timeout_s    so is one that lasts longer, but for a second more for each 16 KiB of
 *                          body (or for what half of bytes_per_s brings, when that is less)
 *  \param[in] bytes_per_s  of a transfer; 0: no limit
 *  \param[in] certificates file of those that HTTPS trusts (PEM), borrowed until rc_http_close;
 *                          NULL: the system's
 *  \return RC_OK; RC_ENOTSUP when the program was built without libcurl; RC_ENOMEM */
rc_status_t rc_http_open(double stall_s, double timeout_s, int64_t bytes_per_s,
    const char *certificates, rc_http_t **out, rc_err_t *err);

/** Make a request and take what comes.
 *  \param[out] out  how it ended, whatever the server said
 *  \return RC_OK; RC_EINTR (tick said so: what came went to the sink); RC_ENOMEM */
rc_status_t rc_http_get(
    rc_http_t *h, const rc_http_request_t *r, rc_http_reply_t *out, rc_err_t *err);

/** Bytes of bodies received so far. */
int64_t rc_http_received(const rc_http_t *h);

/** NULL is allowed. */
void rc_http_close(rc_http_t *h);

/** Seconds from `now` (since 1970) that a Retry-After field asks for, at least 0; a number of
 *  seconds or a date (RFC 9110, section 10.2.3); negative when it is neither. */
double rc_http_retry_after(const char *text, int64_t now_s);

#endif
