/** \file kernels/spmv/cuda/spmv_csr.h  The device functions of csr. */
#ifndef RC_KERNELS_SPMV_CUDA_SPMV_CSR_H
#define RC_KERNELS_SPMV_CUDA_SPMV_CSR_H

#include "kernels/spmv/cuda/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_SPMV_CSR_WARP = 1024, /**< entries of a row that a warp takes, where there are */
    RC_SPMV_CSR_MANY = 4096  /**< pieces of long rows, or more */
};

typedef struct rc_spmv_csr_args {
    rc_spmv_vectors_t v;
    const void *ptr;
    const int32_t *col;
    const void *val;
    const rc_spmv_share_t
        *late; /**< [lates + 1] pieces of long rows, which CTAs take before the others; `open`
                                      of those that go on a row.  Zeros behind the last one */
    int32_t lates;
    int32_t late_ctas;            /**< that take them: one each, or a warp each */
    int32_t longest;              /**< entries of a row that lanes take; longer ones are late */
    const rc_spmv_share_t *share; /**< of the others: whole rows, those that are late left out */
    const uint8_t *lanes; /**< [shares] that take a row of it; 0: several tiles, or some are late */
    int32_t every;        /**< lanes of those; 0: what costs least */
} rc_spmv_csr_args_t;

/** CTAs for so many pieces of long rows. */
int64_t rc_spmv_csr_late_ctas(int64_t lates);

/** \param[in] wide  1: ptr is int64_t */
const void *rc_spmv_csr_entry(rc_precision_t precision, int wide);

#ifdef __cplusplus
}
#endif
#endif
