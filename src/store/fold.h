/** \file store/fold.h  From journals to rows: which stretch of each journal is new, what it adds to
 *  the dictionaries (rank 0), and the bulk rows of a share of the journals (every rank).  Local;
 *  private to src/store. */
#ifndef RC_STORE_FOLD_H
#define RC_STORE_FOLD_H

#include "base/log.h"
#include "store/dict.h"
#include "store/journal.h"

/** The new stretch of a journal. */
typedef struct rc_fold_part {
    char name[64];
    int64_t start; /**< bytes that the store has already */
    int64_t end;   /**< behind the last valid record */
    int32_t run;   /**< id of its run */
    int32_t rank;  /**< of its writer; index of the MPI rank */
    int32_t dead;  /**< 1: its writer is gone; the file can be removed once it is in the store */
    int32_t reserved;
} rc_fold_part_t;

/** A feature set that the new stretches bring rows for. */
typedef struct rc_fold_set {
    char set[33];
    char names[2048]; /**< comma-separated column names */
    int32_t columns;
} rc_fold_set_t;

enum { RC_FOLD_SETS_MAX = 16 };

/** What rank 0 finds in the journals of a store. */
typedef struct rc_fold_plan {
    rc_fold_part_t *part;
    int64_t parts;
    rc_journal_view_t **view; /**< [parts] kept open until the end */
    rc_fold_set_t set[RC_FOLD_SETS_MAX];
    int sets;
    rc_row_result_t *crashed; /**< rows for cases that ended their run too often */
    size_t crashed_count;
    size_t crashed_capacity;
    int64_t crashed_sources; /**< catalogue rows that were; they are in the dictionaries */
    int64_t suspects;        /**< cases and catalogue rows that were in flight in a dead run and are
                                  tried again */
    int64_t first_start_ns;  /**< earliest start among the runs seen; 0 none */
    int64_t new_bytes;
    int64_t damaged_bytes;
    int64_t alive;   /**< journals whose writers live, or may */
    int64_t changed; /**< 1: the store would change */
} rc_fold_plan_t;

/** Last run in which a case got a final row, for telling whether it was in flight since.
 *  \param[out] run  its id, -1 when the case has no row
 *  \return RC_OK, or an error when that cannot be found out, which ends the scan: deaths from
 *  before the row would count against the case */
typedef rc_status_t rc_last_run_fn(void *user, const char case_id[32], int32_t *run, rc_err_t *err);

/** Scan the journals of a folder and add what they name to the dictionaries.
 *  \param[in,out] d         dictionaries of the store, grown
 *  \param[in]     last_run  asked for cases that were in flight
 *  \param[in]     writers   NULL: nothing is known
 *  Free with rc_fold_plan_free. */
rc_status_t rc_fold_scan(const char *dir, rc_dicts_t *d, rc_last_run_fn *last_run, void *user,
    const rc_fold_writers_t *writers, const rc_log_t *log, rc_fold_plan_t *out, rc_err_t *err);
void rc_fold_plan_free(rc_fold_plan_t *p);

/** Bytes of a journal that has its last record; -1: it is not known to have it. */
int64_t rc_fold_ended_at(const rc_fold_writers_t *w, const char *name);

/** Add the journals that are known to be there to the names: a folder that was read a while ago may
 *  not show what other nodes have made since.
 *  \param[in,out] names  [*count], each free with free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_fold_unseen(
    const rc_fold_writers_t *w, char ***names, int64_t *count, rc_err_t *err);

/** Find out which journals of the plan have lost their writers (part[].dead), and count the others.
 *  A writer on another machine is waited for, see rc_pulse_look.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_fold_settle(const char *dir, rc_fold_plan_t *p, const rc_fold_writers_t *writers,
    const rc_log_t *log, rc_err_t *err);

/** Bulk rows of some parts. */
typedef struct rc_fold_bulk {
    rc_row_result_t *result; /**< sample_offset counts from the first sample of this bulk */
    size_t results;
    size_t result_capacity;
    int64_t *sample;
    size_t samples;
    size_t sample_capacity;
    rc_row_order_t *order;
    size_t orders;
    size_t order_capacity;
    struct rc_fold_feature {
        rc_row_feature_t *row;
        size_t rows;
        size_t row_capacity;
        double *value;
        size_t values;
        size_t value_capacity;
    } feature[RC_FOLD_SETS_MAX]; /**< in the order of the sets */
} rc_fold_bulk_t;

/** Read the new stretches of parts [first, last) into rows.
 *  \param[in] d  dictionaries that name everything in them */
rc_status_t rc_fold_read(const char *dir, const rc_fold_part_t *part, int64_t first, int64_t last,
    const rc_fold_set_t *set, int sets, const rc_dicts_t *d, rc_fold_bulk_t *out, rc_err_t *err);
void rc_fold_bulk_free(rc_fold_bulk_t *b);

/** The error of a record that is whole and cannot be decoded. */
rc_status_t rc_fold_not_understood(const char *name, const rc_record_t *r, rc_err_t *err);

/** Fill the ids and the identity of a result row from its case.
 *  \return RC_OK, or RC_ESTORE when the dictionaries do not know a name */
rc_status_t rc_fold_resolve(
    const rc_dicts_t *d, const rc_case_t *c, const char *text, rc_row_result_t *row, rc_err_t *err);

#endif
