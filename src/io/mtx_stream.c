#include "config.h"
#include "io/mtx_stream.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { line_longest = 16 << 20 };

rc_status_t rc_mtx_stream_open(
    rc_mtx_stream_t *s, const char *path, const rc_source_limits_t *limits, rc_err_t *err)
{
    s->mark = '\n';
    rc_status_t st = rc_source_open(path, limits, &s->source, &s->bytes, err);
    if (st < 0)
        rc_err_context(err, "%s", s->path);
    return st;
}

void rc_mtx_stream_drop(rc_mtx_stream_t *s)
{
    for (int i = 0; i < 2; i++) {
        free(s->buffer[i]);
        s->buffer[i] = NULL;
    }
}

void rc_mtx_stream_close(rc_mtx_stream_t *s)
{
    rc_mtx_stream_drop(s);
    rc_source_close(s->source);
}

static rc_status_t too_long(const rc_mtx_stream_t *s, rc_err_t *err)
{
    return rc_mtx_fail(err, RC_EFORMAT, s->path, s->lines + 1,
        "expected a line of at most %d characters, found a longer one", (int)line_longest);
}

rc_status_t rc_mtx_stream_carry(rc_mtx_stream_t *s, size_t from, rc_err_t *err)
{
    int next = 1 - s->current;
    s->kept = s->length - from;
    if (s->kept > line_longest)
        return too_long(s, err);
    RC_PASS(
        RC_GROW(s->buffer[next], s->capacity[next], s->kept + s->block, "a block of text", err));
    memcpy(s->buffer[next], s->length ? s->text + from : "", s->kept);
    return RC_OK;
}

void rc_mtx_stream_decode(rc_mtx_stream_t *s)
{
    char *to = s->buffer[1 - s->current] + s->kept;
    s->status = rc_source_read(s->source, to, s->block, &s->got, &s->err);
}

rc_status_t rc_mtx_stream_step(rc_mtx_stream_t *s, rc_err_t *err)
{
    if (s->status < 0 && s->whole_only)
        return rc_fail(err, s->status, "%s: %.400s", s->path, s->err.text);
    if (s->status < 0)
        return rc_mtx_fail(
            err, s->status, s->path, s->lines + 1, "at or after this line %.300s", s->err.text);
    s->before += (int64_t)(s->length - s->kept);
    s->current = 1 - s->current;
    s->text = s->buffer[s->current];
    s->length = s->kept + s->got;
    s->at = 0;
    s->is_last = s->got < s->block;
    return RC_OK;
}

rc_status_t rc_mtx_stream_more(rc_mtx_stream_t *s, rc_err_t *err)
{
    RC_PASS(rc_mtx_stream_carry(s, s->at, err));
    rc_mtx_stream_decode(s);
    return rc_mtx_stream_step(s, err);
}

/* How many bytes of the text at s->at may be searched for a line end: of a line that has none yet
 * and cannot be one of a head it is not worth while. */
static size_t searchable(const rc_mtx_stream_t *s)
{
    enum { sure = 4096 };
    const char *p = s->text + s->at;
    size_t n = s->length - s->at;
    size_t blank = 0;
    while (blank < sure && n > sure && (p[blank] == ' ' || p[blank] == '\t'))
        blank++;
    int may_be_head = blank == sure || p[blank] == '%' || (p[blank] >= '0' && p[blank] <= '9');
    return n > sure && !may_be_head ? sure : n;
}

static void take_line(rc_mtx_stream_t *s, const char *line_end, size_t n, rc_mtx_line_t *line)
{
    /* before the first block and behind an empty text there is nothing to point into */
    const char *begin = n ? s->text + s->at : NULL;
    const char *end = s->text + s->length;
    const char *next = line_end ? rc_mtx_after_line(line_end, end) : NULL;
    *line = (rc_mtx_line_t){s->path, s->lines + 1, begin, line_end || !n ? line_end : begin + n};
    if (next && s->lines == 0 && *line_end == '\r' && next == line_end + 1)
        s->mark = '\r';
    s->at = next ? (size_t)(next - s->text) : s->at + n;
    s->lines += next != NULL;
}

rc_status_t rc_mtx_stream_line(rc_mtx_stream_t *s, rc_mtx_line_t *line, rc_err_t *err)
{
    for (;;) {
        size_t n = s->length - s->at;
        size_t most = n ? searchable(s) : 0;
        const char *begin = n ? s->text + s->at : NULL;
        const char *end =
            n ? rc_mtx_line_end(begin, begin + (most < line_longest ? most : line_longest)) : NULL;
        /* of a CR at the end of a block nobody knows yet whether an LF follows */
        int is_known = end && (*end == '\n' || s->text + s->length - end > 2);
        if (is_known || s->is_last || (!end && most < n)) {
            if (!end && most > line_longest)
                return too_long(s, err);
            take_line(s, end, most, line);
            return RC_OK;
        }
        RC_PASS(rc_mtx_stream_more(s, err));
    }
}

const char *rc_mtx_stream_after(const rc_mtx_stream_t *s, const char *p, const char *end)
{
    const char *mark = p < end ? memchr(p, s->mark, (size_t)(end - p)) : NULL;
    if (!mark)
        return end;
    p = mark + 1;
    while (s->mark == '\r' && p < end && (*p == '\r' || *p == '\n')) /* no cut inside of a CR LF */
        p++;
    return p;
}

size_t rc_mtx_stream_whole(const rc_mtx_stream_t *s)
{
    size_t end = s->length;
    if (s->is_last)
        return end;
    if (s->mark == '\r') /* what follows has to be known */
        while (end > s->at && (end == s->length || s->text[end - 1] != '\r' ||
                                  s->text[end] == '\r' || s->text[end] == '\n'))
            end--;
    else
        while (end > s->at && s->text[end - 1] != '\n')
            end--;
    return end;
}
