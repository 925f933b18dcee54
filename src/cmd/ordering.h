/** \file cmd/ordering.h  Building a row order, which may take long: a thread says now and then how
 *  far it is, in place on a terminal, else in a line every few seconds. */
#ifndef RC_CMD_ORDERING_H
#define RC_CMD_ORDERING_H

#include "cmd/one_matrix.h"
#include "order/policy.h"

/** Build an order of a matrix; from a second on there are words on stderr.
 *  \param[in]  facts    told how it came about; may be NULL
 *  \param[out] seconds  that it took
 *  \return as rc_policy_build.  Without memory or thread for the words there are none */
rc_status_t rc_ordering_build(const rc_policy_spec_t *policy, const rc_one_matrix_t *m,
    rc_facts_t *facts, rc_schedule_t *out, double *seconds, rc_err_t *err);

#endif
