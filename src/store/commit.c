#include "config.h"
#include "store/commit.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "store/comm.h"
#include "store/dict.h"
#include "store/fold.h"
#include "store/guard.h"
#include "store/held.h"
#include "store/lock.h"
#include "store/prove.h"
#include "store/replace.h"
#include "store/seal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One commit round. */
typedef struct round {
    const char *store;
    char *dir;   /* journal folder */
    char *fresh; /* the copy that becomes the store */
    const rc_commit_options_t *o;
    const rc_log_t *log;
    rc_err_t *err;
    rc_lock_t *lock;
    int exists;   /* there is a store */
    dev_t device; /* ... and this is the file */
    ino_t inode;
    int unsealed; /* ... that has no seal */
    int convert;  /* ... and a copy of its bytes cannot be appended to */
    rc_dicts_t dicts;
    rc_fold_t fold;
    rc_contents_t contents; /* what the copy is to hold */
    int64_t before;         /* results in the store */
} round_t;

/* -------------------------------------------------------------------- scanning */

/* The store that is there. */
static rc_status_t read_store(round_t *r)
{
    rc_h5_t h;
    int can_append = 0;
    RC_PASS(rc_guard_check(r->store, &r->unsealed, r->err));
    RC_PASS(rc_h5_open(r->store, 0, &h, r->err));
    rc_status_t st = rc_dicts_read(&r->dicts, &h, r->err);
    if (st == RC_OK)
        st = rc_h5_can_append(&h, &can_append, r->err);
    if (st == RC_OK)
        st = rc_h5_rows(&h, &rc_schema[RC_T_RESULT], &r->before, r->err);
    r->convert = !can_append;
    return rc_h5_closed(st, &h, r->err);
}

static rc_status_t scan(round_t *r)
{
    const rc_lock_wait_t wait = {
        .busy_ns = r->o->lock_wait_ns, .silent_ns = r->o->writers.silent_ns, .log = r->log};
    struct stat s;
    RC_PASS(rc_lock_take(r->dir, "commit.lock", &wait, &r->lock, r->err));
    RC_PASS(rc_replace_finish(r->store, r->err));
    r->exists = stat(r->store, &s) == 0;
    if (r->exists) {
        r->device = s.st_dev;
        r->inode = s.st_ino;
        /* before anything is measured: how the store will be changed, and that it can be */
        const char *why = NULL;
        RC_PASS(rc_replace_look(r->fresh, r->store, &why, r->err));
        if (why)
            rc_log(r->log, r->o->writers.uuid ? RC_LOG_DEBUG : RC_LOG_INFO, "store",
                "%s: %s: it is written in place; until that is proved, %s.whole holds all of it",
                r->store, why, r->store);
        RC_PASS(read_store(r));
    }
    rc_status_t st = rc_fold_read(
        r->dir, r->exists ? r->store : NULL, &r->dicts, &r->o->writers, r->log, &r->fold, r->err);
    /* one that has no seal gets one, so that other commands read it too */
    if (st == RC_OK && ((!r->exists && r->o->create) || r->unsealed))
        r->fold.info.changed = 1;
    return st;
}

/* --------------------------------------------------------- the copy and its end */

static rc_status_t copy_file(const char *from, const char *to, rc_err_t *err)
{
    int in = -1;
    int out = -1;
    rc_seal_t seal;
    rc_status_t st;
    RC_TRY(rc_open_file(from, RC_OPEN_GIVEN, 0, &in, err));
    RC_TRY(rc_open_file(to, RC_OPEN_FRESH, 0666, &out, err));
    RC_TRY(rc_held_copy(in, from, out, to, err));
    RC_TRY(rc_seal_find(in, from, &seal, err));
    if (seal.present && ftruncate(out, seal.body) != 0)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot cut off its seal", to);
done:
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) != 0 && st == RC_OK)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot close", to);
    return st;
}

/* The copy, and what is in it.  An archive copy is swept into as a plain store, and a store of an
 * older schema as one of this: it is written so from here on. */
static rc_status_t copy_store(round_t *r)
{
    const rc_h5_copy_options_t plain = {.samples = 1, .contents = &r->contents};
    rc_h5_t h;
    RC_PASS(rc_h5_open(r->store, 0, &h, r->err));
    rc_status_t st = r->convert ? rc_h5_copy(&h, r->fresh, &plain, r->err)
                                : copy_file(r->store, r->fresh, r->err);
    if (st == RC_OK && !r->convert)
        st = rc_h5_contents_all(&h, &r->contents, r->err);
    return rc_h5_closed(st, &h, r->err);
}

/* Raw times first: the results point to them. */
static rc_status_t append_rows(const round_t *r, const rc_h5_t *h)
{
    const rc_fold_t *f = &r->fold;
    int64_t first = 0;
    RC_PASS(rc_h5_append(h, &rc_schema_samples, f->sample, (int64_t)f->samples, &first, r->err));
    rc_row_result_t *row = f->result.rows;
    for (size_t i = 0; i < f->result.count; i++)
        if (row[i].sample_offset >= 0)
            row[i].sample_offset += first;
    const rc_dict_t *const rows[] = {&f->crashed, &f->result, &f->order};
    for (int i = 0; i < 3; i++)
        RC_PASS(
            rc_h5_append(h, rows[i]->table, rows[i]->rows, (int64_t)rows[i]->count, NULL, r->err));
    for (const rc_fold_set_t *t = f->set; t < f->set + f->sets; t++)
        RC_PASS(rc_h5_append_features(
            h, t->set, t->columns, t->row, t->value, (int64_t)t->rows, r->err));
    return RC_OK;
}

/* Copy or create, bring the small tables up to date, extend the others. */
static rc_status_t make_copy(round_t *r)
{
    rc_h5_t h;
    if (r->exists) {
        RC_PASS(copy_store(r));
        RC_PASS(rc_lock_check(r->lock, r->err)); /* else it may be another's by now */
        RC_PASS(rc_h5_open(r->fresh, 1, &h, r->err));
    } else {
        int64_t created = r->fold.first_start_ns ? r->fold.first_start_ns : rc_utc_ns();
        RC_PASS(rc_h5_create(r->fresh, created, &h, r->err));
    }
    h.contents = &r->contents;
    rc_status_t st = rc_dicts_write(&r->dicts, &h, r->err);
    for (int i = 0; i < r->fold.sets && st == RC_OK; i++)
        st = rc_h5_make_features(
            &h, r->fold.set[i].set, r->fold.set[i].columns, r->fold.set[i].names, r->err);
    if (st == RC_OK)
        st = append_rows(r, &h);
    return rc_h5_closed(st, &h, r->err);
}

static rc_status_t put_in_place(round_t *r)
{
    struct stat s;
    RC_PASS(rc_lock_check(r->lock, r->err));
    RC_PASS(rc_prove(r->fresh, &r->contents, r->err));
    /* what takes long comes before the last look at the lock, which a process that stood still has
     * lost; a store that was removed is made again from the copy, which has all of it */
    if (stat(r->store, &s) == 0 && (!r->exists || s.st_dev != r->device || s.st_ino != r->inode))
        return rc_fail(r->err, RC_EBUSY,
            "%s: was replaced while journals were folded into it; it is left as it is", r->store);
    RC_PASS(rc_lock_check(r->lock, r->err));
    if (r->o->watch) {
        int fd;
        RC_PASS(rc_open_file(r->fresh, RC_OPEN_READ, 0, &fd, r->err));
        rc_watch_hold(r->o->watch, fd);
    }
    return rc_replace(r->fresh, r->store, r->err);
}

/* Journals whose writers are gone and whose records are all in the store. */
static void remove_dead(const round_t *r)
{
    for (int64_t i = 0; i < r->fold.parts; i++) {
        if (!r->fold.part[i].dead)
            continue;
        char *path = rc_strf("a path", NULL, "%s/%s", r->dir, r->fold.part[i].name);
        if (path && unlink(path) != 0)
            rc_log(r->log, RC_LOG_WARN, "store", "%s: cannot remove: %s", path, strerror(errno));
        free(path);
    }
}

static rc_status_t play(round_t *r)
{
    RC_PASS(scan(r));
    if (r->fold.info.changed) {
        RC_PASS(make_copy(r));
        RC_PASS(put_in_place(r));
    }
    /* of a store with nothing new, what a killed fold left behind is in it and can go */
    if (r->fold.info.changed || r->exists)
        remove_dead(r);
    return RC_OK;
}

static rc_status_t commit(const char *store, const rc_commit_options_t *options,
    const rc_log_t *log, rc_commit_info_t *out, rc_err_t *err)
{
    round_t r = {.store = store, .o = options, .log = log, .err = err};
    rc_dicts_init(&r.dicts);
    r.dir = rc_journal_dir(store, err);
    /* a store that is a link: its target is extended, not the link replaced */
    char *target = realpath(store, NULL);
    r.store = target ? target : store;
    r.fresh = rc_strf("a path", err, "%s.commit-tmp", r.store);
    rc_status_t st = r.dir && r.fresh ? play(&r) : RC_ENOMEM;
    if (st < 0 && r.lock && rc_lock_check(r.lock, NULL) == RC_OK)
        unlink(r.fresh); /* a half-made copy is of no use; another's is */
    *out = r.fold.info;
    out->crashed = (int64_t)r.fold.crashed.count;
    out->results = out->crashed + (int64_t)r.fold.result.count;
    out->total_results = r.before + out->results;
    rc_fold_free(&r.fold);
    rc_lock_release(r.lock);
    /* succeeds only when nobody else has anything in it */
    if (r.dir)
        rmdir(r.dir);
    rc_contents_free(&r.contents);
    rc_dicts_free(&r.dicts);
    free(r.dir);
    free(target);
    free(r.fresh);
    return st;
}

rc_status_t rc_commit(const char *store, MPI_Comm comm, const rc_commit_options_t *options,
    const rc_log_t *log, rc_commit_info_t *out, rc_err_t *err)
{
    rc_err_t local = {0};
    rc_commit_info_t info = {0};
    rc_status_t own = rc_comm_rank(comm) == 0 ? commit(store, options, log, &info, &local) : RC_OK;
    rc_status_t st = rc_comm_agree(comm, own);
    if (st == RC_OK)
        st = rc_comm_broadcast(comm, &info, sizeof info);
    if (st < 0 && own == RC_OK)
        (void)rc_fail(&local, st, "%s: another rank could not commit", store);
    if (st < 0 && err)
        *err = local;
    if (st == RC_OK)
        *out = info;
    return st;
}
