#include "config.h"
#include "catalog/fetch_private.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "catalog/list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------ names */

rc_status_t rc_fetch_look(
    const rc_fetch_t *f, const rc_entry_t *e, rc_fetch_part_t *part, rc_err_t *err)
{
    rc_status_t st = RC_ENOMEM;
    rc_str_t s = {0};
    rc_str_add(&s, f->archives);
    rc_url_add(&s, e->group, 0);
    rc_str_add(&s, "/");
    rc_url_add(&s, rc_entry_short_name(e), 0);
    rc_str_add(&s, ".tar.gz");
    char *url = rc_str_take(&s, "an address", err);
    char *dir = rc_strf("a file name", err, "%s/%s", f->config->to, e->group);
    char *name = rc_strf("a file name", err, "%s.tar.gz", rc_entry_short_name(e));
    if (url && dir && name)
        st = rc_fetch_part_look(dir, name, url, part, err);
    free(dir);
    free(name);
    free(url);
    return st;
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
        st = rc_http_open(f, err);
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
    rc_http_close(f);
    free(f->archives);
    free(f->index);
    free(f);
}

/* ------------------------------------------------------------------------ tries */

int rc_fetch_stopping(const rc_fetch_t *f)
{
    return f->config->stop && f->config->stop();
}

/* The reply to one request, when its time has come. */
static rc_status_t ask(const rc_download_t *d, rc_fetch_reply_t *r, rc_err_t *err)
{
    static const int64_t slice_ns = 50000000; /* between looks at signals */
    rc_fetch_t *f = d->f;
    int64_t left;
    while ((left = f->next_start_ns - rc_clock_ns()) > 0) {
        if (rc_fetch_stopping(f))
            return rc_fail(err, RC_EINTR, "asked to stop");
        (void)d->request.tick(d->request.arg);
        rc_sleep_ns(left < slice_ns ? left : slice_ns);
    }
    if (f->config->rate > 0)
        f->next_start_ns = rc_clock_ns() + (int64_t)(1e9 / f->config->rate);
    return rc_http_get(f, &d->request, r, err);
}

/* Whether all has come; else r->err says what is missing. */
static int is_complete(rc_fetch_part_t *p, rc_fetch_reply_t *r)
{
    switch (r->answer) {
    case RC_ANSWER_HAVE:
        if (p->total < 0 || p->bytes == p->total)
            return 1;
        rc_fail(&r->err, RC_EIO, "%" PRId64 " of %" PRId64 " bytes came", p->bytes, p->total);
        break;
    case RC_ANSWER_RANGE: /* nothing is behind what has come: it is all, or of something else */
        if (p->bytes > 0 && (r->total == p->bytes || p->total == p->bytes))
            return 1;
        rc_fail(&r->err, RC_EIO, "the server does not have the rest");
        rc_fetch_part_discard(p);
        break;
    case RC_ANSWER_SAME:
        rc_fail(&r->err, RC_EIO, "the server answers 304 Not Modified, which was not asked");
        break;
    case RC_ANSWER_RETRY:
    case RC_ANSWER_FAIL:
        break;
    }
    return 0;
}

/* Put off the next request after a failed one: by a time that doubles, and at least by what the
 * server asks for.  One that wants to be left alone for longer than an hour gets its wish. */
static rc_status_t back_off(rc_download_t *d, const rc_fetch_reply_t *r, rc_err_t *err)
{
    static const double longest_wait_s = 3600;
    const rc_fetch_config_t *c = d->f->config;
    d->busy = r->retry_after_s > longest_wait_s;
    if (d->busy)
        return rc_fail(err, RC_EINTR,
            "%.150s: %.250s, and asks to come back in %.0f s: the run ends here", d->what,
            r->err.text, r->retry_after_s);
    d->exhausted = d->tries >= c->retries;
    if (d->exhausted) {
        *err = r->err;
        return RC_EIO;
    }
    int64_t wait = rc_backoff_ns(c->backoff_s, d->tries, c->seed, d->what);
    if (r->retry_after_s * 1e9 > (double)wait)
        wait = (int64_t)(r->retry_after_s * 1e9);
    int64_t until = rc_clock_ns() + wait;
    if (until > d->f->next_start_ns)
        d->f->next_start_ns = until;
    d->tries++;
    rc_log(c->log, RC_LOG_INFO, "fetch", "%s: %s; again in %.1f s", d->what, r->err.text,
        (double)wait * 1e-9);
    return RC_OK;
}

rc_status_t rc_fetch_download(rc_download_t *d, int *is_same, rc_err_t *err)
{
    enum { enough_progress = 1 << 20 }; /* bytes that make a try count as a good one */
    rc_fetch_part_t *p = d->request.part;
    for (;;) {
        rc_fetch_reply_t r;
        int64_t from = p->bytes;
        if (rc_fetch_stopping(d->f))
            return rc_fail(err, RC_EINTR, "asked to stop");
        if (from > 0 && from == p->total)
            return RC_OK; /* a kill came between its last byte and the check */
        RC_PASS(ask(d, &r, err));
        rc_fetch_part_pause(p);
        d->unreachable = r.unreachable;
        d->reached |= !r.unreachable;
        *is_same = r.answer == RC_ANSWER_SAME && d->request.same && d->request.same[0];
        if (*is_same || is_complete(p, &r))
            return RC_OK;
        if (r.answer == RC_ANSWER_FAIL) {
            if (r.err.status == RC_EFORMAT)
                rc_fetch_part_discard(p); /* it sends without end */
            *err = r.err;
            return r.err.status;
        }
        if (p->bytes >= from + enough_progress)
            d->tries = 0;
        RC_PASS(back_off(d, &r, err));
    }
}

/* ------------------------------------------------------------------------ index */

static const char index_name[] = "ssstats.csv";

static int stop_index(void *f)
{
    return rc_fetch_stopping(f);
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
    static const int64_t most_bytes = INT64_C(64) << 20; /* 20 times the real one */
    rc_fetch_part_t part = {.fd = -1};
    char mark[RC_FETCH_MARK_MAX];
    rc_download_t d = {.f = f,
        .what = url,
        .request = {
            .part = &part, .same = mark, .most_bytes = most_bytes, .tick = stop_index, .arg = f}};
    int is_same = 0;
    rc_err_t why = {0};
    rc_status_t st;
    RC_TRY(index_mark(f->config->to, url, mark, err));
    RC_TRY(rc_fetch_part_look(dir, index_name, url, &part, err));
    part.bytes = 0; /* nobody would continue it */
    st = rc_fetch_download(&d, &is_same, &why);
    if (st == RC_EINTR || st == RC_ENOMEM)
        *err = why;
    else if (st < 0)
        st = rc_fail(err, RC_EIO, "%s: %.300s", url, why.text);
    if (st < 0)
        goto done;
    if (is_same) {
        st = rc_catalog_read(copy, out, err);
        goto done;
    }
    st = rc_catalog_read(part.path, out, err);
    if (st < 0) {
        rc_err_context(err, "%s", url);
        goto done;
    }
    if (keep) {
        st = rc_fetch_part_finish(&part, 1, err);
        if (st < 0)
            rc_catalog_free(out);
    }
done:
    if (part.begun)
        rc_fetch_part_discard(&part);
    rc_fetch_part_free(&part);
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
        out->bytes = out->estimated ? rc_archive_estimate(e) : part.total;
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
