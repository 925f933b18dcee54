/** \file order/policy.h  Row-order policies.  A policy is one file that ends in one constant
 *  descriptor, and one line in src/order/order.am; it never moves the matrix.
 *  Definitions: Mehrabi et al. 2021, section III. */
#ifndef RC_ORDER_POLICY_H
#define RC_ORDER_POLICY_H

#include "rowcast.h"

typedef struct rc_policy {
    const char *name;
    const char *summary; /**< one line, for `rowcast info` and --help */
    const char *source;  /**< paper and section */
    int version;         /**< bump when the same input may give another schedule */
    /** Build the schedule; see rc_order_build.  geometry is never NULL and threads >= 1.  The
     *  result does not depend on `threads`. */
    rc_status_t (*build)(const rc_csr_t *a, const rc_geometry_t *geometry, int threads,
        rc_schedule_t *out, rc_err_t *err);
} rc_policy_t;

/** All policies in the order of the list in order.am ("csr" first); NULL-terminated. */
extern const rc_policy_t *const rc_policies[];

/** The policy of that name, or NULL. */
const rc_policy_t *rc_policy_find(const char *name);

/** RC_OK, or RC_EINVAL when nw, nt or line is below 1 or above 65,536. */
rc_status_t rc_geometry_check(const rc_geometry_t *g, rc_err_t *err);

/** Allocate a schedule of `slots` slots, all pads. */
rc_status_t rc_schedule_alloc(int64_t slots, int64_t rows, rc_schedule_t *out, rc_err_t *err);

/** 1 when slot p holds row p for every row of the matrix. */
int rc_schedule_is_identity(const rc_schedule_t *s);

#endif
