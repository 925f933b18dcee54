/** \file sweep/progress.h  The progress line: rewritten in place on a terminal, else a line every
 *  few seconds.  The percentage is of cases, as in 'rowcast status'; the time left is estimated
 *  from what the finished cases took.  Local, rank 0. */
#ifndef RC_SWEEP_PROGRESS_H
#define RC_SWEEP_PROGRESS_H

#include "base/log.h"
#include "base/outcome.h"

typedef struct rc_meter {
    const rc_log_t *log;
    int terminal; /**< 1: the log's stream is a terminal */
    int64_t started_ns;
    int64_t shown_ns; /**< when a line was last shown */
    int64_t matrices; /**< planned */
    int64_t cases;
    double cost_s;
    int64_t matrices_out; /**< handed out so far */
    int64_t done[RC_CASE_STATUSES];
    double done_cost_s;
    double moment[5]; /**< of the fit, over the words so far: sums of cost^2, cost * cases, cases^2,
                         cost * elapsed, cases * elapsed */
} rc_meter_t;

void rc_meter_start(
    rc_meter_t *m, const rc_log_t *log, int64_t matrices, int64_t cases, double cost_s);

/** Show the line when it is time to. */
void rc_meter_show(rc_meter_t *m);

/** Remove the line from the terminal. */
void rc_meter_end(rc_meter_t *m);

/** Take in what finished.
 *  \param[in] done       [RC_CASE_STATUSES] cases, since the last word
 *  \param[in] cost_s     their estimated cost
 *  \param[in] elapsed_s  since the start */
void rc_meter_add(rc_meter_t *m, const int64_t *done, double cost_s, double elapsed_s);

/** Estimated seconds left; negative: not known yet.  The time until each word is taken for a
 *  multiple of the estimated cost plus a multiple of the number of cases until then (least
 *  squares): which part of a case's time grows with its matrix depends on the machine. */
double rc_meter_left_s(const rc_meter_t *m, double elapsed_s);

/** Share of the cases of a plan that are done, 0 to 100; of an empty plan 100. */
double rc_progress_percent(int64_t done, int64_t planned);

#endif
