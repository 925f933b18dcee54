/** \file analysis/summary/head.h  The first columns of a summary: what tells its lines apart.
 *  People see only what differs; CSV and JSON have the same columns always. */
#ifndef RC_ANALYSIS_SUMMARY_HEAD_H
#define RC_ANALYSIS_SUMMARY_HEAD_H

#include "analysis/summary/summary.h"
#include "table/print_setting.h"
#include "table/segmented.h"

/** Columns beside K and precision. */
enum {
    RC_HEAD_DEVICE = 1,
    RC_HEAD_GEOMETRY = 2,
    RC_HEAD_CACHE = 4,
    RC_HEAD_C_ORDER = 8,
    RC_HEAD_KERNEL = 16,
    RC_HEAD_OP = 32,
    RC_HEAD_SET = 64,
    RC_HEAD_LAYOUT = 128 /**< of a kernel that has several */
};

typedef struct rc_head {
    const rc_view_t *v;
    rc_table_format_t format;
    rc_setting_t first; /**< that was seen */
    int64_t first_row;  /**< its row, -1 */
    int64_t last_row;   /**< that was seen, -1 */
    int show;
} rc_head_t;

/** \param[in] show  columns that are there always */
rc_head_t rc_head_new(const rc_summary_options_t *o, int show);

/** A line will be of this setting; `row` is one of its results. */
void rc_head_see(rc_head_t *h, const rc_setting_t *s, int64_t row);

/** Lines of real matrices stand before lines of all; people see both where they differ.
 *  \param[in] all, real  matrices of either line */
void rc_head_see_sets(rc_head_t *h, int64_t all, int64_t real);

/** Words of a paper have the last column.  \return 1: the column is there */
int rc_head_has_words(const rc_head_t *h, int any);

/** Begin the table on stdout: the first columns, then own ones, of which the last may be left out.
 *  \param[in] own  as of rc_table_of  \return as it */
rc_table_t *rc_head_begin(const rc_head_t *h, const char *own, int left_out, rc_err_t *err);

/** The first cells of a line; `row` is one of the results of its setting. */
void rc_head_put(rc_table_t *t, const rc_head_t *h, const rc_setting_t *s, int64_t row);

/** The same with its set.  \return 0: people do not see this line */
int rc_head_put_set(
    rc_table_t *t, const rc_head_t *h, const rc_setting_t *s, rc_segmented_set_t set);

#endif
