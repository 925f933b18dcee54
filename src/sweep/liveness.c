#include "config.h"
#include "sweep/liveness.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "store/comm.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { tag_word = 1, exit_lost = 3 };

/* What is known of another rank. */
typedef struct peer {
    int64_t heard_ns;
    MPI_Request sending;
} peer_t;

struct rc_liveness {
    const rc_session_t *session;
    const rc_log_t *log;
    MPI_Comm comm; /* of its own, so that its messages meet no others */
    int64_t limit_ns;
    int64_t every_ns;
    int64_t sent_ns;
    peer_t *peer;                                  /* [size] */
    char (*host)[sizeof((rc_session_t *)0)->host]; /* [size] */
    pthread_t thread;
    atomic_int stop;
};

/* Rank 0 and the others speak with each other, not the others among themselves. */
static int is_watched(const rc_liveness_t *l, int rank)
{
    return (rank == 0) != (l->session->rank == 0);
}

/* Of what is sent and not gone when the end comes: it outlives the rest. */
static const char a_word = 1;

static void send_words(rc_liveness_t *l)
{
    for (int r = 0; r < l->session->size; r++) {
        int done = 0;
        peer_t *p = &l->peer[r];
        if (!is_watched(l, r))
            continue;
        /* one that has not left yet says the same */
        if (p->sending != MPI_REQUEST_NULL &&
            (MPI_Test(&p->sending, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || !done))
            continue;
        if (MPI_Isend(&a_word, 1, MPI_BYTE, r, tag_word, l->comm, &p->sending) != MPI_SUCCESS)
            p->sending = MPI_REQUEST_NULL;
    }
    l->sent_ns = rc_clock_ns();
}

static void hear_words(rc_liveness_t *l)
{
    MPI_Status status;
    int there = 1;
    char word;
    while (MPI_Iprobe(MPI_ANY_SOURCE, tag_word, l->comm, &there, &status) == MPI_SUCCESS && there) {
        if (MPI_Recv(&word, 1, MPI_BYTE, status.MPI_SOURCE, tag_word, l->comm, MPI_STATUS_IGNORE) !=
            MPI_SUCCESS)
            return;
        l->peer[status.MPI_SOURCE].heard_ns = rc_clock_ns();
    }
}

/* MPI may wait in its own end for what is lost. */
static void end_job(const rc_liveness_t *l, int rank)
{
    enum { patience_s = 10 };
    rc_log(l->log, RC_LOG_ERROR, "sweep",
        "rank %d on %s has heard nothing of rank %d on %s for %s (--silence-limit): the job ends; "
        "what is finished is in the journals, run the same command again",
        l->session->rank, l->session->host, rank, l->host[rank],
        rc_text_seconds((double)l->limit_ns * 1e-9).text);
    signal(SIGALRM, SIG_DFL);
    alarm(patience_s);
    MPI_Abort(l->comm, exit_lost);
}

static void *live(void *user)
{
    static const int64_t pause_ns = 200000000;
    rc_liveness_t *l = user;
    int64_t last_ns = rc_clock_ns();
    while (!atomic_load(&l->stop)) {
        int64_t now_ns = rc_clock_ns();
        /* this process stood still: what was said meanwhile may not have arrived yet */
        for (int r = 0; now_ns - last_ns > l->every_ns && r < l->session->size; r++)
            l->peer[r].heard_ns = now_ns;
        last_ns = now_ns;
        if (rc_clock_ns() - l->sent_ns >= l->every_ns)
            send_words(l);
        hear_words(l);
        for (int r = 0; r < l->session->size; r++)
            if (is_watched(l, r) && rc_clock_ns() - l->peer[r].heard_ns > l->limit_ns) {
                end_job(l, r);
                return NULL;
            }
        rc_sleep_ns(pause_ns);
    }
    return NULL;
}

static rc_status_t prepare(rc_liveness_t *l, rc_err_t *err)
{
    const rc_session_t *s = l->session;
    int64_t now = rc_clock_ns();
    l->host =
        rc_session_gather(s, s->comm, "the hosts of the ranks", s->host, sizeof *l->host, err);
    RC_PASS(l->host ? RC_OK : err->status);
    l->peer = rc_alloc0((size_t)s->size, sizeof *l->peer, "ranks", err);
    rc_status_t st = rc_session_agree(s, l->peer ? RC_OK : RC_ENOMEM, err);
    if (st == RC_OK && MPI_Comm_dup(s->comm, &l->comm) != MPI_SUCCESS)
        st = rc_fail(err, RC_EMPI, "cannot duplicate the communicator");
    for (int r = 0; st == RC_OK && r < s->size; r++)
        l->peer[r] = (peer_t){.heard_ns = now, .sending = MPI_REQUEST_NULL};
    return st;
}

static void dispose(rc_liveness_t *l)
{
    if (l->comm != MPI_COMM_NULL)
        MPI_Comm_free(&l->comm);
    free(l->peer);
    free(l->host);
    free(l);
}

rc_status_t rc_liveness_start(
    const rc_session_t *s, double limit_s, const rc_log_t *log, rc_liveness_t **out, rc_err_t *err)
{
    static const int64_t longest_ns = 10000000000;
    int on = limit_s > 0 && s->threads_ok;
    *out = NULL;
    if (s->size == 1)
        return RC_OK;
    rc_comm_broadcast(s->comm, &on, sizeof on);
    if (!on)
        return RC_OK;
    rc_liveness_t *l = rc_alloc0(1, sizeof *l, "words between ranks", err);
    rc_status_t st = rc_session_agree(s, l ? RC_OK : RC_ENOMEM, err);
    if (st < 0) {
        free(l);
        return st;
    }
    l->session = s;
    l->log = log;
    l->comm = MPI_COMM_NULL;
    l->limit_ns = (int64_t)(limit_s * 1e9);
    l->every_ns = l->limit_ns / 4 < longest_ns ? l->limit_ns / 4 : longest_ns;
    st = prepare(l, err);
    if (st == RC_OK && pthread_create(&l->thread, NULL, live, l) != 0)
        st = rc_fail(err, RC_ENOMEM, "the thread that listens to other ranks cannot be started");
    if (st < 0) {
        dispose(l);
        return st;
    }
    *out = l;
    return RC_OK;
}

void rc_liveness_stop(rc_liveness_t *l)
{
    if (!l)
        return;
    atomic_store(&l->stop, 1);
    pthread_join(l->thread, NULL);
    for (int r = 0; r < l->session->size; r++)
        if (l->peer[r].sending != MPI_REQUEST_NULL)
            MPI_Request_free(&l->peer[r].sending);
    dispose(l);
}
