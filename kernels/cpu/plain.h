/** \file kernels/cpu/plain.h  What the kernels share that have a matrix in schedule order: the
 *  begin of their states. */
#ifndef RC_KERNELS_CPU_PLAIN_H
#define RC_KERNELS_CPU_PLAIN_H

#include "format/slots.h"
#include "kernels/prepared.h"

typedef struct rc_plain {
    rc_prepared_t base;
    rc_slots_t slots; /**< in the memory of the state */
} rc_plain_t;

/** rc_kernel_t.build: the slots.  \param[in,out] state  begins with rc_plain_t */
rc_status_t rc_plain_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err);

/** What descriptors of a CPU say; with all types that there are; and those of y = A x. */
#define RC_PLAIN_ANY                                                                               \
    .device = RC_DEVICE_CPU, .out_sums = 1, .computes = 1, .strict = rc_kernel_always,             \
    .deterministic = rc_kernel_always, .geometry = rc_cpu_geometry
#define RC_PLAIN_MEMBERS RC_PLAIN_ANY, .types = RC_TYPES_ANY
#define RC_PLAIN_SPMV                                                                              \
    RC_PLAIN_MEMBERS, .op = RC_OP_SPMV, .layout = RC_COL_MAJOR, .c_orders = RC_STORES_ANY

/** What descriptors say whose state is rc_plain_t. */
#define RC_PLAIN_STATE                                                                             \
    .format = "slots", .analyse = rc_slots_analyse, .state_bytes = RC_STATE(rc_plain_t),           \
    .build = rc_plain_build

/** y = A x: the rows of slots [p0, p1), each a plain sum. */
void rc_plain_rows(const rc_slots_t *slots, rc_precision_t precision, int64_t p0, int64_t p1,
    const rc_cpu_run_t *run);

/** Columns of C that a thread owns. */
typedef struct rc_strip {
    int64_t begin;
    int64_t end;
} rc_strip_t;

/** Of thread t of so many: equal runs of K columns. */
static inline rc_strip_t rc_strip_of(int64_t k, int t, int threads)
{
    int64_t width = (k + threads - 1) / threads;
    return (rc_strip_t){t * width < k ? t * width : k, (t + 1) * width < k ? (t + 1) * width : k};
}

#endif
