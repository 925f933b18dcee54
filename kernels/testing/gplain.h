/** \file kernels/testing/gplain.h  What the plain kernels of the operations share: one for each, written
 *  to be read and to be right on every problem, not to be fast. */
#ifndef RC_KERNELS_TESTING_GPLAIN_H
#define RC_KERNELS_TESTING_GPLAIN_H

#include "device/cuda/cuda.h"
#include "format/cuda/slots.h"
#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** State of a plain kernel. */
typedef struct rc_gplain {
    rc_executor_t *x;
    rc_cuda_slots_t slots;
    void
        *first; /**< [slots] number of the first entry of a slot in the original matrix, of the type
                      of slots.ptr; NULL: that in slots.ptr */
} rc_gplain_t;

/** Member of the descriptors.  \param[out] state  rc_gplain_t; free with rc_gplain_release */
rc_status_t rc_gplain_prepare(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, void **state, rc_err_t *err);
void rc_gplain_release(void *state);
int64_t rc_gplain_values(void *state, void **array);

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
