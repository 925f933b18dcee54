/** \file analysis/report/answer.h  What a reader comes for: a sentence (does reordering pay, which
 *  kernel to take, is that faster than the vendor's library), and the two tables behind it.  The
 *  page and the command show the same sentence.  Its numbers are counts of matrices and kernels:
 *  gains, of the headline, stand beside it.  Gains are held out (table/split_half.h); intervals are
 *  of 95 %, over the matrices.  Local. */
#ifndef RC_ANALYSIS_ANSWER_H
#define RC_ANALYSIS_ANSWER_H

#include "analysis/report/headline.h"
#include "base/str.h"

#include <jansson.h>

enum { RC_ANSWER_KERNELS = 6 };

/** A line of a table. */
typedef struct rc_answer_part {
    const char *name; /**< a kind of problem, or a kernel; borrowed from the survey */
    int64_t matrices;
    rc_figure_t figure; /**< geomean of a gain, or of a time over that of the best plan */
} rc_answer_part_t;

/** The answer of a setting; free with rc_answer_free. */
typedef struct rc_answer {
    rc_pool_t memory;
    rc_str_t sentence;
    rc_answer_part_t
        *kind; /**< [kinds] with 5 matrices or more: what orders gain, the surest first */
    int64_t kinds;
    rc_answer_part_t kernel[RC_ANSWER_KERNELS]; /**< [kernels] one for all matrices, in the original
                                                     order: the least loss first */
    int64_t kernels;
    rc_figure_t lead; /**< time of the second of these over the first's; NaN: there is one */
    int64_t measured_kernels; /**< names of all the plans' kernels, without parameters */
    int64_t measured_orders;  /**< their orders, csr among them */
} rc_answer_t;

/** What the sentence says of a gain of the best order, and of the best plan over the library: what
 *  has 1 in its interval is neither a gain nor a loss. */
const char *rc_answer_of_orders(const rc_figure_t *gain);
const char *rc_answer_of_vendor(const rc_figure_t *gain);

/** The answer of setting number `setting`.
 *  \param[in] held_out  [s->pairs] of rc_headline_held_out
 *  \return RC_OK, RC_ENOMEM.  Cost: a bootstrap for each class and kernel. */
rc_status_t rc_answer_make(const rc_survey_t *s, int setting, const rc_headline_t *headline,
    const rc_held_out_t *held_out, rc_answer_t *out, rc_err_t *err);
void rc_answer_free(rc_answer_t *a);

/** A figure of the evaluation in a model file, or its part; NaN: it is not there. */
rc_figure_t rc_answer_evaluated(const json_t *file, const char *what, const char *part);

#endif
