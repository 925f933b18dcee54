/** \file kernels/spmm/cuda/mma/gmma.h  Between the host and the device part of gmma. */
#ifndef RC_KERNELS_SPMM_CUDA_MMA_GMMA_H
#define RC_KERNELS_SPMM_CUDA_MMA_GMMA_H

#include "device/cuda/scalars.h"
#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_GMMA_THREADS = 128, /* of a CTA */
    RC_GMMA_LANES = 8      /* that hold the columns of a strip, so many each */
};

/** Argument of every device function of gmma; pointers are device memory. */
typedef struct rc_gmma_args {
    const int32_t *ptr; /**< [panels + 1] */
    const int32_t *col; /**< [tiles * RC_MMA_COLS] */
    const void *val;    /**< [tiles * RC_MMA_PLACES] */
    const int32_t *row; /**< [slots] row of C or -1; NULL: slot p stores to row p */
    const void *b;      /**< [cols * ldb], row-major */
    void *c;            /**< [rows of C * ldc], row-major */
    int32_t panels;
    int32_t slots;
    int32_t k;
    int32_t strips; /**< of RC_GMMA_LANES * width columns */
    uint32_t ldb;
    uint32_t ldc;
    rc_cuda_scalars_t scalars;
} rc_gmma_args_t;

/** The device function whose lanes take `width` (2, 4, 8) columns each, with one load of a row of
 *  B where `whole`: rows of B and C are aligned to them and K is a multiple.  NULL: there is none.
 *  To be launched with a warp for each panel and strip, RC_GMMA_THREADS threads to a CTA. */
const void *rc_cuda_gmma_entry(rc_precision_t precision, int width, int whole);

#ifdef __cplusplus
}
#endif
#endif
