/** \file sweep/drain.h  Signals.  SIGTERM, SIGINT and SIGUSR1 ask for a drain: finish or give up
 *  the case in hand, commit, exit 75; the journal gets a word of it.  A fatal signal (SIGALRM too,
 *  by which the watchdog
 * ends a rank) leaves a word in the journal before it kills.  main() ignores SIGXFSZ: writing fails
 *  instead. */
#ifndef RC_SWEEP_DRAIN_H
#define RC_SWEEP_DRAIN_H

#include "store/journal.h"

/** Install the handlers of the requests, and no other: before MPI starts, which takes its time, and
 *  in which a request would kill.  A second SIGINT kills at once. */
rc_status_t rc_drain_listen(rc_err_t *err);

/** Install all handlers. */
rc_status_t rc_drain_install(rc_err_t *err);

/** The signal that asked for a drain, 0 none. */
int rc_drain_asked(void);

/** Journal that a fatal signal writes to; NULL: none. */
void rc_drain_set_journal(rc_journal_t *j);

#endif
