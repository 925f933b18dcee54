/** \file sweep/progress.h  The progress line: rewritten in place on a terminal, else a line every
 *  few seconds.  The percentage is of cases, as in 'rowcast status'; the time left is estimated
 *  from what the finished work took.  Local, rank 0. */
#ifndef RC_SWEEP_PROGRESS_H
#define RC_SWEEP_PROGRESS_H

#include "base/log.h"
#include "base/outcome.h"

/** What work is thought to take, in seconds, by what it grows with: which machine takes how many
 *  times as long for each is found out on the way. */
enum {
    RC_EFFORT_CASE,   /**< number of cases */
    RC_EFFORT_DENSE,  /**< values of B and C: made, copied, verified */
    RC_EFFORT_SPARSE, /**< products: entries of A times K */
    RC_EFFORT_LOAD,   /**< matrices that are loaded and ordered */
    RC_EFFORTS
};
typedef struct rc_effort {
    double s[RC_EFFORTS];
} rc_effort_t;

/** \param[in] rate  [RC_EFFORTS] of each; NULL: 1 */
double rc_effort_sum(const rc_effort_t *e, const double *rate);

/** sum += way * more */
void rc_effort_add(rc_effort_t *sum, const rc_effort_t *more, double way);

/** What a worker has done since it last said so. */
typedef struct rc_progress {
    int64_t cases[RC_CASE_STATUSES];
    int64_t again; /**< noisy cases that were timed once more: they changed sides, or not */
    rc_effort_t
        effort;      /**< that the cases were thought to be, and what will not be done any more */
    rc_effort_t due; /**< of those that were found noisy: to be spent once more */
    rc_effort_t redone; /**< of that */
    double last_s;      /**< how much longer the last turn of noisy cases will take than was said */
    double took_s;      /**< rc_queue_tell fills it in */
} rc_progress_t;

/** sum += more */
void rc_progress_add(rc_progress_t *sum, const rc_progress_t *more);

typedef struct rc_meter {
    const rc_log_t *log;
    int terminal; /**< 1: the log's stream is a terminal */
    int64_t started_ns;
    int64_t shown_ns; /**< when a line was last shown */
    int64_t matrices; /**< planned */
    int64_t cases;
    rc_effort_t planned;
    int64_t matrices_out; /**< handed out so far */
    int64_t done[RC_CASE_STATUSES];
    rc_effort_t spent;
    rc_effort_t due;    /**< noisy cases, by what they were found in ... */
    rc_effort_t redone; /**< ... and timed once more */
    double last_s;      /**< the last turn, of all ranks */
    int64_t words;
    double took_s;                         /**< of all ranks */
    double heard_s;                        /**< elapsed at the last word of something measured */
    double rate[RC_EFFORTS];               /**< seconds that a thought second takes */
    double normal[RC_EFFORTS][RC_EFFORTS]; /**< of the fit: sums over the words of products of
                                              efforts, of later words more ... */
    double right[RC_EFFORTS];              /**< ... and of products of efforts and times */
} rc_meter_t;

void rc_meter_start(rc_meter_t *m, const rc_log_t *log, int64_t matrices, int64_t cases,
    const rc_effort_t *planned);

/** Show the line when it is time to. */
void rc_meter_show(rc_meter_t *m);

/** Remove the line from the terminal. */
void rc_meter_end(rc_meter_t *m);

/** Take in what a rank finished since its last word.  \param[in] elapsed_s  of the sweep, by now */
void rc_meter_add(rc_meter_t *m, const rc_progress_t *word, double elapsed_s);

/** How long what is left of a last turn of noisy cases takes, in ns: the matrices from `from` to
 *  n - 1, by what the turn before took for each, as far as `left_ns` reaches.  Matrix 0 has it in
 *  any case. */
int64_t rc_last_turn_ns(const int64_t *again_ns, int from, int n, int64_t left_ns);

/** Estimated seconds left; negative: not known yet, before a hundredth is done.  The time of a word
 *  is taken for a sum of its efforts, each times a rate (least squares of the relative error, in
 *  which a word counts for less the more work came after it, with the guess as a word of its own).
 *  A word that takes over twice as long as expected counts as twice.  As many of the cases that are
 *  left are taken to be noisy as so far, and to be timed once more; the last turn of noisy cases
 *  grows with the time.  On the 30 recorded sweeps of 100 to 669 matrices it is within a factor of
 *  two from a tenth on; of 32 matrices, up to five. */
double rc_meter_left_s(const rc_meter_t *m, double elapsed_s);

/** Share of the cases of a plan that are done, 0 to 100; of an empty plan 100. */
double rc_progress_percent(int64_t done, int64_t planned);

#endif
