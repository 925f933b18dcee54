/** \file table/diff_private.h  What the files behind table/diff.h share. */
#ifndef RC_TABLE_DIFF_PRIVATE_H
#define RC_TABLE_DIFF_PRIVATE_H

#include "table/diff.h"

/** Change, noise, rate and verdict of the cases that have a ratio, and out->noise; counts, figures
 *  and verdicts of the groups. */
rc_status_t rc_diff_judge(const rc_view_t *a, const rc_view_t *b, const rc_diff_options_t *options,
    rc_diff_t *out, rc_err_t *err);

#endif
