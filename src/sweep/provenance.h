/** \file sweep/provenance.h  What a run was: arguments, build, libraries, launcher, placement. */
#ifndef RC_SWEEP_PROVENANCE_H
#define RC_SWEEP_PROVENANCE_H

#include "store/journal.h"
#include "sweep/sweep.h"

/** Identity of a new run in uuid[33]: 12 hexadecimal digits of the time in ms, so that identities
 *  sort by start, then 20 random ones.  Local; rank 0 makes it for all. \return RC_OK, RC_EIO when
 *  the system gives no random bytes */
rc_status_t rc_provenance_uuid(int64_t utc_ns, char uuid[33], rc_err_t *err);

/** Write what this rank knows of the run to its journal.  Local; rank 0 writes the shared part. */
rc_status_t rc_provenance_write(rc_journal_t *j, const rc_session_t *s, const rc_sweep_config_t *c,
    const rc_device_t *d, rc_err_t *err);

#endif
