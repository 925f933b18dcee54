/** \file format/cuda/parts.h  Long rows on a GPU: the sums of their parts, and how many are there.
 *  The part that arrives last adds all of them, in the order of their numbers (parts.cuh). */
#ifndef RC_FORMAT_CUDA_PARTS_H
#define RC_FORMAT_CUDA_PARTS_H

#include "device/memory.h"
#include "format/parts.h"

/** Pointers are device memory; a tile is a set of columns that one group of lanes holds. */
typedef struct rc_cuda_parts {
    int32_t *of;            /**< [parts] number of the long row that a part belongs to */
    rc_long_row_t *lengthy; /**< [longs] */
    void *partial;          /**< [parts * k] sums */
    int32_t
        *arrived; /**< [longs * k] parts of a long row and tile that are there; 0 between runs */
} rc_cuda_parts_t;

/** Allocate what K columns need at most: up to two pieces of `m`, which are not of the matrix.
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_parts_sums(rc_memory_t *m, int64_t parts, int64_t longs, int64_t k,
    rc_precision_t precision, rc_cuda_parts_t *out, rc_err_t *err);

/** Device memory of `of` and `lengthy`, and of the others for each column. */
int64_t rc_cuda_parts_bytes(int64_t parts, int64_t longs);
int64_t rc_cuda_parts_column_bytes(int64_t parts, int64_t longs, rc_precision_t precision);

#endif
