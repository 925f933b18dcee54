#include "config.h"
#include "sweep/selection.h"
#include "base/digest.h"
#include "base/error.h"
#include "store/comm.h"
#include "sweep/worklist.h"
#include "table/view.h"

#include <string.h>

static rc_status_t check_config(const rc_sweep_config_t *c, rc_err_t *err)
{
    if (c->kernels > RC_WORKLIST_KERNELS_MAX)
        return rc_fail(err, RC_EINVAL, "%d kernels, at most %d in one sweep", c->kernels,
            RC_WORKLIST_KERNELS_MAX);
    if (c->policies < 1 || c->kernels < 1 || c->ks < 1 || c->precisions < 1)
        return rc_fail(err, RC_EINVAL, "nothing to sweep: a list is empty");
    return RC_OK;
}

/* Every rank has read the collection for itself; the work list speaks of entries by number. */
static rc_status_t check_catalog(const rc_session_t *s, const rc_sweep_config_t *c, rc_err_t *err)
{
    rc_hasher_t *h = rc_hasher_new(err);
    rc_status_t st = rc_session_agree(s, h ? RC_OK : RC_ENOMEM, err);
    if (st < 0) {
        rc_hasher_free(h);
        return st;
    }
    for (int64_t i = 0; i < c->catalog->count; i++) {
        const rc_entry_t *e = &c->catalog->entry[i];
        rc_hasher_add(h, e->name, strlen(e->name) + 1);
        rc_hasher_add(h, e->location, strlen(e->location) + 1);
        rc_hasher_add(h, &e->bytes, sizeof e->bytes);
        rc_hasher_add(h, &e->mtime_ns, sizeof e->mtime_ns);
    }
    rc_digest_t mine = rc_hasher_digest(h);
    rc_digest_t first = mine;
    rc_hasher_free(h);
    rc_comm_broadcast(s->comm, &first, sizeof first);
    if (rc_digest_compare(&mine, &first) != 0)
        st = rc_fail(err, RC_EINVAL,
            "rank %d on %s sees another collection than rank 0; put it on a shared file system",
            s->rank, s->host);
    return rc_session_agree(s, st, err);
}

rc_status_t rc_selection_check(const rc_session_t *s, const rc_sweep_config_t *c, rc_err_t *err)
{
    RC_PASS(rc_session_agree(s, check_config(c, err), err));
    return check_catalog(s, c, err);
}

rc_status_t rc_selection_redo(
    const char *text, rc_expr_t **cases, rc_expr_t **sources, rc_err_t *err)
{
    rc_err_t other;
    *cases = *sources = NULL;
    if (!text)
        return RC_OK;
    rc_status_t st = rc_expr_compile(text, rc_view_fields.field, rc_view_fields.count, cases, err);
    rc_status_t st2 =
        rc_expr_compile(text, rc_source_fields.field, rc_source_fields.count, sources, &other);
    if (st < 0 && st2 < 0)
        return rc_err_context(err, "--redo");
    return RC_OK;
}
