/** \file analysis/report/plot_model.h  Reading the evaluation that a model file carries.  Private
 *  to analysis/report. */
#ifndef RC_ANALYSIS_PLOT_MODEL_H
#define RC_ANALYSIS_PLOT_MODEL_H

#include "analysis/report/plot_data.h"

/** The evaluation on unseen rows of the model of a report; NULL, with text->missing set, when the
 *  file has none.  Borrowed. */
const json_t *rc_plot_evaluation(const rc_plot_input_t *in, rc_plot_text_t *text);

/** Element i of a JSON array as a number, NaN when there is none. */
double rc_plot_json_at(const json_t *list, size_t i);

/** Element i of a JSON array as a text, "" when there is none. */
const char *rc_plot_json_text(const json_t *list, size_t i);

/** Say that an evaluation lacks `what`, and which command makes a model file that has it. */
void rc_plot_model_lacks(rc_plot_text_t *text, const char *what);

/** Append to the caption over which rows an evaluation is: " 488 rows of 488 matrices, ...", and
 *  name the model above the drawing. */
void rc_plot_model_rows(const rc_plot_input_t *in, const json_t *evaluation, rc_plot_text_t *text);

/** Set the array NAME of a template to the texts of a JSON array. */
void rc_plot_define_texts(rc_plot_text_t *t, const char *name, const json_t *list);

#endif
