/** \file analysis/summary/lines.h  Tables with lines for each setting (table/counted.h) and each
 *  set of its matrices. */
#ifndef RC_ANALYSIS_SUMMARY_LINES_H
#define RC_ANALYSIS_SUMMARY_LINES_H

#include "analysis/summary/head.h"
#include "analysis/summary/summary.h"
#include "table/counted.h"

/** What the lines of a setting and set are made from. */
typedef struct rc_lines_of {
    const rc_counted_t *c;
    const rc_setting_t *setting;
    int64_t from; /**< its rows in c: [from, to) */
    int64_t to;
    int set;
    const unsigned char *training; /**< [matrices of the view] 1: parameters were chosen on it
                                        (table/training.h) */
    double *scratch;               /**< [3 * rows of c] */
    const rc_head_t *head;         /**< of a table that has one */
    const rc_summary_options_t *o;
    void *user;
} rc_lines_of_t;

typedef struct rc_lines {
    const char *columns; /**< as of rc_table_of; NULL: there is no table yet, `put` collects */
    int has_head;        /**< 1: the columns stand behind a head that sees all settings */
    int32_t op;          /**< only results of this operation; -1: all */
    int sets;
    /** Put the lines of a setting and set.  \return RC_OK, RC_ENOMEM */
    rc_status_t (*put)(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err);
} rc_lines_t;

/** Print them on stdout by setting, then by set.
 *  \param[in] user  for `put`  \return RC_OK, RC_ENOMEM, RC_EIO */
rc_status_t rc_lines_print(
    const rc_lines_t *l, void *user, const rc_summary_options_t *o, rc_err_t *err);

#endif
