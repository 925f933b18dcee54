/** \file kernels/cuda/shared.h  More shared memory for a CTA than it has unasked. */
#ifndef RC_KERNELS_CUDA_SHARED_H
#define RC_KERNELS_CUDA_SHARED_H

#include "rowcast.h"

#include <stddef.h>

/** Let a device function have so many bytes of shared memory, and prefer it to L1.  The GPU is the current one. */
rc_status_t rc_cuda_shared_allow(const void *entry, size_t bytes, const char *what, rc_err_t *err);

/** The most that a CTA of the current GPU may have.  \return RC_OK, RC_EDEVICE */
rc_status_t rc_cuda_shared_most(size_t *bytes, rc_err_t *err);

#endif
