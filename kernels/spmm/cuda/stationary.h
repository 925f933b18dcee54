/** \file kernels/spmm/cuda/stationary.h  What the C-stationary kernels share: their arguments
 *  and the host part.  A kernel adds a table of device functions and a descriptor. */
#ifndef RC_KERNELS_SPMM_CUDA_STATIONARY_H
#define RC_KERNELS_SPMM_CUDA_STATIONARY_H

#include "base/type.h"
#include "device/cuda/scalars.h"
#include "format/cuda/slots.h"
#include "kernels/prepared.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Argument of every C-stationary device function; pointers are device memory. */
typedef struct rc_stationary_args {
    const void *ptr;    /**< [slots + 1] int32_t, or int64_t of a wide matrix */
    const int32_t *col; /**< [nnz] */
    const void *val;    /**< [nnz] */
    const int32_t *row; /**< [slots] row of C or -1; NULL: slot p stores to row p */
    const void *b;      /**< [ldb * k], column-major */
    void *c;            /**< [ldc * k], column-major */
    int64_t ldb;
    int64_t ldc;
    int64_t k;
    rc_cuda_scalars_t scalars;
    int32_t slots;
    int32_t split;       /**< parts that the rounds of slots are divided into, CTAs per strip */
    const int32_t *part; /**< [split + 1] part i has the rounds from part[i] up to part[i + 1] */
} rc_stationary_args_t;

/** The device function of a strip width (a power of two up to RC_STRIP_MAX) and lane count;
 *  NULL: there is none.  To be launched with RC_CTA_THREADS threads.
 *  \param[in] wide  1: the slot pointers are int64_t */
typedef const void *rc_stationary_entry_fn(
    rc_precision_t precision, int wide, int lanes, int strip);
rc_stationary_entry_fn rc_cuda_gstat_entry;

/** The same of gsub in a type: rc_cuda_gsub_entry_fp32 and so on. */
#define RC_GSUB_ENTRY(id, suffix)                                                                  \
    const void *rc_cuda_gsub_entry_##suffix(int wide, int lanes, int strip);
RC_FOR_EACH_REAL(RC_GSUB_ENTRY)
#undef RC_GSUB_ENTRY

#ifdef __cplusplus
}
#endif
#endif
