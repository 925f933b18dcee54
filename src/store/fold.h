/** \file store/fold.h  From journals to rows: which stretch of each journal is new, what it adds to
 *  the dictionaries, and its results, raw times, orders and features.  Local: of several ranks,
 *  rank 0 does it.  Private to src/store. */
#ifndef RC_STORE_FOLD_H
#define RC_STORE_FOLD_H

#include "store/commit.h"
#include "store/dict.h"

/** A case or a catalogue row that was begun. */
typedef struct rc_inflight_item {
    rc_rec_begin_t begin;
    int lost; /**< 1: the device failed under it: only its result ends it */
} rc_inflight_item_t;

/** What is in flight while a journal is read from its start.  A rank loads, featurises and orders
 *  one thing of a matrix at a time, so its next step says that the one before is over; prepared
 *  cases of a matrix stay in flight together, for one can spoil the memory of another.  Matrices
 *  that are in hand at once are kept apart by their job number. */
typedef struct rc_inflight {
    rc_inflight_item_t *item; /**< [count] */
    size_t count;
    size_t capacity;
    int32_t signal; /**< that the rank died of, as far as it could tell; 0 unknown */
    int asked;      /**< 1: a signal had asked the rank to end before */
} rc_inflight_t;

/** Take note of the next record of the journal.
 *  \param[in] what  what it says (rc_rec_get)
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_inflight_track(
    rc_inflight_t *f, const rc_record_t *r, const rc_rec_t *what, rc_err_t *err);

/** The new stretch of a journal. */
typedef struct rc_fold_part {
    char name[64];
    int64_t start;    /**< bytes that the store has already */
    int64_t end;      /**< behind the last valid record */
    int32_t run;      /**< id of its run */
    int32_t rank;     /**< of its writer */
    int dead;         /**< 1: its writer is gone; the file can be removed once it is in the store */
    int waits;        /**< 1: it is on another machine, and has given no sign of life yet */
    rc_pulse_t pulse; /**< of that */
    rc_journal_view_t *view; /**< kept open until the end */
    rc_inflight_t inflight;
} rc_fold_part_t;

/** The rows that the new stretches bring for a feature set. */
typedef struct rc_fold_set {
    char set[33];
    char names[2048]; /**< comma-separated column names */
    int32_t columns;
    rc_row_feature_t *row;
    size_t rows;
    size_t row_capacity;
    double *value; /**< [rows][columns] */
    size_t values;
    size_t value_capacity;
} rc_fold_set_t;

enum { RC_FOLD_SETS_MAX = 16 };

/** What the journals of a store bring. */
typedef struct rc_fold {
    rc_fold_part_t *part;
    int64_t parts;
    rc_fold_set_t set[RC_FOLD_SETS_MAX];
    int sets;
    rc_dict_t crashed; /**< results of cases that ended their run too often */
    rc_dict_t result;  /**< sample_offset counts from the first of `sample` */
    rc_dict_t order;
    int64_t *sample;
    size_t samples;
    size_t sample_capacity;
    int64_t first_start_ns; /**< earliest start among the runs seen; 0 none */
    rc_commit_info_t info;  /**< all but the number of rows */
} rc_fold_t;

/** Read the journals of a folder, and add what they name to the dictionaries.
 *  \param[in]     store  whose results say in which run a case was measured last; NULL: none
 *  \param[in,out] d      dictionaries of the store, grown
 *  \return RC_OK; RC_ESTORE, RC_EIO, also when what was in flight cannot be looked up: deaths from
 *          before its last row would count against a case; RC_ENOMEM.  Free with rc_fold_free.
 *  Cost: memory for all new rows */
rc_status_t rc_fold_read(const char *dir, const char *store, rc_dicts_t *d,
    const rc_fold_writers_t *writers, const rc_log_t *log, rc_fold_t *out, rc_err_t *err);
void rc_fold_free(rc_fold_t *f);

/** Bytes of a journal that has its last record; -1: it is not known to have it. */
int64_t rc_fold_ended_at(const rc_fold_writers_t *w, const char *name);

/** Add the journals that are known to be there to the names: a folder that was read a while ago may
 *  not show what other nodes have made since.
 *  \param[in,out] names  [*count], each free with free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_fold_unseen(
    const rc_fold_writers_t *w, char ***names, int64_t *count, rc_err_t *err);

/** Find out which journals have lost their writers (part[].dead), and count the others.
 *  A writer on another machine is waited for, see rc_pulse_look.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_fold_settle(const char *dir, rc_fold_t *f, const rc_fold_writers_t *writers,
    const rc_log_t *log, rc_err_t *err);

#endif
