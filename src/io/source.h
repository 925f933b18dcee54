/** \file io/source.h  The text of a matrix file, whatever container it is in; inner header of
 *  the room.  Containers are told apart by their content, not by the file name. */
#ifndef RC_IO_SOURCE_H
#define RC_IO_SOURCE_H

#include "io/mtx.h"

/** An open file: plain text, or a stream decoded out of .gz, .xz, .zst, .bz2 or a tar of these.
 *  Text is read, never mapped: a file that is cut off meanwhile ends early instead of ending the
 *  process. */
typedef struct rc_source rc_source_t;

/** Open a file.  Of a tar file the text is that of the member NAME/NAME.mtx, NAME being the file
 *  name without its ending.
 *  \param[in]  path    borrowed until rc_source_close
 *  \param[in]  limits  borrowed likewise; the file must be a .tar.gz within them: regular files and
 *                      folders only, with relative names below NAME/; anything else is RC_EFORMAT,
 *                      here or by rc_source_read.  Every member is looked at, those behind the
 *                      matrix too; nothing is ever written by a member's name.  NULL: any file
 *  \return RC_OK, RC_ENOENT, RC_EIO, RC_EFORMAT (damaged, member missing), RC_ENOMEM */
rc_status_t rc_source_open(
    const char *path, const rc_source_limits_t *limits, rc_source_t **out, rc_err_t *err);
void rc_source_close(rc_source_t *s);

/** What was passed over at the end of the file, once it was read; NULL: nothing. */
const char *rc_source_ignored(const rc_source_t *s);

/** Bytes of the text when the file is plain, as it was opened; -1: not known before it is
 *  decoded. */
int64_t rc_source_bytes(const rc_source_t *s);

/** Read or decode up to `size` bytes; *got is smaller than `size` only at the end of the text.  At
 *  the end the check sums of the container have been verified.
 *  \return RC_OK, RC_EIO, RC_EFORMAT, RC_ENOMEM; the text does not name the file */
rc_status_t rc_source_read(rc_source_t *s, char *buf, size_t size, size_t *got, rc_err_t *err);

#endif
