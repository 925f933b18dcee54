/** \file io/mtx_stream.h  The text of a Matrix Market file, whatever container it is in, block by
 *  block, and where its lines end; inner header of the room.  Containers are told apart by their
 *  content, not by the file name. */
#ifndef RC_IO_MTX_STREAM_H
#define RC_IO_MTX_STREAM_H

#include "io/mtx.h"
#include "io/mtx_text.h"

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
 *  \param[out] bytes  of the text when the file is plain; -1: not known before it is decoded
 *  \return RC_OK, RC_ENOENT, RC_EIO, RC_EFORMAT (damaged, member missing), RC_ENOMEM */
rc_status_t rc_source_open(const char *path, const rc_source_limits_t *limits, rc_source_t **out,
    int64_t *bytes, rc_err_t *err);
void rc_source_close(rc_source_t *s);

/** What was passed over at the end of the file, once it was read; NULL: nothing. */
const char *rc_source_ignored(const rc_source_t *s);

/** Read or decode up to `size` bytes; *got is smaller than `size` only at the end of the text.  At
 *  the end the check sums of the container have been verified.
 *  \return RC_OK, RC_EIO, RC_EFORMAT, RC_ENOMEM; the text does not name the file */
rc_status_t rc_source_read(rc_source_t *s, char *buf, size_t size, size_t *got, rc_err_t *err);

/** Text that is being read: `text` is the current block, and while threads parse it another one
 *  reads or decodes the next. */
typedef struct rc_mtx_stream {
    const char *path; /**< the file's name in messages */
    size_t block;     /**< bytes at a time */
    int whole_only;   /**< 1: damage is said of the container, not of a line */
    rc_source_t *source;
    int64_t bytes;   /**< of a plain file; -1: of something that is decoded */
    char *buffer[2]; /**< the current block and the next one */
    size_t capacity[2];
    int current;
    const char *text;
    size_t length;
    int64_t before;     /**< bytes that came before `text` */
    size_t at;          /**< first byte that is not used up */
    int is_last;        /**< no text comes after `text` */
    int64_t lines;      /**< that end before `at` */
    size_t kept;        /**< bytes at the front of the next block that are of this one */
    size_t got;         /**< behind them, once decoded */
    rc_status_t status; /**< of decoding; err says why */
    rc_err_t err;
    char mark; /**< what a line of entries ends in, as the first line of the file does: LF, or
                        CR alone */
} rc_mtx_stream_t;

/** \param[in] path    of the file; s->path is its name in messages
 *  \param[in] limits  as rc_source_open takes them
 *  \return as rc_mtx_read.  Close in any case. */
rc_status_t rc_mtx_stream_open(
    rc_mtx_stream_t *s, const char *path, const rc_source_limits_t *limits, rc_err_t *err);
void rc_mtx_stream_close(rc_mtx_stream_t *s);

/** Free the text that was read, before the stream is closed. */
void rc_mtx_stream_drop(rc_mtx_stream_t *s);

/** The next line of the head; line->begin NULL at the end of the text.  One that cannot belong to a
 *  head is cut off, so that nobody looks for the end of something else. */
rc_status_t rc_mtx_stream_line(rc_mtx_stream_t *s, rc_mtx_line_t *line, rc_err_t *err);

/** First byte behind the first line end in [p, end) that a cut may be made at; end when there is
 *  none. */
const char *rc_mtx_stream_after(const rc_mtx_stream_t *s, const char *p, const char *end);

/** Where the whole lines of the text end. */
size_t rc_mtx_stream_whole(const rc_mtx_stream_t *s);

/** Copy the bytes from `from` on to the front of the other buffer, with room for a block more. */
rc_status_t rc_mtx_stream_carry(rc_mtx_stream_t *s, size_t from, rc_err_t *err);

/** Decode a block behind what was carried; may run beside threads that read the current one. */
void rc_mtx_stream_decode(rc_mtx_stream_t *s);

/** Make the decoded block the current one.
 *  \return RC_OK, or of decoding, with where it failed */
rc_status_t rc_mtx_stream_step(rc_mtx_stream_t *s, rc_err_t *err);

/** Carry, decode and step: the text from s->at on and a block more. */
rc_status_t rc_mtx_stream_more(rc_mtx_stream_t *s, rc_err_t *err);

#endif
