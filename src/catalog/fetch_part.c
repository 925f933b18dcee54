#include "config.h"
#include "catalog/fetch_private.h"
#include "base/error.h"
#include "base/open.h"
#include "base/replace.h"
#include "base/str.h"
#include "io/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Three lines: address, mark, total.  Nothing is taken over unless all three are right. */
static void read_from(rc_fetch_part_t *p)
{
    char *text = NULL;
    size_t capacity = 0;
    size_t n = strlen(p->url);
    int64_t bytes;
    FILE *f = rc_open_stream(p->from, RC_OPEN_READ, NULL);
    if (!f)
        return;
    int is_same =
        getdelim(&text, &capacity, '\0', f) > 0 && strncmp(text, p->url, n) == 0 && text[n] == '\n';
    fclose(f);
    char *mark = is_same ? text + n + 1 : NULL;
    char *total = mark ? strchr(mark, '\n') : NULL;
    char *end = total ? strchr(total + 1, '\n') : NULL;
    if (end) {
        *total++ = *end = '\0';
        if (rc_parse_int(total, -1, INT64_MAX, "total", &bytes, NULL) == RC_OK &&
            rc_strcpy(p->mark, sizeof p->mark, mark, "mark", NULL) == RC_OK)
            p->total = bytes;
    }
    free(text);
}

static rc_status_t write_from(const rc_fetch_part_t *p, rc_err_t *err)
{
    rc_replace_t r;
    RC_PASS(rc_replace_begin_ours(p->from, &r, err));
    r.unsynced = 1; /* so are the bytes that it is of */
    (void)fprintf(r.file, "%s\n%s\n%" PRId64 "\n", p->url, p->mark, p->total);
    return rc_replace_end(&r, 1, err);
}

rc_status_t rc_fetch_part_look(
    const char *dir, const char *name, const char *url, rc_fetch_part_t *out, rc_err_t *err)
{
    struct stat s;
    rc_fetch_part_t p = {.fd = -1, .total = -1};
    p.path = rc_strf("a file name", err, "%s/.%s.part", dir, name);
    p.from = rc_strf("a file name", err, "%s/.%s.part.from", dir, name);
    p.final = rc_strf("a file name", err, "%s/%s", dir, name);
    p.url = rc_strdup(url, err);
    if (!p.path || !p.from || !p.final || !p.url) {
        rc_fetch_part_free(&p);
        return RC_ENOMEM;
    }
    p.is_there = lstat(p.path, &s) == 0;
    read_from(&p);
    if (p.is_there && S_ISREG(s.st_mode) && p.mark[0])
        p.bytes = (int64_t)s.st_size;
    p.pieces = p.bytes > 0;
    *out = p;
    return RC_OK;
}

rc_status_t rc_fetch_part_begin(
    rc_fetch_part_t *p, int64_t keep, const char *mark, int64_t total, rc_err_t *err)
{
    if (p->fd < 0) {
        RC_PASS(rc_file_make_folders(p->path, err));
        RC_PASS(rc_open_file(p->path, RC_OPEN_KEEP, 0666, &p->fd, err));
    }
    /* bytes of another version go before its mark comes */
    if (ftruncate(p->fd, (off_t)keep) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "cannot write %s", p->path);
    p->begun = 1;
    p->pieces = keep > 0;
    p->bytes = keep;
    p->total = total;
    if (rc_strcpy(p->mark, sizeof p->mark, mark, "mark", NULL) < 0)
        p->mark[0] = '\0'; /* too long to keep: the file cannot be continued, that is all */
    return write_from(p, err);
}

rc_status_t rc_fetch_part_write(rc_fetch_part_t *p, const void *data, size_t n, rc_err_t *err)
{
    if (rc_write_at(p->fd, p->path, data, n, p->bytes, NULL) < 0)
        return rc_fail_errno(err, RC_EIO, errno, "cannot write %s", p->path);
    p->bytes += (int64_t)n;
    return RC_OK;
}

void rc_fetch_part_pause(rc_fetch_part_t *p)
{
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
}

void rc_fetch_part_discard(rc_fetch_part_t *p)
{
    rc_fetch_part_pause(p);
    /* the mark first: bytes without one are not continued */
    unlink(p->from);
    unlink(p->path);
    p->begun = p->pieces = 0;
    p->bytes = 0;
    p->total = -1;
    p->mark[0] = '\0';
}

rc_status_t rc_fetch_part_finish(rc_fetch_part_t *p, int keep_mark, rc_err_t *err)
{
    rc_fetch_part_pause(p);
    RC_PASS(rc_sync_file(p->path, err));
    if (rename(p->path, p->final) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "cannot rename %s to %s", p->path, p->final);
    p->begun = 0;
    /* a file system that cannot sync a folder makes a rename durable by itself */
    (void)rc_sync_folder_of(p->final, NULL);
    if (!keep_mark)
        unlink(p->from);
    return RC_OK;
}

void rc_fetch_part_free(rc_fetch_part_t *p)
{
    if (!p->path && !p->from && !p->final && !p->url)
        return; /* zeroed: fd 0 is not ours */
    rc_fetch_part_pause(p);
    free(p->path);
    free(p->from);
    free(p->final);
    free(p->url);
    *p = (rc_fetch_part_t){.fd = -1};
}
