/** \file kernels/prepared.h  A prepared matrix: what the state of every kernel begins with, and how
 *  states are made, shared, run and freed, whatever the kernel.
 *
 *  `build` of a kernel makes the matrix, in memory of the state.  `own` makes what a state has
 *  beside it, which grows with K or cannot be shared.  `fit` chooses launches for K columns,
 *  again before a run of others than the last: what it leaves depends on that K alone.  A state
 *  that shares the matrix of another has the first two from that and its own. */
#ifndef RC_KERNELS_PREPARED_H
#define RC_KERNELS_PREPARED_H

#include "device/memory.h"
#include "kernels/kernel.h"

/** What the state of every kernel begins with. */
typedef struct rc_prepared {
    rc_memory_t memory; /**< its executor is that of the state */
    rc_problem_t p;     /**< K: that of `fit` last; what is there during prepare alone is NULL */
    void *val;          /**< [stored] in memory of the executor: rc_kernel_values; NULL: untold */
    int64_t stored;     /**< values of the matrix, padding included */
    size_t value_bytes; /**< of one of them, in the precision of the problem */
    size_t sum_bytes;   /**< of a sum of products of them */
} rc_prepared_t;

/** Bytes of the state of a kernel, for its descriptor. */
#define RC_STATE(type) sizeof(type)

/** Prepare a matrix.
 *  \param[in] analysis  of this problem, at any K
 *  \param[out] state  free with rc_kernel_release; it borrows the executor
 *  \return RC_OK, RC_ENOMEM, RC_ENOTSUP, RC_EDEVICE */
rc_status_t rc_kernel_prepare(const rc_kernel_t *kernel, rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, void **state, rc_err_t *err);

/** Another state that uses the prepared matrix of one without a copy; each is released on its own,
 *  in any order.  New values in one are new values in both.
 *  \param[in] kernel  that shares (rc_kernel_t.shares)
 *  \param[in] x   of the same device, with the same allocator
 *  \param[in] p   the problem that `of` was prepared for, but for K
 *  \param[in] of  of this kernel or its twin; while it is shared no other thread uses it
 *  \return as rc_kernel_prepare */
rc_status_t rc_kernel_share(const rc_kernel_t *kernel, rc_executor_t *x, const rc_problem_t *p,
    void *of, void **state, rc_err_t *err);

/** The kernel's run, of any alpha: with 0 the output becomes beta times what it was, and neither A
 *  nor an input is read.  Nothing is allocated.
 *  \param[in] state  of rc_kernel_prepare or rc_kernel_share
 *  \param[in] o  of the shape, precision and layout that were prepared for, or, where the kernel
 *                takes any K, of fewer columns; any leading dimension
 *  \return as run */
rc_status_t rc_kernel_run(const rc_kernel_t *kernel, void *state, const rc_operands_t *o,
    double alpha, double beta, rc_err_t *err);

/** Where the prepared matrix has its values: an array whose places depend on pattern, schedule and
 *  parameters alone, each a value of A or 0 for padding, and nothing else in the state depends on
 *  them.  Each value of A is there once.  Who changes them orders that with runs.
 *  \param[out] array  in the memory of the executor, of the precision of the problem
 *  \return its length; 0: the kernel does not tell */
int64_t rc_kernel_values(const void *state, void **array);

/** Of a state of the kernel, or NULL. */
void rc_kernel_release(const rc_kernel_t *kernel, void *state);

/* ------------------------------------------------------------ of kernels */

/** What descriptors say of kernels that test the harness. */
#define RC_TESTING_MEMBERS                                                                         \
    .source = "rowcast", .version = 1, .for_testing = 1, .op = RC_OP_SPMM, .layout = RC_COL_MAJOR

/** An array of a kernel for a CPU, of the state's memory.  \return NULL: no memory */
void *rc_prepared_array(
    rc_prepared_t *s, size_t count, size_t bytes, const char *what, rc_err_t *err);

#endif
