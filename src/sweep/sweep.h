/** \file sweep/sweep.h  A sweep: plan the pending cases, deal the matrices out over the ranks,
 *  measure, journal, commit.  Collective over the communicator of the session. */
#ifndef RC_SWEEP_SWEEP_H
#define RC_SWEEP_SWEEP_H

#include "base/log.h"
#include "catalog/catalog.h"
#include "device/device.h"
#include "kernels/kernel.h"
#include "measure/measure.h"
#include "order/policy.h"
#include "store/watch.h"
#include "sweep/progress.h"
#include "sweep/session.h"

/** What to sweep and how.  Everything is borrowed. */
typedef struct rc_sweep_config {
    const char *store;
    int make_store;                 /**< 1: a store is made also when there is nothing to measure */
    const rc_catalog_t *catalog;    /**< the selected entries; the same on every rank */
    const rc_policy_spec_t *policy; /**< [policies] */
    int policies;
    int repeat;    /**< 1: what is added is timed together with baselines that are done (AGAIN in
                        sweep/worklist.h) */
    int added_csr; /**< 1: the last policy is csr, as such a baseline only: nobody asked for it */
    const rc_kernel_spec_t *kernel; /**< [kernels] */
    int kernels;
    const int64_t *k; /**< [ks]; 0 stands for n_col */
    int ks;
    const rc_precision_t *precision; /**< [precisions] */
    int precisions;
    const rc_c_order_t *c_order; /**< [c_orders] row orders of C; 0 of them: original only */
    int c_orders;
    rc_geometry_t geometry; /**< a member above 0 overrides what the kernel declares */
    rc_measure_config_t measure;
    double noisy_rel_err; /**< a case that misses its target, and whose error is above this twice,
                               is noisy */
    rc_device_kind_t device;
    int threads;           /**< per rank; 0: the CPUs that the rank has to itself */
    int share_device;      /**< 1: ranks may share a device */
    int share_machine;     /**< 1: CPU ranks of a node may time at the same moment */
    int64_t memory_limit;  /**< bytes of host memory per rank; 0: what the node has free, shared by
                                its ranks */
    int64_t device_memory; /**< bytes of a GPU's memory per rank; 0: what it has free, shared by the
                                ranks on it.  A CPU has no memory of its own */
    int ahead; /**< matrices that a rank prepares while it measures another; 0: none, timing has the
                    rank's CPUs to itself; negative: none on a CPU, on a GPU as many as its CPUs can
                    prepare at once, twice */
    double time_budget_s; /**< drain after this long; 0: never */
    double hang_limit_s;  /**< end a rank in which one phase of a matrix takes longer; 0: never */
    double silence_s;     /**< end the job when a rank hears nothing for so long; 0: never */
    double take_over_s;   /**< without a sign of life for so long a run on another machine is taken
                               for gone; 0: RC_OWNER_SILENT_NS */
    const char *cache;    /**< folder of matrices in binary form (io/cache.h); NULL: none */
    const char *redo;     /**< expression over result rows or catalogue rows; NULL: none */
    int dry_run;          /**< 1: plan only, touch nothing on disk */
    int argc;             /**< for the provenance */
    char **argv;
} rc_sweep_config_t;

/** How large a matrix is thought to be before it is loaded. */
typedef struct rc_work_size {
    double rows;
    double entries;
    int64_t cols; /**< at least 1 */
} rc_work_size_t;

/** An item of the work list: a matrix with work left, or a part of one that takes too long for one
 *  rank.  The parts of a matrix hold its blocks of cases (rc_worklist_block), each once. */
typedef struct rc_sweep_item {
    int64_t entry;    /**< index into the catalogue */
    int32_t class_id; /**< device class that is to run it */
    int32_t known;    /**< 1: its digest is known, so `cases` is exact */
    int32_t suspect;  /**< 1: something of it was in flight when a run died: measured with nothing
                           else in flight */
    int64_t cases;    /**< pending */
    double cost_s;    /**< estimated time */
    rc_work_size_t
        size; /**< of the matrix: effort is counted by it, also when it turned out otherwise */
    rc_effort_t effort;
    double lead_s;        /**< estimated time of one thread until there is something to measure */
    int32_t part;         /**< its number in its matrix, ... */
    int32_t parts;        /**< ... of so many; 1: not divided */
    int32_t first_block;  /**< its blocks: from this one ... */
    int32_t end_block;    /**< ... to the one before this */
    int64_t bytes;        /**< estimated peak of host memory; on a CPU with B and C */
    int64_t host_bytes;   /**< the same to load the matrix and to order it, without B and C; -1:
                               nobody knows how large it will be before it is made */
    int64_t device_bytes; /**< estimated peak of the GPU's memory if nothing is tiled; 0 on a CPU */
} rc_sweep_item_t;

/** What is left to do at the start, and what is not. */
typedef struct rc_sweep_plan {
    int64_t matrices;   /**< catalogue rows with work left; there are more items where some are
                             divided ... */
    int64_t divided;    /**< ... so many: dealt out in parts */
    int64_t cases;      /**< pending, an estimate where digests are not known */
    int64_t given_up;   /**< catalogue rows with a file that could not be loaded before */
    int64_t again;      /**< of them done before: baselines of others that are pending */
    int64_t done;       /**< cases of the selection that had a final status before */
    int64_t failed;     /**< of them wrong, failed, crashed or skipped for want of memory */
    int64_t failed_csr; /**< of these in the original order, which all speedups of a setting need */
} rc_sweep_plan_t;

/** What ranks count, to be added up: nothing but int64_t. */
typedef struct rc_sweep_counts {
    int64_t measured[RC_CASE_STATUSES]; /**< cases that got a final status now, by status */
    int64_t again;        /**< rows of noisy cases that newer ones of this run replace */
    int64_t stands;       /**< baselines timed again that were noisy: their earlier rows stay */
    int64_t named;        /**< rows of the store for catalogue rows: more where parts of a matrix
                               have one each */
    int64_t too_large;    /**< of both: skipped because they need too much memory */
    int64_t missed;       /**< of the ok ones: ended by time or count before the error of their
                               median was small enough */
    int64_t missed_far;   /**< of these: with an error above 10 %, or with none */
    int64_t crowded;      /**< of the ok ones: measured while other programs wanted the CPUs */
    int64_t shared;       /**< of the ok ones: with batches timed again, for a core was shared */
    int64_t features;     /**< feature rows computed now */
    int64_t aliases;      /**< catalogue rows whose matrix is the same as another one's */
    int64_t drained;      /**< ranks that ended on request with work left */
    int64_t devices_lost; /**< ranks that stopped because their device became unusable */
} rc_sweep_counts_t;

/** What a sweep did (or would do). */
typedef struct rc_sweep_result {
    int64_t selected; /**< catalogue rows selected */
    int64_t absent;   /**< of them without a file */
    rc_sweep_plan_t plan;
    rc_sweep_item_t *item; /**< [items] of a dry run on rank 0, longest first; free() */
    int64_t items;
    rc_sweep_counts_t now;
    int64_t
        matrices[RC_CASE_STATUSES]; /**< catalogue rows that got a final status now, by status */
    int64_t items_left;             /**< items not handed out: matrices, or parts of them where */
    double wall_s;                  /**< of this run, commit rounds included */
    double commit_s;                /**< of it commit rounds */
    double idle_tail_s;             /**< between the first and the last rank running out of work */
    double busy_share;    /**< time in which the device was in use by measuring, of all ranks' wall
                               time from their first matrix to the end of the last rank's work */
    double active_share;  /**< of the same, time in which the device executed: launches, dense
                               operations, copies */
    double waiting_share; /**< of the same, time in which the device waited for a prepared matrix */
    double slowest_s;     /**< longest time for one matrix */
    char slowest[RC_SWEEP_NAME_MAX]; /**< which */
    rc_watch_t *watch; /**< rank 0: the store as a run left it, for rc_sweep_leave; else NULL */
    char uuid[33];     /**< of the run */
} rc_sweep_result_t;

/** Run a sweep.  Collective; every rank gets the same status and result.
 *  \return RC_OK (also when cases failed, or when it was drained: see the result), RC_EBUSY
 *  (another sweep has the store), RC_EDEVICE (ranks share a device), RC_EIO, RC_ESTORE, RC_ENOMEM,
 *  RC_EINVAL */
rc_status_t rc_sweep_run(const rc_session_t *session, const rc_sweep_config_t *config,
    rc_log_t *log, rc_sweep_result_t *out, rc_err_t *err);

/** The last look at the store, when MPI has ended and nothing is left but the exit: what is taken
 *  away while a run ends is noticed, saved and told as in its middle.  Local.
 *  \param[in,out] r  of rc_sweep_run; r->watch is closed, NULL is allowed
 *  \return RC_OK; RC_EIO: the store is gone or is another one */
rc_status_t rc_sweep_leave(
    const char *store, const rc_log_t *log, rc_sweep_result_t *r, rc_err_t *err);

#endif
