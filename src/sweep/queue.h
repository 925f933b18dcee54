/** \file sweep/queue.h  Dealing out the items of a work list.
 *
 *  Rank 0 runs a small server thread (probe, answer, sleep two milliseconds); the other ranks ask
 *  by message, rank 0's own worker asks under a mutex.  Why not one-sided counters: a passive
 *  target stalls while its owner computes, and needs a transport between nodes that is not always
 *  there.  Where MPI gives no MPI_THREAD_MULTIPLE, the items are dealt out in advance instead.
 *  The server also gathers the ranks' progress and spreads a request to drain.
 *  Every call but open and close may be made by several threads of a rank at once: those that send
 *  messages do so only where MPI has MPI_THREAD_MULTIPLE. */
#ifndef RC_SWEEP_QUEUE_H
#define RC_SWEEP_QUEUE_H

#include "base/digest.h"
#include "base/log.h"
#include "base/outcome.h"
#include "sweep/worklist.h"
#include "sweep/session.h"

typedef struct rc_queue rc_queue_t;

/** What is left of the items of a device class for each rank that takes them; where no other rank
 *  does, INT64_MAX and INFINITY. */
typedef struct rc_share {
    int64_t items;
    double cost_s; /**< estimated time of them */
} rc_share_t;

/** Start.  Collective.
 *  \param[in] work           the same items on every rank (borrowed)
 *  \param[in] class_id       device class of this rank
 *  \param[in] time_budget_s  drain after this long; 0: never */
rc_status_t rc_queue_open(const rc_session_t *s, const rc_worklist_t *work, int class_id,
    double time_budget_s, const rc_log_t *log, rc_queue_t **out, rc_err_t *err);

/** Next item of this rank's class; -1 when there is none, or when draining.
 *  An item with a suspect (RC_WORKLIST_SUSPECT) is out on one rank at a time, so that whatever dies
 *  with it is to blame on it: until that rank asks again, and so says that it is done with it,
 *  another rank waits when nothing else is left.
 *  \param[out] share  after that item.  May be NULL */
rc_status_t rc_queue_next(rc_queue_t *q, int64_t *item, rc_share_t *share, rc_err_t *err);

/** Give back an item that was not measured.  It is dealt again to whoever still asks. */
rc_status_t rc_queue_put_back(rc_queue_t *q, int64_t item, rc_err_t *err);

/** Claim the matrix of an item for its catalogue row, so that two rows with the same contents are
 *  measured once; the parts of a divided matrix are of one row.
 *  \param[out] mine  1: this rank is to measure it */
rc_status_t rc_queue_claim(
    rc_queue_t *q, int64_t item, rc_digest_t matrix, int *mine, rc_err_t *err);

/** Tell what was done, for the progress line.  Sends at most one message a second. */
rc_status_t rc_queue_tell(rc_queue_t *q, const rc_progress_t *p, rc_err_t *err);

/** 1: drain now.  Cheap; asks MPI at most every 20 ms. */
int rc_queue_draining(void *queue);

/** Ask everybody to drain.  \param[in] why  for the log of rank 0, when it is rank 0 that asks */
void rc_queue_drain(rc_queue_t *q, const char *why);

/** Leave and stop the server once everybody has left.  Collective.
 *  \param[out] items_left  items that nobody took, the same on every rank */
rc_status_t rc_queue_close(rc_queue_t *q, int64_t *items_left, rc_err_t *err);

#endif
