/** \file kernels/spmm/cuda/gpanel.h  Between the host and the device part of gpanel. */
#ifndef RC_KERNELS_SPMM_CUDA_GPANEL_H
#define RC_KERNELS_SPMM_CUDA_GPANEL_H

#include "base/type.h"
#include "device/cuda/scalars.h"
#include "format/cuda/parts.h"
#include "format/panels.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Threads that the registers of a multiprocessor have room for: whole multiples of the 128 that
 *  its four parts take.  Values that are narrower than their sums have more sums for as many bytes.
 *  \param[in] value, sum  bytes of one  \param[in] rows  of a piece */
#define RC_GPANEL_ROOM(value, sum, rows)                                                           \
    ((rows) * (sum) * (sum) / (value) <= 4      ? 896                                              \
        : (rows) * (sum) * (sum) / (value) <= 8 ? 640                                              \
                                                : 512)

/** Bytes of registers that a load takes at least. */
enum { RC_GPANEL_LOAD_MIN = 4 };

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
    int vectors;       /**< loads of a lane and row of B: of 1 to 32 bytes of registers in all */
} rc_gpanel_instance_t;

/** The device function of a type, rc_cuda_gpanel_entry_fp32 and so on, to be launched with a
 *  multiple of 32 threads, up to the room.  Where there are parts, each of them has shared memory
 *  for the sums of 32 bytes of values and an int32_t.  NULL: there is none. */
#define RC_GPANEL_ENTRY(id, name, suffix, ...)                                                     \
    const void *rc_cuda_gpanel_entry_##suffix(const rc_gpanel_instance_t *of);
RC_FOR_EACH_TYPE(RC_GPANEL_ENTRY)
#undef RC_GPANEL_ENTRY

#ifdef __cplusplus
}
#endif
#endif
