/** \file store/h5.h  Tables and arrays in an HDF5 file: the only header of ours that knows an
 *  hid_t. Private to src/store.  All is local: of several ranks, rank 0 alone has a file. */
#ifndef RC_STORE_H5_H
#define RC_STORE_H5_H

#include <hdf5.h>
#include <time.h>

#include "base/str.h"
#include "store/schema.h"
#include "store/contents.h"

/** An open store file. */
typedef struct rc_h5 {
    hid_t file;
    rc_contents_t *contents; /**< what is written is added to it, and when the file is closed its
                                  attributes; set it after opening.  NULL: nobody counts */
    int reads;     /**< 1: opened for reading: closing it fails when the file has been written
                          meanwhile */
    int64_t bytes; /**< of the file, and its time of change, when it was opened so */
    struct timespec changed;
    char path[4096]; /* PATH_MAX */
} rc_h5_t;

/** Create a file with the whole schema, empty.
 *  \param[in] created_ns  root attribute created_utc, since 1970 */
rc_status_t rc_h5_create(const char *path, int64_t created_ns, rc_h5_t *out, rc_err_t *err);

/** Open an existing store and check its bytes (store/seal.h), format and schema version.
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

/** Whether the file of a store that is open for reading is as it was: one that cannot be replaced
 *  is written in place (store/replace.h).  \return RC_OK; RC_EBUSY: what was read is of no use */
rc_status_t rc_h5_unchanged(const rc_h5_t *h, rc_err_t *err);

/** Close.
 *  \return RC_OK; RC_ESTORE; RC_EBUSY, as rc_h5_unchanged */
rc_status_t rc_h5_close(rc_h5_t *h, rc_err_t *err);

/** Close after what ended with `st`.  \return st when that is an error, else as rc_h5_close */
rc_status_t rc_h5_closed(rc_status_t st, rc_h5_t *h, rc_err_t *err);

/** Rows of a table.  \return RC_OK, RC_ESTORE (also when it says that it has rows and does not hold
 *  them: what is allocated by their number would be) */
rc_status_t rc_h5_rows(const rc_h5_t *h, const rc_schema_table_t *t, int64_t *rows, rc_err_t *err);

/** Read a whole table; *rows is allocated, free with free(). */
rc_status_t rc_h5_read(
    const rc_h5_t *h, const rc_schema_table_t *t, void **rows, int64_t *count, rc_err_t *err);

/** Read `count` rows of a table from row `first` into rows.
 *  \return RC_OK, RC_ESTORE (also when the table has not that many) */
rc_status_t rc_h5_read_rows(const rc_h5_t *h, const rc_schema_table_t *t, int64_t first,
    int64_t count, void *rows, rc_err_t *err);

/** Replace the contents of a table. */
rc_status_t rc_h5_replace(
    const rc_h5_t *h, const rc_schema_table_t *t, const void *rows, int64_t count, rc_err_t *err);

/** Append n rows, which may be none.
 *  \param[out] first  row number of the first one, 0 of none; may be NULL */
rc_status_t rc_h5_append(const rc_h5_t *h, const rc_schema_table_t *t, const void *rows, int64_t n,
    int64_t *first, rc_err_t *err);

/** Add all that an open store of this schema version holds.
 *  \return RC_OK, RC_ESTORE.  Cost: reads each dataset once, a piece at a time */
rc_status_t rc_h5_contents_all(const rc_h5_t *h, rc_contents_t *t, rc_err_t *err);

/** Make the group of a feature set when it is missing.
 *  \param[in] names  comma-separated names of its columns, an attribute of `values` */
rc_status_t rc_h5_make_features(
    const rc_h5_t *h, const char *set, int columns, const char *names, rc_err_t *err);

/** Names of the feature sets of a store.
 *  \param[out] out  free with rc_words_free; without words after a failure */
rc_status_t rc_h5_feature_sets(const rc_h5_t *h, rc_words_t *out, rc_err_t *err);

/** Append rows to a feature set: n descriptions and n x columns values. */
rc_status_t rc_h5_append_features(const rc_h5_t *h, const char *set, int columns,
    const rc_row_feature_t *rows, const double *values, int64_t n, rc_err_t *err);

/** Read the descriptions (and, unless NULL, the values) of a set.
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
    int compressed; /**< 1: tables with shuffle and deflate; 0: without filters, as a commit extends
                         them */
    int samples;    /**< 0: /samples is left empty, and results point nowhere */
    const rc_h5_pick_t *pick; /**< [picks] rows of /results in ascending order, borrowed; their raw
                                   times follow each other in this order; NULL: everything */
    int64_t picks;
    rc_contents_t *contents; /**< as that of rc_h5_t */
} rc_h5_copy_options_t;

/** Copy an open store into a new file, attributes and all.  Its tables get the types of this schema
 *  version, whatever the store has.
 *  \return RC_OK, RC_ENOTSUP (compressed, and HDF5 has no deflate), RC_ESTORE (also when a picked
 *          row points outside of /samples).  Cost: reads each table whole. */
rc_status_t rc_h5_copy(
    const rc_h5_t *from, const char *to, const rc_h5_copy_options_t *options, rc_err_t *err);

/** *out = 1 when rows can be appended to a copy of the store byte by byte: no table has a filter,
 *  and all have the types of this schema version. */
rc_status_t rc_h5_can_append(const rc_h5_t *h, int *out, rc_err_t *err);

#endif
