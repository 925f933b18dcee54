/** \file analysis/papers/hong/parameters.h  The values of t, cfv and cfh of rs that are most
 *  often best on training matrices, and the best t of each, what a tree is fitted to.  Hong et
 *  al. 2018, sections 4.2 and 4.3.  Local. */
#ifndef RC_ANALYSIS_PAPERS_HONG_PARAMETERS_H
#define RC_ANALYSIS_PAPERS_HONG_PARAMETERS_H

#include "rowcast.h"

enum {
    RC_PARAMETERS_T = 16,    /**< t is 1 .. 16 */
    RC_PARAMETERS_STEPS = 3, /**< cfv and cfh are 1, 2 or 4 */
    RC_PARAMETERS_CELLS = RC_PARAMETERS_T * RC_PARAMETERS_STEPS * RC_PARAMETERS_STEPS
};

typedef struct rc_parameters {
    int cfh;         /**< most often best of all three */
    int cfv;         /**< most often best at that cfh */
    int t;           /**< most often best at both */
    int64_t counted; /**< matrices that have a time at both */
} rc_parameters_t;

/** Where the time of a triple is in the times of a matrix.  
 *  \param[in] t  1 .. 16
 *  \param[in] cfv, cfh  1, 2 or 4 */
int rc_parameters_cell(int t, int cfv, int cfh);

/** Of equally frequent or fast values the smallest.
 *  \param[in]  ns  [n][RC_PARAMETERS_CELLS] NaN: not measured
 *  \param[out] label  [n] the best t at cfv and cfh, less 1; -1: the matrix has no time there
 *  \return RC_OK; RC_EINVAL: no matrix has a time */
rc_status_t rc_parameters_choose(
    const double *ns, int64_t n, int32_t *label, rc_parameters_t *out, rc_err_t *err);

#endif
