/** \file sweep/worker.h  What one rank does in a sweep: matrices from load to journal, one after
 *  the other or with the next ones prepared while one is measured.  Local but for the queue. */
#ifndef RC_SWEEP_WORKER_H
#define RC_SWEEP_WORKER_H

#include "sweep/ledger.h"
#include "sweep/worklist.h"
#include "sweep/queue.h"
#include "sweep/node_lock.h"

/** Where the wall time of the measuring thread went. */
typedef struct rc_spent {
    int64_t busy_ns;                     /**< in rc_measure_group */
    int64_t active_ns;                   /**< of it the device executed */
    int64_t phase_ns[RC_PHASE_TIME + 1]; /**< of it by what was done: prepare, verify, time */
    int64_t copy_ns;    /**< of it copies to and from the device took, where they are timed */
    int64_t waiting_ns; /**< no matrix was prepared */
    int64_t lock_ns;    /**< another rank was measuring */
    int64_t journal_ns; /**< writing results */
} rc_spent_t;

/** A rank at work.  Its threads share it; only the measuring thread touches `device` and
 *  `node_lock`. */
typedef struct rc_worker {
    const rc_sweep_config_t *config;
    const rc_profile_t *profile;
    rc_device_t *device;
    rc_measure_context_t *measure; /**< of the device */
    const rc_worklist_t *work;
    const rc_map_t *known;
    rc_queue_t *queue;
    rc_node_lock_t *node_lock;
    rc_ledger_t *ledger;
    rc_cache_t *cache; /**< of matrices; NULL: none */
    const rc_log_t *log;
    int64_t memory_limit; /**< of the host, for this rank */
    int64_t device_limit; /**< of the device, for this rank; the host's on a CPU */
    int threads;          /**< for preparing matrices */
    int preparers;        /**< matrices prepared at once; 0: only while nothing is measured */
    int measuring;        /**< host threads of the measuring thread, which gets idle ones for large
                               matrices; 0: all */
    int ahead;            /**< matrices in hand besides the one that is measured, at most */
} rc_worker_t;

/** Decide how matrices are prepared from the configuration and the device: threads, preparers,
 *  ahead.  Where matrices are prepared while others are measured on a GPU, the threads of the rank
 *  are divided, and the device keeps a quarter. */
void rc_worker_divide(rc_worker_t *w);

/** Do items until there are no more.
 *  \param[out] spent  also set on failure
 *  \return RC_OK; RC_EINTR when it was drained; RC_EDEVICE (the device is unusable: what is
 *  finished is in the journal, what is not is given back), RC_EIO (the journal cannot be written),
 *          RC_ENOMEM, RC_EMPI */
rc_status_t rc_worker_run(rc_worker_t *w, rc_spent_t *spent, rc_err_t *err);

/** Say where this rank's time went, for who tunes.  \param[in] ns  all of it */
void rc_worker_tell(const rc_worker_t *w, const rc_spent_t *spent, int64_t ns);

#endif
