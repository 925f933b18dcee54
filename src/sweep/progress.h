/** \file sweep/progress.h  The progress line: rewritten in place on a terminal, sparse log lines in
 *  a file.  The time left is weighted by cost, not by count.  Local, rank 0. */
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
} rc_meter_t;

void rc_meter_start(
    rc_meter_t *m, const rc_log_t *log, int64_t matrices, int64_t cases, double cost_s);

/** Show the line when it is time to. */
void rc_meter_show(rc_meter_t *m);

/** Remove the line from the terminal. */
void rc_meter_end(rc_meter_t *m);

/** Estimated seconds left; negative: not known yet. */
double rc_meter_left_s(const rc_meter_t *m, double elapsed_s);

#endif
