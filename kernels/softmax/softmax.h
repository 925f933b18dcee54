/** \file softmax/softmax.h  The softmax of the scores of each row, on a GPU. */
#ifndef RC_KERNELS_SOFTMAX_SOFTMAX_H
#define RC_KERNELS_SOFTMAX_SOFTMAX_H

#include "rowcast_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What rc_softmax asks of a stream.
 *  \param[in] a, x   checked
 *  \param[in] index  of the stream's GPU
 *  \return RC_OK, RC_ENOTSUP (a type that no GPU has), RC_EDEVICE */
rc_status_t rc_cuda_softmax(const rc_plan_matrix_t *a, const rc_softmax_t *x, int index,
    struct CUstream_st *stream, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
