/** \file cuda/cuda.h  What the files of kernels/cuda share.  Seen by C and by CUDA C++.
 *
 *  All work of a device goes on its one stream, in the order in which it is asked for; a device is
 *  used by one thread at a time.  Device memory comes from d->alloc and goes through d->release,
 *  both ordered by the stream; d->upload, d->download return when the bytes are there. */
#ifndef RC_KERNELS_CUDA_CUDA_H
#define RC_KERNELS_CUDA_CUDA_H

#include "base/error.h"
#include "kernels/kernel.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The stream of a device.  Makes the device the current one of the calling thread, so that a
 * launch on the stream is legal.  Never NULL for an open device. */
cudaStream_t rc_cuda_stream(const rc_device_t *d);

/** Multiprocessors of a device. */
int rc_cuda_sms(const rc_device_t *d);

/** What a library keeps for a device: its handle, made by the first kernel that needs one, because
 *  making it takes milliseconds.  Closing the device destroys it, with the device current and idle.
 */
typedef struct rc_cuda_library {
    void *handle; /**< NULL until it is made */
    void (*destroy)(void *handle);
} rc_cuda_library_t;

/** That of cuSPARSE.  Owned by the device. */
rc_cuda_library_t *rc_cuda_cusparse(rc_device_t *d);

/** A status of a CUDA call.  Takes the error off the thread, so that no later check finds it again
 *  (errors that spoil the context stay).
 *  \param[in] what  of the message "what: cudaErrorName: text"
 *  \return RC_OK; RC_ENOMEM when memory ran out; RC_EDEVICE otherwise */
rc_status_t rc_cuda_check(cudaError_t e, const char *what, rc_err_t *err);

/** As rc_cuda_check, of the launch just made (of its configuration: it runs later). */
rc_status_t rc_cuda_launched(const char *what, rc_err_t *err);

/** What the runtime says of a GPU, without opening it.  \return RC_OK, RC_EDEVICE */
rc_status_t rc_cuda_describe(int index, rc_gpu_info_t *out, rc_err_t *err);

/** Words of mapped host memory that a gate and the host share. */
typedef struct rc_cuda_gate {
    uint32_t open;    /**< ticket up to which gates are open; the host writes it */
    uint32_t gave_up; /**< ticket of the last gate that opened by itself; the device writes it */
} rc_cuda_gate_t;

/** Put a gate on a stream: work behind it waits until the host stores `ticket` (or a later one) in
 *  gate->open, or until `bound_ns` have passed on the device, which gate->gave_up then tells.
 *  \param[in] gate  device address */
rc_status_t rc_cuda_gate(
    cudaStream_t stream, rc_cuda_gate_t *gate, uint32_t ticket, uint64_t bound_ns, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
