/** \file measure/timing.h  The samples of one case, and when they are enough. */
#ifndef RC_MEASURE_TIMING_H
#define RC_MEASURE_TIMING_H

#include "measure/measure.h"

/** Batches that are watched at most: the median of more than twice as many is its own witness. */
enum { RC_TIMING_WATCHED = 16 };

/** One case while it is timed.  Zero-initialise; free with rc_timing_free. */
typedef struct rc_timing {
    int64_t *sample_ns; /* [reps] total of each batch */
    size_t capacity;
    double *scratch; /* [scratch_capacity] products' times, sorted by the statistics */
    size_t scratch_capacity;
    int64_t reps;
    int64_t batch;    /* products per batch */
    int64_t set_reps; /* reps when the current set began */
    int64_t set_ns;   /* timed span in the current set */
    int watched;      /* batches of which is known how long they waited for a CPU */
    double watched_ns[RC_TIMING_WATCHED]; /* [watched] totals of these ... */
    double ran_ns[RC_TIMING_WATCHED];     /* ... and without it */
    int64_t again;                        /* batches that were not kept, for a core was shared */
    int64_t set_again;                    /* these when the current set began */
    int64_t again_ns;                     /* of the current set */
    double lost_ns;     /* of those that were kept all the same, what they lost by it */
    int64_t next_check; /* reps at which the statistics are looked at again */
    rc_stop_t stop;     /* RC_STOP_NONE while more samples are wanted */
} rc_timing_t;

/** Begin a set of rounds: samples of earlier sets stay, the budget and the counts start anew. */
void rc_timing_begin(rc_timing_t *t, const rc_measure_config_t *cfg);

/** Launch until cfg's warm-up ends, and choose the batch from the fastest run.
 *  \param[in] launches  of the device per product, for its batch_max */
rc_status_t rc_timing_warm_up(rc_timing_t *t, const rc_measure_config_t *cfg, rc_device_t *d,
    rc_launch_fn *launch, void *state, int64_t launches, rc_err_t *err);

/** Time one batch, keep the sample, and set t->stop when the case is done.  A batch before or
 *  after which a thread had less than 95 % of its core (rc_device_t.lost) is not kept, for as long
 *  as four budgets and as often as four times max_reps.
 *  \param[in] settle  1: launch once untimed before, so that the batch finds its own data in cache
 */
rc_status_t rc_timing_sample(rc_timing_t *t, const rc_measure_config_t *cfg, rc_device_t *d,
    rc_launch_fn *launch, void *state, int settle, rc_err_t *err);

/** Write the statistics of all samples so far into a case.  Needs at least one. */
rc_status_t rc_timing_store(rc_timing_t *t, rc_measured_t *m, rc_err_t *err);

/** Hand over the samples; free with free(). */
int64_t *rc_timing_take(rc_timing_t *t);

void rc_timing_free(rc_timing_t *t);

#endif
