#include "config.h"
#include "table/archive.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "store/h5.h"
#include "store/path.h"
#include "store/prove.h"
#include "store/replace.h"
#include "table/view_private.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int same_file(const char *a, const char *b)
{
    struct stat x;
    struct stat y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* ------------------------------------------------------------- which rows */

static int matches(const rc_view_t *v, const rc_archive_options_t *o, int64_t i)
{
    return (!o->newest || (rc_view_is_newest(v, i) && rc_view_is_current(v, i))) &&
           rc_view_matches(v, i, o->where);
}

static rc_digest_t case_of(const rc_view_t *v, int64_t i)
{
    const rc_row_result_t *r = rc_view_result(v, i);
    return rc_digest(r->case_id, sizeof r->case_id);
}

/* keep[i] = 1 for the rows that match and whose case has a newest row that matches. */
static rc_status_t mark(
    const rc_view_t *v, const rc_archive_options_t *o, unsigned char *keep, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_map_t kept = {0};
    for (int64_t i = rc_view_count(v) - 1; i >= 0; i--) {
        if (!matches(v, o, i))
            continue;
        if (rc_view_is_newest(v, i))
            RC_TRY(rc_map_set(&kept, case_of(v, i), 1, err));
        keep[i] = rc_map_get(&kept, case_of(v, i), 0) == 1;
    }
done:
    rc_map_free(&kept);
    return st;
}

/* The rows of /results for the copy; free *out with free(). */
static rc_status_t choose(const rc_h5_t *h, const rc_archive_options_t *o, rc_h5_pick_t **out,
    rc_archive_info_t *info, rc_err_t *err)
{
    rc_status_t st;
    rc_view_t *v = NULL;
    rc_h5_pick_t *pick = NULL;
    unsigned char *keep = NULL;
    RC_TRY(rc_view_load(h, &v, err));
    RC_TRY(rc_view_check(v, o->where, err));
    int64_t n = rc_view_count(v);
    RC_TRY(RC_NEW0(keep, n, "marks", err));
    RC_TRY(RC_NEW(pick, n, "rows of a copy", err));
    RC_TRY(mark(v, o, keep, err));
    for (int64_t i = 0; i < n; i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        if (!keep[i])
            continue;
        pick[info->kept++] = (rc_h5_pick_t){i, r->sample_offset, r->reps};
        info->rebased += !isnan(rc_view_speedup(v, i)) && !keep[v->csr[i]];
    }
    info->left_out = n - info->kept;
    *out = pick;
    pick = NULL;
done:
    free(pick);
    free(keep);
    rc_view_free(v);
    return st;
}

/* ---------------------------------------------------------------- the file */

/* A copy replaces nothing but a store. */
static rc_status_t may_replace(const char *to, rc_err_t *err)
{
    rc_h5_t h = {.file = -1};
    if (access(to, F_OK) != 0)
        return RC_OK;
    if (rc_h5_open(to, 0, &h, NULL) < 0)
        return rc_fail(err, RC_EINVAL, "%s: is there and is no store: not replaced", to);
    return rc_h5_close(&h, err);
}

rc_status_t rc_archive(const char *from, const char *to, const rc_archive_options_t *options,
    rc_archive_info_t *out, rc_err_t *err)
{
    rc_h5_t h = {.file = -1};
    char *fresh = NULL;
    rc_contents_t contents = {0};
    rc_h5_pick_t *pick = NULL;
    rc_archive_info_t info = {0};
    char *path = NULL;
    rc_status_t st;
    if (same_file(from, to))
        return rc_fail(err, RC_EINVAL, "%s: the copy would replace the store itself", to);
    RC_TRY(rc_store_path(to, &path, err));
    RC_TRY(may_replace(to, err));
    RC_TRY(rc_replace_finish(path, err));
    RC_TRY(rc_h5_open(from, 0, &h, err));
    if (options->newest || options->where)
        RC_TRY(choose(&h, options, &pick, &info, err));
    else
        RC_TRY(rc_h5_rows(&h, &rc_schema[RC_T_RESULT], &info.kept, err));
    fresh = rc_strf("a path", err, "%s.archive-tmp", path);
    RC_TRY(fresh ? RC_OK : RC_ENOMEM);
    const rc_h5_copy_options_t how = {.compressed = 1,
        .samples = options->samples,
        .pick = pick,
        .picks = info.kept,
        .contents = &contents};
    RC_TRY(rc_h5_copy(&h, fresh, &how, err));
    RC_TRY(rc_h5_close(&h, err));
    RC_TRY(rc_prove(fresh, &contents, err));
    RC_TRY(rc_replace(fresh, path, err));
    if (out)
        *out = info;
done:
    if (st < 0 && fresh)
        unlink(fresh);
    (void)rc_h5_close(&h, NULL);
    free(fresh);
    rc_contents_free(&contents);
    free(path);
    free(pick);
    return st;
}
