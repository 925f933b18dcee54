/** \file sweep/worker.h  One matrix from load to journal, on one rank.  Local but for the queue. */
#ifndef RC_SWEEP_WORKER_H
#define RC_SWEEP_WORKER_H

#include "store/journal.h"
#include "sweep/plan.h"
#include "sweep/queue.h"
#include "sweep/turn.h"

typedef struct rc_worker {
    const rc_sweep_config_t *config;
    const rc_profile_t *profile;
    rc_device_t *device;
    rc_measure_context_t *measure; /**< of the device */
    rc_plan_known_t *known;
    rc_queue_t *queue;
    rc_turn_t *turn;
    rc_journal_t *journal;
    const rc_log_t *log;
    int64_t memory_limit;
    rc_bytes_t buffer;         /**< for encoding records */
    int64_t busy_ns;           /**< verified or timed */
    rc_sweep_result_t *result; /**< counts of this rank */
} rc_worker_t;

/** Do an item.  What it finds out is in the journal when it returns; a case that fails is a result,
 *  not an error.
 *  \return RC_OK; RC_EINTR when it was drained in the middle; RC_EIO (the journal cannot be
 *  written), RC_EDEVICE (this rank can do no more), RC_ENOMEM, RC_EMPI */
rc_status_t rc_worker_do(rc_worker_t *w, const rc_sweep_item_t *item, rc_err_t *err);

/** Record a catalogue row that has no file. */
rc_status_t rc_worker_absent(rc_worker_t *w, const rc_entry_t *e, rc_err_t *err);

#endif
