/** \file order/cuda/votes.h  Rounds of label propagation on a GPU. */
#ifndef RC_ORDER_CUDA_VOTES_H
#define RC_ORDER_CUDA_VOTES_H

#include "order/cuda/orders.h"

/** Enqueue rounds of rc_vote_round of src/order/steps.h.
 *  \param[in,out] label  [rows], device memory
 *  \param[out] columns   [2 cols], scratch in device memory */
rc_status_t rc_cuda_votes(rc_executor_t *x, const rc_cuda_pattern_t *a, int rounds, uint32_t *label,
    uint32_t *columns, rc_err_t *err);

#endif
