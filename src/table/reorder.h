/** \file table/reorder.h  Row reordering over a store, as Jiang et al. 2020 show it: plans against
 *  each other by class of speedup, what must be reordered, and after how many products reordering
 *  has paid.  Local. */
#ifndef RC_TABLE_REORDER_H
#define RC_TABLE_REORDER_H

#include "table/counted.h"
#include "table/versus.h"

/** The matrices of a line: real ones within the paper's limits (10,000 rows and columns, 100,000
 *  entries), real ones that are smaller, generated ones. */
typedef enum rc_reorder_set {
    RC_REORDER_LIMITS = 0,
    RC_REORDER_SMALLER = 1,
    RC_REORDER_GENERATED = 2,
    RC_REORDER_SETS = 3
} rc_reorder_set_t;
extern const char *const rc_reorder_set_names[]; /**< "limits", "smaller", "generated";
                                                      NULL-terminated */
rc_reorder_set_t rc_reorder_set_of(const rc_view_t *v, int32_t matrix);

/** What competes: a plan, or the fastest of several. */
enum { RC_CONTESTANT_SIDES = 4 };
typedef struct rc_contestant {
    char name[96];
    rc_side_t side[RC_CONTESTANT_SIDES];
    int sides;
} rc_contestant_t;

/** Names of plans, and what they are as sides of `versus`: aspt-nr (no reordering), aspt-rr (both
 *  rounds by rule), aspt-forced (both always), aspt-tried (the faster of nr and rr, measured),
 *  cusparse.  NULL behind the last. */
const char *rc_reorder_plan(int i, const char **side);

/** The plan that a kernel ("name:params") in an order is: the first that has it.
 *  \param[out] out  static storage; "": none  \return RC_OK, RC_ENOMEM */
rc_status_t rc_reorder_plan_of(
    const char *kernel, const char *policy, const char **out, rc_err_t *err);

/** Parse a list of contestants: plans, sides KERNEL[@ORDER], and max(A,B) for the faster of some.
 *  \param[out] out  [*count] free with rc_contestants_free, after an error too
 *  \return RC_OK; RC_EINVAL (an empty one, a bracket too few, more than RC_CONTESTANT_SIDES in a
 *      bracket); RC_ENOMEM */
rc_status_t rc_contestants_parse(
    const char *text, rc_contestant_t **out, int *count, rc_err_t *err);
void rc_contestants_free(rc_contestant_t *c, int count);

/** The fastest of some results of one matrix in one setting that are of a contestant.
 *  \param[in] row  [n] of the view  \return a row of the view; -1: none */
int64_t rc_contestant_fastest(
    const rc_view_t *v, const int64_t *row, int64_t n, const rc_contestant_t *who);

/** Classes of speedup: slower, up to 10 %, 50 %, 100 % faster, more. */
enum { RC_SPEEDUP_CLASSES = 5 };

/** A over B: time of B over time of A. */
typedef struct rc_classes {
    rc_setting_t setting;
    rc_reorder_set_t set;
    int a; /**< numbers in the lists of contestants */
    int b;
    int64_t matrices;
    int64_t in[RC_SPEEDUP_CLASSES];
    double max; /**< NaN, as the others, without matrices */
    double mean;
    double geomean;
    double median;
    double min;
} rc_classes_t;

/** \param[in] where  NULL: all  \param[out] out  [*count] lines with matrices, by setting, a, b,
 *  set; free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_classes_make(const rc_view_t *v, const rc_expr_t *where, const rc_contestant_t *a,
    int as, const rc_contestant_t *b, int bs, rc_classes_t **out, int *count, rc_err_t *err);

/** What a plan takes before its first product: order, tiles and both rounds; in seconds and in its
 *  own products. */
enum { RC_RATIO_CLASSES = 4 };
typedef struct rc_reorder_cost {
    rc_setting_t setting;
    rc_reorder_set_t set;
    int64_t matrices;
    double least; /**< s */
    double mean;
    double median;
    double most;
    double products;                /**< median: preparation over one product */
    double share[RC_RATIO_CLASSES]; /**< of matrices: below 5, 10, 100 products, more */
    double *ratio;                  /**< [matrices] sorted */
    int64_t compared;               /**< matrices that have nr too */
    int64_t faster;   /**< of these, those on which the plan is more than 10 % faster */
    double pays;      /**< products after which it has paid against nr there: median; NaN */
    double pays_1000; /**< share of the faster ones on which 1,000 products are enough; NaN */
} rc_reorder_cost_t;

/** \param[in] plan  one contestant  \param[in] nr  what it must win against
 *  \param[out] out  [*count] lines with matrices, by setting, set; rc_reorder_cost_free
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_reorder_cost_make(const rc_view_t *v, const rc_expr_t *where,
    const rc_contestant_t *plan, const rc_contestant_t *nr, rc_reorder_cost_t **out, int *count,
    rc_err_t *err);
void rc_reorder_cost_free(rc_reorder_cost_t *c, int count);

/** Products that the computation would have to be for a share of the matrices to be below `times`
 *  of it. */
double rc_reorder_products(const rc_reorder_cost_t *c, double share, double times);

#endif
