/** \file format/cuda/read/read.h  A caller's matrix read where it is: checks, order and digest on
 *  the GPU, with one small answer to the host. */
#ifndef RC_FORMAT_CUDA_READ_READ_H
#define RC_FORMAT_CUDA_READ_READ_H

#include "format/given.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Read a matrix in the memory of the GPU of an executor.  Waits once where it is CSR in order,
 *  else twice.
 *  \param[in]  m    on_device is 1; its arrays are borrowed until rc_there_free
 *  \param[out] out  free with rc_there_free, after an error too
 *  \return RC_OK; RC_EINVAL, RC_ERANGE, RC_EFORMAT: the text is that of the host; RC_ENOTSUP: the
 *          host has to read it (arrays that are not aligned to their numbers; 2^31 - 1 entries to
 *          be sorted; a build without CUDA); RC_ENOMEM, RC_EDEVICE.  Cost O(nnz + rows): one look
 *          at both arrays.  What is sorted takes 16 bytes an entry on the way. */
rc_status_t rc_cuda_read_there(
    rc_executor_t *x, const rc_plan_matrix_t *m, rc_there_t *out, rc_err_t *err);

/** Look at a pattern of CSR there, and leave it as it is.  Waits once.
 *  \param[in] m  on_device is 1; values are not read
 *  \return as rc_cuda_read_there.  Cost O(nnz + rows): one look at both arrays */
rc_status_t rc_cuda_look_there(
    rc_executor_t *x, const rc_plan_matrix_t *m, rc_pattern_info_t *out, rc_err_t *err);

/* What is behind it. */

enum { RC_READ_ALIGNED = 16 }; /* bytes of the widest load */

/** A matrix of some form in device memory, of which nothing is known. */
typedef struct rc_read_arrays {
    int64_t majors; /**< rows; of CSC columns */
    int64_t minors; /**< columns; of CSC rows */
    int64_t nnz;
    const void *ptr; /**< [majors + 1]; of COO [nnz] rows */
    int ptr_bytes;   /**< of one of them: 4 or 8 */
    const void *col; /**< [nnz] */
    int col_bytes;   /**< of one of them: 4 or 8 */
} rc_read_arrays_t;

/** What a look says; sums are of all CTAs.  All zero to begin with. */
typedef struct rc_read_look {
    uint64_t sum[2];     /**< of rc_given_mix; of COO 0 */
    uint64_t unordered;  /**< entries that are not after the one before them, of their row or of
                              all of COO; with pointers that are none it says nothing */
    uint64_t no_pointer; /**< ~ the first pointer that cannot follow, or row of COO that is none;
                              0: none */
    uint64_t no_column;  /**< ~ the first of `col` that is none, or is there twice; 0: none */
    uint64_t longest;    /**< entries of the longest row; of COO 0 */
    uint64_t empty;      /**< rows; of COO 0 */
} rc_read_look_t;

/** Look at pointers and numbers, asked for on the stream.  Nothing is read outside of the arrays,
 *  whatever they say.
 *  \param[out] narrow  NULL, or [nnz] `col` in 32 bits: those that are none are cut
 *  \param[in,out] look  device memory  \return RC_OK, RC_EDEVICE */
rc_status_t rc_read_look(rc_executor_t *x, const rc_read_arrays_t *a, int32_t *narrow,
    rc_read_look_t *look, rc_err_t *err);

/** The same of COO. */
rc_status_t rc_read_look_pairs(rc_executor_t *x, const rc_read_arrays_t *a, int32_t *narrow,
    rc_read_look_t *look, rc_err_t *err);

/** The first entry of a sorted CSR that has the place of the one before: look->no_column. */
rc_status_t rc_read_twice(
    rc_executor_t *x, const rc_read_arrays_t *a, rc_read_look_t *look, rc_err_t *err);

/** Copy on the device, asked for on the stream.  \return RC_OK, RC_EDEVICE */
rc_status_t rc_read_copy(rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err);

/** The rows of entries, which do not fall. */
typedef struct rc_read_rows {
    const void *row; /**< [nnz] */
    int row_bytes;   /**< of one of them: 4 or 8 */
    int64_t nnz;
    int64_t rows;
} rc_read_rows_t;

/** Their row pointers, asked for on the stream.  \param[out] ptr  [rows + 1] */
rc_status_t rc_read_pointers(
    rc_executor_t *x, const rc_read_rows_t *of, int64_t *ptr, rc_err_t *err);

/** What sorting makes; each is released by whoever has it. */
typedef struct rc_read_sorted {
    void *row_ptr; /**< [rows + 1] of 8 bytes; of CSR NULL: they stay as they are */
    void *col;     /**< [nnz] of 4 bytes */
    void *from;    /**< [nnz] places, of 4 bytes */
} rc_read_sorted_t;

/** Sort a matrix without faults by row and column, asked for on the stream.
 *  \param[in] a  nnz is from 1 to 2^31 - 2
 *  \param[out] out  after an error too  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_read_sort(rc_executor_t *x, const rc_read_arrays_t *a, rc_plan_form_t form,
    rc_read_sorted_t *out, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
