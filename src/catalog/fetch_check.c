#include "config.h"
#include "catalog/fetch_check.h"
#include "base/error.h"
#include "catalog/fetch_text.h"
#include "catalog/list.h"
#include "io/file.h"
#include "io/mtx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static rc_status_t compare(rc_check_t *c, const rc_mtx_counts_t *found, rc_err_t *err)
{
    const rc_entry_t *e = c->entry;
    c->rows = found->rows;
    c->cols = found->cols;
    c->entries = found->expanded;
    if (found->rows == e->rows && found->cols == e->cols &&
        (found->expanded == e->pattern_nnz || found->expanded == e->nnz))
        return RC_OK;
    return rc_fail(err, RC_EFORMAT,
        "another matrix: the catalogue has %" PRId64 " x %" PRId64 " with %" PRId64
        " entries, the file %" PRId64 " x %" PRId64 " with %" PRId64,
        e->rows, e->cols, e->pattern_nnz, found->rows, found->cols, found->expanded);
}

void rc_check_file(rc_check_t *c, int threads, int (*stop)(void *), void *arg)
{
    rc_mtx_counts_t found;
    const char *slash = strrchr(c->path, '/');
    rc_mtx_limits_t limits = {.label = slash ? slash + 1 : c->path, .stop = stop, .stop_arg = arg};
    char label[300];
    if (c->is_archive) {
        limits.name = rc_entry_short_name(c->entry);
        limits.member_bytes = limits.total_bytes = rc_archive_most_bytes(c->entry);
        snprintf(label, sizeof label, "%.200s.tar.gz", limits.name);
        limits.label = label;
    }
    c->err = (rc_err_t){.status = RC_OK};
    c->status = rc_mtx_count(c->path, threads, &limits, &found, &c->err);
    if (c->status == RC_OK)
        c->status = compare(c, &found, &c->err);
    if (c->status == RC_OK)
        c->status = rc_file_digest(c->path, &c->digest, &c->bytes, &c->mtime_ns, &c->err);
    else if (c->status == RC_ERANGE)
        c->status = RC_EFORMAT;
}
