/** \file kernels/vendor/sampled.h  The last step of an SDDMM by a library that leaves out the
 *  values of A. */
#ifndef RC_KERNELS_VENDOR_SAMPLED_H
#define RC_KERNELS_VENDOR_SAMPLED_H

#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Enqueue out[e] = alpha val[e] dot[e] + beta out[e].  The GPU of the executor is the current one.
 *  \param[in] val, dot  [out->rows], device memory, in the precision of `out` */
rc_status_t rc_cuda_sampled(const rc_executor_t *x, const void *val, const void *dot,
    const rc_dense_t *out, double alpha, double beta, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
