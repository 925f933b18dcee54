/** \file analysis/report/plot_model.h  Reading the evaluation that a model file carries.  Private
 *  to analysis/report. */
#ifndef RC_ANALYSIS_PLOT_MODEL_H
#define RC_ANALYSIS_PLOT_MODEL_H

#include "analysis/report/plot_data.h"

/** The evaluation on unseen rows that a model file carries, or its part of one K and precision.
 *  Borrowed. */
typedef struct rc_plot_evaluation {
    const json_t *classes;
    const json_t *confusion;
    const json_t *time_error;
    const json_t *rows; /**< how many they are, losses, speedups */
    const json_t *protocol;
    const char *label; /**< "K = 128, fp32"; NULL: all rows */
} rc_plot_evaluation_t;

/** The evaluation of the model of a report for the setting that is shown, of all rows where none
 *  is.
 *  \return 1; 0, with text->missing set, when the file has none */
int rc_plot_evaluation(const rc_plot_input_t *in, rc_plot_evaluation_t *out, rc_plot_text_t *text);

/** The part of an evaluation that is of the rows of a setting, with C in the original order and a
 *  warm cache, as models are fitted; NULL: none.  Borrowed.
 *  \param[in] device  whose times it is of; NULL: any */
const json_t *rc_plot_part(
    const rc_plot_input_t *in, const json_t *evaluation, const char *device, int setting);

/** The main setting; where the evaluation has no part of it, that with most matrices of which it
 *  has one; -1: none, or its file tells of all rows only. */
int rc_plot_home_part(const rc_plot_input_t *in, const json_t *evaluation, const char *device);

/** The same of the evaluation of the model of a report. */
int rc_plot_home_model(const rc_plot_input_t *in);

/** Element i of a JSON array as a number, NaN when there is none. */
double rc_plot_json_at(const json_t *list, size_t i);

/** Element i of a JSON array as a text, "" when there is none. */
const char *rc_plot_json_text(const json_t *list, size_t i);

/** Say that an evaluation lacks `what`, and which command makes a model file that has it. */
void rc_plot_model_lacks(rc_plot_text_t *text, const char *what);

/** Append to the caption over which rows an evaluation is: " 488 rows of 488 matrices, ...", and
 *  name the model above the drawing. */
void rc_plot_model_rows(
    const rc_plot_input_t *in, const rc_plot_evaluation_t *e, rc_plot_text_t *text);

/** Set the array NAME of a template to the texts of a JSON array. */
void rc_plot_define_texts(rc_plot_text_t *t, const char *name, const json_t *list);

#endif
