/** \file kernels/cpu/plain.h  What the plain kernels share: a matrix in schedule order as state. */
#ifndef RC_KERNELS_CPU_PLAIN_H
#define RC_KERNELS_CPU_PLAIN_H

#include "format/slots.h"
#include "kernels/kernel.h"

typedef struct rc_plain {
    rc_slots_t slots;
    int64_t *first; /**< [slots] entry of the original matrix that a slot begins with; NULL: not
                         asked for */
    rc_precision_t precision;
} rc_plain_t;

/** \param[in] entries  1: `first` is wanted
 *  \return RC_OK, RC_ENOMEM.  Free with rc_plain_release. */
rc_status_t rc_plain_new(rc_executor_t *x, const rc_problem_t *p, int entries, rc_plain_t **out,
    rc_err_t *err);

/** Members of the descriptors; the state is one without `first`. */
rc_status_t rc_plain_prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err);
void rc_plain_release(void *state);

/** y = A x: the rows of slots [p0, p1), each a plain sum. */
void rc_plain_rows(const rc_slots_t *slots, rc_precision_t precision, int64_t p0, int64_t p1,
    const rc_cpu_run_t *run);

#endif
