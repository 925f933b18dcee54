/** \file kernels/spmm/cuda/growmajor.h  Between the host and the device part of growmajor. */
#ifndef RC_KERNELS_SPMM_CUDA_GROWMAJOR_H
#define RC_KERNELS_SPMM_CUDA_GROWMAJOR_H

#include "device/cuda/scalars.h"
#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_ROWS_THREADS = 256,  /* of a CTA */
    RC_ROWS_VECTORS_MAX = 4 /* per lane */
};

/** Argument of every device function of growmajor; pointers are device memory. */
typedef struct rc_rowmajor_args {
    const void *ptr;    /**< [slots + 1] int32_t, or int64_t of a wide matrix */
    const int32_t *col; /**< [nnz] */
    const void *val;    /**< [nnz] */
    const int32_t *row; /**< [slots] row of C or -1; NULL: slot p stores to row p */
    const void *b;      /**< [cols * ldb], row-major */
    void *c;            /**< [rows of C * ldc], row-major */
    int32_t slots;
    int32_t k;
    uint32_t ldb;
    uint32_t ldc;
    int32_t lanes; /**< of a row: a power of two up to 32; 32 when vectors > 1 */
    int32_t tiles; /**< of lanes * width * vectors columns; grid.y strides over them */
    rc_cuda_scalars_t scalars;
} rc_rowmajor_args_t;

/** The device function that moves `vectors` (1, 2, 4) vectors of `width` values per lane and entry;
 *  width * value bytes is at most 16.  NULL: there is none.  To be launched with RC_ROWS_THREADS
 *  threads.
 *  \param[in] wide  1: the slot pointers are int64_t */
const void *rc_cuda_growmajor_entry(rc_precision_t precision, int wide, int width, int vectors);

#ifdef __cplusplus
}
#endif
#endif
