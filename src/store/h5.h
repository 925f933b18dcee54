/** \file store/h5.h  Tables and arrays in an HDF5 file: the only header of ours that knows an
 *  hid_t. Private to src/store.  Calls on a file that was opened with a communicator are collective
 *  over it. */
#ifndef RC_STORE_H5_H
#define RC_STORE_H5_H

#include <hdf5.h>
#include <mpi.h>
#include <time.h>

#include "store/schema.h"
#include "store/contents.h"

/** An open store file. */
typedef struct rc_h5 {
    hid_t file;    /**< on ranks without the file: -1 */
    MPI_Comm comm; /**< MPI_COMM_NULL: opened by this process alone */
    int rank;
    int size;
    int reserved; /**< 1: an append fills what was reserved for it; 0: it makes room itself */
    int parallel; /**< 1: MPI-IO; 0 with a communicator: rank 0 has the file, others send to it */
    rc_contents_t *contents; /**< what is written is added to it, and when a file that one process
                                  has is closed its
                            attributes; set it after opening.  NULL: nobody counts */
    int reads;     /**< 1: opened for reading: closing it fails when the file has been written
                          meanwhile */
    int64_t bytes; /**< of the file, and its time of change, when it was opened so */
    struct timespec changed;
    char path[4096]; /* PATH_MAX */
} rc_h5_t;

/** Create a file with the whole schema, empty.  Local.
 *  \param[in] created_ns  root attribute created_utc, since 1970 */
rc_status_t rc_h5_create(const char *path, int64_t created_ns, rc_h5_t *out, rc_err_t *err);

/** Open an existing store and check its bytes (store/seal.h), format and schema version.  Local.
 *  Of an older version every function below reads rows of this version; only rc_h5_copy makes a
 *  file that can be appended to (rc_h5_can_append).
 *  \return RC_OK, RC_ENOENT, RC_ESTORE (not a store, damaged, schema of a newer version),
 *          RC_EBUSY (it is replaced all the time).  Cost: reads the file once when it has a seal.
 */
rc_status_t rc_h5_open(const char *path, int writable, rc_h5_t *out, rc_err_t *err);

/** What the root of a store says of it. */
typedef struct rc_h5_about {
    int32_t major;      /**< of the schema */
    int32_t minor;      /**< of the schema */
    int64_t created_ns; /**< created_utc, since 1970 */
} rc_h5_about_t;

/** Read that.  Local.  \return RC_OK, RC_ESTORE (missing, or no time) */
rc_status_t rc_h5_about(const rc_h5_t *h, rc_h5_about_t *out, rc_err_t *err);

/** Open for appending what was reserved, by all ranks of comm (MPI_COMM_NULL: by this process
 *  alone).  Collective. */
rc_status_t rc_h5_open_all(const char *path, MPI_Comm comm, rc_h5_t *out, rc_err_t *err);

/** Whether the file of a store that is open for reading is as it was: one that cannot be replaced
 *  is written in place (store/replace.h).  \return RC_OK; RC_EBUSY: what was read is of no use */
rc_status_t rc_h5_unchanged(const rc_h5_t *h, rc_err_t *err);

/** Close; collective when it was opened so.
 *  \return RC_OK; RC_ESTORE; RC_EBUSY, as rc_h5_unchanged */
rc_status_t rc_h5_close(rc_h5_t *h, rc_err_t *err);

/** Close after what ended with `st`.  \return st when that is an error, else as rc_h5_close */
rc_status_t rc_h5_closed(rc_status_t st, rc_h5_t *h, rc_err_t *err);

/** Rows of a table.  Local. */
rc_status_t rc_h5_rows(const rc_h5_t *h, const rc_schema_table_t *t, int64_t *rows, rc_err_t *err);

/** Read a whole table; *rows is allocated, free with free().  Local. */
rc_status_t rc_h5_read(
    const rc_h5_t *h, const rc_schema_table_t *t, void **rows, int64_t *count, rc_err_t *err);

/** Read `count` rows of a table from row `first` into rows.  Local.
 *  \return RC_OK, RC_ESTORE (also when the table has not that many) */
rc_status_t rc_h5_read_rows(const rc_h5_t *h, const rc_schema_table_t *t, int64_t first,
    int64_t count, void *rows, rc_err_t *err);

/** Replace the contents of a table.  Local. */
rc_status_t rc_h5_replace(
    const rc_h5_t *h, const rc_schema_table_t *t, const void *rows, int64_t count, rc_err_t *err);

/** Make room at the end of a table for `n` rows that all ranks together will append through
 *  rc_h5_open_all.  Local: what can fail for want of room fails here, on one rank.  Where room is
 *  made by all, HDF5 1.10 leaves the others waiting for ever for the rank whose write fails.
 *  Cost: writes the rows once, as zeros. */
rc_status_t rc_h5_reserve(const rc_h5_t *h, const rc_schema_table_t *t, int64_t n, rc_err_t *err);

/** The same for /samples, and for a feature set. */
rc_status_t rc_h5_reserve_samples(const rc_h5_t *h, int64_t n, rc_err_t *err);
rc_status_t rc_h5_reserve_features(
    const rc_h5_t *h, const char *set, int columns, int64_t n, rc_err_t *err);

/** Append n rows of this rank behind those of the ranks before it.  Collective, but each rank
 *  writes by itself: a collective write that fails on one rank leaves those of ROMIO waiting.  n
 *  may be 0.  In a file that was opened with rc_h5_open_all they fill what was reserved for exactly
 *  them.
 *  \param[out] first  row number of this rank's first row; may be NULL */
rc_status_t rc_h5_append(const rc_h5_t *h, const rc_schema_table_t *t, const void *rows, int64_t n,
    int64_t *first, rc_err_t *err);

/** As rc_h5_append, for /samples. */
rc_status_t rc_h5_append_samples(
    const rc_h5_t *h, const int64_t *ns, int64_t n, int64_t *first, rc_err_t *err);

/** Add all that an open store of this schema version holds.  Local.
 *  \return RC_OK, RC_ESTORE.  Cost: reads each dataset once, a piece at a time */
rc_status_t rc_h5_contents_all(const rc_h5_t *h, rc_contents_t *t, rc_err_t *err);

/** Number of raw times.  Local. */
rc_status_t rc_h5_samples(const rc_h5_t *h, int64_t *count, rc_err_t *err);

/** Read `count` raw times from `offset`.  Local. */
rc_status_t rc_h5_read_samples(
    const rc_h5_t *h, int64_t offset, int64_t count, int64_t *ns, rc_err_t *err);

/** Make the group of a feature set when it is missing.  Local.
 *  \param[in] names  comma-separated names of its columns, an attribute of `values` */
rc_status_t rc_h5_make_features(
    const rc_h5_t *h, const char *set, int columns, const char *names, rc_err_t *err);

/** Names of the feature sets of a store; free each and the array.  Local. */
rc_status_t rc_h5_feature_sets(const rc_h5_t *h, char ***names, int *count, rc_err_t *err);

/** Append rows to a feature set: n descriptions and n x columns values.  Collective. */
rc_status_t rc_h5_append_features(const rc_h5_t *h, const char *set, int columns,
    const rc_row_feature_t *rows, const double *values, int64_t n, rc_err_t *err);

/** Read the descriptions (and, unless NULL, the values) of a set.  Local.
 *  \param[out] columns  may be NULL;  \param[out] names  comma-separated, free(); may be NULL */
rc_status_t rc_h5_read_features(const rc_h5_t *h, const char *set, rc_row_feature_t **rows,
    double **values, int64_t *count, int *columns, char **names, rc_err_t *err);

/** A row of /results to copy, and its raw times. */
typedef struct rc_h5_pick {
    int64_t row;   /**< number in the old table */
    int64_t first; /**< its sample_offset there; -1: it has no raw times */
    int64_t count; /**< of raw times */
} rc_h5_pick_t;

/** What a copy is to be. */
typedef struct rc_h5_copy_options {
    int compressed; /**< 1: tables with shuffle and deflate; 0: without filters, as a commit needs
                         them: parallel HDF5 1.10 fails, on some ranks, where they are extended */
    int samples;    /**< 0: /samples is left empty, and results point nowhere */
    const rc_h5_pick_t *pick; /**< [picks] rows of /results in ascending order, borrowed; their raw
                                   times follow each other in this order; NULL: everything */
    int64_t picks;
    rc_contents_t *contents; /**< as that of rc_h5_t */
} rc_h5_copy_options_t;

/** Copy an open store into a new file, attributes and all.  Its tables get the types of this schema
 *  version, whatever the store has.  Local.
 *  \return RC_OK, RC_ENOTSUP (compressed, and HDF5 has no deflate), RC_ESTORE (also when a picked
 *          row points outside of /samples).  Cost: reads each table whole. */
rc_status_t rc_h5_copy(
    const rc_h5_t *from, const char *to, const rc_h5_copy_options_t *options, rc_err_t *err);

/** *out = 1 when rows can be appended to a copy of the store byte by byte: no table has a filter,
 *  and all have the types of this schema version.  Local. */
rc_status_t rc_h5_can_append(const rc_h5_t *h, int *out, rc_err_t *err);

#endif
