/** \file kernels/spmm/cuda/slices.h  How K columns are cut for kernels that keep rows of B of a
 *  few columns in shared memory. */
#ifndef RC_KERNELS_SPMM_CUDA_SLICES_H
#define RC_KERNELS_SPMM_CUDA_SLICES_H

#include "rowcast.h"

enum { RC_SLICE_LANES = 32, RC_SLICES_MAX = 65535 /**< of a grid; it strides over more */ };

/** Slices of lanes * steps columns. */
typedef struct rc_column_slices {
    int32_t lanes; /**< a power of two up to RC_SLICE_LANES */
    int32_t steps; /**< columns of a lane */
    int32_t count;
} rc_column_slices_t;

/** Lanes are the smallest power of two that is enough; steps that no column has are left out.
 *  \param[in] k  >= 1  \param[in] steps  at most: a power of two */
rc_column_slices_t rc_slices_for(int64_t k, int steps);

/** The same with fewer lanes before fewer steps: more rows at a time where K is small. */
rc_column_slices_t rc_slices_narrow(int64_t k, int steps);

/** Rows of a grid for them. */
unsigned rc_slices_grid(const rc_column_slices_t *s);

/** Let a device function have so many bytes of shared memory, and prefer it to L1.  The GPU is
 *  the current one. */
rc_status_t rc_slices_allow(const void *entry, size_t bytes, const char *what, rc_err_t *err);

/** The most that a CTA of the current GPU may have.  \return RC_OK, RC_EDEVICE */
rc_status_t rc_slices_most(size_t *bytes, rc_err_t *err);

#endif
