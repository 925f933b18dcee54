/** \file rowcast_cuda.h  The public interface of librowcast_cuda: what rowcast does on NVIDIA GPUs.
 *
 *  For now it says which GPUs and which CUDA there are.  It needs the CUDA runtime and cuSPARSE, no
 *  MPI and no HDF5, and is there only when rowcast was built with CUDA.  The conventions are those
 *  of rowcast.h, whose types it uses. */
#ifndef ROWCAST_CUDA_H
#define ROWCAST_CUDA_H

#include "rowcast.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A GPU as the runtime sees it, without opening it. */
typedef struct rc_gpu_info {
    int index; /**< of the runtime, after CUDA_VISIBLE_DEVICES */
    char name[96];
    char uuid[64]; /**< "GPU-..." */
    char pci[32];
    int cc_major;
    int cc_minor;
    int sms;
    int64_t l2_bytes;
    int64_t memory_bytes;
    int driver;  /**< CUDA version of the driver, 13000 for 13.0 */
    int runtime; /**< of the runtime linked */
} rc_gpu_info_t;

/** The GPUs that this process may use.
 *  \param[out] list  [*count]; free with free()
 *  \return RC_OK (also with none: *count is 0), RC_ENOTSUP (built without CUDA), RC_EDEVICE (no
 *          usable driver; the text says what it said), RC_ENOMEM.  Local. */
RC_API rc_status_t rc_gpu_list(rc_gpu_info_t **list, int *count, rc_err_t *err);

/** Versions of CUDA's libraries, as this process finds them. */
typedef struct rc_gpu_versions {
    int driver;           /**< newest CUDA that the driver supports, 13000 for 13.0; 0: no driver */
    int runtime;          /**< of the runtime linked, likewise */
    int cusparse;         /**< of cuSPARSE, 12603 for 12.6.3 */
    char driver_name[80]; /**< the driver's own version, "580.95.05"; "" when not known */
} rc_gpu_versions_t;

/** \return RC_OK, RC_ENOTSUP (built without CUDA), RC_EDEVICE.  Needs no GPU. */
RC_API rc_status_t rc_gpu_versions(rc_gpu_versions_t *out, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
