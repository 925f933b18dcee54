#include "config.h"
#include "catalog/fetch_http.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "catalog/fetch_text.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
    redirections = 5,
    connect_s = 30,
    buffer_bytes = 1 << 18,
    error_body_bytes = 1 << 20 /* of a reply that is not wanted */
};

struct rc_http {
    CURL *easy; /* keeps its connection from one transfer to the next */
    double stall_s;
    double timeout_s;
    int64_t bytes_per_s;
    const char *certificates; /* NULL: the system's */
    int64_t received;
};

typedef struct transfer {
    rc_http_t *h;
    CURL *easy; /* of h */
    rc_http_request_t request;
    struct curl_slist *fields;
    rc_http_head_t head;
    int is_local; /* its head was made from the file's, not received */
    int has_head;
    int begun;
    int refused; /* by begin or write, or too long */
    int enough;  /* of the body of an error */
    int late;    /* it drips */
    int stopped; /* by tick */
    int ended;
    rc_http_end_t end;
    int unreachable;
    int64_t got;
    int64_t start_ns;
    rc_err_t err;
    char text[CURL_ERROR_SIZE];
    char date[64];              /* Last-Modified */
    char tag[RC_HTTP_MARK_MAX]; /* ETag */
    int64_t length;             /* of Content-Range */
    int64_t first;
    double retry_after_s;
} transfer_t;

/* ------------------------------------------------------------------------- head */

double rc_http_retry_after(const char *text, int64_t now_s)
{
    int64_t s;
    static const int64_t longest_s = INT64_C(1) << 40;
    rc_status_t st = rc_parse_int(text, 0, longest_s, "", &s, NULL);
    if (st == RC_ERANGE && text[0] != '-')
        return (double)longest_s; /* it has more digits than anybody waits */
    if (st == RC_OK)
        return (double)s;
    time_t at = curl_getdate(text, NULL);
    if (at == (time_t)-1)
        return -1;
    return (int64_t)at > now_s ? (double)((int64_t)at - now_s) : 0;
}

static void forget_head(transfer_t *t)
{
    t->has_head = 0;
    t->date[0] = '\0';
    t->tag[0] = '\0';
    t->length = -1;
    t->first = -1;
    t->retry_after_s = -1;
}

/* The value of a field when the line is that field, in buf without blanks around it. */
static int field(const char *line, size_t n, const char *name, char *buf, size_t size)
{
    size_t m = strlen(name);
    if (n <= m || strncasecmp(line, name, m) != 0 || line[m] != ':')
        return 0;
    const char *from = line + m + 1;
    const char *end = line + n;
    while (from < end && (*from == ' ' || *from == '\t'))
        from++;
    while (end > from && (unsigned char)end[-1] <= ' ')
        end--;
    if ((size_t)(end - from) >= size)
        return 0;
    for (const char *p = from; p < end; p++)
        if ((unsigned char)*p < ' ')
            return 0;
    memcpy(buf, from, (size_t)(end - from));
    buf[end - from] = '\0';
    return 1;
}

static size_t on_field(char *line, size_t size, size_t count, void *arg)
{
    transfer_t *t = arg;
    size_t n = size * count;
    char value[RC_HTTP_MARK_MAX];
    if (n >= 5 && strncmp(line, "HTTP/", 5) == 0)
        forget_head(t); /* of a redirection */
    else if (field(line, n, "etag", value, sizeof value))
        rc_strcpy(t->tag, sizeof t->tag, value, "etag", NULL);
    else if (field(line, n, "last-modified", value, sizeof t->date))
        rc_strcpy(t->date, sizeof t->date, value, "date", NULL);
    else if (field(line, n, "retry-after", value, sizeof value))
        t->retry_after_s = rc_http_retry_after(value, rc_utc_ns() / 1000000000);
    else if (field(line, n, "content-range", value, sizeof value) &&
             rc_content_range(value, &t->first, &t->length) < 0)
        t->first = t->length = -1;
    return n;
}

static void complete_head(transfer_t *t)
{
    if (t->has_head || t->is_local)
        return;
    long status = 0;
    curl_off_t length = -1;
    curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    t->has_head = 1;
    t->head = (rc_http_head_t){.status = (int)status,
        .total = t->length >= 0  ? t->length
                 : status == 200 ? (int64_t)length
                                 : -1,
        .from = t->first,
        .retry_after_s = t->retry_after_s};
    const char *mark = rc_validator_is_strong(t->tag) ? t->tag : t->date;
    rc_strcpy(t->head.mark, sizeof t->head.mark, mark, "mark", NULL);
}

/* ------------------------------------------------------------------------- body */

static int is_wanted(const transfer_t *t)
{
    return t->head.status == 200 || t->head.status == 206;
}

static int begin(transfer_t *t)
{
    if (!t->begun && t->request.begin(t->request.sink, &t->head, &t->err) < 0)
        t->refused = 1;
    t->begun = 1;
    return !t->refused;
}

/* Wait until what has come may have: libcurl's own limit lets short transfers through. */
static int keep_rate(const transfer_t *t)
{
    static const int64_t slice_ns = 50000000; /* between looks at signals */
    double rate = (double)t->h->bytes_per_s;
    if (rate <= 0)
        return 1;
    int64_t until = t->start_ns + (int64_t)((double)t->got / rate * 1e9);
    int64_t left;
    while ((left = until - rc_clock_ns()) > 0) {
        if (t->request.tick && t->request.tick(t->request.sink))
            return 0;
        rc_sleep_ns(left < slice_ns ? left : slice_ns);
    }
    return 1;
}

/* Silence is seen by libcurl; a byte now and then is seen here. */
static int is_late(transfer_t *t)
{
    static const double least_rate = 16384;
    double half = (double)t->h->bytes_per_s / 2;
    double rate = half > 0 && half < least_rate ? half : least_rate;
    double allowed = t->h->timeout_s + (double)t->got / rate;
    double elapsed = (double)(rc_clock_ns() - t->start_ns) * 1e-9;
    t->late = elapsed > allowed;
    return t->late;
}

static size_t on_body(char *data, size_t size, size_t count, void *arg)
{
    transfer_t *t = arg;
    rc_http_t *h = t->h;
    size_t n = size * count;
    complete_head(t);
    if (!is_wanted(t)) {
        t->got += (int64_t)n;
        t->enough = t->got > error_body_bytes;
        return t->enough ? 0 : n;
    }
    if (!begin(t))
        return 0;
    t->got += (int64_t)n;
    if (t->got > t->request.most_bytes) {
        t->refused = 1;
        rc_fail(&t->err, RC_EFORMAT,
            "the server sends more than the %" PRId64 " bytes that can be meant",
            t->request.most_bytes);
        return 0;
    }
    h->received += (int64_t)n;
    if (t->request.write(t->request.sink, data, n, &t->err) < 0) {
        t->refused = 1;
        return 0;
    }
    t->stopped = !keep_rate(t);
    return t->stopped ? 0 : n;
}

static int on_progress(
    void *arg, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
    transfer_t *t = arg;
    (void)total;
    (void)now;
    (void)up_total;
    (void)up_now;
    return is_late(t) || (t->request.tick && t->request.tick(t->request.sink));
}

/* -------------------------------------------------------------------- transfers */

static void end_with(transfer_t *t, rc_http_end_t end)
{
    t->ended = 1;
    t->end = end;
}

static rc_status_t add_field(transfer_t *t, const char *name, const char *value, rc_err_t *err)
{
    rc_str_t line = {0};
    rc_str_addf(&line, "%s: %s", name, value);
    struct curl_slist *longer = line.failed ? NULL : curl_slist_append(t->fields, line.text);
    rc_str_free(&line);
    if (!longer)
        return rc_fail(err, RC_ENOMEM, "no memory for a request");
    t->fields = longer;
    return RC_OK;
}

/* What a server would have said of a local file: its size and time are its mark. */
static rc_status_t look_local(transfer_t *t, rc_err_t *err)
{
    rc_http_request_t *r = &t->request;
    struct stat s;
    char *path = curl_easy_unescape(t->easy, r->url + strlen("file://"), 0, NULL);
    if (!path)
        return rc_fail(err, RC_ENOMEM, "no memory for a request");
    int found = stat(path, &s) == 0;
    int why = errno;
    curl_free(path);
    t->is_local = 1;
    t->head = (rc_http_head_t){.total = -1, .from = -1, .retry_after_s = -1};
    if (!found || !S_ISREG(s.st_mode)) {
        t->head.status = !found && (why == ENOENT || why == ENOTDIR) ? 404 : 403;
        end_with(t, RC_HTTP_DONE);
        return RC_OK;
    }
    t->head.total = (int64_t)s.st_size;
    snprintf(t->head.mark, sizeof t->head.mark, "\"%" PRId64 "-%" PRId64 ".%09ld\"",
        (int64_t)s.st_size, (int64_t)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    int same = r->mark && strcmp(r->mark, t->head.mark) == 0;
    if (same && r->from == 0) {
        t->head.status = 304;
        end_with(t, RC_HTTP_DONE);
    } else if (same && r->from >= t->head.total) {
        t->head.status = 416;
        end_with(t, RC_HTTP_DONE);
    } else if (same) {
        t->head.status = 206;
        t->head.from = r->from;
    } else {
        t->head.status = 200;
        r->from = 0;
    }
    return RC_OK;
}

static rc_status_t ask_conditions(transfer_t *t, rc_err_t *err)
{
    const rc_http_request_t *r = &t->request;
    const char *mark = r->mark ? r->mark : "";
    if (!mark[0])
        return RC_OK;
    if (r->from > 0)
        return add_field(t, "If-Range", mark, err);
    return add_field(t, mark[0] == '"' ? "If-None-Match" : "If-Modified-Since", mark, err);
}

static CURLcode set_protocols(CURL *easy, const char *url)
{
    int is_secure = strncasecmp(url, "https:", strlen("https:")) == 0;
    int is_local = strncasecmp(url, "file:", strlen("file:")) == 0;
#if LIBCURL_VERSION_NUM >= 0x075500
    CURLcode c = curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, is_local ? "file" : "http,https");
    return c ? c
             : curl_easy_setopt(
                   easy, CURLOPT_REDIR_PROTOCOLS_STR, is_secure ? "https" : "http,https");
#else
    long web = CURLPROTO_HTTP | CURLPROTO_HTTPS;
    CURLcode c = curl_easy_setopt(easy, CURLOPT_PROTOCOLS, is_local ? (long)CURLPROTO_FILE : web);
    return c ? c
             : curl_easy_setopt(
                   easy, CURLOPT_REDIR_PROTOCOLS, is_secure ? (long)CURLPROTO_HTTPS : web);
#endif
}

static rc_status_t set_options(transfer_t *t, rc_err_t *err)
{
    CURL *e = t->easy;
    char range[32];
    long stall = (long)t->h->stall_s;
    CURLcode c = set_protocols(e, t->request.url);
#define SET(option, value) c = c ? c : curl_easy_setopt(e, option, value)
    SET(CURLOPT_URL, t->request.url);
    SET(CURLOPT_ERRORBUFFER, t->text);
    SET(CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_FOLLOWLOCATION, 1L);
    SET(CURLOPT_MAXREDIRS, (long)redirections);
    SET(CURLOPT_CONNECTTIMEOUT, (long)connect_s);
    SET(CURLOPT_LOW_SPEED_LIMIT, 1L);
    SET(CURLOPT_LOW_SPEED_TIME, stall > 0 ? stall : 1L);
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, t);
    SET(CURLOPT_HEADERFUNCTION, on_field);
    SET(CURLOPT_HEADERDATA, t);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, on_progress);
    SET(CURLOPT_XFERINFODATA, t);
    if (t->request.from > 0) {
        snprintf(range, sizeof range, "%" PRId64 "-", t->request.from);
        SET(CURLOPT_RANGE, range);
    }
    if (t->fields)
        SET(CURLOPT_HTTPHEADER, t->fields);
    if (t->h->certificates) {
        SET(CURLOPT_CAINFO, t->h->certificates);
        SET(CURLOPT_PROXY_CAINFO, t->h->certificates);
    }
#undef SET
    /* only speed: refused by versions (7.88) that keep a transfer's connection after a failed name
     * look-up */
    (void)curl_easy_setopt(e, CURLOPT_BUFFERSIZE, (long)buffer_bytes);
    return c ? rc_fail(err, RC_ENOMEM, "%s: libcurl: %s", t->request.url, curl_easy_strerror(c))
             : RC_OK;
}

static int is_worth_a_try(CURLcode c)
{
    switch (c) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_READ_ERROR:
    case CURLE_AGAIN:
        return 1;
    default:
        return 0;
    }
}

static void conclude(transfer_t *t, CURLcode c)
{
    complete_head(t);
    if (c == CURLE_OK && is_wanted(t))
        begin(t); /* an empty body */
    if (t->refused) {
        end_with(t, RC_HTTP_REFUSED);
        return;
    }
    if (c == CURLE_OK || t->enough) {
        end_with(t, RC_HTTP_DONE);
        return;
    }
    if (t->late) {
        rc_fail(&t->err, RC_EIO, "too slow: %" PRId64 " bytes came in %.0f s", t->got,
            (double)(rc_clock_ns() - t->start_ns) * 1e-9);
        end_with(t, RC_HTTP_BROKEN);
        return;
    }
    const char *why = t->text[0] ? t->text : curl_easy_strerror(c);
    rc_fail(&t->err, RC_EIO, "%.200s", why);
    t->unreachable = c == CURLE_COULDNT_RESOLVE_HOST || c == CURLE_COULDNT_RESOLVE_PROXY ||
                     c == CURLE_COULDNT_CONNECT;
    end_with(t, is_worth_a_try(c) ? RC_HTTP_BROKEN : RC_HTTP_IMPOSSIBLE);
}

rc_status_t rc_http_get(
    rc_http_t *h, const rc_http_request_t *r, rc_http_reply_t *out, rc_err_t *err)
{
    transfer_t t = {.h = h, .easy = h->easy, .request = *r, .start_ns = rc_clock_ns()};
    rc_status_t st = RC_OK;
    t.head = (rc_http_head_t){.total = -1, .from = -1, .retry_after_s = -1};
    forget_head(&t);
    curl_easy_reset(h->easy);
    if (strncmp(r->url, "file://", strlen("file://")) == 0)
        RC_TRY(look_local(&t, err));
    else
        RC_TRY(ask_conditions(&t, err));
    RC_TRY(set_options(&t, err));
    if (!t.ended) {
        CURLcode c = curl_easy_perform(h->easy);
        if ((c == CURLE_ABORTED_BY_CALLBACK && !t.late) || t.stopped)
            RC_TRY(rc_fail(err, RC_EINTR, "asked to stop"));
        conclude(&t, c);
    }
    *out =
        (rc_http_reply_t){.head = t.head, .end = t.end, .unreachable = t.unreachable, .err = t.err};
done:
    curl_slist_free_all(t.fields);
    return st;
}

int64_t rc_http_received(const rc_http_t *h)
{
    return h->received;
}

rc_status_t rc_http_open(double stall_s, double timeout_s, int64_t bytes_per_s,
    const char *certificates, rc_http_t **out, rc_err_t *err)
{
    rc_http_t *h = rc_alloc0(1, sizeof *h, "transfers", err);
    RC_PASS(h ? RC_OK : RC_ENOMEM);
    h->stall_s = stall_s;
    h->timeout_s = timeout_s;
    h->bytes_per_s = bytes_per_s;
    h->certificates = certificates;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        free(h);
        return rc_fail(err, RC_ENOMEM, "libcurl cannot be initialised");
    }
    h->easy = curl_easy_init();
    if (!h->easy) {
        rc_http_close(h);
        return rc_fail(err, RC_ENOMEM, "no memory for transfers");
    }
    *out = h;
    return RC_OK;
}

void rc_http_close(rc_http_t *h)
{
    if (!h)
        return;
    if (h->easy)
        curl_easy_cleanup(h->easy);
    curl_global_cleanup();
    free(h);
}
