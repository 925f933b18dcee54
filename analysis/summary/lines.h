/** \file analysis/summary/lines.h  Tables with lines for each setting (table/counted.h) and each
 *  set of its matrices, and the first columns of a table, which tell lines apart: people see only
 *  what differs, CSV and JSON have the same columns always. */
#ifndef RC_ANALYSIS_SUMMARY_LINES_H
#define RC_ANALYSIS_SUMMARY_LINES_H

#include "analysis/summary/summary.h"
#include "base/stats.h"
#include "table/counted.h"
#include "table/segmented.h"

/** Columns of rc_put_setting, in its order. */
#define RC_SETTING_COLUMNS "precision|c_order|cache|device|"

/** The cell of K: its number, "n" for K = n, missing for an operation without K. */
rc_table_cell_t rc_k_cell(const rc_setting_t *s);

/** The cells of the other parts of a setting, less the operation, which some tables are of one of.
 *  \param[in] v  the view that the setting is of */
void rc_put_setting(rc_table_t *t, const rc_view_t *v, const rc_setting_t *s);

/** The cells of figures of ratios: max, mean, geomean, median, min. */
void rc_put_stats(rc_table_t *t, const rc_stats_t *s);

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
