/** \file kernels/vendor/turn.h  A dense matrix from columns to rows. */
#ifndef RC_KERNELS_VENDOR_TURN_H
#define RC_KERNELS_VENDOR_TURN_H

#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Enqueue to = from + beta to; with beta 0 `to` is not read.  The GPU of the executor is the
 *  current one.
 *  \param[in] from  column-major  \param[in,out] to  row-major, of the same shape and precision
 *  \return RC_OK, RC_EDEVICE */
rc_status_t rc_cuda_turn(const rc_executor_t *x, const rc_dense_t *from, const rc_dense_t *to,
    double beta, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
