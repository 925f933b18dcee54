/** \file device/cuda/cuda.h  What the files for a GPU share.  Seen by C and by CUDA C++.
 *
 *  All work of an executor goes on its one stream, in the order in which it is asked for.  Device
 *  memory comes from x->alloc and goes through x->release, both ordered by the stream; x->upload
 *  and x->download return when the bytes are there.  The functions of an executor make its GPU the
 *  current one themselves; whoever launches or calls a library stands between rc_cuda_enter and
 *  rc_cuda_leave. */
#ifndef RC_DEVICE_CUDA_CUDA_H
#define RC_DEVICE_CUDA_CUDA_H

#include "base/error.h"
#include "device/cuda/executor.h"
#include "device/device.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The stream of an executor. */
cudaStream_t rc_cuda_stream(const rc_executor_t *x);

/** Multiprocessors of its GPU. */
int rc_cuda_sms(const rc_executor_t *x);

/** Bytes of its L2. */
int64_t rc_cuda_l2_bytes(const rc_executor_t *x);

/** 1: its launches can overlap: compute capability 9 or later. */
int rc_cuda_overlaps(const rc_executor_t *x);

/** Make the GPU of an executor the current one of the calling thread.
 *  \return what rc_cuda_leave takes to put the earlier one back */
int rc_cuda_enter(const rc_executor_t *x);
void rc_cuda_leave(const rc_executor_t *x, int before);

/** From now on rc_cuda_leave leaves the GPU of this executor the current one: a device that
 *  measures works on one GPU, and making another one current would open that one too. */
void rc_cuda_stay(rc_executor_t *x);

/** What a library keeps for an executor: its handle, made by the first kernel that needs one,
 *  because making it takes milliseconds. Closing the executor destroys it, with its GPU current and
 *  idle. */
typedef struct rc_cuda_library {
    void *handle; /**< NULL until it is made */
    void (*destroy)(void *handle);
    /** Work goes on this stream from now on.  \return RC_OK, RC_EDEVICE */
    rc_status_t (*use)(void *handle, cudaStream_t stream, rc_err_t *err);
} rc_cuda_library_t;

/** Libraries that an executor keeps a handle of. */
typedef enum rc_cuda_library_id {
    RC_CUDA_CUSPARSE,
    RC_CUDA_CUBLAS,
    RC_CUDA_LIBRARIES /**< how many there are */
} rc_cuda_library_id_t;

/** That of a library.  Owned by the executor. */
rc_cuda_library_t *rc_cuda_library(rc_executor_t *x, rc_cuda_library_id_t which);

/** A status of a CUDA call.  Takes the error off the thread, so that no later check finds it again
 *  (errors that spoil the context stay).
 *  \param[in] what  of the message "what: cudaErrorName: text"
 *  \return RC_OK; RC_ENOMEM when memory ran out; RC_EDEVICE otherwise */
rc_status_t rc_cuda_check(cudaError_t e, const char *what, rc_err_t *err);

/** As rc_cuda_check, of the launch just made (of its configuration: it runs later). */
rc_status_t rc_cuda_launched(const char *what, rc_err_t *err);

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
