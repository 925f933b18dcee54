/** \file analysis/report/plot_run.h  Running gnuplot.  Private to analysis/report. */
#ifndef RC_ANALYSIS_PLOT_RUN_H
#define RC_ANALYSIS_PLOT_RUN_H

#include "base/str.h"

/** The program: the environment variable GNUPLOT, else "gnuplot", looked up in PATH when it has no
 *  slash.  \param[out] out  absolute path
 *  \return RC_OK; RC_ENOENT: there is none that may be run; RC_ENOMEM */
rc_status_t rc_plot_program(rc_str_t *out, rc_err_t *err);

/** Run it on a script, without a shell and without its initialisation files.
 *  \param[in] program  from rc_plot_program
 *  \param[in] dir      where it runs: names in the script are relative to it
 *  \param[in] script   a file there
 *  \return RC_OK; RC_EIO with what it said when it failed, which has "line N: " in it where it
 *          names one; RC_ENOMEM */
rc_status_t rc_plot_run(const char *program, const char *dir, const char *script, rc_err_t *err);

#endif
