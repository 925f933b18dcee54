#include "config.h"
#include "store/merge.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "store/journal.h"
#include "store/lock.h"
#include "store/merge_private.h"
#include "store/path.h"
#include "store/prove.h"
#include "store/replace.h"
#include "store/scan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The output while it is made. */
typedef struct target {
    char *path; /* without links */
    char *dir;  /* its journal folder, which holds the locks */
    char *fresh;
    rc_lock_t *sweep;
    rc_lock_t *commit;
    int exists;
    int made; /* 1: there is a half-made file */
} target_t;

/* \param[in] seen  the journals as they were before the store was read: what is folded in between
 *                  is then in it */
static rc_status_t check_journals(const rc_merge_store_t *s, const rc_scan_t *seen, rc_err_t *err)
{
    int64_t more = 0;
    for (const rc_scan_journal_t *j = seen->journal; j < seen->journal + seen->journals; j++) {
        char *path = rc_strf("a path", NULL, "%s.journal/%s", s->path, j->name);
        /* what a writer that is gone had in hand may not be in the store */
        more += j->alive ? j->end > rc_dict_journal_bytes(&s->dicts, j->name)
                         : path && access(path, F_OK) == 0;
        free(path);
    }
    if (more == 0)
        return RC_OK;
    return rc_fail(err, RC_ESTORE,
        "%s: %lld journals beside it hold what is not in the store: 'rowcast fold %s' first",
        s->path, (long long)more, s->path);
}

static rc_status_t read_store(
    rc_merge_store_t *s, const rc_merge_options_t *o, int64_t *created_ns, rc_err_t *err)
{
    rc_scan_t seen = {0};
    rc_h5_about_t about;
    rc_status_t st = RC_OK;
    if (!o->skip_journals)
        RC_TRY(rc_scan_journals(s->path, NULL, NULL, &seen, err));
    st = rc_h5_open(s->path, 0, &s->h, err);
    if (st == RC_ENOENT && seen.journals > 0)
        st = rc_fail(err, RC_ENOENT, "%s: no such store, but journals: 'rowcast fold %s' first",
            s->path, s->path);
    if (st < 0)
        goto done;
    RC_TRY(rc_h5_about(&s->h, &about, err));
    if (*created_ns == 0 || about.created_ns < *created_ns)
        *created_ns = about.created_ns;
    RC_TRY(rc_dicts_read(&s->dicts, &s->h, err));
    RC_TRY(rc_h5_rows(&s->h, &rc_schema[RC_T_RESULT], &s->results, err));
    if (!o->skip_journals)
        st = check_journals(s, &seen, err);
done:
    rc_scan_free(&seen);
    return st;
}

static rc_status_t add_store(rc_merge_t *m, const char *path, rc_err_t *err)
{
    char *real = NULL;
    RC_PASS(rc_store_path(path, &real, err));
    for (int i = 0; i < m->stores; i++)
        if (strcmp(m->store[i].path, real) == 0) {
            free(real);
            return RC_OK;
        }
    rc_merge_store_t *s = &m->store[m->stores++];
    s->path = real;
    s->h.file = -1;
    rc_dicts_init(&s->dicts);
    return RC_OK;
}

static void merge_free(rc_merge_t *m)
{
    for (int i = 0; i < m->stores; i++) {
        rc_merge_store_t *s = &m->store[i];
        (void)rc_h5_close(&s->h, NULL);
        rc_dicts_free(&s->dicts);
        for (int t = 0; t < RC_MERGE_DICTS; t++)
            free(s->id[t]);
        free(s->result);
        free(s->sample);
        free(s->path);
    }
    free(m->store);
    (void)rc_h5_close(&m->h, NULL);
    rc_dicts_free(&m->dicts);
}

static rc_status_t target_open(
    const char *out, const rc_merge_options_t *o, target_t *t, rc_err_t *err)
{
    const rc_lock_wait_t wait = {.busy_ns = o->lock_wait_ns};
    const char *why;
    rc_status_t st;
    RC_TRY(rc_store_path(out, &t->path, err));
    t->dir = rc_journal_dir(t->path, err);
    RC_TRY(t->dir ? RC_OK : RC_ENOMEM);
    t->fresh = rc_strf("a path", err, "%s.merge-tmp", t->path);
    RC_TRY(t->fresh ? RC_OK : RC_ENOMEM);
    st = rc_lock_take(t->dir, "sweep.lock", NULL, &t->sweep, err);
    if (st == RC_EBUSY)
        rc_err_context(err, "a sweep has the store %s", out);
    if (st < 0)
        goto done;
    RC_TRY(rc_lock_take(t->dir, "commit.lock", &wait, &t->commit, err));
    RC_TRY(rc_replace_finish(t->path, err));
    t->exists = access(t->path, F_OK) == 0;
    st = rc_replace_look(t->fresh, t->path, &why, err);
done:
    return st;
}

static void target_close(target_t *t)
{
    if (t->made)
        unlink(t->fresh);
    rc_lock_release(t->commit);
    rc_lock_release(t->sweep);
    /* succeeds only when nobody else has anything in it */
    if (t->dir)
        rmdir(t->dir);
    free(t->fresh);
    free(t->dir);
    free(t->path);
}

static rc_status_t write_store(rc_merge_t *m, target_t *t, int64_t created_ns, rc_err_t *err)
{
    rc_contents_t contents = {0};
    rc_status_t st;
    t->made = 1;
    RC_TRY(rc_h5_create(t->fresh, created_ns, &m->h, err));
    m->h.contents = &contents;
    RC_TRY(rc_merge_dicts(m, err));
    RC_TRY(rc_merge_tables(m, err));
    RC_TRY(rc_dicts_write(&m->dicts, &m->h, err));
    RC_TRY(rc_merge_results(m, err));
    RC_TRY(rc_merge_orders(m, err));
    RC_TRY(rc_merge_features(m, err));
    RC_TRY(rc_h5_close(&m->h, err));
    for (int i = 0; i < m->stores; i++)
        RC_TRY(rc_h5_close(&m->store[i].h, err));
    RC_TRY(rc_prove(t->fresh, &contents, err));
    st = rc_replace(t->fresh, t->path, err);
done:
    m->h.contents = NULL;
    rc_contents_free(&contents);
    return st;
}

rc_status_t rc_merge(const char *out, const char *const *in, int count,
    const rc_merge_options_t *options, rc_merge_info_t *info, rc_err_t *err)
{
    target_t t = {0};
    rc_merge_t m = {.h = {.file = -1}};
    int64_t created_ns = 0;
    rc_status_t st = RC_OK;
    rc_dicts_init(&m.dicts);
    RC_TRY(RC_NEW0(m.store, (size_t)count + 1, "stores", err));
    RC_TRY(target_open(out, options, &t, err));
    if (t.exists)
        RC_TRY(add_store(&m, t.path, err));
    m.has_out = t.exists;
    for (int i = 0; i < count; i++)
        RC_TRY(add_store(&m, in[i], err));
    for (int i = 0; i < m.stores; i++)
        RC_TRY(read_store(&m.store[i], options, &created_ns, err));
    m.info.stores = m.stores;
    RC_TRY(write_store(&m, &t, created_ns, err));
    t.made = 0;
    if (info)
        *info = m.info;
done:
    merge_free(&m);
    target_close(&t);
    return st;
}
