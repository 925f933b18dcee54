/** \file analysis/report/plot_plans.h  The plans of table/reorder.h in the setting that is shown.
 *  Private to analysis/report. */
#ifndef RC_ANALYSIS_PLOT_PLANS_H
#define RC_ANALYSIS_PLOT_PLANS_H

#include "analysis/report/plot_data.h"

/** Said where a setting lacks them. */
extern const char rc_plot_no_plans[];

/** The fastest result of each plan on each matrix of a setting.
 *  \param[in]  setting  of the survey
 *  \param[in]  plans    "aspt-nr,aspt-rr"
 *  \param[in]  count    of them
 *  \param[out] row      [pairs of the setting * count] of the view, -1: none; free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_plot_plans(const rc_plot_input_t *in, int setting, const char *plans, int count,
    int64_t **row, rc_err_t *err);

#endif
