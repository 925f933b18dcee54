/** \file format/cuda/keep.h  Arrays that kernels with a matrix in two parts keep: pointers, and the rows of their
 *  slots. */
#ifndef RC_FORMAT_CUDA_KEEP_H
#define RC_FORMAT_CUDA_KEEP_H

#include "format/cuda/slots.h"
#include "format/problem.h"

/** Keep pointers as numbers of 4 or 8 bytes.
 *  \param[in]  ptr    [count] of no use after this: they are narrowed in place
 *  \param[in]  bytes  of a pointer in the memory
 *  \param[out] out    device memory
 *  \return as rc_cuda_keep */
rc_status_t rc_cuda_keep_pointers(rc_cuda_memory_t *m, int64_t *ptr, int64_t count, int bytes,
    const void **out, rc_err_t *err);

/** Keep which rows the slots of a problem hold, as growmajor has it.
 *  \param[out] out  rows, slots, row, absent and absents; the memory owns the arrays
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_keep_rows(
    rc_cuda_memory_t *m, const rc_problem_t *p, rc_cuda_slots_t *out, rc_err_t *err);

#endif
