/** \file analysis/report/plot_old.h  What an earlier report left in the folder of figures.  Private
 *  to analysis/report. */
#ifndef RC_ANALYSIS_PLOT_OLD_H
#define RC_ANALYSIS_PLOT_OLD_H

#include "analysis/report/plot.h"

/** Remove the files of figures from folders of products that this report has none of, and these
 *  folders where nothing else is in them.  Links are not followed.
 *  \param[in] figures  DIR/figures
 *  \param[in] drawn    [n] of this report
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_plot_remove_old(const char *figures, const rc_drawn_t *drawn, int n, rc_err_t *err);

#endif
