#include "config.h"
#include "catalog/manifest.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/map.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct rc_manifest {
    char *path;
    rc_manifest_line_t *line; /* texts owned */
    size_t count;
    size_t capacity;
    rc_map_t by_name; /* index into line */
};

static void free_line(rc_manifest_line_t *l)
{
    free((char *)(uintptr_t)l->name);
    free((char *)(uintptr_t)l->file);
    free((char *)(uintptr_t)l->url);
}

/* Keep a copy of a line; it replaces an earlier one of the same matrix. */
static rc_status_t keep(rc_manifest_t *m, const rc_manifest_line_t *line, rc_err_t *err)
{
    rc_manifest_line_t copy = *line;
    rc_status_t st = RC_OK;
    copy.name = rc_strdup(line->name, err);
    copy.file = copy.name ? rc_strdup(line->file, err) : NULL;
    copy.url = copy.file ? rc_strdup(line->url, err) : NULL;
    if (!copy.url) {
        st = RC_ENOMEM;
        goto done;
    }
    int64_t at = rc_map_get(&m->by_name, rc_map_text(line->name), -1);
    if (at >= 0) {
        free_line(&m->line[at]);
        m->line[at] = copy;
        return RC_OK;
    }
    RC_TRY(RC_GROW(m->line, m->capacity, m->count + 1, "the manifest", err));
    RC_TRY(rc_map_set(&m->by_name, rc_map_text(line->name), (int64_t)m->count, err));
    m->line[m->count++] = copy;
done:
    if (st < 0)
        free_line(&copy);
    return st;
}

/* RC_EFORMAT: not a line of a manifest */
static rc_status_t take(rc_manifest_t *m, const char *text, rc_err_t *err)
{
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    rc_manifest_line_t l = {0};
    const char *digest;
    json_int_t n[5];
    rc_status_t st = RC_EFORMAT;
    if (o &&
        json_unpack(o, "{s:s, s:s, s:s, s:I, s:I, s:s, s:I, s:I, s:I}", "name", &l.name, "file",
            &l.file, "url", &l.url, "bytes", &n[0], "mtime_ns", &n[1], "xxh3", &digest, "rows",
            &n[2], "cols", &n[3], "entries", &n[4]) == 0 &&
        rc_digest_parse(digest, &l.digest) == RC_OK) {
        l.bytes = n[0];
        l.mtime_ns = n[1];
        l.rows = n[2];
        l.cols = n[3];
        l.entries = n[4];
        st = keep(m, &l, err);
    }
    json_decref(o);
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
        st = take(m, text, err);
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
    return at >= 0 ? &m->line[at] : NULL;
}

static rc_status_t print(const rc_manifest_line_t *l, char **out, rc_err_t *err)
{
    char hex[RC_DIGEST_HEX + 1];
    char now[21];
    rc_digest_hex(l->digest, hex);
    rc_utc_text(rc_utc_ns(), now);
    json_t *o = json_pack("{s:s, s:s, s:I, s:s, s:I, s:I, s:I, s:I, s:s, s:s}", "name", l->name,
        "file", l->file, "bytes", (json_int_t)l->bytes, "xxh3", hex, "rows", (json_int_t)l->rows,
        "cols", (json_int_t)l->cols, "entries", (json_int_t)l->entries, "mtime_ns",
        (json_int_t)l->mtime_ns, "url", l->url, "time", now);
    *out = o ? json_dumps(o, JSON_COMPACT) : NULL;
    json_decref(o);
    return *out ? RC_OK
                : rc_fail(err, RC_ENOMEM,
                      "%s: no memory for a line of the manifest, or a name that is not UTF-8",
                      l->name);
}

/* Whether the last line lacks its end: a kill or a full disk cut it off. */
static int is_cut(int fd, off_t size)
{
    char last = '\n';
    return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
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
    size_t skip = is_cut(fd, s.st_size) ? 0 : 1; /* the text begins with a newline for this */
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
    char *json = NULL;
    RC_PASS(print(line, &json, err));
    char *text = rc_strf("a line of the manifest", err, "\n%s\n", json);
    free(json);
    rc_status_t st = text ? append(m->path, text, strlen(text), err) : RC_ENOMEM;
    free(text);
    return st == RC_OK ? keep(m, line, err) : st;
}

void rc_manifest_free(rc_manifest_t *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->count; i++)
        free_line(&m->line[i]);
    free(m->line);
    rc_map_free(&m->by_name);
    free(m->path);
    free(m);
}
