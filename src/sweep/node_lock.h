/** \file sweep/node_lock.h  Who may time on this node.  On a CPU a measurement has the machine to
 *  itself: loading, featurising and ordering share the room, timing has it alone.  Held with
 *  flock() on two small files, so that a killed process cannot keep it, and so that independent
 *  jobs of a user on one node respect each other.  A GPU is nobody else's, unless ranks were told
 *  to share it: then they time in turns on it, and prepare side by side.  Local. */
#ifndef RC_SWEEP_NODE_LOCK_H
#define RC_SWEEP_NODE_LOCK_H

#include "sweep/queue.h"

typedef struct rc_node_lock rc_node_lock_t;

/** \param[in] enabled  0: every call succeeds at once and holds nothing
 *  \param[in] what     name of what is taken in turns: letters, digits, '-'; NULL: the node's CPUs
 *  \param[in] store    of this sweep, borrowed: tells others who is there
 *  \param[in] log      borrowed; is told each 10 s who is waited for, unless it is this sweep
 *  Free with rc_node_lock_close. */
rc_status_t rc_node_lock_open(int enabled, const char *what, const char *store, const rc_log_t *log,
    rc_node_lock_t **out, rc_err_t *err);

/** Enter as one of many (work that is not timed), or alone (timing), which waits for the others to
 *  leave and keeps newcomers out meanwhile.
 *  \return RC_OK or RC_EINTR when the queue is drained */
rc_status_t rc_node_lock_enter(rc_node_lock_t *t, int alone, rc_queue_t *q);

/** Leave. */
void rc_node_lock_release(rc_node_lock_t *t);

void rc_node_lock_close(rc_node_lock_t *t);

#endif
