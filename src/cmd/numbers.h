/** \file cmd/numbers.h  Files of integers, one a line, in a folder that the user names. */
#ifndef RC_CMD_NUMBERS_H
#define RC_CMD_NUMBERS_H

#include "base/str.h"

#include <stdio.h>

/** Make a folder; one that is there is taken.  \return RC_OK; RC_EIO, also where a file has
 *  that name */
rc_status_t rc_numbers_folder(const char *dir, rc_err_t *err);

/** Remove from a folder what an earlier run wrote there: the files whose name ends with `end` and
 *  whose first line begins with `first`.  Others stay.  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_numbers_clear(const char *dir, const char *end, const char *first, rc_err_t *err);

/** Open DIR/NAME.txt for writing.
 *  \param[in,out] path  empty; that of the file; free with rc_str_free, after a failure too
 *  \param[out] out  end with rc_numbers_close  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_numbers_open(
    const char *dir, const char *name, rc_str_t *path, FILE **out, rc_err_t *err);

/** Close a file of numbers.  \return RC_OK; RC_EIO when something could not be written */
rc_status_t rc_numbers_close(FILE *f, const char *path, rc_err_t *err);

#endif
