/** \file kernels/vendor/library.h  What the kernels share that ask a library for y = A x, or C =
 *  A B, on a CPU: CSR in the order of the slots with pointers of 32 bits, and y in the order that
 *  was asked for.  C is meant too where y is said. */
#ifndef RC_KERNELS_VENDOR_LIBRARY_H
#define RC_KERNELS_VENDOR_LIBRARY_H

#include "format/slots.h"
#include "kernels/prepared.h"

/** What all their descriptors say. */
#define RC_LIBRARY_MEMBERS                                                                         \
    .device = RC_DEVICE_CPU, .c_orders = RC_STORES_ANY, .computes = 1, .for_testing = 1,           \
    .analyse = rc_library_analyse, .geometry = rc_cpu_geometry,                                    \
    .state_bytes = RC_STATE(rc_library_t)
#define RC_LIBRARY_SPMV RC_LIBRARY_MEMBERS, .op = RC_OP_SPMV, .layout = RC_COL_MAJOR

typedef struct rc_library {
    rc_prepared_t base;
    rc_slots_t slots;
    int32_t *ptr; /**< [slots + 1] as slots.ptr */
    void *y;      /**< [slots * K] where slots have rows that a schedule names; else NULL */
    void *matrix; /**< the library's */
} rc_library_t;

/** rc_kernel_t.analyse.  Its bytes are those of our arrays, beside one copy of the entries with
 *  both numbers and a pointer a row, which a library makes of them at least; what it takes beyond
 *  that while it orders them, none tells.
 *  \return RC_OK; RC_ENOTSUP: 2^31 entries or slots, or more */
rc_status_t rc_library_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err);

/** All but `matrix`; end with rc_library_release.
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_library_build(rc_library_t *l, const rc_problem_t *p, rc_err_t *err);

/** Free the slots.  \param[in] state  rc_library_t */
void rc_library_release(void *state);

/** y = beta y, zeros for 0: before a library that multiplies what it finds, or without a matrix. */
rc_status_t rc_library_scale(
    const rc_library_t *l, const rc_dense_t *y, double beta, rc_err_t *err);

/** y = alpha A x + beta y by the library, where there are entries.  \param y  a row a slot */
typedef rc_status_t rc_library_multiply_fn(const rc_library_t *l, double alpha, const rc_dense_t *x,
    double beta, const rc_dense_t *y, rc_err_t *err);

/** A run of the kernel: `multiply`, then y put where it belongs.  \return what `multiply`
 *  returns */
rc_status_t rc_library_run(const rc_library_t *l, const rc_operands_t *o, double alpha, double beta,
    rc_library_multiply_fn *multiply, rc_err_t *err);

#endif
