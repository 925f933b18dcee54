/** \file analysis/papers/hong/hong.h  Tables of RS-SpMM: for real matrices, then for all.
 *  Training matrices are in none, but of other kernels in prepare. */
#ifndef RC_ANALYSIS_PAPERS_HONG_HONG_H
#define RC_ANALYSIS_PAPERS_HONG_HONG_H

#include "analysis/papers/paper.h"
#include "analysis/summary/lines.h"
#include "table/segmented.h"

/** The first columns of these tables, which rc_hong_put_setting fills. */
#define RC_HONG_SETTING "k|" RC_SETTING_COLUMNS "set|"
void rc_hong_put_setting(rc_table_t *t, const rc_lines_of_t *of);

/** 1: the matrix of row i of the counted ones is of the set, and not one of training. */
int rc_hong_counts(const rc_lines_of_t *of, int64_t i);

extern const rc_summary_t rc_summary_hong_roofline;
extern const rc_summary_t rc_summary_hong_profile;

#endif
