/** \file kernels/cpu/sums.h  Sums of kernels that add to all of a row-major C in turn.  They are C
 *  itself where its type is that of sums, else an array apart, which C is rounded from once. */
#ifndef RC_KERNELS_CPU_SUMS_H
#define RC_KERNELS_CPU_SUMS_H

#include "kernels/cpu/plain.h"

typedef struct rc_c_sums {
    void *data; /**< in the type of sums */
    int64_t ld;
    int apart; /**< 1: C is to be stored from them */
} rc_c_sums_t;

/** What they take for each column of an output of so many rows; 0: they are C.  For
 *  rc_kernel_t.analyse. */
int64_t rc_c_sums_bytes(const rc_problem_t *p, int64_t rows);

/** For rc_kernel_t.own.
 *  \param[out] out  of the state; NULL: they are C  \return RC_OK, RC_ENOMEM */
rc_status_t rc_c_sums_own(rc_prepared_t *s, int64_t rows, void **out, rc_err_t *err);

/** Of a run.  \param[in] own  of rc_c_sums_own */
rc_c_sums_t rc_c_sums_of(void *own, const rc_dense_t *c);

#endif
