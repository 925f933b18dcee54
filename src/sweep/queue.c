#include "config.h"
#include "sweep/queue.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/comm.h"
#include "sweep/drain.h"
#include "sweep/progress.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { tag_request = 1, tag_reply = 2, tag_drain = 3 };

typedef enum request_kind {
    ask_next = 0,
    ask_claim = 1,
    tell_progress = 2,
    tell_drain = 3,
    tell_leave = 4,
    tell_put_back = 5
} request_kind_t;

/* Answers to ask_next besides an item. */
enum { item_none = -1, item_later = -2 };

/* One message to the server; it is small, so sending it never waits for long. */
typedef struct request {
    int32_t kind;
    int32_t class_id;
    int64_t item;
    rc_digest_t matrix;
    rc_progress_t progress;
} request_t;

typedef struct reply {
    int64_t value;
    rc_share_t share;
} reply_t;

static const rc_share_t all_of_it = {INT64_MAX, INFINITY};

struct rc_queue {
    const rc_session_t *session;
    const rc_worklist_t *work;
    const rc_log_t *log;
    int class_id;
    int served;    /* 1: rank 0 deals out; 0: dealt out in advance */
    MPI_Comm comm; /* of its own, so that its messages meet no others */
    int64_t started_ns;
    int64_t budget_ns; /* 0: none */
    int64_t nth;       /* dealt in advance: items of the class passed so far */
    int *ranks_of;     /* [classes] ranks of each class */
    int classes;
    int member; /* ... this rank among those of its class */
    _Atomic int64_t polled_ns;
    atomic_int draining;    /* this rank knows */
    atomic_int told;        /* this rank has told the server */
    pthread_mutex_t asking; /* one question at a time is on its way */
    pthread_mutex_t mutex;  /* of everything below */
    rc_progress_t untold;   /* since the last message ... */
    int64_t told_ns;        /* ... at this time */
    int64_t word_ns;        /* when the worker last said something */
    /* the server and rank 0's worker */
    pthread_t thread;
    int thread_runs;
    unsigned char *taken; /* [items] */
    int64_t out;          /* items handed out */
    int64_t next;         /* first item that may not be taken yet */
    rc_share_t *left;     /* [classes] items not taken */
    int suspect_with;     /* rank that has an item with a suspect, -1 none */
    rc_map_t claimed;     /* matrix -> 1 + catalogue row that has it */
    int stop;             /* the server is to drain */
    int gone;             /* other ranks that have left */
    int over;             /* rank 0's worker has left */
    rc_meter_t meter;
};

/* ------------------------------------------------------------ under the mutex */

static rc_digest_t claim_key(rc_digest_t matrix, int class_id)
{
    return (rc_digest_t){matrix.hi ^ (uint64_t)class_id, matrix.lo};
}

static void drop_suspect(rc_queue_t *q, int rank)
{
    if (q->suspect_with == rank)
        q->suspect_with = -1;
}

/* An item of a class is taken (-1) or comes back (1). */
static void count_left(rc_queue_t *q, const rc_sweep_item_t *item, int way)
{
    q->left[item->class_id].items += way;
    q->left[item->class_id].cost_s += way * item->cost_s;
}

static rc_share_t share_of(const rc_queue_t *q, int class_id)
{
    rc_share_t left = q->left[class_id];
    int ranks = q->ranks_of[class_id];
    return ranks > 1 ? (rc_share_t){left.items / ranks, left.cost_s / ranks} : all_of_it;
}

/* The next one of those that are dealt in advance. */
static int64_t next_dealt(rc_queue_t *q)
{
    for (; q->next < q->work->items; q->next++)
        if (q->work->item[q->next].class_id == q->class_id &&
            q->nth++ % q->ranks_of[q->class_id] == q->member) {
            q->out++;
            return q->next++;
        }
    return item_none;
}

static reply_t hand_out(rc_queue_t *q, int class_id, int rank)
{
    reply_t reply = {item_none, all_of_it};
    drop_suspect(q, rank); /* who asks is done with it */
    if (!q->served)
        reply.value = next_dealt(q);
    if (!q->served || q->stop || class_id < 0 || class_id >= q->classes)
        return reply;
    while (q->next < q->work->items && q->taken[q->next])
        q->next++;
    for (int64_t i = q->next; i < q->work->items && reply.value < 0; i++) {
        const rc_sweep_item_t *item = &q->work->item[i];
        if (q->taken[i] || item->class_id != class_id)
            continue;
        if (item->suspect && q->suspect_with >= 0) {
            reply.value = item_later;
            continue;
        }
        if (item->suspect)
            q->suspect_with = rank;
        q->taken[i] = 1;
        q->out++;
        count_left(q, item, -1);
        q->meter.matrices_out += item->part == 0;
        reply.value = i;
    }
    reply.share = share_of(q, class_id);
    return reply;
}

static void take_back(rc_queue_t *q, int64_t item, int rank)
{
    if (!q->served)
        q->out--; /* nobody else is to have it in this run */
    if (!q->served || item < 0 || item >= q->work->items || !q->taken[item])
        return;
    q->taken[item] = 0;
    q->out--;
    count_left(q, &q->work->item[item], 1);
    q->meter.matrices_out -= q->work->item[item].part == 0;
    q->next = item < q->next ? item : q->next;
    if (q->work->item[item].suspect)
        drop_suspect(q, rank);
}

/* 1: it was free, or has another part of the same catalogue row.  What is given back stays with its
 * row, which is dealt out again.  Without memory for the note it counts as free: measured twice,
 * not lost. */
static int claim(rc_queue_t *q, int64_t item, rc_digest_t matrix)
{
    rc_digest_t key = claim_key(matrix, q->work->item[item].class_id);
    int64_t row = 1 + q->work->item[item].entry;
    int64_t has = rc_map_get(&q->claimed, key, 0);
    if (!has)
        (void)rc_map_set(&q->claimed, key, row, NULL);
    return !has || has == row;
}

static void start_drain(rc_queue_t *q, const char *why)
{
    if (q->stop)
        return;
    q->stop = 1;
    rc_meter_end(&q->meter);
    rc_log(q->log, RC_LOG_WARN, "sweep", "draining: %s", why);
}

static reply_t answer(rc_queue_t *q, int from, const request_t *r)
{
    reply_t reply = {item_none, {0, 0}};
    switch ((request_kind_t)r->kind) {
    case ask_next:
        reply = hand_out(q, r->class_id, from);
        break;
    case ask_claim:
        reply.value = r->item >= 0 && r->item < q->work->items ? claim(q, r->item, r->matrix) : 0;
        break;
    case tell_put_back:
        take_back(q, r->item, from);
        break;
    case tell_progress:
        rc_meter_add(&q->meter, &r->progress, (double)(rc_clock_ns() - q->started_ns) * 1e-9);
        break;
    case tell_drain:
        start_drain(q, "another rank asked for it");
        break;
    case tell_leave:
        drop_suspect(q, from);
        q->gone++;
        break;
    }
    return reply;
}

/* ------------------------------------------------------------------- server */

static int serve_one(rc_queue_t *q)
{
    MPI_Status status;
    int there = 0;
    request_t r;
    if (MPI_Iprobe(MPI_ANY_SOURCE, tag_request, q->comm, &there, &status) != MPI_SUCCESS || !there)
        return 0;
    if (MPI_Recv(&r, (int)sizeof r, MPI_BYTE, status.MPI_SOURCE, tag_request, q->comm,
            MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return 1;
    pthread_mutex_lock(&q->mutex);
    reply_t reply = answer(q, status.MPI_SOURCE, &r);
    pthread_mutex_unlock(&q->mutex);
    if (r.kind == ask_next || r.kind == ask_claim)
        MPI_Send(&reply, (int)sizeof reply, MPI_BYTE, status.MPI_SOURCE, tag_reply, q->comm);
    return 1;
}

static void spread_drain(rc_queue_t *q)
{
    char word = 0;
    for (int r = 1; r < q->session->size; r++)
        MPI_Send(&word, 1, MPI_BYTE, r, tag_drain, q->comm);
}

static void *server(void *argument)
{
    rc_queue_t *q = argument;
    /* others wait for an answer; alone there is only the progress line to show */
    const int64_t pause_ns = q->session->size > 1 && q->served ? 2000000 : 50000000;
    const int most = 1000; /* messages in a row: when they never end, a drain must begin all the
                              same */
    int spread = 0;
    for (;;) {
        int served = 0;
        while (q->session->size > 1 && q->served && served < most && serve_one(q))
            served++;
        pthread_mutex_lock(&q->mutex);
        if (rc_drain_asked())
            start_drain(q, "a signal asked for it; what is finished is safe");
        if (q->budget_ns && rc_clock_ns() - q->started_ns > q->budget_ns)
            start_drain(q, "the time budget is used up");
        int stop = q->stop;
        int end = q->over && (!q->served || q->gone == q->session->size - 1);
        rc_meter_show(&q->meter);
        pthread_mutex_unlock(&q->mutex);
        if (stop && !spread && q->served) {
            spread = 1;
            spread_drain(q);
        }
        if (end)
            return NULL;
        if (served < most)
            rc_sleep_ns(pause_ns);
    }
}

/* ------------------------------------------------------------------- workers */

static rc_status_t send_request(rc_queue_t *q, const request_t *r, rc_err_t *err)
{
    if (MPI_Send(r, (int)sizeof *r, MPI_BYTE, 0, tag_request, q->comm) != MPI_SUCCESS)
        return rc_fail(err, RC_EMPI, "cannot reach rank 0");
    return RC_OK;
}

/* Ask and wait for the answer asleep, not spinning: another rank may be timing on this node. */
static rc_status_t ask_alone(rc_queue_t *q, const request_t *r, reply_t *reply, rc_err_t *err)
{
    static const int64_t pause_ns = 500000;
    MPI_Request request;
    int done = 0;
    if (MPI_Irecv(reply, (int)sizeof *reply, MPI_BYTE, 0, tag_reply, q->comm, &request) !=
        MPI_SUCCESS)
        return rc_fail(err, RC_EMPI, "cannot receive from rank 0");
    RC_PASS(send_request(q, r, err));
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        if (done)
            return RC_OK;
        else
            rc_sleep_ns(pause_ns);
    return rc_fail(err, RC_EMPI, "rank 0 does not answer");
}

static int is_remote(const rc_queue_t *q)
{
    return q->served && q->session->rank != 0;
}

/* Have a request answered: by rank 0's server, or here.
 * \param[out] reply  NULL: there is none, and a message is not waited for */
static rc_status_t ask(rc_queue_t *q, request_t r, reply_t *reply, rc_err_t *err)
{
    r.class_id = q->class_id;
    if (is_remote(q) && !reply)
        return send_request(q, &r, err);
    /* answers come in the order of the questions: one thread at a time has one open */
    pthread_mutex_t *lock = is_remote(q) ? &q->asking : &q->mutex;
    rc_status_t st = RC_OK;
    pthread_mutex_lock(lock);
    if (is_remote(q))
        st = ask_alone(q, &r, reply, err);
    else {
        reply_t here = answer(q, q->session->rank, &r);
        if (reply)
            *reply = here;
    }
    pthread_mutex_unlock(lock);
    return st;
}

rc_status_t rc_queue_next(rc_queue_t *q, int64_t *item, rc_share_t *share, rc_err_t *err)
{
    static const int64_t pause_ns = 20000000;
    reply_t reply = {item_later, all_of_it};
    *item = item_none;
    while (reply.value == item_later) {
        if (rc_queue_draining(q))
            return RC_OK;
        RC_PASS(ask(q, (request_t){.kind = ask_next}, &reply, err));
        if (reply.value == item_later)
            rc_sleep_ns(pause_ns);
    }
    *item = reply.value;
    if (share)
        *share = reply.share;
    return RC_OK;
}

rc_status_t rc_queue_put_back(rc_queue_t *q, int64_t item, rc_err_t *err)
{
    return ask(q, (request_t){.kind = tell_put_back, .item = item}, NULL, err);
}

rc_status_t rc_queue_claim(
    rc_queue_t *q, int64_t item, rc_digest_t matrix, int *mine, rc_err_t *err)
{
    reply_t reply = {0, {0, 0}};
    rc_status_t st =
        ask(q, (request_t){.kind = ask_claim, .item = item, .matrix = matrix}, &reply, err);
    *mine = (int)reply.value;
    return st;
}

/* Count; a rank that tells by message sends what has gathered when the last one is long enough
 * ago. */
static rc_status_t tell(
    rc_queue_t *q, const rc_progress_t *more, int64_t interval_ns, rc_err_t *err)
{
    request_t r = {.kind = tell_progress};
    int64_t now = rc_clock_ns();
    int64_t cases = 0;
    pthread_mutex_lock(&q->mutex);
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        cases += more->cases[i];
    rc_progress_add(&q->untold, more);
    if (cases > 0 ||
        more->again > 0) { /* what took time without any is a part of what comes next */
        q->untold.took_s += (double)(now - q->word_ns) * 1e-9;
        q->word_ns = now;
    }
    int due = !is_remote(q) || now - q->told_ns >= interval_ns;
    if (due) {
        r.progress = q->untold;
        q->untold = (rc_progress_t){.took_s = 0};
        q->told_ns = now;
    }
    pthread_mutex_unlock(&q->mutex);
    return due ? ask(q, r, NULL, err) : RC_OK;
}

rc_status_t rc_queue_tell(rc_queue_t *q, const rc_progress_t *p, rc_err_t *err)
{
    return tell(q, p, 1000000000, err); /* one after each block was nine of ten of all messages */
}

void rc_queue_drain(rc_queue_t *q, const char *why)
{
    atomic_store(&q->draining, 1);
    if (atomic_exchange(&q->told, 1))
        return;
    if (is_remote(q)) {
        /* a rank 0 that cannot be reached is drained already */
        (void)ask(q, (request_t){.kind = tell_drain}, NULL, NULL);
        return;
    }
    pthread_mutex_lock(&q->mutex);
    start_drain(q, why);
    pthread_mutex_unlock(&q->mutex);
}

int rc_queue_draining(void *queue)
{
    static const int64_t interval_ns = 20000000;
    rc_queue_t *q = queue;
    if (atomic_load(&q->draining))
        return 1;
    if (rc_drain_asked()) {
        rc_queue_drain(q, "asked to");
        return 1;
    }
    int64_t now = rc_clock_ns();
    int64_t polled = atomic_load(&q->polled_ns);
    if (now - polled < interval_ns || !atomic_compare_exchange_strong(&q->polled_ns, &polled, now))
        return 0;
    if (is_remote(q)) {
        int there = 0;
        if (MPI_Iprobe(0, tag_drain, q->comm, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && there)
            atomic_store(&q->draining, 1);
        return atomic_load(&q->draining);
    }
    pthread_mutex_lock(&q->mutex);
    if (q->stop || (q->budget_ns && now - q->started_ns > q->budget_ns))
        atomic_store(&q->draining, 1);
    pthread_mutex_unlock(&q->mutex);
    return atomic_load(&q->draining);
}

/* ------------------------------------------------------------- opening, closing */

/* Who shares the items of which class. */
static rc_status_t find_members(rc_queue_t *q, rc_err_t *err)
{
    int size = q->session->size;
    int *all = rc_session_gather(q->session, q->session->comm, "the device classes of the ranks",
        &q->class_id, sizeof q->class_id, err);
    RC_PASS(all ? RC_OK : err->status);
    q->ranks_of = rc_alloc0((size_t)size, sizeof *q->ranks_of, "device classes", err);
    q->left = rc_alloc0((size_t)size, sizeof *q->left, "device classes", err);
    q->classes = size; /* at most: they are numbered from 0 */
    for (int i = 0; q->ranks_of && q->left && i < size; i++) {
        if (i == q->session->rank)
            q->member = q->ranks_of[q->class_id];
        q->ranks_of[all[i]]++;
    }
    for (int64_t i = 0; q->left && i < q->work->items; i++)
        count_left(q, &q->work->item[i], 1);
    free(all);
    return rc_session_agree(q->session, q->ranks_of && q->left ? RC_OK : RC_ENOMEM, err);
}

static void free_queue(rc_queue_t *q)
{
    if (q->comm != MPI_COMM_NULL)
        MPI_Comm_free(&q->comm);
    pthread_mutex_destroy(&q->mutex);
    pthread_mutex_destroy(&q->asking);
    rc_map_free(&q->claimed);
    free(q->taken);
    free(q->ranks_of);
    free(q->left);
    free(q);
}

/* Locks and memory; NULL with err set when there is none. */
static rc_queue_t *make_queue(int64_t items, rc_err_t *err)
{
    rc_queue_t *q = rc_alloc0(1, sizeof *q, "the queue", err);
    if (!q)
        return NULL;
    q->comm = MPI_COMM_NULL;
    q->suspect_with = -1;
    q->taken = rc_alloc0((size_t)items, 1, "the queue", err);
    if (q->taken && pthread_mutex_init(&q->mutex, NULL) == 0) {
        if (pthread_mutex_init(&q->asking, NULL) == 0)
            return q;
        pthread_mutex_destroy(&q->mutex);
    }
    if (q->taken)
        rc_fail(err, RC_ENOMEM, "no memory for the locks of the queue");
    free(q->taken);
    free(q);
    return NULL;
}

rc_status_t rc_queue_open(const rc_session_t *s, const rc_worklist_t *work, int class_id,
    double time_budget_s, const rc_log_t *log, rc_queue_t **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_queue_t *q = make_queue(work->items, err);
    st = rc_session_agree(s, q ? RC_OK : RC_ENOMEM, err);
    if (st < 0)
        goto fail;
    q->session = s;
    q->work = work;
    q->log = log;
    q->class_id = class_id;
    q->served = s->size == 1 || s->threads_ok;
    q->started_ns = q->word_ns = rc_clock_ns();
    q->budget_ns = (int64_t)(time_budget_s * 1e9);
    /* the decision is rank 0's, for all */
    rc_comm_broadcast(s->comm, &q->served, sizeof q->served);
    if (s->comm != MPI_COMM_NULL && MPI_Comm_dup(s->comm, &q->comm) != MPI_SUCCESS)
        st = rc_fail(err, RC_EMPI, "cannot duplicate the communicator");
    if (st == RC_OK)
        st = find_members(q, err);
    if (st < 0)
        goto fail;
    if (s->rank == 0) {
        if (!q->served)
            rc_log(log, RC_LOG_WARN, "sweep",
                "MPI lets only one thread call it: matrices are dealt out in advance");
        rc_meter_start(&q->meter, log, work->plan.matrices, work->plan.cases, &work->effort);
        if (pthread_create(&q->thread, NULL, server, q) != 0)
            st = rc_fail(err, RC_ENOMEM, "cannot start the server thread");
        else
            q->thread_runs = 1;
    }
    st = rc_session_agree(s, st, err);
    if (st == RC_OK) {
        *out = q;
        return RC_OK;
    }
fail:
    if (q) {
        if (q->thread_runs) {
            pthread_mutex_lock(&q->mutex);
            q->over = 1;
            q->gone = s->size - 1;
            pthread_mutex_unlock(&q->mutex);
            pthread_join(q->thread, NULL);
        }
        free_queue(q);
    }
    return st;
}

rc_status_t rc_queue_close(rc_queue_t *q, int64_t *items_left, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t mine;
    int64_t all = 0;
    if (is_remote(q)) {
        st = tell(q, &(rc_progress_t){.took_s = 0}, 0, err);
        st = st < 0 ? st : ask(q, (request_t){.kind = tell_leave}, NULL, err);
    }
    if (q->thread_runs) {
        pthread_mutex_lock(&q->mutex);
        q->over = 1;
        drop_suspect(q, q->session->rank);
        pthread_mutex_unlock(&q->mutex);
        pthread_join(q->thread, NULL);
        rc_meter_end(&q->meter);
    }
    rc_session_wait_all(q->session);
    /* words to drain that came when this rank had left already */
    int there = 1;
    char word;
    while (is_remote(q) && there) {
        there = 0;
        if (MPI_Iprobe(0, tag_drain, q->comm, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            there = 0;
        if (there)
            MPI_Recv(&word, 1, MPI_BYTE, 0, tag_drain, q->comm, MPI_STATUS_IGNORE);
    }
    mine = q->served && q->session->rank != 0 ? 0 : q->out;
    rc_comm_reduce(q->session->comm, &mine, &all, 1, sizeof mine, MPI_INT64_T, MPI_SUM);
    *items_left = q->work->items - all;
    free_queue(q);
    return st;
}
