#include "config.h"
#include "sweep/queue.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "sweep/drain.h"
#include "sweep/progress.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { tag_request = 1, tag_reply = 2, tag_drain = 3 };

typedef enum request_kind {
    ask_next = 0,
    ask_claim = 1,
    tell_progress = 2,
    tell_drain = 3,
    tell_leave = 4
} request_kind_t;

/* One message to the server; it is small, so sending it never waits for long. */
typedef struct request {
    int32_t kind;
    int32_t class_id;
    rc_digest_t matrix;
    rc_progress_t progress;
} request_t;

struct rc_queue {
    const rc_session_t *session;
    const rc_plan_t *plan;
    const rc_log_t *log;
    int class_id;
    int served;    /* 1: rank 0 deals out; 0: dealt out in advance */
    MPI_Comm comm; /* of its own, so that its messages meet no others */
    int64_t started_ns;
    int64_t budget_ns; /* 0: none */
    int64_t polled_ns;
    int64_t nth;  /* dealt in advance: items of the class passed so far */
    int members;  /* ... ranks of the class */
    int member;   /* ... this rank among them */
    int draining; /* this rank knows */
    int told;     /* this rank has told the server */
    /* the server and rank 0's worker, under the mutex */
    pthread_mutex_t mutex;
    pthread_t thread;
    int thread_runs;
    unsigned char *taken; /* [items] */
    int64_t out;          /* items handed out */
    int64_t next;         /* first item that may not be taken yet */
    rc_map_t claimed;
    int stop; /* the server is to drain */
    int gone; /* other ranks that have left */
    int over; /* rank 0's worker has left */
    rc_meter_t meter;
};

/* ------------------------------------------------------------ under the mutex */

static int64_t hand_out(rc_queue_t *q, int class_id)
{
    if (q->stop)
        return -1;
    while (q->next < q->plan->items && q->taken[q->next])
        q->next++;
    for (int64_t i = q->next; i < q->plan->items; i++)
        if (!q->taken[i] && q->plan->item[i].class_id == class_id) {
            q->taken[i] = 1;
            q->out++;
            q->meter.matrices_out++;
            return i;
        }
    return -1;
}

/* 1: it was free.  Without memory for the note it counts as free: measured twice, not lost. */
static int claim(rc_queue_t *q, rc_digest_t matrix, int class_id)
{
    rc_digest_t key = {matrix.hi ^ (uint64_t)class_id, matrix.lo};
    if (rc_map_get(&q->claimed, key, 0))
        return 0;
    (void)rc_map_set(&q->claimed, key, 1, NULL);
    return 1;
}

static void add_progress(rc_queue_t *q, const rc_progress_t *p)
{
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        q->meter.done[i] += p->cases[i];
    q->meter.done_cost_s += p->cost_s;
}

static void start_drain(rc_queue_t *q, const char *why)
{
    if (q->stop)
        return;
    q->stop = 1;
    rc_meter_end(&q->meter);
    rc_log(q->log, RC_LOG_WARN, "sweep", "draining: %s", why);
}

/* ------------------------------------------------------------------- server */

static void answer(rc_queue_t *q, int from, const request_t *r)
{
    int64_t reply = -1;
    pthread_mutex_lock(&q->mutex);
    switch ((request_kind_t)r->kind) {
    case ask_next:
        reply = hand_out(q, r->class_id);
        break;
    case ask_claim:
        reply = claim(q, r->matrix, r->class_id);
        break;
    case tell_progress:
        add_progress(q, &r->progress);
        break;
    case tell_drain:
        start_drain(q, "a rank was asked to");
        break;
    case tell_leave:
        q->gone++;
        break;
    }
    pthread_mutex_unlock(&q->mutex);
    if (r->kind == ask_next || r->kind == ask_claim)
        MPI_Send(&reply, 1, MPI_INT64_T, from, tag_reply, q->comm);
}

static int serve_one(rc_queue_t *q)
{
    MPI_Status status;
    int there = 0;
    request_t r;
    if (MPI_Iprobe(MPI_ANY_SOURCE, tag_request, q->comm, &there, &status) != MPI_SUCCESS || !there)
        return 0;
    if (MPI_Recv(&r, (int)sizeof r, MPI_BYTE, status.MPI_SOURCE, tag_request, q->comm,
            MPI_STATUS_IGNORE) == MPI_SUCCESS)
        answer(q, status.MPI_SOURCE, &r);
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
    int spread = 0;
    for (;;) {
        while (q->session->size > 1 && q->served && serve_one(q))
            ;
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
static rc_status_t ask(rc_queue_t *q, const request_t *r, int64_t *reply, rc_err_t *err)
{
    static const int64_t pause_ns = 500000;
    MPI_Request request;
    int done = 0;
    if (MPI_Irecv(reply, 1, MPI_INT64_T, 0, tag_reply, q->comm, &request) != MPI_SUCCESS)
        return rc_fail(err, RC_EMPI, "cannot receive from rank 0");
    rc_status_t st = send_request(q, r, err);
    if (st < 0)
        return st;
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

static int64_t next_dealt(rc_queue_t *q)
{
    for (; q->next < q->plan->items; q->next++)
        if (q->plan->item[q->next].class_id == q->class_id && q->nth++ % q->members == q->member) {
            q->out++;
            return q->next++;
        }
    return -1;
}

rc_status_t rc_queue_next(rc_queue_t *q, int64_t *item, rc_err_t *err)
{
    *item = -1;
    if (rc_queue_draining(q))
        return RC_OK;
    if (is_remote(q)) {
        request_t r = {.kind = ask_next, .class_id = q->class_id};
        return ask(q, &r, item, err);
    }
    pthread_mutex_lock(&q->mutex);
    *item = q->served ? hand_out(q, q->class_id) : next_dealt(q);
    pthread_mutex_unlock(&q->mutex);
    return RC_OK;
}

rc_status_t rc_queue_claim(rc_queue_t *q, rc_digest_t matrix, int *mine, rc_err_t *err)
{
    if (is_remote(q)) {
        request_t r = {.kind = ask_claim, .class_id = q->class_id, .matrix = matrix};
        int64_t reply = 0;
        rc_status_t st = ask(q, &r, &reply, err);
        *mine = (int)reply;
        return st;
    }
    pthread_mutex_lock(&q->mutex);
    *mine = claim(q, matrix, q->class_id);
    pthread_mutex_unlock(&q->mutex);
    return RC_OK;
}

rc_status_t rc_queue_tell(rc_queue_t *q, const rc_progress_t *p, rc_err_t *err)
{
    if (is_remote(q)) {
        request_t r = {.kind = tell_progress, .class_id = q->class_id, .progress = *p};
        return send_request(q, &r, err);
    }
    pthread_mutex_lock(&q->mutex);
    add_progress(q, p);
    pthread_mutex_unlock(&q->mutex);
    return RC_OK;
}

void rc_queue_drain(rc_queue_t *q)
{
    q->draining = 1;
    if (q->told)
        return;
    q->told = 1;
    if (is_remote(q)) {
        request_t r = {.kind = tell_drain, .class_id = q->class_id};
        (void)send_request(q, &r, NULL); /* a rank 0 that cannot be reached is drained already */
        return;
    }
    pthread_mutex_lock(&q->mutex);
    start_drain(q, "asked to");
    pthread_mutex_unlock(&q->mutex);
}

int rc_queue_draining(void *queue)
{
    static const int64_t interval_ns = 20000000;
    rc_queue_t *q = queue;
    if (q->draining)
        return 1;
    if (rc_drain_asked()) {
        rc_queue_drain(q);
        return 1;
    }
    int64_t now = rc_clock_ns();
    if (now - q->polled_ns < interval_ns)
        return 0;
    q->polled_ns = now;
    if (is_remote(q)) {
        int there = 0;
        if (MPI_Iprobe(0, tag_drain, q->comm, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && there)
            q->draining = 1;
        return q->draining;
    }
    pthread_mutex_lock(&q->mutex);
    q->draining = q->stop || (q->budget_ns && now - q->started_ns > q->budget_ns);
    pthread_mutex_unlock(&q->mutex);
    return q->draining;
}

/* ------------------------------------------------------------- opening, closing */

/* Who shares the items of this rank's class when they are dealt out in advance. */
static rc_status_t find_members(rc_queue_t *q, rc_err_t *err)
{
    int *all = rc_alloc((size_t)q->session->size, sizeof *all, "device classes", err);
    rc_status_t st = rc_session_agree(q->session, all ? RC_OK : RC_ENOMEM, err);
    if (st == RC_OK)
        MPI_Allgather(&q->class_id, 1, MPI_INT, all, 1, MPI_INT, q->session->comm);
    for (int i = 0; st == RC_OK && i < q->session->size; i++) {
        if (i == q->session->rank)
            q->member = q->members;
        q->members += all[i] == q->class_id;
    }
    free(all);
    return st;
}

rc_status_t rc_queue_open(const rc_session_t *s, const rc_plan_t *plan, int class_id,
    double time_budget_s, const rc_log_t *log, rc_queue_t **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_queue_t *q = rc_alloc0(1, sizeof *q, "the queue", err);
    if (q) {
        q->taken = rc_alloc0((size_t)plan->items, 1, "the queue", err);
        q->comm = MPI_COMM_NULL;
        if (!q->taken || pthread_mutex_init(&q->mutex, NULL) != 0) {
            free(q->taken);
            free(q);
            q = NULL;
        }
    }
    st = rc_session_agree(s, q ? RC_OK : RC_ENOMEM, err);
    if (st < 0)
        goto fail;
    q->session = s;
    q->plan = plan;
    q->log = log;
    q->class_id = class_id;
    q->served = s->size == 1 || s->threads_ok;
    q->started_ns = rc_clock_ns();
    q->budget_ns = (int64_t)(time_budget_s * 1e9);
    /* the decision is rank 0's, for all */
    MPI_Bcast(&q->served, 1, MPI_INT, 0, s->comm);
    if (MPI_Comm_dup(s->comm, &q->comm) != MPI_SUCCESS)
        st = rc_fail(err, RC_EMPI, "cannot duplicate the communicator");
    if (st == RC_OK)
        st = find_members(q, err);
    if (st < 0)
        goto fail;
    if (s->rank == 0) {
        if (!q->served)
            rc_log(log, RC_LOG_WARN, "sweep",
                "MPI lets only one thread call it: matrices are dealt out in advance");
        rc_meter_start(&q->meter, log, plan->items, plan->cases, plan->cost_s);
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
        if (q->comm != MPI_COMM_NULL)
            MPI_Comm_free(&q->comm);
        pthread_mutex_destroy(&q->mutex);
        free(q->taken);
        free(q);
    }
    return st;
}

rc_status_t rc_queue_close(rc_queue_t *q, int64_t *items_left, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t mine;
    int64_t all = 0;
    if (is_remote(q)) {
        request_t r = {.kind = tell_leave};
        st = send_request(q, &r, err);
    }
    if (q->thread_runs) {
        pthread_mutex_lock(&q->mutex);
        q->over = 1;
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
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, q->session->comm);
    *items_left = q->plan->items - all;
    MPI_Comm_free(&q->comm);
    pthread_mutex_destroy(&q->mutex);
    rc_map_free(&q->claimed);
    free(q->taken);
    free(q);
    return st;
}
