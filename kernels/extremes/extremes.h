/** \file extremes/extremes.h  The largest or least term of each row of a product, on a GPU. */
#ifndef RC_KERNELS_EXTREMES_EXTREMES_H
#define RC_KERNELS_EXTREMES_EXTREMES_H

#include "rowcast_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What rc_extremes asks of a stream.
 *  \param[in] a, x   checked
 *  \param[in] sign   1 or -1: by it terms are multiplied, and the largest is looked for
 *  \param[in] index  of the stream's GPU
 *  \return RC_OK, RC_ENOTSUP (a type that no GPU has), RC_EDEVICE */
rc_status_t rc_cuda_extremes(const rc_plan_matrix_t *a, const rc_extremes_t *x, double sign,
    int index, struct CUstream_st *stream, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
