/** \file format/cuda/permute.h  P A P' of a matrix in the memory of a GPU. */
#ifndef RC_FORMAT_CUDA_PERMUTE_H
#define RC_FORMAT_CUDA_PERMUTE_H

#include "format/given.h"
#include "format/permute.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The slot of each row, asked for on the stream.
 *  \param[in] row   [rows] original row of each slot, each once
 *  \param[out] slot  [rows]  \return RC_OK, RC_EDEVICE */
rc_status_t rc_cuda_invert(
    rc_executor_t *x, const int32_t *row, int64_t rows, int32_t *slot, rc_err_t *err);

/** As rc_permute_host, of a matrix that was read there; asked for on the stream.
 *  \param[in] a  borrowed until the work is done
 *  \return RC_OK, RC_ENOTSUP (2^31 - 1 entries or more), RC_ENOMEM, RC_EDEVICE.  24 bytes an entry
 *          and 8 a row on the way. */
rc_status_t rc_cuda_permute(
    rc_executor_t *x, const rc_there_t *a, const rc_permuted_t *p, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
