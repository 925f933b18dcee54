/** \file store/h5_private.h  What the files of the HDF5 layer share: words for errors, types,
 *  attributes, datasets. */
#ifndef RC_STORE_H5_PRIVATE_H
#define RC_STORE_H5_PRIVATE_H

#include "store/h5.h"

/** Word the failure of the last HDF5 call: to be called before the next one, which clears its
 *  reason. */
rc_status_t rc_h5_fail(rc_err_t *err, const char *path, const char *what);

/** Write what is left of an open file, and close it.  After a
 *  failure HDF5 must not be ended, see rc_store_can_finish.
 *  \return RC_OK or RC_ESTORE */
rc_status_t rc_h5_end(hid_t file, const char *path, rc_err_t *err);

/** Close what is no file; -1 is allowed.  The reason of an earlier failure stays for rc_h5_fail.
 *  \return 1; 0: it could not be closed: what was written to it may be lost */
int rc_h5_drop(hid_t id);

/** What was made, or when not all of that went well -1, and it is closed. */
hid_t rc_h5_kept(hid_t id, int ok);

/** Close several, in this order.  \return 1 when `ok` is, and all could be closed */
int rc_h5_drop_all(int ok, const hid_t *id, size_t n);
#define RC_H5_DROP(ok, ...)                                                                        \
    rc_h5_drop_all(ok, (const hid_t[]){__VA_ARGS__}, sizeof((hid_t[]){__VA_ARGS__}) / sizeof(hid_t))

/** The same; a failure becomes the status, unless there is one. */
rc_status_t rc_h5_dropped(
    rc_status_t st, hid_t id, const char *path, const char *what, rc_err_t *err);

/** Add the attributes of all objects of an open file, and its datasets, where nothing is known of
 *  them yet.
 *  \param[in] rows  1: the rows of its datasets too.  \return RC_OK, RC_ESTORE */
rc_status_t rc_h5_contents(rc_contents_t *t, hid_t file, const char *path, int rows, rc_err_t *err);

/** Bytes of a row of a dataset of any rank in that type; 0 when it has no rows.
 *  \param[out] rows  -1: they cannot be read; of a scalar: 1 */
size_t rc_h5_row_bytes(hid_t d, hid_t type, int64_t *rows);

/** Keep HDF5 from printing its error stack. */
void rc_h5_silence(void);

/** HDF5 type of a field, the same in file and memory; -1 on failure.  Close it. */
hid_t rc_h5_field_type(const rc_schema_field_t *f);

/** HDF5 type of a table's rows, the same in file and memory; -1 on failure.  Close it. */
hid_t rc_h5_row_type(const rc_schema_table_t *t);

/** Attributes; the setters return 1 on success, the text getter a copy to free() or NULL. */
int rc_h5_set_text(hid_t object, const char *name, const char *text);
int rc_h5_get_int(hid_t object, const char *name, int32_t *value);
char *rc_h5_get_text(hid_t object, const char *name);

/** An empty extendible dataset, opened; -1 on failure. */
hid_t rc_h5_make_dataset(hid_t at, const rc_schema_table_t *t);

/** An empty table with its description; 1 on success. */
int rc_h5_make_table(hid_t at, const rc_schema_table_t *t);

/** The description of a table as attributes of its dataset; 1 on success. */
int rc_h5_describe(hid_t d, const rc_schema_table_t *t);

/** Write the version of the schema to the root of a file; 1 on success. */
int rc_h5_set_version(hid_t file);

/** The table that is described for a path without its first slash; NULL: none. */
const rc_schema_table_t *rc_h5_table_at(const char *path);

/** Before rows of a table are read: give the fields that its file does not have, since it is older,
 *  the value that they have in such files.  Plain numbers have none.
 *  \return RC_OK, RC_ESTORE when the file lacks a field that each version has */
rc_status_t rc_h5_set_missing(const rc_h5_t *h, hid_t d, const rc_schema_table_t *t, void *rows,
    int64_t count, rc_err_t *err);

/** Read n rows of a dataset of any rank from row `first`; scalars are one row.  \return 1: read */
int rc_h5_read_piece(hid_t d, hid_t type, int64_t first, int64_t n, void *to);

/** Make a file that HDF5 1.8 and later can read, in the place of what has its name.
 *  \param[out] file  close it with rc_h5_end; -1 on failure */
rc_status_t rc_h5_make_file(const char *path, const char *what, hid_t *file, rc_err_t *err);

#endif
