/** \file sweep/totals.h  What the ranks of a sweep did, added up. */
#ifndef RC_SWEEP_TOTALS_H
#define RC_SWEEP_TOTALS_H

#include "sweep/ledger.h"
#include "sweep/session.h"
#include "sweep/sweep.h"
#include "sweep/worker.h"

/** Sum the counts and the times of the ranks and spread them.  Collective.
 *  \param[in]     named           catalogue rows that this rank gave a status
 *  \param[in]     work_s          wall time of this rank, until the last rank was out of work
 *  \param[in]     out_of_work_ns  when this rank was, on its own clock
 *  \param[in,out] r               of this rank; afterwards the same on every rank */
void rc_totals(const rc_session_t *s, const rc_spent_t *spent, const rc_named_t *named,
    double work_s, int64_t out_of_work_ns, rc_sweep_result_t *r);

#endif
