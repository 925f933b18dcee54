/** \file analysis/report/answer.h  What a reader comes for, in sentences: does reordering pay, on
 *  which class of matrices, which kernel to take by default, and what the selector adds.  The page
 *  and the command show the same texts.  Gains are held out (table/split_half.h); intervals are of
 *  95 %, over the matrices.  Local. */
#ifndef RC_ANALYSIS_ANSWER_H
#define RC_ANALYSIS_ANSWER_H

#include "analysis/report/headline.h"
#include "base/str.h"

#include <jansson.h>

/** The sentences of a setting; free with rc_answer_free. */
typedef struct rc_answer {
    rc_str_t reordering; /**< whether it pays, and by how much */
    rc_str_t classes;    /**< on which kinds of problem; empty: the kinds are not known */
    rc_str_t kernels;    /**< which to take by default, for each layout of B and C */
} rc_answer_t;

/** The answer of setting number `setting`.
 *  \param[in] held_out  [s->pairs] of rc_headline_held_out
 *  \return RC_OK, RC_ENOMEM.  Cost: a bootstrap for each class and layout. */
rc_status_t rc_answer_make(const rc_survey_t *s, int setting, const rc_headline_t *headline,
    const rc_held_out_t *held_out, rc_answer_t *out, rc_err_t *err);
void rc_answer_free(rc_answer_t *a);

/** What a selector adds, from the evaluation in its file: of matrices that its fit had not seen.
 *  \param[in]  file  NULL: none was given
 *  \param[out] out   added to */
void rc_answer_selector(const char *name, const json_t *file, rc_str_t *out);

/** A figure of the evaluation in a model file, or its part; NaN: it is not there. */
rc_figure_t rc_answer_evaluated(const json_t *file, const char *what, const char *part);

#endif
