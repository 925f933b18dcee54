/** \file kernels/cpu/slots.h  A matrix rearranged into schedule order, as the CPU kernels keep it,
 *  and the answers about a problem that they share. */
#ifndef RC_KERNELS_CPU_SLOTS_H
#define RC_KERNELS_CPU_SLOTS_H

#include "kernels/kernel.h"

/** The entries of slot p are [ptr[p], ptr[p + 1]); a pad has none. */
typedef struct rc_slots {
    int64_t slots;
    int64_t rows; /**< of the matrix and of C */
    int64_t cols;
    int64_t k;
    int threads;
    int64_t *ptr; /**< [slots + 1] */
    int32_t *col; /**< [nnz] */
    void *val;    /**< [nnz], in the precision of the problem */
    int32_t *row; /**< [slots], row of slot p or -1; NULL: slot p is row p */
} rc_slots_t;

/** Rearrange p->a into the order of p->schedule with the threads of the device.
 *  Values are rounded to the precision.  Free with rc_slots_free.
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + slots). */
rc_status_t rc_slots_build(
    const rc_device_t *d, const rc_problem_t *p, rc_slots_t *out, rc_err_t *err);

void rc_slots_free(rc_slots_t *s);

/** Bytes that rc_slots_build allocates; INT64_MAX when that overflows. */
int64_t rc_slots_bytes(const rc_problem_t *p);

/** Compulsory traffic: the arrays of rc_slots_t once, B once, the rows of C that are stored once.
 */
int64_t rc_slots_bytes_min(const rc_problem_t *p);

/** {team size, SIMD lanes of the precision, values per cache line}. */
rc_geometry_t rc_cpu_geometry(
    const rc_device_t *d, const int64_t *param, rc_precision_t precision);

/** RC_OK when the problem is one that the CPU kernels compute: SpMM, C in original order. */
rc_status_t rc_cpu_supports(const rc_problem_t *p, rc_err_t *err);

/** a + b and a * b of non-negative numbers, INT64_MAX when the result does not fit. */
int64_t rc_sat_add(int64_t a, int64_t b);
int64_t rc_sat_mul(int64_t a, int64_t b);

#endif
