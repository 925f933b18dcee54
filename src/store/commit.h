/** \file store/commit.h  A commit round: fold the journals of a store into its HDF5 file, as
 *  README.md says under durability.  How far each journal has been folded is in the store itself,
 *  so folding twice adds nothing twice. */
#ifndef RC_STORE_COMMIT_H
#define RC_STORE_COMMIT_H

#include <mpi.h>

#include "base/log.h"
#include "store/journal.h"
#include "store/watch.h"
#include "rowcast.h"

/** What was in flight in so many runs that died by themselves (by a signal of their own, a hang, or
 *  with their device), or in so many that died in whatever way, is crashed: a kill from outside and
 *  the lack of memory that ends a process leave no word to tell them apart.  A suspect runs alone,
 *  so the last deaths of either count are its own doing or a kill that hits it. */
enum { RC_CRASHED_OWN = 2, RC_CRASHED_ANY = 4 };

typedef struct rc_commit_info {
    int64_t results;         /**< rows added */
    int64_t crashed;         /**< of them cases that ended their run too often */
    int64_t crashed_sources; /**< catalogue rows that did */
    int64_t suspects;        /**< both that were in flight in a run that died, and are pending */
    int64_t journals;        /**< journals that brought something */
    int64_t damaged_bytes;   /**< bytes in journals that belonged to no valid record */
    int64_t total_results;   /**< rows of /results afterwards */
    int64_t alive;           /**< journals whose writers live, or may: they stay */
    int changed;             /**< 0: there was nothing to fold; the file was not touched */
} rc_commit_info_t;

/** How a commit is made. */
typedef struct rc_commit_options {
    int create;           /**< 1: a store is made also when there is nothing to fold */
    int64_t lock_wait_ns; /**< how long to wait for another process that is folding */
    rc_watch_t *watch; /**< rank 0, of a store that it watches: it holds what is put in place from
                            before the store has it, so that nothing is lost when somebody removes
                            the store the moment after.  NULL: nobody watches */
    rc_fold_writers_t writers; /**< rank 0 */
} rc_commit_options_t;

/** Fold.  Collective over comm (MPI_COMM_NULL: this process alone, without MPI); every rank gets
 *  the same status and info.  A store that does not exist is created when there is anything to
 *  fold, or when `options` say so.
 *  \return RC_OK, RC_EBUSY, RC_EIO (disk full, read-only: the old store is as it was), RC_ESTORE,
 *          RC_ENOMEM, RC_EMPI */
rc_status_t rc_commit(const char *store, MPI_Comm comm, const rc_commit_options_t *options,
    const rc_log_t *log, rc_commit_info_t *out, rc_err_t *err);

/** Whether MPI may be ended: 0 after a file could not be written to its end (the disk is full),
 *  when HDF5, which ends with MPI, would crash.  The process then leaves without. */
int rc_store_can_finish(void);

#endif
