/** \file kernels/spmv/cuda/spmv_ell.h  The product of ELLPACK on a GPU, also of the part of hyb. */
#ifndef RC_KERNELS_SPMV_CUDA_SPMV_ELL_H
#define RC_KERNELS_SPMV_CUDA_SPMV_ELL_H

#include "kernels/spmv/cuda/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rc_spmv_ell_args {
    rc_spmv_vectors_t v;
    const int32_t *col; /**< [width * pitch] */
    const void *val;    /**< [width * pitch] */
    int64_t pitch;
    int32_t slots;
    int32_t width;
} rc_spmv_ell_args_t;

const void *rc_spmv_ell_entry(rc_precision_t precision);

/** Keep the first `width` entries of every slot, whose values are the first of the state.
 *  \param[out] out  without v */
void rc_spmv_ell_keep(rc_spmv_form_t *f, int64_t width, rc_spmv_ell_args_t *out);

/** Enqueue their product. */
rc_status_t rc_spmv_ell_run(
    const rc_spmv_t *s, const rc_spmv_ell_args_t *a, const rc_spmv_vectors_t *v, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
