/** \file sweep/turn.h  Whose turn it is to time on this node.  On a CPU a measurement has the
 * machine to itself: loading, featurising and ordering share the room, timing has it alone.  Held
 * with flock() on two small files, so that a killed process cannot keep it, and so that independent
 *  jobs of a user on one node respect each other.  A GPU is nobody else's, unless ranks were told
 *  to share it: then they time in turns on it, and prepare side by side.  Local. */
#ifndef RC_SWEEP_TURN_H
#define RC_SWEEP_TURN_H

#include "rowcast.h"

typedef struct rc_turn rc_turn_t;

/** \param[in] enabled  0: every call succeeds at once and holds nothing
 *  \param[in] what     name of what is taken in turns: letters, digits, '-'; NULL: the node's CPUs
 *  Free with rc_turn_close. */
rc_status_t rc_turn_open(int enabled, const char *what, rc_turn_t **out, rc_err_t *err);

typedef int rc_turn_stop_fn(void *user);

/** Enter as one of many (work that is not timed).  \return RC_OK or RC_EINTR when stop said so */
rc_status_t rc_turn_share(rc_turn_t *t, rc_turn_stop_fn *stop, void *user);

/** Enter alone (timing).  Waits for the others to leave and keeps newcomers out meanwhile. */
rc_status_t rc_turn_own(rc_turn_t *t, rc_turn_stop_fn *stop, void *user);

/** Leave. */
void rc_turn_leave(rc_turn_t *t);

void rc_turn_close(rc_turn_t *t);

#endif
