/** \file kernels/spmv/cuda/spmv.h  What the kernels of y = A x on a GPU share: their state, how it
 *  is prepared, shared and run, and the sums of rows that several shares hold.
 *
 *  A share (format/cuda/spmv.h) stores the rows that lie in it.  Of a row that goes on in the next
 *  one it leaves its sum in `out`; of one that began in an earlier one in `in`.  The last of the
 *  CTAs that hold such a row adds those up in the order of the shares: one launch, no atomics on
 *  y, the same bits in every run. */
#ifndef RC_KERNELS_SPMV_CUDA_SPMV_H
#define RC_KERNELS_SPMV_CUDA_SPMV_H

#include "device/cuda/overlap.h"
#include "device/cuda/scalars.h"
#include "format/cuda/spmv.h"
#include "kernels/prepared.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What every kernel takes. */
typedef struct rc_spmv_vectors {
    const int32_t *row; /**< [slots] place in y, -1 for a pad; NULL: slot p is place p */
    const void *x;
    void *y;
    rc_cuda_scalars_t scalars;
    rc_spmv_spans_t spans;
} rc_spmv_vectors_t;

/** A matrix as coordinates. */
typedef struct rc_spmv_coo_args {
    rc_spmv_vectors_t v;
    rc_spmv_coo_t m;
} rc_spmv_coo_args_t;

/** The state of all of them; what a kernel has beside follows it. */
typedef struct rc_spmv {
    rc_prepared_t base;    /**< its values are in the order of the kernel */
    rc_cuda_slots_t slots; /**< which place of y a slot is, and CSR where the kernel takes it */
    rc_spmv_spans_t spans;
} rc_spmv_t;

/** What is one kernel's own: rc_kernel_t.kind of the descriptor. */
typedef struct rc_spmv_kind {
    /** Make the format, and what a launch takes of it in a zeroed state; errors are in form->k. */
    void (*build)(rc_spmv_t *s, rc_spmv_form_t *form, const rc_analysis_t *analysis);
    /** Enqueue the product of all entries. */
    rc_status_t (*launch)(
        const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);
} rc_spmv_kind_t;

/** Members of the descriptors: the matrix of the problem, on the device where it has its matrix
 *  there; sums that each state has for itself; a run. */
rc_status_t rc_spmv_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err);
rc_status_t rc_spmv_own(void *state, rc_err_t *err);
rc_status_t rc_spmv_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

/** What all descriptors say.  \param of  the type of the state */
#define RC_SPMV_MEMBERS(of)                                                                        \
    .device = RC_DEVICE_CUDA, .op = RC_OP_SPMV, .c_orders = RC_STORES_ANY, .computes = 1,          \
    .deterministic = rc_kernel_always, .strict = rc_kernel_always, .geometry = rc_cuda_geometry,   \
    .state_bytes = RC_STATE(of), .shares = sizeof(of), .build = rc_spmv_build, .own = rc_spmv_own, \
    .run = rc_spmv_run

/** Operands of a launch. */
rc_spmv_vectors_t rc_spmv_vectors(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta);

/** Enqueue CTAs of RC_SPMV_THREADS.  \param[in] args  what the device function takes */
rc_status_t rc_spmv_launch(const rc_spmv_t *s, const void *entry, int64_t ctas, void *args,
    const char *what, rc_err_t *err);

/** RC_OK; RC_ENOTSUP: more slots or more shares than are implemented. */
rc_status_t rc_spmv_limits(const rc_problem_t *p, int64_t shares, rc_err_t *err);

/** Enqueue the product of coordinates. */
rc_status_t rc_spmv_coo_run(const rc_spmv_t *s, const rc_spmv_coo_t *a, int64_t entries,
    const rc_spmv_vectors_t *v, rc_err_t *err);

/* ------------------------------------------------------- device functions */

const void *rc_spmv_coo_entry(rc_precision_t precision);

#ifdef __cplusplus
}
#endif
#endif
