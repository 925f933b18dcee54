/** \file sweep/stage.h  A matrix in hand, from the file to what can be measured: load, claim,
 *  featurise, order.  Uses no device; runs on any thread of a rank, for several matrices at once.
 */
#ifndef RC_SWEEP_STAGE_H
#define RC_SWEEP_STAGE_H

#include "base/type.h"
#include "sweep/worker.h"

/** An order of the matrix in hand. */
typedef struct rc_ordered {
    int policy;             /**< index into the configuration */
    rc_geometry_t geometry; /**< of the first case that needed it */
    rc_schedule_t schedule;
    rc_csr_t a;       /**< of a symmetric order: the matrix with its columns renumbered */
    double *parts;    /**< its complex values, where the job has them */
    int64_t order_ns; /**< to build it, and to renumber */
    int64_t permute_ns[RC_TYPES]; /**< of a symmetric one: x into its numbering and y out of it, -1:
                                       unknown; else 0 */
    rc_status_t status; /**< a failure to build is the outcome of the cases that need it */
    rc_err_t err;
} rc_ordered_t;

/** A matrix in hand. */
typedef struct rc_job {
    const rc_worker_t *w;
    rc_sweep_config_t config; /**< for this matrix */
    rc_policy_spec_t *policy; /**< of that */
    int64_t number;           /**< of the item in the work list: the job in the journal */
    const rc_sweep_item_t *item;
    const rc_entry_t *entry;
    int threads; /**< that may prepare it */
    rc_csr_t a;
    double *
        parts; /**< [2 * nnz] complex values where a precision of the sweep is complex; else NULL */
    rc_digest_t digest;
    int claimed; /**< 1: this rank measures it, nobody else */
    int ready;   /**< 1: there is something to measure */
    int touched; /**< 1: measuring it has begun */
    int behind;  /**< 1: what is ready may be measured before there are features; rc_job_featurise
                      makes them */
    int hands;   /**< threads that hold it once it is ready: the measuring one, and the one that
                      featurises */
    rc_status_t outcome; /**< of measuring it, for the last hand */
    rc_ordered_t *order;
    size_t orders;
    size_t order_capacity;
    rc_progress_t progress; /**< not told yet */
    rc_effort_t effort_left;
    int64_t span_ns;  /**< spent on it so far */
    int64_t again_ns; /**< spent on the last turn of its noisy cases */
    int64_t bytes;    /**< of host memory that it is taken to hold */
    struct rc_job *next;
} rc_job_t;

/** Take an item in hand.  \return NULL with err set when there is no memory */
rc_job_t *rc_job_new(const rc_worker_t *w, int64_t number, int threads, rc_err_t *err);

/** Load, claim, order, featurise.  What it finds out is in the journal when it returns; a matrix
 *  that cannot be loaded is a result, not an error.  Afterwards the job is ready, or nothing of it
 *  is left to do; one that is ready and `behind` lacks its features. \return RC_OK; RC_EINTR when
 *      it was drained in the middle; RC_EIO, RC_ENOMEM,
 *  RC_EMPI */
rc_status_t rc_job_prepare(rc_job_t *j, rc_err_t *err);

/** The features of a job that is `behind`, beside its measuring: in the journal this is a job of
 *  its own.
 *  \return as rc_job_prepare */
rc_status_t rc_job_featurise(rc_job_t *j, rc_err_t *err);

/** The order of a policy that the job was prepared with; NULL when there is none. */
const rc_ordered_t *rc_job_order(const rc_job_t *j, int policy, const rc_geometry_t *g);

/** A part of the job's estimated effort is done. */
void rc_job_spend(rc_job_t *j, const rc_effort_t *effort);

/** Tell the queue what was done since the last time. */
rc_status_t rc_job_tell(rc_job_t *j, rc_err_t *err);

/** Bytes of host memory that a prepared job holds, and that preparing one case of it may take. */
int64_t rc_job_bytes(const rc_job_t *j);

/** Let go of a job, but for its memory.
 *  \param[in] st  RC_OK: it is done, and said to be; else it is given up, and given back to the
 *                 queue when nothing of it was measured
 *  \return RC_OK, or st, or why the end could not be written or told */
rc_status_t rc_job_end(rc_job_t *j, rc_status_t st, rc_err_t *err);

/** Free a job; NULL is allowed. */
void rc_job_free(rc_job_t *j);

#endif
