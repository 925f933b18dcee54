/* Two kernels of one prepared matrix: A B and A^T D, on any device. */
#ifndef RC_TESTS_TWINS_H
#define RC_TESTS_TWINS_H

#include "kernels/kernel.h"

typedef struct twins_case {
    rc_device_kind_t kind;
    const rc_csr_t *a;
    const rc_schedule_t *schedule;
    rc_precision_t precision;
    int64_t k;
    const char *params; /* ":t=2:w=4" */
} twins_case_t;

/* One prepare and both products into poisoned memory, at K and at a smaller K: sum(D . A B) is
 * sum(B . A^T D) for random B and D, as far as rounding allows; each product again when the state that
 * was prepared is released.  Fails with the case.  \return 0: the kernel does not take this one */
int check_twins(rc_executor_t *x, const char *name, const twins_case_t *t);

#endif
