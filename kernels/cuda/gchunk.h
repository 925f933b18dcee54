/** \file kernels/cuda/gchunk.h  Between the host and the device part of gchunk. */
#ifndef RC_KERNELS_CUDA_GCHUNK_H
#define RC_KERNELS_CUDA_GCHUNK_H

#include "kernels/chunks.h"
#include "kernels/cuda/parts.h"
#include "kernels/cuda/scalars.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_GCHUNK_LANES_MAX = 32,
    RC_GCHUNK_THREADS_MAX = RC_CHUNKS_BLOCK * RC_GCHUNK_LANES_MAX, /* of a CTA */
    RC_GCHUNK_VECTORS_MAX = 2                                      /* per lane */
};

/** Argument of every device function of gchunk; pointers are device memory, see kernels/chunks.h. */
typedef struct rc_gchunk_args {
    const void *col;
    const void *val;
    const int32_t *row;
    const uint8_t *count;
    rc_cuda_parts_t parts;
    const void *b; /**< [cols * ldb], row-major */
    void *c;       /**< [rows of C * ldc], row-major */
    int32_t chunks;
    int32_t entries; /**< of a chunk; a multiple of the batch */
    int32_t k;
    uint32_t ldb;
    uint32_t ldc;
    int32_t lanes; /**< of a chunk: a power of two up to 32 */
    int32_t tiles; /**< of lanes * width * vectors columns; grid.y strides over them */
    int32_t meet;  /**< 1: some row has more than one chunk */
    int32_t longs; /**< 1: some row is longer than a block */
    rc_cuda_scalars_t scalars;
} rc_gchunk_args_t;

/** The device function whose lanes hold `vectors` (1, 2) vectors of `width` values, width * value
 *  bytes at most 16, and load `batch` entries at a time: 4, or, in fp32 with one vector, 8, which in
 *  fp64 would not fit the registers.  NULL: there is none.  To be launched with whole blocks: a multiple of RC_CHUNKS_BLOCK * lanes threads, and
 *  threads * vectors * width values of dynamic shared memory. */
const void *rc_cuda_gchunk_entry(
    rc_precision_t precision, int64_t col_bytes, int width, int vectors, int batch);

#ifdef __cplusplus
}
#endif
#endif
