/** \file analysis/summary/noise.h  What the times of a store suffered from, in one line: cases that
 *  missed their target, noisy ones, other programs on the machine, clocks held back.  Local. */
#ifndef RC_ANALYSIS_SUMMARY_NOISE_H
#define RC_ANALYSIS_SUMMARY_NOISE_H

#include "base/str.h"
#include "table/view.h"

/** The line about the newest results that were timed, as "300 of 360 cases missed 1 %, median
 *  8.7 %; load 9.7 on 2 CPUs"; empty where none is noisy and a twentieth at most suffered.
 *  \param[in]     where  of these those that match; NULL: all
 *  \param[in]     run    of these those of a run, by its identity; NULL: all
 *  \param[in,out] line   added to
 *  \return RC_OK, RC_ENOMEM.  Cost O(results) */
rc_status_t rc_noise_line(
    const rc_view_t *v, const rc_expr_t *where, const char *run, rc_str_t *line, rc_err_t *err);

#endif
