#include "config.h"
#include "io/gunzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum { magic = 0x1f }; /* the first byte of a member */

struct rc_gunzip {
    z_stream z;
    int garbage;  /* something else is behind the last member */
    int between;  /* at the end of a member: another one, zero padding or the end may follow */
    int finished; /* no more input will come */
};

rc_gunzip_t *rc_gunzip_new(void)
{
    enum { gzip_only = 16 };
    rc_gunzip_t *g = calloc(1, sizeof *g);
    if (g && inflateInit2(&g->z, MAX_WBITS + gzip_only) != Z_OK) {
        free(g);
        return NULL;
    }
    return g;
}

void rc_gunzip_free(rc_gunzip_t *g)
{
    if (g) {
        inflateEnd(&g->z);
        free(g);
    }
}

int rc_gunzip_is_hungry(const rc_gunzip_t *g)
{
    return g->z.avail_in == 0 && !g->finished;
}

int rc_gunzip_ignored(const rc_gunzip_t *g)
{
    return g->garbage;
}

void rc_gunzip_feed(rc_gunzip_t *g, const void *data, size_t bytes)
{
    g->z.next_in = (Bytef *)(uintptr_t)data; /* zlib reads it only */
    g->z.avail_in = (uInt)bytes;
    g->finished = bytes == 0;
}

/* Between members: skip zero padding; returns 1 when a member follows.  Anything else ends the
 * file. */
static int next_member(rc_gunzip_t *g)
{
    while (g->z.avail_in > 0 && *g->z.next_in == 0) {
        g->z.next_in++;
        g->z.avail_in--;
    }
    if (g->z.avail_in > 0 && *g->z.next_in != magic) {
        g->garbage = g->finished = 1;
        g->z.avail_in = 0;
    }
    if (g->z.avail_in == 0)
        return 0;
    g->between = 0;
    return inflateReset(&g->z) == Z_OK;
}

const char *rc_gunzip_read(rc_gunzip_t *g, void *buf, size_t size, size_t *got)
{
    g->z.next_out = buf;
    g->z.avail_out = (uInt)(size < UINT_MAX ? size : UINT_MAX);
    uInt room = g->z.avail_out;
    const char *problem = NULL;
    while (g->z.avail_out > 0 && !problem) {
        if (g->between && !next_member(g))
            break;
        if (g->z.avail_in == 0) {
            if (g->finished)
                problem = "the gzip stream ends too early";
            break;
        }
        int code = inflate(&g->z, Z_NO_FLUSH);
        if (code == Z_STREAM_END) {
            g->between = 1;
        } else if (code == Z_DATA_ERROR && g->z.msg) {
            problem = g->z.msg;
        } else if (code == Z_MEM_ERROR) {
            problem = "no memory to decode gzip";
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            problem = "the gzip stream is damaged";
        }
    }
    *got = room - g->z.avail_out;
    return problem;
}
