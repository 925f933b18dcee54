/** \file kernels/spmm/cuda/gstage.h  Between the host and the device part of gstage. */
#ifndef RC_KERNELS_SPMM_CUDA_GSTAGE_H
#define RC_KERNELS_SPMM_CUDA_GSTAGE_H

#include "base/type.h"
#include "device/cuda/scalars.h"
#include "format/cuda/parts.h"
#include "format/stages.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_GSTAGE_THREADS = 256,
    RC_GSTAGE_CTAS = 3 /* of a multiprocessor, that the registers have room for */
};

/** Shared memory of the sums of parts, in the place of B: the sums of a vector and a number of each
 *  thread.  \param[in] sums  bytes of those */
#define RC_GSTAGE_PARTS_BYTES(sums) (RC_GSTAGE_THREADS * ((sums) + 4))

/** Argument of every device function of gstage; pointers are device memory, see format/stages.h. */
typedef struct rc_gstage_args {
    const rc_stages_block_t *block;
    const int32_t *line;
    const void *unit;
    const void *val;
    rc_cuda_parts_t parts;
    const void *b; /**< [cols * ldb], row-major */
    void *c;       /**< [rows of C * ldc], row-major */
    int32_t most;  /**< lines of a block */
    int32_t k;
    uint32_t ldb;
    uint32_t ldc;
    int32_t near;  /**< strips of a block side by side in the grid */
    int32_t strip; /**< that the first CTAs take */
    int32_t strips;
    rc_cuda_scalars_t scalars;
} rc_gstage_args_t;

/** What a device function is compiled for. */
typedef struct rc_gstage_instance {
    int rows;  /**< of a piece at most: 1 to RC_STAGES_ROWS_MAX */
    int lanes; /**< of a row, 16 bytes each: 8, 16 */
    int width; /**< values that are copied and stored at once, 16 bytes at most */
} rc_gstage_instance_t;

/** The device function of a type, rc_cuda_gstage_entry_fp32 and so on, to be launched with
 *  RC_GSTAGE_THREADS threads.  NULL: there is none. */
#define RC_GSTAGE_ENTRY(id, name, suffix, ...)                                                     \
    const void *rc_cuda_gstage_entry_##suffix(const rc_gstage_instance_t *of);
RC_FOR_EACH_TYPE(RC_GSTAGE_ENTRY)
#undef RC_GSTAGE_ENTRY

#ifdef __cplusplus
}
#endif
#endif
