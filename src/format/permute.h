/** \file format/permute.h  P A P' of a square matrix: rows and columns by one order. */
#ifndef RC_FORMAT_PERMUTE_H
#define RC_FORMAT_PERMUTE_H

#include "base/rng_hash.h"
#include "rowcast_plan.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An order, and where a permuted pattern goes; all in the memory that the matrix is in. */
typedef struct rc_permuted {
    int64_t rows;
    const int32_t *row;    /**< [rows] original row of each slot */
    const int32_t *slot;   /**< [rows] slot of each original row */
    rc_system_matrix_t to; /**< `val` is not looked at; `place` is there */
} rc_permuted_t;

/** Write entry i of an array of numbers of 4 or 8 bytes. */
RC_HOST_DEVICE static inline void rc_number_put(void *array, int bytes, int64_t i, int64_t number)
{
    if (bytes == 4)
        ((int32_t *)array)[i] = (int32_t)number;
    else
        ((int64_t *)array)[i] = number;
}

/** Permute a pattern of the host.
 *  \param[in] a     square, columns of a row ascending, each once
 *  \param[in] from  [nnz] number of each entry in the caller's arrays; NULL: its own
 *  \param[in] threads  >= 1; the result does not depend on it
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz log(row length)) */
rc_status_t rc_permute_host(
    const rc_csr_t *a, const int64_t *from, const rc_permuted_t *p, int threads, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
