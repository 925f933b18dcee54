/** \file format/cuda/read.h  A caller's matrix read where it is: checks, order and digest on the
 *  GPU, with one small answer to the host. */
#ifndef RC_FORMAT_CUDA_READ_H
#define RC_FORMAT_CUDA_READ_H

#include "format/given.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Read a matrix in the memory of the GPU of an executor.  Waits once where it is in order.
 *  \param[in]  m    on_device is 1; its arrays are borrowed until rc_there_free
 *  \param[out] out  free with rc_there_free, after an error too
 *  \return RC_OK; RC_EINVAL, RC_ERANGE, RC_EFORMAT: the text is that of the host; RC_ENOTSUP: the
 *          host has to read it (arrays that are not aligned to their numbers; a build without
 *          CUDA); RC_ENOMEM, RC_EDEVICE.  Cost O(nnz + rows): one look at both arrays. */
rc_status_t rc_cuda_read_there(
    rc_executor_t *x, const rc_plan_matrix_t *m, rc_there_t *out, rc_err_t *err);

/* What is behind it. */

enum { RC_READ_ALIGNED = 16 }; /* bytes of the widest load */

/** CSR in device memory, of which nothing is known. */
typedef struct rc_read_csr {
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    const void *ptr; /**< [rows + 1] */
    int ptr_bytes;   /**< of one of them: 4 or 8 */
    const void *col; /**< [nnz] */
    int col_bytes;   /**< of one of them: 4 or 8 */
} rc_read_csr_t;

/** What a look says; sums are of all CTAs.  All zero to begin with. */
typedef struct rc_read_look {
    uint64_t sum[2];     /**< of rc_given_mix */
    uint64_t unordered;  /**< entries that are not after the one before them in their row; with
                              pointers that are none it says nothing */
    uint64_t no_pointer; /**< ~ the first pointer that cannot follow; 0: none */
    uint64_t no_column;  /**< ~ the first entry whose column is none; 0: there is none */
    uint64_t longest;    /**< entries of the longest row */
    uint64_t empty;      /**< rows */
} rc_read_look_t;

/** Look at it, asked for on the stream.  Nothing is read outside of the arrays, whatever they say.
 *  \param[out] narrow  NULL, or [nnz] the columns in 32 bits: those that are none are cut
 *  \param[in,out] look  device memory  \return RC_OK, RC_EDEVICE */
rc_status_t rc_read_look(
    rc_executor_t *x, const rc_read_csr_t *a, int32_t *narrow, rc_read_look_t *look, rc_err_t *err);

/** Copy on the device, asked for on the stream.  \return RC_OK, RC_EDEVICE */
rc_status_t rc_read_copy(rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
