/** \file analysis/papers/lane/suite.h  What the tables of products with a vector share. */
#ifndef RC_ANALYSIS_PAPERS_LANE_SUITE_H
#define RC_ANALYSIS_PAPERS_LANE_SUITE_H

#include "analysis/papers/paper.h"

/** "generated", "real": never in one line. */
const char *rc_lane_set_name(int generated);

/** Mean entries of a row; NaN without rows. */
double rc_lane_rdensity(const rc_row_matrix_t *m);

/** A twin has the figures of what it is made after: the name of that. */
const char *rc_lane_original(const char *name);

extern const rc_summary_t rc_lane_suite_rate;

#endif
