/** \file cmd/numbers.h  Files of integers, one a line, in a folder that the user names: all of
 *  them, or none. */
#ifndef RC_CMD_NUMBERS_H
#define RC_CMD_NUMBERS_H

#include "base/replace.h"
#include "format/format.h"

/** Files in the making; zero-initialise, but for the last two. */
typedef struct rc_numbers {
    const char *dir; /**< borrowed */
    int made;        /**< 1: the folder was not there before */
    rc_replace_t *file;
    size_t count;
    size_t capacity;
    const char *old_end;   /**< what an earlier run left goes as these come: files whose name ends
                                so ... */
    const char *old_first; /**< ... and whose first line begins so; NULL: nothing goes, others
                                stay */
} rc_numbers_t;

/** Make a folder; one that is there is taken.
 *  \param[out] made  1: it was not there before; may be NULL
 *  \return RC_OK; RC_EIO, also where a file has that name */
rc_status_t rc_numbers_folder(const char *dir, int *made, rc_err_t *err);

/** The same, for files in it. */
rc_status_t rc_numbers_begin(rc_numbers_t *n, const char *dir, rc_err_t *err);

/** Open DIR/NAME.txt for writing.
 *  \param[out] out  borrowed: rc_numbers_end closes it  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_numbers_open(rc_numbers_t *n, const char *name, FILE **out, rc_err_t *err);

/** The file that was opened last has all its numbers.  \return RC_OK; RC_EIO when they are not on
 *  the disk */
rc_status_t rc_numbers_close(rc_numbers_t *n, rc_err_t *err);

/** A file of whole numbers; a put of rc_format_sink_t.  \param[in,out] to  an rc_numbers_t */
rc_status_t rc_numbers_put(void *to, const char *name, rc_format_at_fn *at, const void *from,
    int64_t count, rc_err_t *err);

/** Put all files in place, when each was written whole; after a failure none, and a folder that was
 *  made goes again.
 *  \param[in] st  of what wrote them  \return st, or RC_EIO when something could not be written */
rc_status_t rc_numbers_end(rc_numbers_t *n, rc_status_t st, rc_err_t *err);

#endif
