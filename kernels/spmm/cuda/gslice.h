/** \file kernels/spmm/cuda/gslice.h  Between the host and the device part of gslice. */
#ifndef RC_KERNELS_SPMM_CUDA_GSLICE_H
#define RC_KERNELS_SPMM_CUDA_GSLICE_H

#include "device/cuda/scalars.h"
#include "format/cuda/build.h"
#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_GSLICE_STRIP_MAX = 16,
    RC_GSLICE_STRIP_BYTES = 128, /* of the sums of a strip, that registers have room for */
    RC_GSLICE_THREADS_MAX = 1024,
    RC_GSLICE_COLUMNS_THREADS = 256,
    RC_GSLICE_COLUMNS_CTAS = 4, /* of a multiprocessor */
    RC_GSLICE_STATIC_BYTES = 16 /* of shared memory, at most */
};

/** Argument of every device function of gslice; pointers are device memory, see format/sell.h. */
typedef struct rc_gslice_args {
    const int32_t *ptr; /**< [slices + 1] in units of RC_GSLICE_ROWS entries */
    const void *col;    /**< a column of padding is `cols` */
    const void *val;
    const int32_t *row;
    const int64_t *long_ptr;
    const int32_t *long_row;
    const void *b; /**< column-major */
    void *c;       /**< column-major */
    int64_t ldb;
    int64_t ldc;
    int64_t k;
    int32_t cols; /**< of A */
    int32_t slices;
    int32_t longs;
    /** CTAs that share a strip in shared memory; CTA number x = strip * split + part */
    int32_t split;
    rc_cuda_scalars_t scalars;
} rc_gslice_args_t;

/** The device function for strips of so many columns (a power of two).  NULL: there is none, as for
 *  sums of more than RC_GSLICE_STRIP_BYTES.  It
 *  needs (cols + 1) * strip values of dynamic shared memory.
 *  \param[in] col_bytes  2 or 4 */
const void *rc_cuda_gslice_entry(rc_precision_t precision, int64_t col_bytes, int strip);

/** The same of B as it is, for CTAs of RC_GSLICE_COLUMNS_THREADS threads, a warp for each slice;
 *  CTA number x = block of slices * strips + strip. */
const void *rc_cuda_gslice_columns_entry(rc_precision_t precision, int64_t col_bytes, int strip);

#ifdef __cplusplus
}
#endif
#endif
