/** \file kernels/spmm/cuda/transposed.h  Chunks of A times rows of B into columns of C, and the
 *  launch that copies a column-major B into rows: what gchunk-col and the kernels of mixed
 *  layouts share. */
#ifndef RC_KERNELS_SPMM_CUDA_TRANSPOSED_H
#define RC_KERNELS_SPMM_CUDA_TRANSPOSED_H

#include "kernels/spmm/cuda/chunked.h"

/** Memory for rows of B, of so many columns more than K, and what a copy into them takes. */
typedef struct rc_cuda_rows {
    rc_cuda_launch_t launch; /**< of the copy */
    rc_gchunk_copy_t copy;   /**< from and ld are left to the run */
} rc_cuda_rows_t;

/** Device memory of the rows for each column of B. */
int64_t rc_cuda_rows_column_bytes(const rc_problem_t *p);

/** Allocate rows for the K of a problem and the columns beyond it that loads of 16 bytes reach: a
 *  piece of `m`.
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_rows_keep(
    rc_memory_t *m, const rc_problem_t *p, rc_cuda_rows_t *out, rc_err_t *err);

/** Choose the launch that copies K columns.  \return the leading dimension of the rows */
int64_t rc_cuda_rows_choose(rc_cuda_rows_t *rows, const rc_problem_t *p);

/** Ask for the copy of a column-major B.  \return RC_OK, RC_EDEVICE */
rc_status_t rc_cuda_rows_copy(const rc_executor_t *x, const rc_cuda_rows_t *rows,
    const rc_dense_t *b, uint32_t ld, rc_err_t *err);

/** Choose the launch that multiplies rows of B, of loads of 16 bytes, into columns of C; sets K of
 *  the arguments.
 *  \param[in] tile  columns of C that a CTA computes at once; 0: automatic */
void rc_cuda_transposed_choose(
    rc_cuda_chunked_t *s, const rc_problem_t *p, int tile, rc_cuda_chunked_launch_t *out);

#endif
