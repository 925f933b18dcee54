/** \file analysis/threshold.h  Thresholds on raw values for trees that see standardised ones.
 *  Local. */
#ifndef RC_ANALYSIS_THRESHOLD_H
#define RC_ANALYSIS_THRESHOLD_H

#include "model/model.h"

/** The threshold of a forest (model/forest.h: left when (float)x < threshold) that sends raw values
 *  below `raw` to the left and all others to the right, as far as floats of the standardised values
 *  tell them apart.
 *  \param[in] input  of the model, which has its transforms, means and scales */
float rc_threshold(const rc_model_t *m, int input, double raw);

#endif
