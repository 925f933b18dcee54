/** \file analysis/merit.h  What trees learn of the times of a row when only the choice matters. */
#ifndef RC_ANALYSIS_MERIT_H
#define RC_ANALYSIS_MERIT_H

#include "analysis/dataset.h"

/** Merits of the classes of a row: minus log(time / best time), at least -cap, and less their mean
 *  over the classes.  The largest is that of the best class.  The cap keeps a few rows with huge
 *  ratios from steering the trees, since between two bad classes nothing is to be decided; the
 *  mean makes all classes err alike, the baseline too.
 *  \param[out] merit  [classes] */
void rc_merit(const rc_dataset_t *d, int64_t row, double cap, double *merit);

#define RC_MERIT_CAP 0.3 /**< 35 % slower than the best class is as bad as it gets */

#endif
