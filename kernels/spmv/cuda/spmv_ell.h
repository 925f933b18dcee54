/** \file kernels/spmv/cuda/spmv_ell.h  The product of ELLPACK on a GPU, also of the part of hyb. */
#ifndef RC_KERNELS_SPMV_CUDA_SPMV_ELL_H
#define RC_KERNELS_SPMV_CUDA_SPMV_ELL_H

#include "format/vector/ell.h"
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

/** The first `width` entries of every slot.
 *  \param[in] rows  slots  \param[in,out] s  their values are the first of the state's
 *  \param[out] out  without v  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_spmv_ell_build(const rc_spmv_source_t *from, int64_t rows, int64_t width,
    rc_spmv_t *s, rc_spmv_ell_args_t *out, rc_err_t *err);

/** Enqueue their product. */
rc_status_t rc_spmv_ell_run(
    const rc_spmv_t *s, const rc_spmv_ell_args_t *a, const rc_spmv_vectors_t *v, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
