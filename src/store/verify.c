#include "config.h"
#include "store/verify.h"
#include "base/error.h"
#include "base/open.h"
#include "base/visible.h"
#include "store/replace.h"
#include "store/seal.h"
#include "store/verify_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void rc_verify_expect(const rc_verify_at_t *at, int ok, const char *text, ...)
{
    char raw[1024];
    char shown[2][sizeof raw * 2]; /* what is in a damaged file is not fit for a terminal */
    va_list list;
    if (ok)
        return;
    va_start(list, text);
    vsnprintf(raw, sizeof raw, text, list);
    va_end(list);
    char *found = strchr(raw, '|');
    *found++ = '\0';
    rc_visible(raw, shown[0], sizeof shown[0]);
    rc_visible(found, shown[1], sizeof shown[1]);
    const rc_verify_problem_t p = {at->path, at->row, shown[0], shown[1]};
    at->v->info.problems++;
    at->v->report(at->v->user, &p);
}

rc_status_t rc_verify_unread(rc_verify_t *v, const char *path, rc_status_t st, rc_err_t *err)
{
    if (st == RC_OK || st == RC_ENOMEM)
        return st;
    const rc_verify_at_t at = {v, path, -1};
    rc_verify_expect(&at, 0, "something that can be read|%s", err ? err->text : "an error");
    if (err)
        *err = (rc_err_t){0};
    return RC_OK;
}

static void bad_bytes(void *user, int64_t first, int64_t bytes)
{
    const rc_verify_at_t at = {user, "bytes", first};
    rc_verify_expect(
        &at, 0, "what was written|%" PRId64 " bytes in which something else is", bytes);
}

/* The bytes, before HDF5 sees them. */
static rc_status_t check_bytes(rc_verify_t *v, rc_err_t *err)
{
    rc_seal_t seal;
    struct stat s;
    rc_err_t why = {0};
    if (stat(v->path, &s) == 0 && !S_ISREG(s.st_mode))
        return rc_fail(
            err, RC_ESTORE, "%s: expected a store, found %s", v->path, rc_open_kind(s.st_mode));
    int fd;
    char *file = NULL;
    if (rc_replace_readable(v->path, &file, err) < 0)
        return RC_ENOMEM;
    rc_status_t st = rc_open_file(file, RC_OPEN_GIVEN, 0, &fd, err);
    free(file);
    if (st < 0)
        return st;
    st = rc_seal_check(fd, v->path, bad_bytes, v, &seal, &why);
    close(fd);
    if (st == RC_ESTORE) {
        const rc_verify_at_t at = {v, "bytes", -1};
        rc_verify_expect(&at, 0, "digests at the end of the file|%s", why.text);
        st = RC_OK;
    } else if (st == RC_OK)
        v->info.sealed = seal.present;
    else if (err)
        *err = why;
    v->info.stopped = v->info.problems > 0;
    return st;
}

/* Bytes behind the end that are no seal. */
static rc_status_t check_end(rc_verify_t *v, rc_err_t *err)
{
#if H5_VERSION_GE(1, 10, 2)
    haddr_t end = 0;
    if (v->info.sealed)
        return RC_OK;
    if (H5Fget_eoa(v->h.file, &end) < 0)
        return rc_fail(err, RC_ESTORE, "%s: cannot find its end", v->path);
    const rc_verify_at_t at = {v, "bytes", (int64_t)end};
    rc_verify_expect(&at, v->h.bytes <= at.row,
        "the end of the file, or digests|%" PRId64 " other bytes", v->h.bytes - at.row);
#else
    (void)v;
    (void)err;
#endif
    return RC_OK;
}

static rc_status_t check_all(rc_verify_t *v, rc_err_t *err)
{
    RC_PASS(check_bytes(v, err));
    if (v->info.stopped)
        return RC_OK;
    RC_PASS(rc_h5_open(v->path, 0, &v->h, err));
    RC_PASS(check_end(v, err));
    RC_PASS(rc_verify_schema(v, err));
    v->info.stopped = v->info.problems > 0;
    if (v->info.stopped)
        return RC_OK;
    RC_PASS(rc_verify_tables(v, err));
    RC_PASS(rc_verify_results(v, err));
    return rc_verify_journals(v, err);
}

rc_status_t rc_verify(const char *store, const rc_verify_options_t *options, rc_problem_fn *report,
    void *user, rc_verify_info_t *out, rc_err_t *err)
{
    rc_verify_t v = {
        .path = store, .options = options, .report = report, .user = user, .h = {.file = -1}};
    rc_dicts_init(&v.dicts);
    rc_err_t local = {0};
    rc_status_t st = check_all(&v, &local);
    st = rc_h5_closed(st, &v.h, &local);
    rc_dicts_free(&v.dicts);
    rc_map_free(&v.seen);
    if (st < 0) {
        if (err)
            *err = local;
        return st;
    }
    *out = v.info;
    return RC_OK;
}
