/** \file kernels/spmm/cuda/rowmajor.h  What the row-major kernels ask of their operands. */
#ifndef RC_KERNELS_SPMM_CUDA_ROWMAJOR_H
#define RC_KERNELS_SPMM_CUDA_ROWMAJOR_H

#include "kernels/kernel.h"

enum {
    RC_CUDA_VECTOR_BYTES = 16, /**< of a load at most */
    RC_CUDA_WIDTHS = 4         /**< of a load: 1, 2, 4, 8 values */
};

/** 1: the first values of all rows of B are at multiples of so many bytes, and those of C at
 *  multiples of as many of its values, or of a vector where they take more. */
int rc_cuda_aligned(const rc_operands_t *o, size_t bytes);

/** The leading dimensions of B and C.  \return RC_OK; RC_ENOTSUP: one does not fit 32 bits */
rc_status_t rc_cuda_leading(const rc_operands_t *o, uint32_t *ldb, uint32_t *ldc, rc_err_t *err);

#endif
