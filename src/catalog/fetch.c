#include "config.h"
#include "catalog/fetch_private.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "catalog/fetch_text.h"
#include "catalog/list.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------ names */

static char *archive_url(const rc_fetch_t *f, const rc_entry_t *e, rc_err_t *err)
{
    rc_str_t s = {0};
    rc_str_add(&s, f->archives);
    rc_url_add(&s, e->group, 0);
    rc_str_add(&s, "/");
    rc_url_add(&s, rc_entry_short_name(e), 0);
    rc_str_add(&s, ".tar.gz");
    return rc_str_take(&s, "an address", err);
}

rc_status_t rc_fetch_look(
    const rc_fetch_t *f, const rc_entry_t *e, rc_fetch_part_t *part, rc_err_t *err)
{
    rc_status_t st = RC_ENOMEM;
    char *url = archive_url(f, e, err);
    char *dir = rc_strf("a file name", err, "%s/%s", f->config->to, e->group);
    char *name = rc_strf("a file name", err, "%s.tar.gz", rc_entry_short_name(e));
    if (url && dir && name)
        st = rc_fetch_part_look(dir, name, url, part, err);
    free(dir);
    free(name);
    free(url);
    return st;
}

int64_t rc_fetch_estimate(const rc_entry_t *e)
{
    static const double bytes_per_entry = 5; /* of archives of the collection, about */
    return rc_archive_estimate(e, bytes_per_entry);
}

const char *rc_fetch_file(const rc_fetch_t *f, const rc_entry_t *e)
{
    const char *p = e->location + strlen(f->config->to);
    return p + strspn(p, "/");
}

/* ---------------------------------------------------------------------- open */

static char *joined(const char *a, const char *b, rc_err_t *err)
{
    size_t n = strlen(a);
    while (n > 1 && a[n - 1] == '/')
        n--;
    return rc_strf("an address", err, "%.*s%s", (int)n, a, b);
}

static char *file_url(const char *path, const char *end, rc_err_t *err)
{
    rc_str_t s = {0};
    rc_str_add(&s, "file://");
    rc_url_add(&s, path, 1);
    rc_str_add(&s, end);
    return rc_str_take(&s, "an address", err);
}

static int is_there(const char *dir, const char *name)
{
    char *path = joined(dir, name, NULL);
    struct stat s;
    int there = path && stat(path, &s) == 0;
    free(path);
    return there;
}

/* A folder may have the layout of the site, or that of what was downloaded. */
static rc_status_t set_local(rc_fetch_t *f, const char *mirror, rc_err_t *err)
{
    struct stat s;
    char *path = realpath(mirror, NULL);
    if (!path || stat(path, &s) != 0 || !S_ISDIR(s.st_mode)) {
        int why = path ? ENOTDIR : errno;
        free(path);
        return rc_fail_errno(err, RC_ENOENT, why,
            "--mirror: expected http://..., https://... or a folder, found '%s'", mirror);
    }
    f->archives = file_url(path, is_there(path, "/MM") ? "/MM/" : "/", err);
    f->index =
        f->archives
            ? file_url(path,
                  is_there(path, "/files/ssstats.csv") ? "/files/ssstats.csv" : "/ssstats.csv", err)
            : NULL;
    free(path);
    return f->index ? RC_OK : RC_ENOMEM;
}

rc_status_t rc_fetch_open(const rc_fetch_config_t *config, rc_fetch_t **out, rc_err_t *err)
{
    const char *mirror = config->mirror ? config->mirror : RC_FETCH_MIRROR;
    rc_status_t st = RC_OK;
    rc_fetch_t *f = rc_alloc0(1, sizeof *f, "a download", err);
    RC_PASS(f ? RC_OK : RC_ENOMEM);
    f->config = config;
    if (rc_url_is_remote(mirror)) {
        f->archives = joined(mirror, "/MM/", err);
        f->index = f->archives ? joined(mirror, "/files/ssstats.csv", err) : NULL;
        st = f->index ? RC_OK : RC_ENOMEM;
    } else
        st = set_local(f, mirror, err);
    if (st == RC_OK)
        st = rc_http_open(config->stall_s, config->timeout_s, config->max_rate,
            config->certificates, &f->http, err);
    if (st < 0)
        rc_fetch_close(f);
    else
        *out = f;
    return st;
}

void rc_fetch_close(rc_fetch_t *f)
{
    if (!f)
        return;
    rc_http_close(f->http);
    free(f->archives);
    free(f->index);
    free(f);
}

/* ------------------------------------------------------------------- politeness */

int rc_fetch_stopping(const rc_fetch_t *f)
{
    return f->config->stop && f->config->stop();
}

rc_status_t rc_fetch_ask(
    rc_fetch_t *f, const rc_http_request_t *q, rc_http_reply_t *r, rc_err_t *err)
{
    static const int64_t slice_ns = 50000000; /* between looks at signals */
    int64_t left;
    while ((left = f->next_start_ns - rc_clock_ns()) > 0) {
        if (rc_fetch_stopping(f))
            return rc_fail(err, RC_EINTR, "asked to stop");
        if (q->tick)
            q->tick(q->sink);
        rc_sleep_ns(left < slice_ns ? left : slice_ns);
    }
    if (f->config->rate > 0)
        f->next_start_ns = rc_clock_ns() + (int64_t)(1e9 / f->config->rate);
    return rc_http_get(f->http, q, r, err);
}

rc_status_t rc_fetch_may_return(
    const char *what, const rc_err_t *why, double retry_after_s, rc_err_t *err)
{
    static const double longest_wait_s = 3600;
    if (!(retry_after_s > longest_wait_s))
        return RC_OK;
    return rc_fail(err, RC_EINTR,
        "%.150s: %.250s, and asks to come back in %.0f s: the run ends here", what, why->text,
        retry_after_s);
}

void rc_fetch_back_off(
    rc_fetch_t *f, const char *what, const rc_err_t *why, int tries, double retry_after_s)
{
    const rc_fetch_config_t *c = f->config;
    int64_t wait = rc_backoff_ns(c->backoff_s, tries, c->seed, what);
    if (retry_after_s * 1e9 > (double)wait)
        wait = (int64_t)(retry_after_s * 1e9);
    int64_t until = rc_clock_ns() + wait;
    if (until > f->next_start_ns)
        f->next_start_ns = until;
    rc_log(c->log, RC_LOG_INFO, "fetch", "%s: %s; again in %.1f s", what, why->text,
        (double)wait * 1e-9);
}

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

rc_fetch_answer_t rc_fetch_judge(const rc_http_reply_t *r, rc_err_t *err)
{
    enum {
        ok = 200,
        partial = 206,
        same = 304,
        range = 416,
        timeout = 408,
        early = 425,
        too_many = 429,
        server = 500,
        server_end = 600
    };
    int status = r->head.status;
    switch (r->end) {
    case RC_HTTP_BROKEN:
        *err = r->err;
        return RC_ANSWER_RETRY;
    case RC_HTTP_IMPOSSIBLE:
    case RC_HTTP_REFUSED:
        *err = r->err;
        return RC_ANSWER_FAIL;
    case RC_HTTP_DONE:
        break;
    }
    if (status == ok || status == partial)
        return RC_ANSWER_HAVE;
    if (status == same)
        return RC_ANSWER_SAME;
    if (status == range)
        return RC_ANSWER_RANGE;
    rc_fail(err, RC_EIO, "the server answers %d%s", status, reason(status));
    return status == timeout || status == early || status == too_many ||
                   (status >= server && status < server_end)
               ? RC_ANSWER_RETRY
               : RC_ANSWER_FAIL;
}

/* ------------------------------------------------------------------------ index */

static const char index_name[] = "ssstats.csv";

typedef struct index_file {
    const rc_fetch_t *f;
    rc_fetch_part_t part;
    int begun; /* there are bytes of it, which nobody would continue */
} index_file_t;

static rc_status_t begin_index(void *sink, const rc_http_head_t *head, rc_err_t *err)
{
    index_file_t *x = sink;
    x->begun = 1;
    return rc_fetch_part_begin(&x->part, 0, head->mark, head->total, err);
}

static rc_status_t write_index(void *sink, const void *data, size_t n, rc_err_t *err)
{
    index_file_t *x = sink;
    return rc_fetch_part_write(&x->part, data, n, err);
}

static int stop_index(void *sink)
{
    const index_file_t *x = sink;
    return rc_fetch_stopping(x->f);
}

/* Download the index into x->part, or find that the copy with `mark` is still the server's. */
static rc_status_t get_index(
    rc_fetch_t *f, index_file_t *x, const char *mark, int *is_same, rc_err_t *err)
{
    static const int64_t most_bytes = INT64_C(64) << 20; /* 20 times the real one */
    rc_http_request_t q = {.url = x->part.url,
        .mark = mark,
        .most_bytes = most_bytes,
        .begin = begin_index,
        .write = write_index,
        .tick = stop_index,
        .sink = x};
    for (int tries = 0;; tries++) {
        rc_http_reply_t r;
        rc_err_t why = {0};
        RC_PASS(rc_fetch_ask(f, &q, &r, err));
        rc_fetch_part_pause(&x->part);
        rc_fetch_answer_t v = rc_fetch_judge(&r, &why);
        *is_same = v == RC_ANSWER_SAME && mark;
        if (*is_same || v == RC_ANSWER_HAVE)
            return RC_OK;
        if (v != RC_ANSWER_RETRY || tries >= f->config->retries)
            return rc_fail(err, RC_EIO, "%s: %.300s", x->part.url,
                why.text[0] ? why.text : "the server gives no file");
        RC_PASS(rc_fetch_may_return(x->part.url, &why, r.head.retry_after_s, err));
        rc_fetch_back_off(f, x->part.url, &why, tries, r.head.retry_after_s);
    }
}

/* The mark of the copy that is there, "" when there is none. */
static rc_status_t index_mark(
    const char *dir, const char *url, char mark[RC_FETCH_MARK_MAX], rc_err_t *err)
{
    rc_fetch_part_t kept;
    rc_status_t st = rc_fetch_part_look(dir, index_name, url, &kept, err);
    mark[0] = '\0';
    if (st < 0)
        return st;
    if (!kept.is_there && access(kept.final, R_OK) == 0)
        memcpy(mark, kept.mark, RC_FETCH_MARK_MAX);
    rc_fetch_part_free(&kept);
    return RC_OK;
}

/* Download into dir, and read: from there, or the copy in the collection when that is the same. */
static rc_status_t fetch_index(rc_fetch_t *f, const char *url, const char *dir, const char *copy,
    int keep, rc_catalog_t *out, rc_err_t *err)
{
    index_file_t x = {.f = f, .part = {.fd = -1}};
    char mark[RC_FETCH_MARK_MAX];
    int is_same = 0;
    rc_status_t st;
    RC_TRY(index_mark(f->config->to, url, mark, err));
    RC_TRY(rc_fetch_part_look(dir, index_name, url, &x.part, err));
    RC_TRY(get_index(f, &x, mark[0] ? mark : NULL, &is_same, err));
    if (is_same) {
        st = rc_catalog_read(copy, out, err);
        goto done;
    }
    st = rc_catalog_read(x.part.path, out, err);
    if (st < 0) {
        rc_err_context(err, "%s", url);
        goto done;
    }
    if (keep) {
        st = rc_fetch_part_finish(&x.part, 1, err);
        x.begun = st < 0;
        if (st < 0)
            rc_catalog_free(out);
    }
done:
    if (x.begun)
        rc_fetch_part_discard(&x.part);
    rc_fetch_part_free(&x.part);
    return st;
}

static char *scratch(rc_err_t *err)
{
    const char *tmp = getenv("TMPDIR");
    char *dir = joined(tmp && *tmp ? tmp : "/tmp", "/rowcast-fetch-XXXXXX", err);
    if (dir && !mkdtemp(dir)) {
        rc_fail_errno(err, RC_EIO, errno, "cannot make the folder %s", dir);
        free(dir);
        return NULL;
    }
    return dir;
}

rc_status_t rc_fetch_index(
    rc_fetch_t *f, const char *index, int keep, rc_catalog_t *out, rc_err_t *err)
{
    const char *to = f->config->to;
    const char *url = index ? index : f->index;
    rc_err_t why = {0};
    if (index && !rc_url_is_remote(index))
        return rc_catalog_read(index, out, err);
    char *copy = joined(to, "/ssstats.csv", err);
    char *dir = !copy ? NULL : keep ? rc_strdup(to, err) : scratch(err);
    rc_status_t st = dir   ? fetch_index(f, url, dir, copy, keep, out, &why)
                     : err ? err->status
                           : RC_ENOMEM;
    if (dir && !keep)
        rmdir(dir);
    if (dir && st == RC_EIO && access(copy, R_OK) == 0) {
        rc_log(f->config->log, RC_LOG_WARN, "fetch", "%s; the copy %s is taken", why.text, copy);
        st = rc_catalog_read(copy, out, err);
    } else if (dir && st < 0 && err)
        *err = why;
    free(copy);
    free(dir);
    return st;
}

/* ------------------------------------------------------------------------- plan */

int rc_fetch_is_known(const rc_fetch_t *f, const rc_manifest_t *m, const rc_entry_t *e)
{
    const rc_manifest_line_t *l = rc_manifest_find(m, e->name);
    return l && strcmp(l->file, rc_fetch_file(f, e)) == 0 && l->bytes == e->bytes &&
           l->mtime_ns == e->mtime_ns && l->rows == e->rows && l->cols == e->cols &&
           (l->entries == e->pattern_nnz || l->entries == e->nnz);
}

static rc_status_t plan_one(
    rc_fetch_t *f, const rc_manifest_t *m, const rc_entry_t *e, rc_fetch_item_t *out, rc_err_t *err)
{
    rc_fetch_part_t part = {.fd = -1};
    RC_PASS(rc_fetch_look(f, e, &part, err));
    out->url = part.url;
    part.url = NULL;
    if (e->where == RC_WHERE_FILE) {
        int known = !f->config->verify && rc_fetch_is_known(f, m, e);
        out->need = known ? RC_FETCH_THERE : RC_FETCH_UNCHECKED;
        out->have = out->bytes = e->bytes;
    } else {
        out->need = part.bytes > 0 ? RC_FETCH_PART : RC_FETCH_ABSENT;
        out->have = part.bytes;
        out->estimated = part.bytes == 0 || part.total < part.bytes;
        out->bytes = out->estimated ? rc_fetch_estimate(e) : part.total;
        if (out->bytes < out->have)
            out->bytes = out->have;
    }
    rc_fetch_part_free(&part);
    return RC_OK;
}

rc_status_t rc_fetch_plan(
    rc_fetch_t *f, const rc_catalog_t *c, rc_fetch_item_t **out, rc_err_t *err)
{
    rc_manifest_t *m = NULL;
    rc_status_t st;
    rc_fetch_item_t *item = rc_alloc0((size_t)c->count, sizeof *item, "a list of archives", err);
    RC_PASS(item ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_manifest_read(f->config->to, f->config->log, &m, err));
    for (int64_t i = 0; i < c->count; i++)
        RC_TRY(plan_one(f, m, &c->entry[i], &item[i], err));
    *out = item;
    item = NULL;
done:
    rc_fetch_items_free(item, c->count);
    rc_manifest_free(m);
    return st;
}

void rc_fetch_items_free(rc_fetch_item_t *items, int64_t count)
{
    for (int64_t i = 0; items && i < count; i++)
        free(items[i].url);
    free(items);
}
