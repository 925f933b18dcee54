/** \file kernels/testing/gplain.h  What the plain kernels of the operations share: one for each,
 *  written to be read and to be right on every problem, not to be fast. */
#ifndef RC_KERNELS_TESTING_GPLAIN_H
#define RC_KERNELS_TESTING_GPLAIN_H

#include "device/cuda/cuda.h"
#include "format/cuda/slots.h"
#include "kernels/prepared.h"

#ifdef __cplusplus
extern "C" {
#endif

/** State of a plain kernel. */
typedef struct rc_gplain {
    rc_prepared_t base;
    rc_cuda_slots_t slots;
    void *first; /**< [slots] number of the first entry of a slot in the original matrix, of the
                      type of slots.ptr; NULL: that in slots.ptr */
} rc_gplain_t;

/** rc_kernel_t.build.  \param[in,out] state  begins as rc_gplain_t */
rc_status_t rc_gplain_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err);

/** The operation of a plain kernel: rc_kernel_t.kind.  The GPU of the executor is the current one.
 *  */
typedef struct rc_gplain_kind {
    rc_status_t (*run)(
        const rc_gplain_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);
} rc_gplain_kind_t;

/** Member of the descriptors: the operation. */
rc_status_t rc_gplain_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

/** What all descriptors say.  \param operation  of rc_gplain_kind_t */
#define RC_GPLAIN_MEMBERS(operation)                                                               \
    .version = 1, .device = RC_DEVICE_CUDA, .computes = 1, .strict = rc_kernel_always,             \
    .geometry = rc_cuda_geometry, .kind = &(const rc_gplain_kind_t){operation},                    \
    .state_bytes = RC_STATE(rc_gplain_t), .run = rc_gplain_run

/** Enqueue the operations; the GPU of the executor is the current one. */
rc_status_t rc_gplain_spmv(
    const rc_gplain_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

/** Only the sum: the caller has scaled the output. */
rc_status_t rc_gplain_spmm_t(
    const rc_gplain_t *s, const rc_operands_t *o, double alpha, rc_err_t *err);

rc_status_t rc_gplain_sddmm(
    const rc_gplain_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
