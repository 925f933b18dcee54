/** \file analysis/when.h  When does a row order pay?  Decisions before an order is built, by a rule
 *  and by a model, scored on the measured times of a store with everything that they cost.
 *
 *  A row is a matrix at a K and a precision.  It can be left as it is, or ordered; then building
 *  the order is paid once, and `reuse` products are faster or slower.  A decision that looks at the
 *  features of the matrix pays for them.  Local. */
#ifndef RC_ANALYSIS_WHEN_H
#define RC_ANALYSIS_WHEN_H

#include "feature/reuse.h"
#include "table/side.h"

/** What something costs: ns, ns a row of A, ns an entry.  `fixed` NaN: as the store has it. */
typedef struct rc_when_cost {
    double fixed;
    double row;
    double entry;
} rc_when_cost_t;

/** An H200: 62.9 MB of L2, 4.0 TB/s and 8.5 TB/s of lines of 128 bytes, 2 us. */
extern const rc_reuse_device_t rc_when_h200;

typedef struct rc_when_options {
    const char *kernels; /**< patterns; the fastest counts.  NULL: RC_SIDE_OURS */
    const char *orders;  /**< patterns, comma-separated; the first that a row has is its order.
                              NULL: "auto,cells*" */
    rc_when_cost_t order;
    rc_when_cost_t feature;
    rc_reuse_device_t device;
} rc_when_options_t;

enum { RC_WHEN_INPUTS = 10 };

/** Where a matrix is from. */
typedef enum rc_when_made {
    RC_WHEN_REAL = 0,
    RC_WHEN_TWIN = 1, /**< generated in place of a real one */
    RC_WHEN_GENERATED = 2,
    RC_WHEN_KINDS = 3
} rc_when_made_t;
extern const char *const rc_when_made_names[RC_WHEN_KINDS];

typedef struct rc_when_row {
    char family[RC_NAME_MAX + 1]; /**< rc_when_family */
    rc_when_made_t made;
    int64_t k;
    int32_t matrix; /**< id in the view */
    double rows;
    double entries;
    double none_ns;  /**< a product in the original order.  Both held out: the fastest kernel in one
                          half of the samples, its time in the other (table/split_half.h) */
    double order_ns; /**< a product in the order */
    double build_ns;
    double feature_ns;
    double rule_ns;   /**< what the rule expects of a product in the original order, from sizes
                           alone */
    double most_ns;   /**< the most that it thinks an order could save of these */
    int apart;        /**< 1: rows next to each other share few columns, so that `auto` would
                           order */
    double rule_gain; /**< and of none_ns / order_ns, by the features */
    double input[RC_WHEN_INPUTS]; /**< of the model */
} rc_when_row_t;

typedef struct rc_when {
    rc_when_row_t *row; /**< [rows] by setting, matrix */
    int64_t rows;
    int families;
} rc_when_t;

/** What is held out together, by the name of a matrix ("Group/Name", at most RC_NAME_MAX bytes).
 *  Names whose first word is that of a generator (rc_generators, such as "mesh3d" or "geometric2d")
 *  are of its family: up to a size at the end, such as "-1.3m", "-500k" or "-20" ("mesh3d-27pt" of
 *  "shuffled/mesh3d-27pt-500k"), without one the first word.  All others are of the family of their
 *  group: "HB" of "HB/bcsstk-17", and of its twin, "twin:HB/bcsstk-17".  A name without a group is
 *  its own family.
 *  \return where the matrix is from */
rc_when_made_t rc_when_family(const char *matrix, char out[RC_NAME_MAX + 1]);

/** Read the rows of a store: those that have a counted result in the original order and in an
 *  order, and features of the set `regime`.
 *  \param[in] v  the view of `store`, with samples
 *  \param[out] out  free with rc_when_free
 *  \return RC_OK; RC_EINVAL (a flawed pattern, no rows: says what is missing), RC_ENOENT (no
 *          features), RC_ENOMEM */
rc_status_t rc_when_read(const char *store, const rc_view_t *v, const rc_expr_t *where,
    const rc_when_options_t *o, rc_when_t *out, rc_err_t *err);
void rc_when_free(rc_when_t *w);

/** How it is decided. */
typedef enum rc_when_by {
    RC_WHEN_ALWAYS = 0, /**< order every matrix */
    RC_WHEN_RULE = 1,   /**< the rule, below */
    RC_WHEN_MODEL = 2,  /**< least squares on the rows of all other families */
    RC_WHEN_ORACLE = 3, /**< whichever was faster, for nothing */
    RC_WHEN_WAYS = 4
} rc_when_by_t;
extern const char *const rc_when_names[RC_WHEN_WAYS];

/** Decide every row.
 *
 *  Both know before: the size of the matrix, K, and what building costs (where the store has it: by
 *  least squares in log rows and log entries on the other families).  The time t(s) of a product
 *  where s entries share a load of B is that of rc_reuse_ns.  Where reuse (t(1) - t(4)) is not
 *  twice the cost of features and order, nothing is looked at.  Then the rule takes s = run_reuse
 *  now, and max(ball_reuse, column_reuse) in the order: it orders where run_reuse < 1.25 (as the
 *  policy auto) and reuse (t(1) - t(1) t(order) / t(now)) is twice the cost.  The model predicts
 *  log t(now) and the log of the gain by least squares with a ridge from these and from the
 *  features, and orders where the expected saving is the cost.
 *  \param[out] ordered  [rows] 1: ordered
 *  \param[out] cost     [rows] ns: products, order, features
 *  \return RC_OK, RC_EINVAL (the model: fewer than two families), RC_ENOMEM */
rc_status_t rc_when_decide(const rc_when_t *w, const rc_when_options_t *o, rc_when_by_t by,
    double reuse, int *ordered, double *cost, rc_err_t *err);

#endif
