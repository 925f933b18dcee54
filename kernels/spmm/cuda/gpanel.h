/** \file kernels/spmm/cuda/gpanel.h  Between the host and the device part of gpanel. */
#ifndef RC_KERNELS_SPMM_CUDA_GPANEL_H
#define RC_KERNELS_SPMM_CUDA_GPANEL_H

#include "device/cuda/scalars.h"
#include "format/cuda/parts.h"
#include "format/panels.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Threads that the registers of a multiprocessor have room for: whole multiples of the 128 that
 *  its four parts take.  \param[in] bytes  of a value of each row of a piece */
#define RC_GPANEL_ROOM(bytes) ((bytes) <= 4 ? 896 : (bytes) <= 8 ? 640 : 512)

/** Argument of every device function of gpanel; pointers are device memory, see format/panels.h. */
typedef struct rc_gpanel_args {
    const rc_panels_piece_t *piece;
    const void *col;
    const void *val;
    const int32_t *place; /**< [places + 1] */
    rc_cuda_parts_t parts;
    const void *b; /**< [cols * ldb], row-major */
    void *c;       /**< [rows of C * ldc], row-major */
    int32_t places;
    int32_t step; /**< places of a CTA */
    int32_t k;
    uint32_t ldb;
    uint32_t ldc;
    int32_t tile;  /**< of lanes * width * vectors columns, that the first row of CTAs takes */
    int32_t split; /**< pieces that are parts of long rows, the first ones */
    rc_cuda_scalars_t scalars;
} rc_gpanel_args_t;

/** What a device function is compiled for. */
typedef struct rc_gpanel_instance {
    int64_t col_bytes; /**< of a column of A: 2, 4 */
    int rows;          /**< of a piece at most: 1, 2 */
    int lanes;         /**< of a group: 16, 32 */
    int width;         /**< values of a load, 16 bytes at most */
    int vectors;       /**< loads of a lane and row of B: 1 to 32 bytes in all */
} rc_gpanel_instance_t;

/** The device function of a precision, to be launched with a multiple of 32 threads, up to the
 *  room, and 32 bytes and an int32_t of shared memory for each of them where there are parts.
 *  NULL: there is none. */
const void *rc_cuda_gpanel_entry_f32(const rc_gpanel_instance_t *of);
const void *rc_cuda_gpanel_entry_f64(const rc_gpanel_instance_t *of);

#ifdef __cplusplus
}
#endif
#endif
