/** \file kernels/spmm/cuda/gchunk.h  Between the host and the device part of gchunk and
 *  gchunk-col. */
#ifndef RC_KERNELS_SPMM_CUDA_GCHUNK_H
#define RC_KERNELS_SPMM_CUDA_GCHUNK_H

#include "device/cuda/scalars.h"
#include "format/chunks.h"
#include "format/cuda/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_GCHUNK_LANES_MAX = 32,
    RC_GCHUNK_THREADS_MAX = RC_CHUNKS_BLOCK * RC_GCHUNK_LANES_MAX, /* of a CTA */
    RC_GCHUNK_VECTORS_MAX = 2,                                     /* per lane */
    RC_GCHUNK_THREADS = 256,      /* of a CTA, but for whole blocks of many lanes */
    RC_GCHUNK_WALK_THREADS = 256, /* of a CTA that takes its chunks in rounds */
    RC_GCHUNK_WALK_LANES_MAX = RC_GCHUNK_WALK_THREADS / RC_CHUNKS_BLOCK,
    RC_GCHUNK_ROUNDS_MAX = 16
};

/** How B is read and C is stored. */
typedef enum rc_gchunk_form {
    RC_GCHUNK_ROWS,       /**< both row-major */
    RC_GCHUNK_TRANSPOSED, /**< B from a row-major copy, C column-major through shared memory */
    RC_GCHUNK_COLUMNS     /**< both column-major; one lane a chunk */
} rc_gchunk_form_t;

/** Argument of every device function of gchunk; pointers are device memory, see format/chunks.h. */
typedef struct rc_gchunk_args {
    const void *col;
    const void *val;
    const int32_t *row;
    const uint8_t *count;
    rc_cuda_parts_t parts;
    const void *b; /**< rows or columns of B, ldb values apart */
    void *c;       /**< rows or columns of C, ldc values apart */
    int32_t chunks;
    int32_t entries; /**< of a chunk; a multiple of the batch */
    int32_t columns; /**< of B and C */
    int32_t k;       /**< the same, or more: a multiple of the width of loads */
    uint32_t ldb;
    uint32_t ldc;
    int32_t lanes;  /**< of a chunk: a power of two up to 32 */
    int32_t tiles;  /**< of lanes * width * vectors columns; grid.y strides over them */
    int32_t meet;   /**< 1: some row has more than one chunk */
    int32_t longs;  /**< 1: some row is longer than a block */
    int32_t rounds; /**< of chunks that a CTA takes, as many at a time as it has groups of lanes */
    rc_cuda_scalars_t scalars;
} rc_gchunk_args_t;

/** Argument of the device function that copies a column-major B into rows. */
typedef struct rc_gchunk_copy {
    const void *from; /**< columns, ld values apart */
    void *to;         /**< [rows * ldto], aligned to 16 bytes */
    int64_t ld;
    int64_t rows;
    int32_t columns;
    int32_t ldto; /**< a multiple of 16 bytes, at least `columns` */
    int32_t side; /**< neighbouring pieces of 16 bytes by neighbouring threads: 1, 2 or 4 */
} rc_gchunk_copy_t;

/** The device function of gchunk whose lanes hold `vectors` (1, 2) vectors of `width` values,
 *  width * value bytes at most 16, and load `batch` entries at a time: 4, or, in fp32 with one
 *  vector, 8, which in fp64 would not fit the registers.  NULL: there is none.  To be launched
 *  with whole blocks: a multiple of RC_CHUNKS_BLOCK * lanes threads, and threads * vectors *
 *  width values of dynamic shared memory. */
const void *rc_cuda_gchunk_entry(
    rc_precision_t precision, int64_t col_bytes, int width, int vectors, int batch);

/** The device function of gchunk that takes its chunks in rounds, A one ahead; one vector per
 *  lane.  To be launched with RC_GCHUNK_WALK_THREADS threads and, where rows have several chunks,
 *  twice the shared memory of rc_cuda_gchunk_entry.
 *  \param[in] batch  entries at a time: 4, or 8 in fp32  \param[in] longs  of the arguments */
const void *rc_cuda_gchunk_walk_entry(
    rc_precision_t precision, int64_t col_bytes, int width, int batch, int longs);

/** The same of gchunk-col.  RC_GCHUNK_TRANSPOSED takes loads of 16 bytes only, and (threads +
 *  lanes) * vectors * width values of shared memory; RC_GCHUNK_COLUMNS takes lanes = 1 and at
 *  most RC_GCHUNK_THREADS threads, and width is that of no load: 16 bytes of sums at most. */
const void *rc_cuda_gchunk_col_entry(rc_gchunk_form_t form, rc_precision_t precision,
    int64_t col_bytes, int width, int vectors, int batch);

/** The device function that copies B: CTAs of threads / side rows, several of them in grid.y. */
const void *rc_cuda_gchunk_copy_entry(rc_precision_t precision);

#ifdef __cplusplus
}
#endif
#endif
