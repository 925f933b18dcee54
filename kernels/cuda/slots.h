/** \file kernels/cuda/slots.h  A matrix in schedule order in the memory of a GPU, and the answers
 *  about a problem that the CUDA kernels share. */
#ifndef RC_KERNELS_CUDA_SLOTS_H
#define RC_KERNELS_CUDA_SLOTS_H

#include "kernels/kernel.h"

/** The entries of slot p are [ptr[p], ptr[p + 1]); a pad has none.  Pointers are device memory. */
typedef struct rc_cuda_slots {
    int64_t slots;
    int64_t rows; /**< of the matrix */
    int64_t cols;
    int64_t nnz;
    int64_t k;
    int64_t c_rows; /**< rows of C: `rows`, or `slots` when C is in schedule order */
    int wide;       /**< 1: ptr is int64_t, see rc_cuda_slots_wide */
    void *ptr;      /**< [slots + 1] int32_t or int64_t */
    int32_t *col;   /**< [nnz]; NULL when there are none */
    void *val;      /**< [nnz], in the precision of the problem; NULL when there are none */
    int32_t *row;   /**< [slots] row of C that slot p stores to, -1 for a pad; NULL: slot p stores
                         to row p (identity schedules, and C in schedule order) */
} rc_cuda_slots_t;

/** Rearrange p->a into the order of p->schedule with the host threads of the device and upload it;
 *  values are rounded to the precision.  Allocates rc_cuda_slots_bytes of device memory, and on
 *  the host, until it returns, as much again.
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Free with rc_cuda_slots_free.  Cost O(nnz + slots). */
rc_status_t rc_cuda_slots_build(
    rc_device_t *d, const rc_problem_t *p, rc_cuda_slots_t *out, rc_err_t *err);

void rc_cuda_slots_free(rc_device_t *d, rc_cuda_slots_t *s);

/** 1: the number of an entry, and of one some steps past the last, does not fit into int32_t. */
int rc_cuda_slots_wide(const rc_problem_t *p);

/** Device memory that rc_cuda_slots_build allocates; INT64_MAX when that overflows. */
int64_t rc_cuda_slots_bytes(const rc_problem_t *p);

/** Compulsory traffic: the arrays of rc_cuda_slots_t once, B once, the rows of C that a slot names
 *  once; INT64_MAX when that overflows. */
int64_t rc_cuda_slots_bytes_min(const rc_problem_t *p);

/** RC_OK, or RC_ENOTSUP: not SpMM, no columns, or more slots than 32 bits can number. */
rc_status_t rc_cuda_supports(const rc_problem_t *p, rc_err_t *err);

/** The paper's machine: {32, 32, 128 bytes of values}, whatever the parameters. */
rc_geometry_t rc_cuda_geometry(
    const rc_device_t *d, const int64_t *param, rc_precision_t precision);

#endif
