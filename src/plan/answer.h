/** \file plan/answer.h  Making an rc_plan_answer_t, of a plan or of what a model predicts. */
#ifndef RC_PLAN_ANSWER_H
#define RC_PLAN_ANSWER_H

#include "plan/plan.h"

/** Rows to fill, all zero.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_plan_answer_begin(rc_plan_answer_t *a, int rows, rc_err_t *err);

/** Bring rows that have kernel, order, times and marks into their order, and find speedups, what
 *  pays, and the sentence.
 *  \param[in] type       of the values, which the sentence names
 *  \param[in] least      the sentence names K, from this on; 0: it does not
 *  \param[in] reuse      products by which was chosen; below 0: times are a model's
 *  \param[in] beside     1: other programs had CPUs of the team meanwhile */
void rc_plan_answer_end(
    rc_plan_answer_t *a, rc_precision_t type, int64_t least, double reuse, int beside);

/** 1: what a row says of paying is not inside the errors of its time and of that of the one that
 *  it pays over.  \param[in] a  of rc_plan_answer_end  \param[in] row  its index */
int rc_plan_answer_is_sure(const rc_plan_answer_t *a, int row);

#endif
