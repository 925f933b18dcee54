#include "config.h"
#include "io/cache.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "io/csr_file.h"
#include "io/file.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* What is asked for.  Borrowed. */
typedef struct wanted {
    const char *group;
    const char *name;
    const char *path;
} wanted_t;

struct rc_cache {
    char *dir;
    const rc_log_t *log;
    atomic_int is_read_only; /* after the first file that could not be written */
    atomic_llong taken;
    atomic_llong written;
};

/* A file may change twice within a tick of its file system's clock: times that are as young as that
 * when it is read prove nothing. */
static const int64_t tick_ns = 2 * INT64_C(1000000000);

static int64_t nanoseconds(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_nsec;
}

static rc_status_t look(const char *path, rc_csr_origin_t *o, rc_err_t *err)
{
    struct stat s;
    if (stat(path, &s) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "cannot read %s", path);
    *o = (rc_csr_origin_t){.bytes = (int64_t)s.st_size,
        .mtime_ns = nanoseconds(s.st_mtim),
        .ctime_ns = nanoseconds(s.st_ctim),
        .seen_ns = rc_utc_ns()};
    return RC_OK;
}

static int same_times(const rc_csr_origin_t *a, const rc_csr_origin_t *b)
{
    return a->bytes == b->bytes && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

/* Whether the file is what the cached matrix was made from. */
static int is_fresh(const rc_csr_origin_t *made_from, const wanted_t *m)
{
    rc_csr_origin_t now = {0};
    rc_digest_t digest;
    if (look(m->path, &now, NULL) < 0 || now.bytes != made_from->bytes)
        return 0;
    if (same_times(made_from, &now) && made_from->seen_ns - made_from->ctime_ns > tick_ns &&
        made_from->seen_ns - made_from->mtime_ns > tick_ns)
        return 1;
    /* a copy, or one that was touched: its contents decide */
    return rc_file_digest(m->path, &digest, NULL, NULL, NULL) == RC_OK &&
           rc_digest_compare(&digest, &made_from->digest) == 0;
}

static char *path_of(const rc_cache_t *c, const wanted_t *m, rc_err_t *err)
{
    enum { shown = 16 }; /* digits of the digest */
    const char *slash = strrchr(m->path, '/');
    char *key =
        rc_strf("a file name", err, "%s/%s\n%s", m->group, m->name, slash ? slash + 1 : m->path);
    if (!key)
        return NULL;
    rc_hex_t hex = rc_digest_hex(rc_digest(key, strlen(key)));
    free(key);
    return rc_strf(
        "a file name", err, "%s/%s/%s-%.*s.csr", c->dir, m->group, m->name, (int)shown, hex.text);
}

/* Take the matrix from the cache; not RC_OK: it is not there, or not to be used. */
static rc_status_t take(const char *path, const wanted_t *m, int threads, rc_csr_t *out,
    rc_mtx_info_t *info, rc_err_t *why)
{
    rc_csr_file_t *f = NULL;
    RC_PASS(rc_csr_file_open(path, &f, why));
    rc_status_t st = is_fresh(rc_csr_file_origin(f), m)
                         ? rc_csr_file_read(f, threads, out, info, why)
                         : rc_fail(why, RC_EFORMAT, "%s: %s has changed since", path, m->path);
    rc_csr_file_close(f);
    return st;
}

/* \param[in] before  the file as it was before the text was read */
static void keep(rc_cache_t *c, char *path, const wanted_t *m, const rc_csr_origin_t *before,
    const rc_csr_t *a, const rc_mtx_info_t *info)
{
    rc_csr_origin_t o = *before;
    rc_csr_origin_t after = {0};
    rc_err_t err = {0};
    rc_status_t st = rc_file_digest(m->path, &o.digest, NULL, NULL, &err);
    if (st == RC_OK)
        st = look(m->path, &after, &err);
    if (st < 0 || !same_times(before, &after))
        return; /* nobody knows which contents were read */
    st = rc_file_make_folders(path, &err);
    if (st == RC_OK)
        st = rc_csr_file_write(path, a, info, &o, &err);
    if (st == RC_OK)
        atomic_fetch_add(&c->written, 1);
    else if (atomic_exchange(&c->is_read_only, 1) == 0)
        rc_log(c->log, RC_LOG_WARN, "cache", "%s: the cache is not written from here on", err.text);
}

rc_status_t rc_cache_read(rc_cache_t *c, const char *group, const char *name, const char *source,
    int threads, const rc_mtx_bound_t *bound, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    const wanted_t m = {.group = group, .name = name, .path = source};
    rc_csr_origin_t before;
    rc_mtx_info_t own = {.values_are_seeded = 0};
    rc_err_t why = {0};
    char *path = path_of(c, &m, NULL);
    if (!path)
        return rc_mtx_read_within(source, threads, bound, out, info, err);
    rc_status_t st = take(path, &m, threads, out, &own, &why);
    if (st == RC_OK)
        atomic_fetch_add(&c->taken, 1);
    else {
        if (st != RC_ENOENT)
            rc_log(c->log, RC_LOG_INFO, "cache", "%s: read from its text instead", why.text);
        int known = look(source, &before, NULL) == RC_OK;
        st = rc_mtx_read_within(source, threads, bound, out, &own, err);
        if (st == RC_OK && known && !atomic_load(&c->is_read_only))
            keep(c, path, &m, &before, out, &own);
    }
    if (st == RC_OK && info)
        *info = own;
    free(path);
    return st;
}

rc_status_t rc_cache_open(const char *dir, const rc_log_t *log, rc_cache_t **out, rc_err_t *err)
{
    struct stat s;
    if (stat(dir, &s) == 0 && !S_ISDIR(s.st_mode))
        return rc_fail(err, RC_EIO, "--cache: %s is not a folder", dir);
    rc_cache_t *c = rc_alloc0(1, sizeof *c, "the cache", err);
    RC_PASS(c ? RC_OK : RC_ENOMEM);
    c->log = log;
    c->dir = rc_strdup(dir, err);
    if (!c->dir) {
        free(c);
        return RC_ENOMEM;
    }
    *out = c;
    return RC_OK;
}

void rc_cache_counts(const rc_cache_t *c, int64_t *taken, int64_t *written)
{
    *taken = c ? (int64_t)atomic_load(&c->taken) : 0;
    *written = c ? (int64_t)atomic_load(&c->written) : 0;
}

void rc_cache_close(rc_cache_t *c)
{
    if (!c)
        return;
    free(c->dir);
    free(c);
}
