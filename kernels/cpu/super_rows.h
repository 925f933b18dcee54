/** \file kernels/cpu/super_rows.h  What the CPU kernels of CSR-k share: slots, pointers over them, and
 *  rows as plain sums. */
#ifndef RC_KERNELS_CPU_SUPER_ROWS_H
#define RC_KERNELS_CPU_SUPER_ROWS_H

#include "kernels/cpu/slots.h"
#include "kernels/super_rows.h"

typedef struct rc_csrk {
    rc_slots_t slots;
    rc_super_rows_t super;
    rc_precision_t precision;
} rc_csrk_t;

/** Parts of rc_kernel_t.analyse and .prepare; the parameters are the sizes of the levels.
 *  \return as those */
rc_status_t rc_csrk_analyse(
    const rc_problem_t *p, int levels, rc_analysis_t *out, rc_err_t *err);
rc_status_t rc_csrk_new(
    rc_executor_t *x, const rc_problem_t *p, int levels, void **state, rc_err_t *err);

void rc_csrk_release(void *state);

/** The rows of slots [p0, p1), each a plain sum. */
void rc_plain_rows(const rc_slots_t *slots, rc_precision_t precision, int64_t p0, int64_t p1,
    const rc_cpu_run_t *run);

/** y of all rows: the groups of the outermost level are shared out among the threads in equal runs, and as groups are
 *  runs of slots, so are the rows of a thread. */
void rc_csrk_product(const rc_csrk_t *k, const rc_cpu_run_t *run);

#endif
