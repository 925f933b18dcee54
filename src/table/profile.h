/** \file table/profile.h  Performance profiles of Dolan and More 2002, as Hong et al. 2018 compare
 *  SpMM by (figures 10 to 12, 14, 15): the share of matrices on which a contestant takes at most so
 *  many times as long as the fastest contestant.  A matrix counts where at least two contestants
 *  have a time; one that has none there is within no factor.  Training matrices of rs are left out.
 *  Local. */
#ifndef RC_TABLE_PROFILE_H
#define RC_TABLE_PROFILE_H

#include "table/segmented.h"
#include "table/versus.h"

enum { RC_CONTEST_MAX = 16, RC_CONTEST_STEPS = 7 };
extern const double rc_contest_steps[RC_CONTEST_STEPS]; /**< 1, 1.1, 1.25, 1.5, 2, 4, 16 */

/** Who is compared; all borrowed while it is in use. */
typedef struct rc_contestant {
    const char *name;
    const rc_side_t *side; /**< NULL: both products of contestant `both` (rc_both_name), times added
                                up */
    int both;
} rc_contestant_t;

/** A contestant in a setting. */
typedef struct rc_contest {
    rc_setting_t setting;
    rc_segmented_set_t set;
    const char *contestant;
    int64_t matrices;                 /**< that count in the setting, of all contestants */
    int64_t measured;                 /**< of these it has a time for */
    int64_t within[RC_CONTEST_STEPS]; /**< matrices within the factor of rc_contest_steps */
    double geomean;                   /**< of its time over the least, where it has one; NaN */
} rc_contest_t;

/** \param[in] contestants  [n], n <= RC_CONTEST_MAX, all with a side or all without
 *  \param[in] square  1: square matrices alone
 *  \param[out] out  [*count] by setting, set, contestant; free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_contest_make(const rc_view_t *v, const rc_expr_t *where,
    const rc_contestant_t *contestants, int n, int square, rc_contest_t **out, int *count,
    rc_err_t *err);

#endif
