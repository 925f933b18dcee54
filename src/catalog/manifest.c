#include "config.h"
#include "catalog/fetch_private.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/map.h"
#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A line, and the object that owns its texts. */
typedef struct kept {
    rc_manifest_line_t line;
    json_t *object;
} kept_t;

struct rc_manifest {
    char *path;
    kept_t *kept;
    size_t count;
    size_t capacity;
    rc_map_t by_name; /* index into kept */
};

/* Keep a line; it replaces an earlier one of the same matrix.
 * \param object  becomes the manifest's; NULL: no JSON
 * \return RC_OK; RC_EFORMAT: not a line of a manifest; RC_ENOMEM */
static rc_status_t keep(rc_manifest_t *m, json_t *object, rc_err_t *err)
{
    kept_t k = {.object = object};
    rc_manifest_line_t *l = &k.line;
    const char *digest;
    json_int_t n[5];
    rc_status_t st = RC_EFORMAT;
    if (!object ||
        json_unpack(object, "{s:s, s:s, s:s, s:I, s:I, s:s, s:I, s:I, s:I}", "name", &l->name,
            "file", &l->file, "url", &l->url, "bytes", &n[0], "mtime_ns", &n[1], "xxh3", &digest,
            "rows", &n[2], "cols", &n[3], "entries", &n[4]) != 0 ||
        rc_digest_parse(digest, &l->digest) < 0)
        goto done;
    l->bytes = n[0];
    l->mtime_ns = n[1];
    l->rows = n[2];
    l->cols = n[3];
    l->entries = n[4];
    int64_t at = rc_map_get(&m->by_name, rc_map_text(l->name), -1);
    if (at < 0) {
        at = (int64_t)m->count;
        RC_TRY(RC_GROW(m->kept, m->capacity, m->count + 1, "the manifest", err));
        RC_TRY(rc_map_set(&m->by_name, rc_map_text(l->name), at, err));
        m->kept[m->count++].object = NULL;
    }
    json_decref(m->kept[at].object);
    m->kept[at] = k;
    return RC_OK;
done:
    json_decref(object);
    return st;
}

static rc_status_t read_lines(rc_manifest_t *m, FILE *f, const rc_log_t *log, rc_err_t *err)
{
    char *text = NULL;
    size_t capacity = 0;
    rc_status_t st = RC_OK;
    enum { most = 60 }; /* characters of a line in a message */
    for (int64_t number = 1; st == RC_OK; number++) {
        errno = 0;
        ssize_t n = getline(&text, &capacity, f);
        if (n < 0) {
            if (errno == ENOMEM)
                st = rc_fail(err, RC_ENOMEM, "no memory for a line of %s", m->path);
            else if (ferror(f))
                st = rc_fail_errno(err, RC_EIO, errno, "cannot read %s", m->path);
            break;
        }
        st = keep(m, json_loads(text, JSON_REJECT_DUPLICATES, NULL), err);
        if (st == RC_EFORMAT) {
            rc_log(log, RC_LOG_WARN, "fetch",
                "%s:%" PRId64 ": expected a line of a manifest, found '%.*s': left out", m->path,
                number, (int)(n > most ? most : n - (text[n - 1] == '\n')), text);
            st = RC_OK;
        }
    }
    free(text);
    return st;
}

rc_status_t rc_manifest_read(
    const char *dir, const rc_log_t *log, rc_manifest_t **out, rc_err_t *err)
{
    rc_manifest_t *m = rc_alloc0(1, sizeof *m, "the manifest", err);
    RC_PASS(m ? RC_OK : RC_ENOMEM);
    m->path = rc_strf("a file name", err, "%s/manifest.jsonl", dir);
    rc_status_t st = m->path ? RC_OK : RC_ENOMEM;
    FILE *f = st == RC_OK ? rc_open_stream(m->path, RC_OPEN_READ, NULL) : NULL;
    if (f) {
        st = read_lines(m, f, log, err);
        fclose(f);
    } else if (st == RC_OK && errno != ENOENT && errno != ENOTDIR)
        st = rc_fail_errno(err, RC_EIO, errno, "cannot read %s", m->path);
    if (st < 0)
        rc_manifest_free(m);
    else
        *out = m;
    return st;
}

const rc_manifest_line_t *rc_manifest_find(const rc_manifest_t *m, const char *name)
{
    int64_t at = rc_map_get(&m->by_name, rc_map_text(name), -1);
    return at >= 0 ? &m->kept[at].line : NULL;
}

static json_t *object_of(const rc_manifest_line_t *l)
{
    char now[21];
    rc_utc_text(rc_utc_ns(), now);
    return json_pack("{s:s, s:s, s:I, s:s, s:I, s:I, s:I, s:I, s:s, s:s}", "name", l->name, "file",
        l->file, "bytes", (json_int_t)l->bytes, "xxh3", rc_digest_hex(l->digest).text, "rows",
        (json_int_t)l->rows, "cols", (json_int_t)l->cols, "entries", (json_int_t)l->entries,
        "mtime_ns", (json_int_t)l->mtime_ns, "url", l->url, "time", now);
}

static rc_status_t append(const char *path, const char *text, size_t n, rc_err_t *err)
{
    struct stat s;
    int fd;
    RC_PASS(rc_open_file(path, RC_OPEN_APPEND, 0666, &fd, err));
    rc_status_t st = RC_OK;
    if (fstat(fd, &s) != 0) {
        st = rc_fail_errno(err, RC_EIO, errno, "cannot write %s", path);
        close(fd);
        return st;
    }
    /* the last line may lack its end, cut off by a kill or a full disk: the text begins with one */
    char last = '\n';
    if (s.st_size > 0 && pread(fd, &last, 1, s.st_size - 1) != 1)
        last = '\n';
    size_t skip = last == '\n';
    ssize_t written = write(fd, text + skip, n - skip);
    if (written != (ssize_t)(n - skip) || fsync(fd) != 0) {
        int why = written >= 0 && written < (ssize_t)(n - skip) ? ENOSPC : errno;
        st = rc_fail_errno(err, RC_EIO, why, "cannot write %s", path);
        if (ftruncate(fd, s.st_size) != 0)
            rc_err_context(err, "and a piece of a line stays behind");
    }
    if (close(fd) != 0 && st == RC_OK)
        st = rc_fail_errno(err, RC_EIO, errno, "cannot write %s", path);
    return st;
}

rc_status_t rc_manifest_add(rc_manifest_t *m, const rc_manifest_line_t *line, rc_err_t *err)
{
    json_t *object = object_of(line);
    char *json = object ? json_dumps(object, JSON_COMPACT) : NULL;
    char *text = json ? rc_strf("a line of the manifest", err, "\n%s\n", json) : NULL;
    rc_status_t st = RC_ENOMEM;
    if (text)
        st = append(m->path, text, strlen(text), err);
    else if (!json)
        rc_fail(err, RC_ENOMEM,
            "%s: no memory for a line of the manifest, or a name that is not UTF-8", line->name);
    free(json);
    free(text);
    if (st == RC_OK)
        return keep(m, object, err);
    json_decref(object);
    return st;
}

void rc_manifest_free(rc_manifest_t *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->count; i++)
        json_decref(m->kept[i].object);
    free(m->kept);
    rc_map_free(&m->by_name);
    free(m->path);
    free(m);
}
