#include "config.h"
#include "store/commit.h"
#include "base/alloc.h"
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
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One commit round, as one rank sees it. */
typedef struct round {
    const char *store;
    char *dir;   /* journal folder */
    char *fresh; /* the copy that becomes the store */
    MPI_Comm comm;
    int rank;
    int size;
    const rc_commit_options_t *o;
    const rc_log_t *log;
    rc_err_t *err;
    rc_lock_t *lock; /* rank 0 */
    int exists;      /* rank 0: there is a store */
    dev_t device;    /* ... and this is the file */
    ino_t inode;
    int unsealed; /* ... that has no seal */
    int convert;  /* ... and a copy of its bytes cannot be appended to */
    rc_dicts_t dicts;
    rc_fold_plan_t plan; /* rank 0 fills it, the others get part and set */
    rc_map_t last;       /* rank 0: case -> last run with a row, read on demand */
    int last_read;
    rc_fold_bulk_t bulk;
    struct {
        int64_t samples;
        int64_t results;
        int64_t orders;
        int64_t features[RC_FOLD_SETS_MAX];
    } total;                /* that all ranks append */
    rc_contents_t contents; /* rank 0: what the copy is to hold */
    rc_commit_info_t info;
} round_t;

/* All ranks take the same branch; who failed keeps its own text. */
static rc_status_t agree(const round_t *r, rc_status_t st)
{
    rc_status_t all = rc_comm_agree(r->comm, st);
    if (all == RC_EMPI && st >= 0)
        return rc_fail(r->err, RC_EMPI, "%s: a reduction failed", r->store);
    if (all < 0 && st >= 0)
        return rc_fail(r->err, all, "%s: another rank could not commit", r->store);
    return all;
}

/* ------------------------------------------------------------ rank 0: scanning */

static rc_status_t read_last_runs(round_t *r, rc_err_t *err)
{
    rc_h5_t h;
    void *rows = NULL;
    int64_t n = 0;
    if (!r->exists)
        return RC_OK;
    RC_PASS(rc_h5_open(r->store, 0, &h, err));
    rc_status_t st = rc_h5_read(&h, &rc_schema[RC_T_RESULT], &rows, &n, err);
    const rc_row_result_t *row = rows;
    for (int64_t i = 0; st == RC_OK && i < n; i++)
        st =
            rc_map_set(&r->last, rc_digest(row[i].case_id, sizeof row[i].case_id), row[i].run, err);
    free(rows);
    return rc_h5_closed(st, &h, err);
}

static rc_status_t last_run(void *user, const char case_id[32], int32_t *run, rc_err_t *err)
{
    round_t *r = user;
    RC_PASS(r->last_read ? RC_OK : read_last_runs(r, err));
    r->last_read = 1;
    *run = (int32_t)rc_map_get(&r->last, rc_digest(case_id, 32), -1);
    return RC_OK;
}

/* Before anything is measured: how the store will be changed, and that it can be. */
static rc_status_t tell_place(const round_t *r)
{
    const char *why = NULL;
    rc_status_t st = rc_replace_look(r->fresh, r->store, &why, r->err);
    if (st == RC_OK && why)
        rc_log(r->log, r->o->writers.uuid ? RC_LOG_DEBUG : RC_LOG_INFO, "store",
            "%s: %s: it is written in place; until that is proved, %s.whole holds all of it",
            r->store, why, r->store);
    return st;
}

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
        st = rc_h5_rows(&h, &rc_schema[RC_T_RESULT], &r->info.total_results, r->err);
    r->convert = !can_append;
    return rc_h5_closed(st, &h, r->err);
}

static rc_status_t scan(round_t *r)
{
    const rc_lock_wait_t wait = {r->o->lock_wait_ns, r->o->writers.silent_ns, r->log};
    struct stat s;
    RC_PASS(rc_lock_take(r->dir, "commit.lock", &wait, &r->lock, r->err));
    RC_PASS(rc_replace_finish(r->store, r->err));
    r->exists = stat(r->store, &s) == 0;
    if (r->exists) {
        r->device = s.st_dev;
        r->inode = s.st_ino;
        /* it would be replaced, not written: so what protects it has to be asked */
        if (!(s.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) || access(r->store, W_OK) != 0)
            return rc_fail(r->err, RC_EIO, "%s: the store is write-protected", r->store);
        RC_PASS(read_store(r));
        RC_PASS(tell_place(r));
    }
    rc_status_t st =
        rc_fold_scan(r->dir, &r->dicts, last_run, r, &r->o->writers, r->log, &r->plan, r->err);
    /* one that has no seal gets one, so that other commands read it too */
    if (st == RC_OK && ((!r->exists && r->o->create) || r->unsealed))
        r->plan.changed = 1;
    return st;
}

/* ------------------------------------------------- rank 0: the copy and its end */

static rc_status_t copy_file(const char *from, const char *to, rc_err_t *err)
{
    int in;
    int out = -1;
    rc_status_t st = rc_open_file(from, RC_OPEN_GIVEN, 0, &in, err);
    if (st == RC_OK)
        st = rc_open_file(to, RC_OPEN_FRESH, 0666, &out, err);
    if (st == RC_OK)
        st = rc_held_copy(in, from, out, to, err);
    rc_seal_t seal;
    if (st == RC_OK)
        st = rc_seal_find(in, from, &seal, err);
    if (st == RC_OK && seal.present && ftruncate(out, seal.body) != 0)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot cut off its seal", to);
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) != 0 && st == RC_OK)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot close", to);
    return st;
}

/* An archive copy is swept into as a plain store, and a store of an older schema as one of this: it
 * is written so from here on. */
static rc_status_t convert(
    const rc_h5_t *from, const char *to, rc_contents_t *contents, rc_err_t *err)
{
    const rc_h5_copy_options_t plain = {.samples = 1, .contents = contents};
    return rc_h5_copy(from, to, &plain, err);
}

/* The copy, and what is in it. */
static rc_status_t copy_store(round_t *r)
{
    rc_h5_t h;
    RC_PASS(rc_h5_open(r->store, 0, &h, r->err));
    rc_status_t st = RC_OK;
    if (r->convert)
        st = convert(&h, r->fresh, &r->contents, r->err);
    else {
        st = copy_file(r->store, r->fresh, r->err);
        if (st == RC_OK)
            st = rc_h5_contents_all(&h, &r->contents, r->err);
    }
    return rc_h5_closed(st, &h, r->err);
}

/* Room for what all ranks will append. */
static rc_status_t reserve(const round_t *r, const rc_h5_t *h)
{
    rc_status_t st = rc_h5_reserve_samples(h, r->total.samples, r->err);
    if (st == RC_OK)
        st = rc_h5_reserve(h, &rc_schema[RC_T_RESULT], r->total.results, r->err);
    if (st == RC_OK)
        st = rc_h5_reserve(h, &rc_schema[RC_T_ORDER], r->total.orders, r->err);
    for (int i = 0; i < r->plan.sets && st == RC_OK; i++)
        st = rc_h5_reserve_features(
            h, r->plan.set[i].set, r->plan.set[i].columns, r->total.features[i], r->err);
    return st;
}

/* Copy or create, bring the small tables up to date, make room for the others. */
static rc_status_t start_copy(round_t *r)
{
    rc_h5_t h;
    rc_status_t st;
    if (r->exists) {
        st = copy_store(r);
        if (st == RC_OK)
            st = rc_h5_open(r->fresh, 1, &h, r->err);
    } else {
        int64_t created = r->plan.first_start_ns ? r->plan.first_start_ns : rc_utc_ns();
        st = rc_h5_create(r->fresh, created, &h, r->err);
    }
    if (st < 0)
        return st;
    h.contents = &r->contents;
    st = rc_dicts_write(&r->dicts, &h, r->err);
    for (int i = 0; i < r->plan.sets && st == RC_OK; i++)
        st = rc_h5_make_features(
            &h, r->plan.set[i].set, r->plan.set[i].columns, r->plan.set[i].names, r->err);
    if (st == RC_OK)
        st = reserve(r, &h);
    return rc_h5_closed(st, &h, r->err);
}

static rc_status_t hold(round_t *r)
{
    int fd;
    rc_status_t st = rc_open_file(r->fresh, RC_OPEN_READ, 0, &fd, r->err);
    if (st == RC_OK)
        rc_watch_hold(r->o->watch, fd);
    return st;
}

static rc_status_t put_in_place(round_t *r)
{
    struct stat s;
    rc_status_t st = rc_lock_check(r->lock, r->err);
    if (st == RC_OK)
        st = rc_prove(r->fresh, &r->contents, r->err);
    /* what takes long comes before the last look at the lock, which a process that stood still has
     * lost; a store that was removed is made again from the copy, which has all of it */
    if (st == RC_OK && stat(r->store, &s) == 0 &&
        (!r->exists || s.st_dev != r->device || s.st_ino != r->inode))
        st = rc_fail(r->err, RC_EBUSY,
            "%s: was replaced while journals were folded into it; it is left as it is", r->store);
    if (st == RC_OK)
        st = rc_lock_check(r->lock, r->err);
    if (st == RC_OK && r->o->watch)
        st = hold(r);
    return st < 0 ? st : rc_replace(r->fresh, r->store, r->err);
}

/* Journals whose writers are gone and whose records are all in the store. */
static void remove_dead(const round_t *r)
{
    for (int64_t i = 0; i < r->plan.parts; i++) {
        if (!r->plan.part[i].dead)
            continue;
        char *path = rc_strf("a path", NULL, "%s/%s", r->dir, r->plan.part[i].name);
        if (path && unlink(path) != 0)
            rc_log(r->log, RC_LOG_WARN, "store", "%s: cannot remove: %s", path, strerror(errno));
        free(path);
    }
}

/* ------------------------------------------------------------------ all ranks */

static rc_status_t share_plan(round_t *r)
{
    rc_fold_plan_t *p = &r->plan;
    int64_t head[4] = {p->parts, p->sets, p->changed, r->exists};
    rc_comm_broadcast(r->comm, head, sizeof head);
    p->sets = (int)head[1];
    p->changed = head[2];
    rc_status_t st = RC_OK;
    if (r->rank != 0) {
        p->part = rc_alloc((size_t)head[0], sizeof *p->part, "journals", r->err);
        st = p->part ? RC_OK : RC_ENOMEM;
    }
    st = agree(r, st);
    if (st < 0)
        return st;
    if (r->rank != 0)
        p->parts = head[0];
    rc_comm_broadcast(r->comm, p->part, (size_t)p->parts * sizeof *p->part);
    rc_comm_broadcast(r->comm, p->set, sizeof p->set);
    return RC_OK;
}

static rc_status_t add_crashed(round_t *r)
{
    const rc_fold_plan_t *p = &r->plan;
    rc_fold_bulk_t *b = &r->bulk;
    if (p->crashed_count == 0)
        return RC_OK;
    RC_PASS(
        RC_GROW(b->result, b->result_capacity, b->results + p->crashed_count, "results", r->err));
    if (b->results)
        memmove(b->result + p->crashed_count, b->result, b->results * sizeof *b->result);
    memcpy(b->result, p->crashed, p->crashed_count * sizeof *b->result);
    b->results += p->crashed_count;
    return RC_OK;
}

static rc_status_t append_all(round_t *r)
{
    rc_h5_t h;
    rc_fold_bulk_t *b = &r->bulk;
    int64_t first = 0;
    rc_contents_t added = {0};
    RC_PASS(agree(r, r->lock ? rc_lock_check(r->lock, r->err) : RC_OK));
    RC_PASS(agree(r, rc_h5_open_all(r->fresh, r->comm, &h, r->err)));
    h.contents = &added;
    rc_status_t st = rc_h5_append_samples(&h, b->sample, (int64_t)b->samples, &first, r->err);
    for (size_t i = 0; i < b->results; i++)
        if (b->result[i].sample_offset >= 0)
            b->result[i].sample_offset += first;
    if (st == RC_OK)
        st =
            rc_h5_append(&h, &rc_schema[RC_T_RESULT], b->result, (int64_t)b->results, NULL, r->err);
    if (st == RC_OK)
        st = rc_h5_append(&h, &rc_schema[RC_T_ORDER], b->order, (int64_t)b->orders, NULL, r->err);
    for (int i = 0; i < r->plan.sets && st == RC_OK; i++)
        st = rc_h5_append_features(&h, r->plan.set[i].set, r->plan.set[i].columns,
            b->feature[i].row, b->feature[i].value, (int64_t)b->feature[i].rows, r->err);
    /* HDF5 1.10 closes together, and a rank whose write failed takes another way through that than
     * the others, who would wait for ever: a copy that is of no use stays open until the end */
    st = agree(r, st);
    if (st == RC_OK)
        st = agree(r, rc_h5_close(&h, r->err));
    if (st == RC_OK)
        st = rc_contents_reduce(&added, r->comm, &r->contents, r->err);
    rc_contents_free(&added);
    return st;
}

static rc_status_t count(round_t *r)
{
    int64_t mine = (int64_t)r->bulk.results;
    int64_t total = 0;
    int64_t info[7] = {(int64_t)r->plan.crashed_count, 0, r->plan.damaged_bytes,
        r->info.total_results, r->plan.crashed_sources, r->plan.suspects, r->plan.alive};
    rc_comm_reduce(r->comm, &mine, &total, 1, sizeof mine, MPI_INT64_T, MPI_SUM);
    for (int64_t i = 0; i < r->plan.parts; i++)
        info[1] += r->plan.part[i].end > r->plan.part[i].start;
    rc_comm_broadcast(r->comm, info, sizeof info);
    r->info.results = total;
    r->info.crashed = info[0];
    r->info.crashed_sources = info[4];
    r->info.suspects = info[5];
    r->info.alive = info[6];
    r->info.journals = info[1];
    r->info.damaged_bytes = info[2];
    r->info.total_results = info[3] + total;
    r->info.changed = r->plan.changed != 0;
    return RC_OK;
}

static rc_status_t add_up(round_t *r)
{
    const rc_fold_bulk_t *b = &r->bulk;
    int64_t mine[3 + RC_FOLD_SETS_MAX] = {
        (int64_t)b->samples, (int64_t)b->results, (int64_t)b->orders};
    int64_t all[3 + RC_FOLD_SETS_MAX] = {0};
    for (int i = 0; i < RC_FOLD_SETS_MAX; i++)
        mine[3 + i] = (int64_t)b->feature[i].rows;
    if (rc_comm_reduce(
            r->comm, mine, all, 3 + RC_FOLD_SETS_MAX, sizeof *mine, MPI_INT64_T, MPI_SUM) < 0)
        return rc_fail(r->err, RC_EMPI, "%s: a reduction failed", r->store);
    r->total.samples = all[0];
    r->total.results = all[1];
    r->total.orders = all[2];
    memcpy(r->total.features, all + 3, sizeof r->total.features);
    return RC_OK;
}

static rc_status_t play(round_t *r)
{
    rc_status_t st = agree(r, r->rank == 0 ? scan(r) : RC_OK);
    if (st < 0)
        return st;
    RC_TRY(share_plan(r));
    RC_TRY(count(r));
    if (!r->plan.changed) {
        /* nothing new; what a killed fold left behind is in the store and can go */
        if (r->rank == 0 && r->exists)
            remove_dead(r);
        return RC_OK;
    }
    RC_TRY(rc_dicts_broadcast(&r->dicts, r->comm, r->err));
    int64_t first = r->plan.parts * r->rank / r->size;
    int64_t last = r->plan.parts * (r->rank + 1) / r->size;
    st = rc_fold_read(
        r->dir, r->plan.part, first, last, r->plan.set, r->plan.sets, &r->dicts, &r->bulk, r->err);
    if (st == RC_OK && r->rank == 0)
        st = add_crashed(r);
    RC_TRY(agree(r, st));
    RC_TRY(count(r));
    RC_TRY(add_up(r));
    RC_TRY(agree(r, r->rank == 0 ? start_copy(r) : RC_OK));
    RC_TRY(append_all(r));
    RC_TRY(agree(r, r->rank == 0 ? put_in_place(r) : RC_OK));
    if (r->rank == 0)
        remove_dead(r);
done:
    return st;
}

rc_status_t rc_commit(const char *store, MPI_Comm comm, const rc_commit_options_t *options,
    const rc_log_t *log, rc_commit_info_t *out, rc_err_t *err)
{
    rc_err_t local = {0};
    round_t r = {.store = store, .comm = comm, .o = options, .log = log, .err = &local};
    r.rank = rc_comm_rank(comm);
    r.size = rc_comm_size(comm);
    rc_dicts_init(&r.dicts);
    r.dir = rc_journal_dir(store, &local);
    /* a store that is a link: its target is extended, not the link replaced */
    char *target = realpath(store, NULL);
    r.store = target ? target : store;
    r.fresh = rc_strf("a path", &local, "%s.commit-tmp", r.store);
    rc_status_t st = agree(&r, r.dir && r.fresh ? RC_OK : RC_ENOMEM);
    if (st == RC_OK)
        st = play(&r);
    if (r.rank == 0) {
        if (st < 0 && r.lock && r.fresh && rc_lock_check(r.lock, NULL) == RC_OK)
            unlink(r.fresh); /* a half-made copy is of no use; another's is */
        rc_fold_plan_free(&r.plan);
        rc_lock_release(r.lock);
        /* succeeds only when nobody else has anything in it */
        if (r.dir)
            rmdir(r.dir);
    } else
        free(r.plan.part);
    rc_fold_bulk_free(&r.bulk);
    rc_contents_free(&r.contents);
    rc_dicts_free(&r.dicts);
    rc_map_free(&r.last);
    free(r.dir);
    free(target);
    free(r.fresh);
    if (st < 0) {
        if (err)
            *err = local;
        return st;
    }
    *out = r.info;
    return RC_OK;
}
