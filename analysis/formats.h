/** \file analysis/formats.h  The task format: which of the six formats of Nisa et al. 2018
 *  multiplies a matrix fastest.
 *
 *  A data set of this task (rc_dataset_read with RC_TASK_FORMAT) is the table of the study: a row
 *  is a (matrix, precision) with its features (`value`), the time of every format (`time`), its
 *  label (rc_dataset_best: the format of least time, the first of equals in the order below).  A
 *  row needs an ok result of all six; what is left out
 *  is counted by format and reason in `dropped.format`.  With `missing_worst` a format that failed
 *  or was skipped has an infinite time instead.
 *
 *  Fewer classes: rows need the same six (those that the store has), and where coo is no class the
 *  matrices are left out on which it is fastest among the classes and itself, as in the paper's
 *  study of three formats ("ell,csr,hyb").  Local. */
#ifndef RC_ANALYSIS_FORMATS_H
#define RC_ANALYSIS_FORMATS_H

#include "analysis/dataset.h"

typedef struct rc_format_class {
    const char *name;
    const char *kernel; /**< what stands for it: our own kernel with default parameters, under the
                             original order of rows */
} rc_format_class_t;

/** In the order in which equal times are decided. */
extern const rc_format_class_t rc_format_classes[RC_FORMATS];

/** Index of a format; -1: none of that name. */
int rc_format_class_find(const char *name);

/** The format that a kernel with its parameters stands for; NULL: none. */
const char *rc_format_class_of(const char *kernel);

#endif
