/** \file table/best.h  Which kernel and order is the fastest how often.  Results are
 *  compared on the same matrix within a setting (table/counted.h).  A kernel and order that were
 *  measured with several geometries count with the fastest.  Local. */
#ifndef RC_TABLE_BEST_H
#define RC_TABLE_BEST_H

#include "table/counted.h"

/** A kernel with its parameters and an order.  A loss is its time over the best time of any
 *  variant on that matrix, less 1; the best of many is too fast, so a loss is too large.  Held
 *  out (table/split_half.h) the best is chosen in one half and both are taken from the other. */
typedef struct rc_best_row {
    const char *kernel; /**< borrowed from the view */
    const char *policy;
    int64_t matrices; /**< that it has: the losses are over these */
    int64_t wins;     /**< matrices on which it is the fastest (equals: the earlier row) */
    int64_t clear;    /**< of these, matrices on which no other is within the error */
    int64_t ties;     /**< matrices on which it is the fastest, or within the error of that, and not
                           alone so (rc_timed_tie) */
    double loss_geomean;
    double loss_held_out; /**< geometric mean too; below 0: faster than what would be chosen */
    double loss_mean;
    double loss_max;
} rc_best_row_t;

typedef struct rc_best {
    rc_setting_t setting;
    rc_best_row_t *variant; /**< [variants], most wins first, then the smallest loss */
    int variants;
} rc_best_t;

/** \param[out] out  [*count] in order of the settings; free with rc_best_free
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_best_make(
    const rc_view_t *v, const rc_expr_t *where, rc_best_t **out, int *count, rc_err_t *err);
void rc_best_free(rc_best_t *c, int count);

#endif
