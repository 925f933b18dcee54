/** \file kernels/spmv/cuda/spmv_csr5.h  The device function of csr5. */
#ifndef RC_KERNELS_SPMV_CUDA_SPMV_CSR5_H
#define RC_KERNELS_SPMV_CUDA_SPMV_CSR5_H

#include "kernels/spmv/cuda/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RC_SPMV_CSR5_TILES = RC_SPMV_THREADS / RC_CSR5_OMEGA /**< of a CTA: a warp each */ };

/** The arrays of rc_csr5_t in device memory, and the last tile, which is not full, as
 *  coordinates. */
typedef struct rc_spmv_csr5_args {
    rc_spmv_vectors_t v;
    const int32_t *col;
    const void *val;
    const uint32_t *tile_ptr;
    const uint32_t *desc;
    const int32_t *empty_ptr; /**< NULL: no row is empty */
    const int32_t *empty_offset;
    int64_t full; /**< tiles that are */
    int32_t ctas; /**< for them; those after them take the last one */
    int32_t sigma;
    int32_t words; /**< of a descriptor */
    int32_t y_bits;
    /** [CTAs + 1], those of the last tile too.  `entry` of a CTA of full tiles: so many entries
     *  at its begin are left to the CTA before, whose last row they end; of the first one of the
     *  last tile too. */
    const rc_spmv_share_t *share;
    rc_spmv_coo_args_t tail; /**< its shares are those from `ctas` on */
} rc_spmv_csr5_args_t;

const void *rc_spmv_csr5_entry(rc_precision_t precision);

#ifdef __cplusplus
}
#endif
#endif
