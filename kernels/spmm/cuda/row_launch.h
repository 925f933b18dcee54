/** \file kernels/spmm/cuda/row_launch.h  Launches of the device functions of growmajor, for
 *  every kernel with rows to multiply. */
#ifndef RC_KERNELS_SPMM_CUDA_ROW_LAUNCH_H
#define RC_KERNELS_SPMM_CUDA_ROW_LAUNCH_H

#include "kernels/spmm/cuda/growmajor.h"
#include "kernels/spmm/cuda/rowmajor.h"

enum { RC_ROW_LANES = 32 };

/** What a launch goes by. */
typedef struct rc_row_ask {
    rc_precision_t precision;
    int wide; /**< 1: slot pointers are int64_t */
    int64_t slots;
    int64_t cols; /**< of the matrix */
    int64_t k;
    int64_t vectors; /**< of 16 bytes per lane and entry; 0: automatic */
    int64_t strip;   /**< vectors of a row of B that CTAs take at a time; 0: automatic */
} rc_row_ask_t;

/** A launch for one width of loads. */
typedef struct rc_row_launch {
    const void *entry; /**< NULL: K or the precision does not allow this width */
    int32_t lanes;
    int32_t tiles;
    unsigned ctas;
} rc_row_launch_t;

/** Choose the launches.
 *  \param[in]  x    whose GPU it is for
 *  \param[out] out  [RC_CUDA_WIDTHS] of loads of 1 << i values */
void rc_row_launches(const rc_executor_t *x, const rc_row_ask_t *ask, rc_row_launch_t *out);

/** Enqueue the launch with the widest loads that K, the leading dimensions and the addresses
 *  allow.  The GPU of the executor is the current one.
 *  \param[in] list  [RC_CUDA_WIDTHS]
 *  \param[in] args  matrix, slots and K; operands and scalars are set here
 *  \return RC_OK; RC_ENOTSUP (a leading dimension beyond 32 bits), RC_EDEVICE */
rc_status_t rc_row_run(const rc_executor_t *x, const rc_row_launch_t *list,
    const rc_rowmajor_args_t *args, const rc_operands_t *o, rc_cuda_scalars_t scalars,
    rc_err_t *err);

#endif
