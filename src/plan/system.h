/** \file plan/system.h  Square systems that a solver renumbers once, on any executor:
 *  what is behind rc_order_system.  Local. */
#ifndef RC_PLAN_SYSTEM_H
#define RC_PLAN_SYSTEM_H

#include "format/permute.h"
#include "order/local.h"
#include "plan/guess/guess.h"
#include "plan/plan_private.h"

/** Where a system is.  The functions are NULL where the memory is the host's. */
typedef struct rc_system_place {
    rc_plan_place_t at; /**< executor, orders, reading and sizes are used */
    /** As rc_cuda_permute. */
    rc_status_t (*permute)(
        rc_executor_t *x, const rc_there_t *a, const rc_permuted_t *p, rc_err_t *err);
    /** As rc_cuda_invert. */
    rc_status_t (*invert)(
        rc_executor_t *x, const int32_t *row, int64_t rows, int32_t *slot, rc_err_t *err);
    /** As rc_cuda_order_runs_there. */
    rc_status_t (*runs)(rc_executor_t *x, const rc_csr_t *a, const rc_resident_t *m,
        const int32_t *slots, rc_sharing_t out[2], rc_err_t *err);
    /** Whether a stream may be waited for.
     *  \return RC_OK, RC_EINVAL (it is captured), RC_EDEVICE */
    rc_status_t (*waits)(struct CUstream_st *stream, rc_err_t *err);
} rc_system_place_t;

struct rc_system {
    rc_system_place_t place;
    rc_plan_home_t *home; /**< what a public call made its place of; NULL: it is the caller's */
    rc_memory_t memory;   /**< has the two that follow */
    int32_t *row;
    int32_t *slot;
    rc_guess_problem_t product; /**< of the solver */
    rc_sharing_t runs[2];       /**< sampled rows in the original order and in this one */
    double now_ns;              /**< expected: a product in the original order; NaN: not known */
    rc_system_info_t info;      /**< but for what a call finds out */
};

/** Build the order of a system.
 *  \param[in]  place  its executor is borrowed until rc_system_free
 *  \param[out] out    free with rc_system_free  \return as rc_order_system */
rc_status_t rc_system_new(const rc_system_place_t *place, const rc_plan_matrix_t *a,
    const rc_system_options_t *options, rc_system_t **out, rc_err_t *err);

/** As rc_plan_give_home, of a system. */
rc_status_t rc_system_give_home(rc_plan_home_t *home, rc_status_t st, rc_system_t **out);

/** What of the options a plan has, too. */
rc_plan_options_t rc_system_as_plan(const rc_system_options_t *options);

/** A matrix of which the pattern alone is read. */
rc_plan_matrix_t rc_system_pattern(const rc_plan_matrix_t *a);

#endif
