/** \file table/print_setting.h  What the lines of a summary table are told apart by, for all
 *  tables of a store. */
#ifndef RC_TABLE_PRINT_SETTING_H
#define RC_TABLE_PRINT_SETTING_H

#include "base/stats.h"
#include "table/print.h"
#include "table/counted.h"

/** Columns of rc_put_setting, in its order. */
#define RC_SETTING_COLUMNS "precision|c_order|cache|device|"

/** The cell of K: its number, "n" for K = n, missing for an operation without K. */
rc_table_cell_t rc_k_cell(const rc_setting_t *s);

/** The cells of the other parts of a setting, less the operation, which some tables are of one of.
 *  \param[in] v  the view that the setting is of */
void rc_put_setting(rc_table_t *t, const rc_view_t *v, const rc_setting_t *s);

/** The cells of figures of ratios: max, mean, geomean, median, min. */
void rc_put_stats(rc_table_t *t, const rc_stats_t *s);

#endif
