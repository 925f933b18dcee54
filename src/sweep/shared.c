#include "config.h"
#include "sweep/shared.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "store/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { text_max = 256 };
static const int64_t patience_ns = INT64_C(10000000000);
static const int64_t pause_ns = INT64_C(100000000);

/* What a file begins with; nothing when it is not there. */
static void read_text(const char *path, char text[text_max])
{
    memset(text, 0, text_max);
    FILE *f = rc_open_stream(path, RC_OPEN_READ, NULL);
    if (!f)
        return;
    size_t n = fread(text, 1, text_max - 1, f);
    text[n] = '\0';
    fclose(f);
}

rc_status_t rc_shared_check(const rc_session_t *s, const char *dir, const char *name, rc_err_t *err)
{
    char mine[text_max];
    char first[text_max];
    if (s->size == 1)
        return RC_OK;
    char *path = rc_strf("a path", err, "%s/%s", dir, name);
    rc_status_t st = rc_session_agree(s, path ? RC_OK : RC_ENOMEM, err);
    if (st == RC_OK) {
        read_text(path, mine);
        memcpy(first, mine, sizeof first);
        st = rc_comm_broadcast(s->comm, first, sizeof first);
        if (st < 0)
            rc_fail(err, st, "MPI: the folders of the ranks cannot be compared");
        int64_t until = rc_clock_ns() + patience_ns;
        while (st == RC_OK && memcmp(mine, first, sizeof mine) != 0 && rc_clock_ns() < until) {
            rc_sleep_ns(pause_ns);
            read_text(path, mine);
        }
        if (st == RC_OK && memcmp(mine, first, sizeof mine) != 0)
            st = rc_fail(err, RC_EIO,
                "%s: on %s it is not the folder that it is for rank 0; the store has to be on a "
                "file system that all nodes share",
                dir, s->host);
        st = rc_session_agree(s, st, err);
    }
    free(path);
    return st;
}
