/** \file order/policy.h  Orders of rows.  A policy is one file that ends in one constant
 *  descriptor, and one line in src/order/order.am; it never moves the matrix.
 *  Definitions: Mehrabi et al. 2021, section III; those of later papers at the top of each file. */
#ifndef RC_ORDER_POLICY_H
#define RC_ORDER_POLICY_H

#include "base/family.h"
#include "rowcast.h"

/** What a policy says about an order that it has built: a number or, where text is not "", a
 *  text. */
typedef struct rc_fact {
    const char *name; /**< letters and _; static storage */
    int64_t value;
    char text[96];
} rc_fact_t;

enum { RC_FACTS_MAX = 12 };

typedef struct rc_facts {
    int count;
    rc_fact_t fact[RC_FACTS_MAX];
} rc_facts_t;

/** Add a fact; one too many is left out.  f NULL: nobody asks. */
void rc_fact_number(rc_facts_t *f, const char *name, int64_t value);
void rc_fact_text(rc_facts_t *f, const char *name, const char *fmt, ...) RC_PRINTF(3, 4);

/** Asked now and then by policies that take long; non-zero ends the build with RC_EINTR. */
typedef int rc_order_stop_fn(void *user);

/** Who watches while an order is built. */
typedef struct rc_order_watch {
    _Atomic int64_t *placed; /**< told how many rows have their slot, by orders that take long;
                                  NULL: nobody asks */
    rc_facts_t *facts;       /**< zeroed by the caller, told how the order came about; NULL: nobody
                                  asks */
    rc_order_stop_fn *stop;  /**< NULL: nobody ends it */
    void *user;              /**< of stop */
} rc_order_watch_t;

struct rc_policy;

/** What a policy builds from.  Everything is borrowed. */
typedef struct rc_order_input {
    const struct rc_policy *policy; /**< the one that is asked */
    const rc_csr_t *a;
    const rc_geometry_t *geometry; /**< never NULL; only for a policy that says it needs it */
    const rc_params_t *params;     /**< values of the descriptor's parameters, in its order */
    const char *identity;          /**< their canonical text, see rc_policy_spec_t */
    int threads;                   /**< >= 1; the result does not depend on it */
    rc_order_watch_t watch;
} rc_order_input_t;

/** RC_OK, or RC_EINTR when the build is to end.  Threads of a build may ask at once.  \param[in] in
 *  NULL: nobody ends it */
rc_status_t rc_order_go_on(const rc_order_input_t *in, rc_err_t *err);

/** The matrix of groups that an order was made from, where it is made by levels. */
typedef struct rc_order_stages {
    rc_csr_t coarse;     /**< its own numbering; values say how much groups share, a full
                               diagonal */
    rc_schedule_t order; /**< symmetric, of the coarse matrix */
} rc_order_stages_t;

void rc_order_stages_free(rc_order_stages_t *s);

/** Bytes beside the matrix that the builder of an order may hold for a moment, for each row and
 *  each entry: what metis takes.  blk and the forms -near take up to three times as much
 *  a row on 16 threads; a bound of that would refuse what the others can do. */
enum { RC_ORDER_ROW_BYTES = 100, RC_ORDER_ENTRY_BYTES = 8 };

typedef struct rc_policy {
    const char *name;
    const char *summary; /**< one line, for `rowcast info` and --help */
    const char *source;  /**< paper and section */
    int version;         /**< bump when the same input may give another schedule; what building it
                              takes belongs to the version of the program, which a run records */
    int needs_geometry;  /**< 1: the schedule depends on the geometry; else it is built once for
                              all kernels */
    int columns;         /**< 1: a symmetric order, returns columns; only for square matrices */
    int rows_only;       /**< 1: as a numbering of rows and columns it means nothing, as if it needs
                              the geometry: a system refuses it */
    int on_request;      /**< 1: not part of "all", nor of globs */
    rc_param_t param[RC_PARAMS_MAX];
    /** NULL, or gives the text that identifies the parameters; see rc_family_t. */
    rc_status_t (*identify)(const rc_params_t *params, char *text, rc_err_t *err);
    /** NULL, or makes of parameters that stand for one order a matrix those of a matrix.
     *  \param[in,out] text  that identifies them */
    void (*for_matrix)(const char *group, const char *name, rc_params_t *params, char *text);
    /** Build the schedule; see rc_order_build. */
    rc_status_t (*build)(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err);
    const void *rule; /**< of a policy that shares `build` with others: what it alone does */
    /** NULL, or what the order is made from.  \param[out] out  free with rc_order_stages_free */
    rc_status_t (*stages)(const rc_order_input_t *in, rc_order_stages_t *out, rc_err_t *err);
} rc_policy_t;

/** All policies of this build in the order of the list in order.am ("csr" first);
 *  NULL-terminated. */
extern const rc_policy_t *const rc_policies[];

/** A policy that this build does not have. */
typedef struct rc_policy_absent {
    const char *name;
    const char *reason; /**< "built without METIS" */
} rc_policy_absent_t;

/** Ends at the first NULL name. */
extern const rc_policy_absent_t rc_policies_absent[];

/** The policy of that name, without parameters; or NULL. */
const rc_policy_t *rc_policy_find(const char *name);

/** A policy with its parameters. */
typedef struct rc_policy_spec {
    const rc_policy_t *policy;
    rc_params_t value;
    char params[RC_PARAMS_TEXT]; /**< canonical: "seed=1", see rc_spec_t; "" without parameters */
} rc_policy_spec_t;

/** Bytes of the text of a policy, with its NUL: name, ":", parameters. */
enum { RC_POLICY_TEXT = 32 + 1 + RC_PARAMS_TEXT };

/** Parse "name" or "name:key=value:key=value".  \return as rc_spec_parse */
rc_status_t rc_policy_spec_parse(const char *text, rc_policy_spec_t *out, rc_err_t *err);

/** A list of policies, as rc_specs_parse reads it; "all" and globs: every policy that is not on
 *  request.
 *  \param[in] most  members at most
 *  \param[out] out  [*count]; free with free()
 *  \return as rc_specs_parse */
rc_status_t rc_policy_specs_parse(
    const char *text, int most, rc_policy_spec_t **out, int *count, rc_err_t *err);

/** The policy as it is for one matrix: that of file:dir/%n.txt has its order.  Other policies stay
 *  as they are.
 *  \param[in] fullname  "Group/Name" */
void rc_policy_spec_for(const rc_policy_spec_t *given, const char *fullname, rc_policy_spec_t *out);

/** "name" or "name:params".  \param[out] text  [RC_POLICY_TEXT] */
void rc_policy_spec_text(const rc_policy_spec_t *spec, char *text);

/** As rc_order_build, of a parsed policy.
 *  \param[in] watch  NULL: nobody does
 *  \return as rc_order_build; RC_EINTR: its stop said so */
rc_status_t rc_policy_build(const rc_policy_spec_t *spec, const rc_csr_t *a,
    const rc_geometry_t *geometry, int threads, const rc_order_watch_t *watch, rc_schedule_t *out,
    rc_err_t *err);

/** What the order is made from.
 *  \return as rc_policy_build; RC_ENOTSUP: the policy has no stages */
rc_status_t rc_policy_stages(const rc_policy_spec_t *spec, const rc_csr_t *a,
    const rc_geometry_t *geometry, int threads, rc_order_stages_t *out, rc_err_t *err);

/** RC_OK, or RC_EINVAL when nw, nt or line is below 1 or above 65,536. */
rc_status_t rc_geometry_check(const rc_geometry_t *g, rc_err_t *err);

/** As rc_schedule_check, for a matrix that was checked.  Cost O(rows + slots + cols). */
rc_status_t rc_schedule_fits(const rc_schedule_t *s, const rc_csr_t *a, rc_err_t *err);

/** Allocate the original order.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_schedule_original(const rc_csr_t *a, rc_schedule_t *out, rc_err_t *err);

/** Allocate a schedule of `slots` slots, all pads. */
rc_status_t rc_schedule_alloc(int64_t slots, int64_t rows, rc_schedule_t *out, rc_err_t *err);

/** Give a schedule that has no pads and all rows the column order that is its row order. */
rc_status_t rc_schedule_symmetric(rc_schedule_t *s, rc_err_t *err);

/** Add a level of groups.
 *  \param[in] ptr  [count + 1], owned by the schedule afterwards, whatever the outcome
 *  \return RC_OK, RC_EINVAL (no room for another level) */
rc_status_t rc_schedule_add_groups(
    rc_schedule_t *s, const char *name, int64_t count, int64_t *ptr, rc_err_t *err);

/** 1 when slot p holds row p for every row of the matrix, and no column is renumbered. */
int rc_schedule_is_identity(const rc_schedule_t *s);

#endif
