/** \file table/diff_private.h  What the files behind table/diff.h share. */
#ifndef RC_TABLE_DIFF_PRIVATE_H
#define RC_TABLE_DIFF_PRIVATE_H

#include "table/diff.h"

/** Which rows are of one case, and the groups of the cases.
 *  \param[out] out  item: a, b, group, ratio; verdict of those without a ratio, and same for the
 *                   others; group: all but counts and figures */
rc_status_t rc_diff_match(const rc_view_t *a, const rc_view_t *b, const rc_diff_options_t *options,
    rc_diff_t *out, rc_err_t *err);

/** Change, noise, rate and verdict of the cases that have a ratio, and out->noise. */
rc_status_t rc_diff_judge(const rc_view_t *a, const rc_view_t *b, const rc_diff_options_t *options,
    rc_diff_t *out, rc_err_t *err);

/** Counts, figures and verdicts of the groups. */
rc_status_t rc_diff_judge_groups(const rc_diff_options_t *options, rc_diff_t *out, rc_err_t *err);

#endif
