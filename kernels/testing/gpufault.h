/** \file kernels/testing/gpufault.h  Between the host and the device part of gpufault. */
#ifndef RC_KERNELS_TESTING_GPUFAULT_H
#define RC_KERNELS_TESTING_GPUFAULT_H

#include "device/cuda/cuda.h"
#include "format/cuda/slots.h"

#ifdef __cplusplus
extern "C" {
#endif

/** C = alpha A B + beta C, one value per thread, column-major, summed in fp64.
 *  \param[in] left_out  row of C that is not stored to; -1: none */
rc_status_t rc_cuda_fault_product(cudaStream_t stream, const rc_cuda_slots_t *s, int64_t left_out,
    const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

/** Add 0.5 to c[at]. */
rc_status_t rc_cuda_fault_value(
    cudaStream_t stream, rc_precision_t precision, void *c, int64_t at, rc_err_t *err);

/** Keep the device busy for `ns`, by its own clock. */
rc_status_t rc_cuda_fault_spin(cudaStream_t stream, int64_t ns, rc_err_t *err);

/** Store to an address that nobody has; the next call that waits finds out, and from then on the
 *  context of the process is of no use. */
rc_status_t rc_cuda_fault_address(cudaStream_t stream, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
