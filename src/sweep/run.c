#include "config.h"
#include "sweep/sweep.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/visible.h"
#include "store/comm.h"
#include "store/commit.h"
#include "store/guard.h"
#include "store/journal.h"
#include "store/lock.h"
#include "store/scan.h"
#include "store/watch.h"
#include "sweep/drain.h"
#include "sweep/landing.h"
#include "sweep/liveness.h"
#include "sweep/placement.h"
#include "sweep/worklist.h"
#include "sweep/provenance.h"
#include "sweep/selection.h"
#include "sweep/queue.h"
#include "sweep/threads.h"
#include "sweep/node_lock.h"
#include "sweep/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Another process that folds the same store is given this long. */
static const int64_t lock_wait_ns = INT64_C(60000000000);
static const char *const lock_name = "sweep.lock"; /* in the journal folder */

/* A sweep, as one rank sees it. */
typedef struct sweep {
    const rc_session_t *s;
    const rc_sweep_config_t *c;
    const rc_log_t *log;
    rc_err_t *err;
    char *dir;       /* journal folder */
    rc_lock_t *lock; /* rank 0: one sweep at a time */
    rc_device_t *device;
    rc_profile_t *profile; /* [profiles] of the distinct device classes */
    int profiles;
    int class_id; /* of this rank */
    rc_map_t known;
    rc_worklist_t work;
    rc_journal_t *journal;
    rc_watch_t *watch; /* rank 0: of the store */
    rc_rec_run_t run;
    rc_landing_t landing;
    rc_status_t held;  /* at the end of the run: whether its files were still there, ... */
    rc_err_t held_why; /* ... and if not, why */
    int counted;       /* the result has the totals of all ranks */
    int64_t rows;      /* in the store after the last commit */
    int64_t alive;     /* journals whose writers live, by then */
    int64_t *bytes;    /* [ranks] of the journals of this run on other nodes, when they have
                          ended */
    rc_node_lock_t *node_lock;
    rc_queue_t *queue;
    int64_t memory_limit; /* of the host, for this rank */
    int64_t device_limit; /* of its device; the host's on a CPU */
    int64_t crashed;      /* cases, and catalogue rows, that the commits of this run gave up */
    int64_t crashed_sources;
    rc_named_t named; /* catalogue rows that this rank gave a status */
    rc_sweep_result_t result;
} sweep_t;

/* ------------------------------------------------------------------ planning */

/* On a CPU the ranks of a node take turns; on a GPU only ranks that share it. */
static int takes_turns(const sweep_t *w)
{
    int cpu = w->device->executor.kind == RC_DEVICE_CPU;
    return !w->c->share_machine && (cpu || w->c->share_device);
}

/* The distinct device classes, in order of the first rank that has one.  Collective. */
static rc_status_t gather_profiles(sweep_t *w)
{
    int n = w->s->size;
    rc_profile_t mine;
    rc_profile_make(w->c, w->device, &mine);
    mine.memory_limit = w->memory_limit;
    mine.device_limit = w->device_limit;
    /* CPU ranks of a node take turns, see open_node_lock */
    mine.ranks =
        takes_turns(w) && w->device->executor.kind == RC_DEVICE_CPU ? w->s->node_rank == 0 : 1;
    rc_profile_t *all = rc_session_gather(
        w->s, w->s->comm, "the device classes of the ranks", &mine, sizeof mine, w->err);
    RC_PASS(all ? RC_OK : w->err->status);
    for (int r = 0; r < n; r++) {
        int at = 0;
        while (at < w->profiles && strcmp(all[at].class_name, all[r].class_name) != 0)
            at++;
        if (r == w->s->rank)
            w->class_id = at;
        if (at == w->profiles)
            all[w->profiles++] = all[r];
        else
            all[at].ranks += all[r].ranks;
    }
    w->profile = all;
    return RC_OK;
}

/* What the store and its journals say is left.  Rank 0. */
static rc_status_t make_worklist(sweep_t *w)
{
    rc_status_t st = RC_OK;
    rc_view_t *v = NULL;
    rc_expr_t *cases = NULL;
    rc_expr_t *sources = NULL;
    rc_scan_t scan = {0};
    RC_TRY(rc_selection_redo(w->c->redo, &cases, &sources, w->err));
    RC_TRY(rc_guard_check(w->c->store, NULL, w->err));
    if (access(w->c->store, F_OK) == 0)
        RC_TRY(rc_view_read(w->c->store, &v, w->err));
    RC_TRY(rc_scan_journals(w->c->store, rc_view_journal_bytes, v, &scan, w->err));
    RC_TRY(rc_worklist_gather(
        v, cases, w->profile, w->profiles, scan.fresh, scan.freshes, &w->known, w->err));
    RC_TRY(
        rc_worklist_make(w->c, w->profile, w->profiles, v, sources, &w->known, &w->work, w->err));
    RC_TRY(rc_threads_tell(w->c, w->device, v, &w->known, &w->work, w->log, w->err));
    RC_TRY(rc_selection_notice(w->c, w->device, w->log, w->err));
    if (w->c->repeat && w->work.plan.cases > 0)
        (void)rc_selection_unselected(w->c, w->device->class_name, v, w->log);
    w->result.plan = w->work.plan;
    if (w->work.plan.divided)
        rc_log(w->log, RC_LOG_INFO, "sweep",
            "%" PRId64 " of %" PRId64 " matrices are divided over ranks: %" PRId64 " items",
            w->work.plan.divided, w->work.plan.matrices, w->work.items);
done:
    rc_scan_free(&scan);
    rc_expr_free(cases);
    rc_expr_free(sources);
    rc_view_free(v);
    return st;
}

/* ------------------------------------------------------------- start and end */

/* What is free now is for the ranks of the node together, or on the GPU; a tenth is left alone. */
static rc_status_t share_memory(sweep_t *w)
{
    enum { width = sizeof w->device->uuid };
    const rc_session_t *s = w->s;
    int64_t free_bytes = rc_memory_available();
    w->memory_limit =
        w->c->memory_limit > 0 ? w->c->memory_limit : free_bytes / s->node_size / 10 * 9;
    w->device_limit = w->memory_limit;
    if (w->device->executor.kind == RC_DEVICE_CPU) {
        if (w->c->device_memory > 0 && w->c->device_memory < w->device_limit)
            w->device_limit = w->c->device_memory;
        return RC_OK;
    }
    char(*uuid)[width] = rc_session_gather(
        s, s->node, "the devices of the ranks of a node", w->device->uuid, width, w->err);
    RC_PASS(uuid ? RC_OK : w->err->status);
    int sharers = 0;
    for (int i = 0; i < s->node_size; i++)
        sharers += memcmp(uuid[i], w->device->uuid, width) == 0;
    w->device_limit = w->c->device_memory > 0
                          ? w->c->device_memory
                          : w->device->memory_bytes / (sharers > 0 ? sharers : 1) / 10 * 9;
    free(uuid);
    return RC_OK;
}

/* C in schedule order is planned for the kernels that store it so. */
static void tell_left_out(const sweep_t *w)
{
    int wanted = 0;
    for (int i = 0; i < w->c->c_orders; i++)
        wanted = wanted || w->c->c_order[i] == RC_C_SCHEDULE;
    for (int i = 0; w->s->rank == 0 && wanted && i < w->c->kernels; i++)
        if (!rc_kernel_stores(w->c->kernel[i].kernel, RC_C_SCHEDULE))
            rc_log(w->log, RC_LOG_WARN, "sweep",
                "%s cannot store C in schedule order: left out there",
                w->c->kernel[i].kernel->name);
}

static rc_status_t common_start(sweep_t *w)
{
    RC_PASS(rc_selection_check(w->s, w->c, w->err));
    w->result.selected = w->c->catalog->count;
    for (int64_t i = 0; i < w->c->catalog->count; i++)
        w->result.absent += w->c->catalog->entry[i].where == RC_WHERE_ABSENT;
    RC_PASS(rc_placement_open(
        w->s, w->c->device, w->c->threads, w->c->share_device, w->log, &w->device, w->err));
    rc_status_t st = share_memory(w);
    if (st == RC_OK)
        st = gather_profiles(w);
    if (st == RC_OK)
        tell_left_out(w);
    return st;
}

static rc_status_t open_journal(sweep_t *w, rc_rec_run_t *run)
{
    memset(run, 0, sizeof *run);
    rc_status_t st = RC_OK;
    if (w->s->rank == 0) {
        run->started_ns = rc_utc_ns();
        st = rc_provenance_uuid(run->started_ns, run->uuid, w->err);
    }
    st = rc_session_agree(w->s, st, w->err);
    if (st < 0)
        return st;
    rc_comm_broadcast(w->s->comm, run, sizeof *run);
    run->ranks = w->s->size;
    run->rank = w->s->rank;
    st = rc_strcpy(run->version, sizeof run->version, PACKAGE_VERSION, "version", w->err);
    if (st == RC_OK)
        st = rc_strcpy(run->git, sizeof run->git, RC_BUILD_GIT, "commit", w->err);
    if (st == RC_OK)
        st = rc_journal_create(w->dir, run, &w->journal, w->err);
    if (st == RC_OK)
        st = rc_provenance_write(w->journal, w->s, w->c, w->device, w->err);
    if (st == RC_OK && w->s->rank == 0) {
        rc_rec_plan_t plan = {.matrices = w->work.plan.matrices,
            .cases = w->work.plan.cases,
            .done = w->work.plan.done,
            .cost_s = rc_effort_sum(&w->work.effort, NULL)};
        st = rc_journal_put(w->journal, RC_REC_PLAN, &plan, w->err);
    }
    if (st == RC_OK)
        rc_drain_set_journal(w->journal);
    return rc_session_agree(w->s, st, w->err);
}

/* ------------------------------------------------------------------ the work */

static rc_status_t record_absents(sweep_t *w, rc_ledger_t *l)
{
    rc_status_t st = RC_OK;
    for (int64_t i = 0; w->s->rank == 0 && i < w->work.absents && st == RC_OK; i++)
        st = rc_ledger_unread(l, &w->c->catalog->entry[w->work.absent[i]], w->log, w->err);
    return st;
}

/* A sweep that has no cache is only slower. */
static void open_cache(const sweep_t *w, rc_cache_t **out)
{
    rc_err_t why = {0};
    if (w->c->cache && rc_cache_open(w->c->cache, w->log, out, &why) < 0)
        rc_log(w->log, RC_LOG_WARN, "sweep", "no cache of matrices: %s", why.text);
}

static void close_cache(const sweep_t *w, rc_cache_t *cache)
{
    int64_t taken;
    int64_t written;
    rc_cache_counts(cache, &taken, &written);
    if (cache)
        rc_log(w->log, RC_LOG_INFO, "sweep",
            "cache %s: %" PRId64 " matrices taken, %" PRId64 " written", w->c->cache, taken,
            written);
    rc_cache_close(cache);
}

/* This rank's share; returns when there is no more, or when it can do no more. */
static rc_status_t work(sweep_t *w, rc_spent_t *spent)
{
    rc_ledger_t *ledger = NULL;
    rc_watchdog_t *watchdog = NULL;
    int64_t start = rc_clock_ns();
    rc_status_t st = rc_watchdog_start(w->c->hang_limit_s, w->log, &watchdog, w->err);
    if (st == RC_OK)
        st = rc_ledger_open(
            w->journal, w->watch, w->lock, watchdog, &w->named, &w->result, &ledger, w->err);
    if (st < 0) {
        rc_watchdog_stop(watchdog);
        return st;
    }
    rc_worker_t worker = {.config = w->c,
        .profile = &w->profile[w->class_id],
        .device = w->device,
        .work = &w->work,
        .known = &w->known,
        .queue = w->queue,
        .node_lock = w->node_lock,
        .ledger = ledger,
        .log = w->log,
        .memory_limit = w->memory_limit,
        .device_limit = w->device_limit};
    rc_worker_divide(&worker);
    open_cache(w, &worker.cache);
    st = rc_measure_context_new(w->device, &worker.measure, w->err);
    if (st == RC_OK)
        st = record_absents(w, ledger);
    if (st == RC_OK)
        st = rc_worker_run(&worker, spent, w->err);
    if (st == RC_EINTR) {
        w->result.now.drained = 1;
        st = RC_OK;
    }
    if (st < 0) {
        /* this rank is out; the others go on unless the journals cannot be written: then all end
         * with that error */
        if (st == RC_EIO)
            rc_queue_drain(w->queue, "a journal or the store cannot be written, or is gone");
        else
            rc_log(w->log, RC_LOG_ERROR, "sweep", "rank %d stops: %s", w->s->rank,
                w->err ? w->err->text : "");
    }
    if (st == RC_EDEVICE) {
        w->result.now.devices_lost = 1;
        st = RC_OK;
    }
    rc_worker_tell(&worker, spent, rc_clock_ns() - start);
    rc_watchdog_stop(watchdog);
    rc_ledger_close(ledger);
    close_cache(w, worker.cache);
    rc_measure_context_free(worker.measure);
    return st;
}

static void tell_deaths(const sweep_t *w, const rc_commit_info_t *info)
{
    if (info->suspects)
        rc_log(w->log, RC_LOG_WARN, "sweep",
            "%" PRId64 " cases or matrices were in flight when a run died: tried again, alone",
            info->suspects);
    if (info->crashed + info->crashed_sources)
        rc_log(w->log, RC_LOG_WARN, "sweep",
            "%" PRId64 " cases and %" PRId64 " matrices ended their run %d times by themselves, or "
            "were in flight in %d that died: crashed; --redo 'status == crashed' tries them again",
            info->crashed, info->crashed_sources, RC_CRASHED_OWN, RC_CRASHED_ANY);
}

static rc_status_t commit(sweep_t *w, int create)
{
    rc_commit_info_t info;
    int64_t start = rc_clock_ns();
    const rc_commit_options_t o = {create, lock_wait_ns, w->watch,
        {(int64_t)(w->c->take_over_s * 1e9), w->lock != NULL, w->run.uuid[0] ? w->run.uuid : NULL,
            w->bytes, w->s->size}};
    rc_status_t st = rc_commit(w->c->store, w->s->comm, &o, w->log, &info, w->err);
    w->result.commit_s += (double)(rc_clock_ns() - start) * 1e-9;
    if (st == RC_OK) {
        w->rows = info.total_results;
        w->crashed += info.crashed;
        w->crashed_sources += info.crashed_sources;
        w->alive = info.alive;
    }
    if (st == RC_OK && w->s->rank == 0 && info.changed)
        rc_log(w->log, RC_LOG_DEBUG, "sweep",
            "commit: %" PRId64 " rows from %" PRId64 " journals, %" PRId64 " rows in the store",
            info.results, info.journals, info.total_results);
    if (st == RC_OK && w->s->rank == 0)
        tell_deaths(w, &info);
    return st;
}

static rc_status_t open_node_lock(sweep_t *w)
{
    int cpu = w->device->executor.kind == RC_DEVICE_CPU;
    return rc_node_lock_open(
        takes_turns(w), cpu ? NULL : w->device->uuid, w->c->store, w->log, &w->node_lock, w->err);
}

static rc_status_t run_worklist(sweep_t *w)
{
    rc_spent_t spent = {0};
    int64_t left = 0;
    rc_status_t st = open_journal(w, &w->run);
    w->landing = (rc_landing_t){w->s, w->log, w->c->store, w->run.uuid, w->journal, w->watch};
    if (st < 0)
        return st;
    w->named = (rc_named_t){w->c->catalog,
        rc_alloc0((size_t)w->c->catalog->count, 1, "what became of matrices", w->err)};
    RC_TRY(rc_session_agree(w->s, w->named.status ? open_node_lock(w) : RC_ENOMEM, w->err));
    RC_TRY(
        rc_queue_open(w->s, &w->work, w->class_id, w->c->time_budget_s, w->log, &w->queue, w->err));
    int64_t start = rc_clock_ns();
    st = work(w, &spent);
    int64_t out_of_work = rc_clock_ns();
    rc_status_t closed = rc_queue_close(w->queue, &left, st < 0 ? NULL : w->err);
    double work_s = (double)(rc_clock_ns() - start) * 1e-9;
    w->queue = NULL;
    w->result.items_left = left;
    rc_landing_totals(w->s, &spent, &w->named, work_s, out_of_work, &w->result);
    w->counted = 1;
    if (left > 0 && !w->result.now.devices_lost)
        w->result.now.drained = 1;
    st = rc_session_agree(w->s, st < 0 ? st : closed, w->err);
done:
    rc_node_lock_close(w->node_lock);
    w->node_lock = NULL;
    rc_drain_set_journal(NULL);
    w->held = rc_landing_end(&w->landing,
        st < 0 || w->result.now.devices_lost ? RC_RUN_ERROR
        : w->result.now.drained              ? RC_RUN_DRAINED
                                             : RC_RUN_COMPLETE,
        &w->held_why);
    rc_session_wait_all(w->s);
    return st;
}

/* How long the journals of other nodes are: a commit must not take what it does not see yet for
 * lost. */
static rc_status_t gather_bytes(sweep_t *w)
{
    char first[sizeof w->s->host];
    memcpy(first, w->s->host, sizeof first);
    rc_comm_broadcast(w->s->comm, first, sizeof first);
    int64_t mine = w->journal && strcmp(first, w->s->host) != 0 ? rc_journal_bytes(w->journal) : -1;
    w->bytes = rc_session_gather(
        w->s, w->s->comm, "the lengths of the journals", &mine, sizeof mine, w->err);
    return w->bytes ? RC_OK : w->err->status;
}

/* What is finished is committed also when the run ended in an error.  Where files were taken away
 * nothing more is folded: what is open is saved. */
static rc_status_t land(sweep_t *w, rc_status_t st)
{
    rc_err_t why = w->held_why;
    rc_err_t *kept = w->err;
    w->err = &why;
    rc_status_t lost = rc_session_agree(w->s, w->held, &why);
    rc_status_t landed = lost < 0 ? lost : gather_bytes(w);
    if (landed == RC_OK)
        landed = commit(w, 0);
    if (landed == RC_OK && w->counted)
        landed = lost = rc_landing_compare(&w->landing, &w->result, &why);
    else if (lost == RC_OK && landed < 0)
        lost =
            rc_session_agree(w->s, w->journal ? rc_journal_check(w->journal, NULL) : RC_OK, NULL);
    if (landed == RC_OK && w->s->rank == 0 && w->result.plan.again > 0 &&
        rc_landing_drift(&w->landing, &why) < 0)
        rc_log(w->log, RC_LOG_WARN, "sweep", "drift: %s", why.text);
    if (landed == RC_OK && w->s->rank == 0 && w->result.now.stands > 0)
        rc_log(w->log, RC_LOG_WARN, "sweep",
            "%" PRId64 " baseline%s timed again %s noisy: the earlier times stay, and what was "
            "added is compared with them",
            w->result.now.stands, rc_plural(w->result.now.stands),
            w->result.now.stands == 1 ? "was" : "were");
    if (lost < 0)
        rc_landing_save(&w->landing);
    rc_drain_set_journal(NULL);
    rc_journal_close(w->journal); /* what is removed under an open file may leave its folder full */
    w->journal = NULL;
    w->err = kept;
    st = rc_session_agree(w->s, st, NULL);
    if (st < 0 || landed == RC_OK)
        return st;
    if (w->err)
        *w->err = why;
    return landed;
}

/* Fold what earlier runs left.  Ranks of one that has lost its rank 0 may still write: what they
 * have in hand must not be measured twice. */
static rc_status_t commit_earlier(sweep_t *w)
{
    static const int64_t pause_ns = INT64_C(1000000000);
    int64_t until = rc_clock_ns() + lock_wait_ns;
    for (;;) {
        rc_status_t st = commit(w, w->c->make_store);
        if (st < 0 || w->alive == 0)
            return st;
        int late = rc_clock_ns() >= until;
        rc_comm_broadcast(w->s->comm, &late, sizeof late);
        if (late)
            return rc_fail(w->err, RC_EBUSY,
                "%s: %" PRId64
                " ranks of another run still write to it; 'rowcast status' names them",
                w->c->store, w->alive);
        rc_sleep_ns(pause_ns);
    }
}

static rc_status_t play(sweep_t *w)
{
    int64_t start = rc_clock_ns();
    const rc_lock_wait_t wait = {.silent_ns = (int64_t)(w->c->take_over_s * 1e9), .log = w->log};
    rc_status_t st = RC_OK;
    if (w->s->rank == 0)
        st = rc_lock_take(w->dir, lock_name, &wait, &w->lock, w->err);
    st = rc_session_agree(w->s, st, w->err);
    if (st == RC_EBUSY && w->s->rank == 0)
        rc_err_context(w->err, "another sweep has this store");
    if (st < 0)
        return st;
    RC_TRY(rc_selection_folder(w->s, w->dir, lock_name, w->err));
    RC_TRY(rc_drain_install(w->err));
    RC_TRY(common_start(w));
    RC_TRY(commit_earlier(w));
    RC_TRY(rc_session_agree(w->s,
        w->s->rank == 0 ? rc_watch_open(w->c->store, w->rows, &w->watch, w->err) : RC_OK, w->err));
    RC_TRY(rc_session_agree(w->s, w->s->rank == 0 ? make_worklist(w) : RC_OK, w->err));
    RC_TRY(rc_worklist_share(w->s, &w->work, &w->known, w->err));
    w->result.plan = w->work.plan;
    if (w->work.items > 0 || w->work.absents > 0)
        st = land(w, run_worklist(w));
done:
    w->result.now.measured[RC_CASE_CRASHED] += w->crashed;
    w->result.matrices[RC_CASE_CRASHED] += w->crashed_sources;
    w->result.wall_s = (double)(rc_clock_ns() - start) * 1e-9;
    return st;
}

static void finish(sweep_t *w)
{
    rc_drain_set_journal(NULL);
    rc_journal_close(w->journal); /* still open when another rank could not open its own */
    rc_device_close(w->device);
    rc_worklist_free(&w->work);
    rc_map_free(&w->known);
    free(w->profile);
    free(w->bytes);
    free(w->named.status);
    if (w->lock) {
        rc_lock_release(w->lock);
        rmdir(w->dir); /* succeeds only when it is empty */
    }
    free(w->dir);
}

/* Touches nothing on disk. */
static rc_status_t plan(sweep_t *w)
{
    RC_PASS(common_start(w));
    RC_PASS(rc_session_agree(w->s, w->s->rank == 0 ? make_worklist(w) : RC_OK, w->err));
    w->result.item = w->work.item;
    w->result.items = w->work.items;
    w->work.item = NULL;
    return RC_OK;
}

rc_status_t rc_sweep_run(const rc_session_t *session, const rc_sweep_config_t *config,
    rc_log_t *log, rc_sweep_result_t *out, rc_err_t *err)
{
    rc_err_t local = {0};
    rc_liveness_t *liveness = NULL;
    sweep_t w = {.s = session, .c = config, .log = log, .err = &local};
    rc_status_t st;
    if (config->dry_run)
        st = plan(&w);
    else {
        w.dir = rc_journal_dir(config->store, &local);
        st = rc_session_agree(session, w.dir ? RC_OK : RC_ENOMEM, &local);
        if (st == RC_OK)
            st = rc_session_agree(session,
                rc_liveness_start(session, config->silence_s, log, &liveness, &local), &local);
        if (st == RC_OK)
            st = play(&w);
    }
    finish(&w);
    rc_session_wait_all(session);
    rc_liveness_stop(liveness);
    if (st < 0) {
        rc_watch_close(w.watch);
        if (err)
            *err = local;
        return st;
    }
    w.result.watch = w.watch;
    memcpy(w.result.uuid, w.run.uuid, sizeof w.result.uuid);
    *out = w.result;
    return RC_OK;
}
