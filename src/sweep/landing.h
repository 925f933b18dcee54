/** \file sweep/landing.h  The end of a run: whether everything that the ledgers finished arrived in
 *  the store, and what becomes of it when files were taken away.  Collective over the session. */
#ifndef RC_SWEEP_LANDING_H
#define RC_SWEEP_LANDING_H

#include "base/log.h"
#include "sweep/worker.h"

/** What the end of a run is about.  Everything is borrowed. */
typedef struct rc_landing {
    const rc_session_t *s;
    const rc_log_t *log;
    const char *store;
    const char *uuid;      /**< of the run */
    rc_journal_t *journal; /**< of this rank; NULL: it has none */
    rc_watch_t *watch;     /**< rank 0: of the store; elsewhere NULL */
} rc_landing_t;

/** Append the end of the run to the journal, see whether the files are still there, and give the
 *  lock of the journal back.  Local.
 *  \return RC_OK; else what became of which file, see rc_ledger_files */
rc_status_t rc_landing_end(const rc_landing_t *l, rc_run_state_t state, rc_err_t *err);

/** Sum the counts and the times of the ranks and spread them.
 *  \param[in]     named           catalogue rows that this rank gave a status
 *  \param[in]     work_s          wall time of this rank, until the last rank was out of work
 *  \param[in]     out_of_work_ns  when this rank was, on its own clock
 *  \param[in,out] r               of this rank; afterwards the same on every rank */
void rc_landing_totals(const rc_session_t *s, const rc_spent_t *spent, const rc_named_t *named,
    double work_s, int64_t out_of_work_ns, rc_sweep_result_t *r);

/** Compare what was finished with what the store has of the run, after the last commit.
 *  \param[in] r  the totals of all ranks
 *  \return RC_OK; RC_EIO with the figures; RC_ESTORE, RC_ENOMEM */
rc_status_t rc_landing_compare(const rc_landing_t *l, const rc_sweep_result_t *r, rc_err_t *err);

/** Log by how much the times of the run differ from earlier ones of the same cases, in geometric
 *  mean, with its least and largest.  Rank 0, after the last commit; nothing without such cases.
 *  \return RC_OK, RC_ESTORE, RC_ENOMEM.  Cost: reads the store */
rc_status_t rc_landing_drift(const rc_landing_t *l, rc_err_t *err);

/** Save what the open files hold, and tell where: every rank its journal into the folder
 *  BASE.journal, rank 0 a store that is not there any more as BASE, with BASE = STORE.rescued-UUID,
 *  so that `rowcast fold BASE` makes a store of it.  Where nothing can be written beside the store,
 *  the working directory and that for temporary files are tried. */
void rc_landing_save(const rc_landing_t *l);

#endif
