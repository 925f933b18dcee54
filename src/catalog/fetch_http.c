#include "config.h"
#include "catalog/fetch_private.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

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

/* Why a transfer was cut off here. */
typedef enum cut {
    NOT_CUT,
    CUT_REFUSED,  /* it cannot be kept, or is too long */
    CUT_MISMATCH, /* another range than was asked for */
    CUT_ENOUGH,   /* of the body of an error */
    CUT_LATE,     /* it drips */
    CUT_STOPPED   /* by tick */
} cut_t;

typedef struct transfer {
    rc_fetch_t *f;
    const rc_fetch_request_t *request;
    rc_fetch_reply_t *reply;
    struct curl_slist *fields;
    const char *mark; /* of the version that is there */
    int64_t from;     /* first byte that is asked for */
    int has_head;     /* it is complete; of a local file it is made from what the file is */
    int begun;
    cut_t cut;
    int64_t got;
    int64_t start_ns;
    char text[CURL_ERROR_SIZE];
    char date[64]; /* Last-Modified */
} transfer_t;

enum { HTTP_OK = 200, HTTP_PARTIAL = 206, HTTP_SAME = 304, HTTP_RANGE = 416 };

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
    *t->reply = (rc_fetch_reply_t){.total = -1, .from = -1, .retry_after_s = -1};
    t->date[0] = '\0';
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
    rc_fetch_reply_t *r = t->reply;
    size_t n = size * count;
    char value[RC_FETCH_MARK_MAX];
    if (t->has_head)
        return n;
    if (n >= 5 && strncmp(line, "HTTP/", 5) == 0)
        forget_head(t); /* of a redirection */
    else if (field(line, n, "etag", value, sizeof value))
        rc_strcpy(
            r->mark, sizeof r->mark, rc_validator_is_strong(value) ? value : "", "etag", NULL);
    else if (field(line, n, "last-modified", value, sizeof t->date))
        rc_strcpy(t->date, sizeof t->date, value, "date", NULL);
    else if (field(line, n, "retry-after", value, sizeof value))
        r->retry_after_s = rc_http_retry_after(value, rc_utc_ns() / 1000000000);
    else if (field(line, n, "content-range", value, sizeof value) &&
             rc_content_range(value, &r->from, &r->total) < 0)
        r->from = r->total = -1;
    return n;
}

static void complete_head(transfer_t *t)
{
    rc_fetch_reply_t *r = t->reply;
    if (t->has_head)
        return;
    long status = 0;
    curl_off_t length = -1;
    curl_easy_getinfo(t->f->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(t->f->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    t->has_head = 1;
    r->status = (int)status;
    if (r->total < 0 && status == HTTP_OK)
        r->total = (int64_t)length;
    if (!r->mark[0])
        rc_strcpy(r->mark, sizeof r->mark, t->date, "mark", NULL);
}

/* ------------------------------------------------------------------------- body */

static int is_wanted(const transfer_t *t)
{
    return t->reply->status == HTTP_OK || t->reply->status == HTTP_PARTIAL;
}

/* For callbacks that end a transfer by it. */
static size_t cut(transfer_t *t, cut_t why)
{
    t->cut = why;
    return 0;
}

/* Before the first byte of a body, and at the end of an empty one. */
static size_t begin(transfer_t *t)
{
    rc_fetch_part_t *p = t->request->part;
    rc_fetch_reply_t *r = t->reply;
    int64_t keep = 0;
    if (t->begun)
        return 1;
    t->begun = 1;
    if (r->status == HTTP_PARTIAL) {
        keep = p->bytes;
        if (r->from != keep || (p->total >= 0 && r->total >= 0 && r->total != p->total)) {
            rc_fail(&r->err, RC_EIO,
                "the server sends bytes from %" PRId64 " of %" PRId64 ", expected from %" PRId64
                " of %" PRId64,
                r->from, r->total, keep, p->total);
            return cut(t, CUT_MISMATCH);
        }
        if (r->total < 0)
            r->total = p->total;
        if (!r->mark[0])
            memcpy(r->mark, p->mark, sizeof r->mark);
    }
    return rc_fetch_part_begin(p, keep, r->mark, r->total, &r->err) < 0 ? cut(t, CUT_REFUSED) : 1;
}

/* Wait until what has come may have: libcurl's own limit lets short transfers through. */
static int keep_rate(const transfer_t *t)
{
    static const int64_t slice_ns = 50000000; /* between looks at signals */
    double rate = (double)t->f->config->max_rate;
    if (rate <= 0)
        return 1;
    int64_t until = t->start_ns + (int64_t)((double)t->got / rate * 1e9);
    int64_t left;
    while ((left = until - rc_clock_ns()) > 0) {
        if (t->request->tick(t->request->arg))
            return 0;
        rc_sleep_ns(left < slice_ns ? left : slice_ns);
    }
    return 1;
}

/* Silence is seen by libcurl; a byte now and then is seen here. */
static int is_late(const transfer_t *t)
{
    static const double least_rate = 16384;
    double half = (double)t->f->config->max_rate / 2;
    double rate = half > 0 && half < least_rate ? half : least_rate;
    double allowed = t->f->config->timeout_s + (double)t->got / rate;
    return (double)(rc_clock_ns() - t->start_ns) * 1e-9 > allowed;
}

static size_t on_body(char *data, size_t size, size_t count, void *arg)
{
    transfer_t *t = arg;
    size_t n = size * count;
    complete_head(t);
    if (is_wanted(t) && !begin(t))
        return 0;
    t->got += (int64_t)n;
    if (!is_wanted(t))
        return t->got > error_body_bytes ? cut(t, CUT_ENOUGH) : n;
    if (t->got > t->request->most_bytes) {
        rc_fail(&t->reply->err, RC_EFORMAT,
            "the server sends more than the %" PRId64 " bytes that can be meant",
            t->request->most_bytes);
        return cut(t, CUT_REFUSED);
    }
    t->f->received += (int64_t)n;
    if (rc_fetch_part_write(t->request->part, data, n, &t->reply->err) < 0)
        return cut(t, CUT_REFUSED);
    return keep_rate(t) ? n : cut(t, CUT_STOPPED);
}

static int on_progress(
    void *arg, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
    transfer_t *t = arg;
    (void)total;
    (void)now;
    (void)up_total;
    (void)up_now;
    if (is_late(t))
        t->cut = CUT_LATE;
    else if (t->request->tick(t->request->arg))
        t->cut = CUT_STOPPED;
    return t->cut == CUT_LATE || t->cut == CUT_STOPPED;
}

/* -------------------------------------------------------------------- transfers */

/* What a server would have said of a local file: its size and time are its mark. */
static rc_status_t look_local(transfer_t *t, rc_err_t *err)
{
    rc_fetch_reply_t *r = t->reply;
    struct stat s;
    char *path = curl_easy_unescape(t->f->easy, t->request->part->url + strlen("file://"), 0, NULL);
    if (!path)
        return rc_fail(err, RC_ENOMEM, "no memory for a request");
    int why = stat(path, &s) == 0 ? 0 : errno;
    curl_free(path);
    t->has_head = 1;
    if (why || !S_ISREG(s.st_mode)) {
        r->status = why == ENOENT || why == ENOTDIR ? 404 : 403;
        return RC_OK;
    }
    r->total = (int64_t)s.st_size;
    snprintf(r->mark, sizeof r->mark, "\"%" PRId64 "-%" PRId64 ".%09ld\"", (int64_t)s.st_size,
        (int64_t)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    r->status = strcmp(t->mark, r->mark) != 0 ? HTTP_OK
                : t->from == 0                ? HTTP_SAME
                : t->from >= r->total         ? HTTP_RANGE
                                              : HTTP_PARTIAL;
    if (r->status == HTTP_PARTIAL)
        r->from = t->from;
    else
        t->from = 0;
    return RC_OK;
}

static rc_status_t ask_conditions(transfer_t *t, rc_err_t *err)
{
    if (!t->mark[0])
        return RC_OK;
    const char *name = t->from > 0         ? "If-Range"
                       : t->mark[0] == '"' ? "If-None-Match"
                                           : "If-Modified-Since";
    char *line = rc_strf("a request", err, "%s: %s", name, t->mark);
    RC_PASS(line ? RC_OK : RC_ENOMEM);
    t->fields = curl_slist_append(NULL, line);
    free(line);
    return t->fields ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for a request");
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
    CURL *e = t->f->easy;
    char range[32];
    long stall = (long)t->f->config->stall_s;
    const char *url = t->request->part->url;
    const char *certificates = t->f->config->certificates;
    CURLcode c = set_protocols(e, url);
#define SET(option, value) c = c ? c : curl_easy_setopt(e, option, value)
    SET(CURLOPT_URL, url);
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
    if (t->from > 0) {
        snprintf(range, sizeof range, "%" PRId64 "-", t->from);
        SET(CURLOPT_RANGE, range);
    }
    if (t->fields)
        SET(CURLOPT_HTTPHEADER, t->fields);
    if (certificates) {
        SET(CURLOPT_CAINFO, certificates);
        SET(CURLOPT_PROXY_CAINFO, certificates);
    }
#undef SET
    /* only speed: refused by versions (7.88) that keep a transfer's connection after a failed name
     * look-up */
    (void)curl_easy_setopt(e, CURLOPT_BUFFERSIZE, (long)buffer_bytes);
    return c ? rc_fail(err, RC_ENOMEM, "%s: libcurl: %s", url, curl_easy_strerror(c)) : RC_OK;
}

/* The first three: not a word from the server. */
enum { UNREACHABLE = 3 };
static const CURLcode worth_a_try[] = {CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST,
    CURLE_COULDNT_CONNECT, CURLE_PARTIAL_FILE, CURLE_OPERATION_TIMEDOUT, CURLE_GOT_NOTHING,
    CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_SSL_CONNECT_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM,
    CURLE_WEIRD_SERVER_REPLY, CURLE_READ_ERROR, CURLE_AGAIN};

static const char *reason(int status)
{
    static const struct {
        int status;
        const char *text;
    } known[] = {{401, " Unauthorized"}, {403, " Forbidden"}, {404, " Not Found"},
        {408, " Request Timeout"}, {410, " Gone"}, {429, " Too Many Requests"},
        {500, " Internal Server Error"}, {502, " Bad Gateway"}, {503, " Service Unavailable"},
        {504, " Gateway Timeout"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].status == status)
            return known[i].text;
    return "";
}

/* What a complete reply means. */
static rc_fetch_answer_t judge(rc_fetch_reply_t *r)
{
    enum { timeout = 408, early = 425, too_many = 429, server = 500, server_end = 600 };
    int status = r->status;
    if (status == HTTP_OK || status == HTTP_PARTIAL)
        return RC_ANSWER_HAVE;
    if (status == HTTP_SAME)
        return RC_ANSWER_SAME;
    if (status == HTTP_RANGE)
        return RC_ANSWER_RANGE;
    rc_fail(&r->err, RC_EIO, "the server answers %d%s", status, reason(status));
    return status == timeout || status == early || status == too_many ||
                   (status >= server && status < server_end)
               ? RC_ANSWER_RETRY
               : RC_ANSWER_FAIL;
}

static rc_fetch_answer_t conclude(transfer_t *t, CURLcode c)
{
    rc_fetch_reply_t *r = t->reply;
    complete_head(t);
    if (c == CURLE_OK && is_wanted(t))
        begin(t); /* an empty body */
    switch (t->cut) {
    case CUT_REFUSED:
        return RC_ANSWER_FAIL;
    case CUT_MISMATCH:
        rc_fetch_part_discard(t->request->part);
        return RC_ANSWER_RETRY;
    case CUT_LATE:
        rc_fail(&r->err, RC_EIO, "too slow: %" PRId64 " bytes came in %.0f s", t->got,
            (double)(rc_clock_ns() - t->start_ns) * 1e-9);
        return RC_ANSWER_RETRY;
    default:
        break;
    }
    if (c == CURLE_OK || t->cut == CUT_ENOUGH)
        return judge(r);
    rc_fail(&r->err, RC_EIO, "%.200s", t->text[0] ? t->text : curl_easy_strerror(c));
    size_t i = 0;
    while (i < sizeof worth_a_try / sizeof *worth_a_try && worth_a_try[i] != c)
        i++;
    r->unreachable = i < UNREACHABLE;
    return i < sizeof worth_a_try / sizeof *worth_a_try ? RC_ANSWER_RETRY : RC_ANSWER_FAIL;
}

rc_status_t rc_http_get(
    rc_fetch_t *f, const rc_fetch_request_t *q, rc_fetch_reply_t *out, rc_err_t *err)
{
    rc_fetch_part_t *p = q->part;
    if (!p->mark[0])
        p->bytes = 0; /* nothing says that the rest would be of the same version */
    transfer_t t = {.f = f,
        .request = q,
        .reply = out,
        .mark = p->bytes > 0 ? p->mark
                : q->same    ? q->same
                             : "",
        .from = p->bytes,
        .start_ns = rc_clock_ns()};
    rc_status_t st = RC_OK;
    CURLcode c = CURLE_OK;
    forget_head(&t);
    curl_easy_reset(f->easy);
    if (strncmp(p->url, "file://", strlen("file://")) == 0)
        RC_TRY(look_local(&t, err));
    else
        RC_TRY(ask_conditions(&t, err));
    RC_TRY(set_options(&t, err));
    if (!t.has_head || is_wanted(&t))
        c = curl_easy_perform(f->easy);
    if (t.cut == CUT_STOPPED)
        st = rc_fail(err, RC_EINTR, "asked to stop");
    else
        out->answer = conclude(&t, c);
done:
    curl_slist_free_all(t.fields);
    return st;
}

rc_status_t rc_http_open(rc_fetch_t *f, rc_err_t *err)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return rc_fail(err, RC_ENOMEM, "libcurl cannot be initialised");
    f->easy = curl_easy_init();
    if (f->easy)
        return RC_OK;
    curl_global_cleanup();
    return rc_fail(err, RC_ENOMEM, "no memory for transfers");
}

void rc_http_close(rc_fetch_t *f)
{
    if (!f->easy)
        return;
    curl_easy_cleanup(f->easy);
    curl_global_cleanup();
}
