/** \file kernels/cpu/library.h  What the kernels share that ask a library for y = A x on a CPU: CSR in the order of the slots
 *  with pointers of 32 bits, and y in the order that was asked for. */
#ifndef RC_KERNELS_CPU_LIBRARY_H
#define RC_KERNELS_CPU_LIBRARY_H

#include "kernels/cpu/slots.h"

typedef struct rc_library {
    rc_slots_t slots;
    int32_t *ptr; /**< [slots + 1] as slots.ptr */
    void *y;      /**< [slots] where slots have rows that a schedule names; else NULL */
    rc_precision_t precision;
    void *matrix; /**< the library's */
} rc_library_t;

/** rc_kernel_t.analyse.  \return RC_OK; RC_ENOTSUP: 2^31 entries or slots, or more */
rc_status_t rc_library_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err);

/** Free with rc_library_free; `matrix` is NULL.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_library_new(
    rc_executor_t *x, const rc_problem_t *p, rc_library_t **out, rc_err_t *err);

/** All but `matrix`; NULL is allowed. */
void rc_library_free(rc_library_t *l);

/** Where y of the library is: [slots], and its beta is to be `beta`, which is 0 where it is stored to other places later.
 *  \param[in,out] beta  that of the run */
void *rc_library_target(const rc_library_t *l, const rc_dense_t *y, double *beta);

/** y = beta y of [slots], zeros for 0: before a library that multiplies what it finds, and without a matrix. */
void rc_library_scale(const rc_library_t *l, void *y, double beta);

/** Behind the product: put y where it belongs, and see to rows without a slot.
 *  \param[in] beta  of the run */
void rc_library_finish(const rc_library_t *l, const rc_dense_t *y, double beta);

#endif
