/** \file base/open.h  The one way to open the files that rowcast makes by itself.  The list of
 *  their names is in src/store/README.md: whoever makes a new file adds a line, and a case to
 *  tests/cli/links.t.  A name that can be guessed may have been planted by another user of a shared
 *  folder, so a link under it is never followed: it is refused, or the name is taken away from it.
 *  A file that the user names (a store, a model) is another matter: there a symbolic link is the
 *  user's choice and is followed once, at the start; names beside it are made from what it leads
 *  to.  Of an output the link has to be the user's own (base/replace.h).  Nothing waits: what is no
 *  regular file is refused when it is opened. */
#ifndef RC_BASE_OPEN_H
#define RC_BASE_OPEN_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "rowcast.h"

/** How a file of ours is opened; always close-on-exec. */
typedef enum rc_open_use {
    RC_OPEN_READ,   /**< for reading; it must be there */
    RC_OPEN_GIVEN,  /**< for reading what the user named: a link is followed, a pipe without a name
                         is taken */
    RC_OPEN_UPDATE, /**< for reading and writing; it must be there */
    RC_OPEN_KEEP,   /**< the same, made when it is not there; what is in it stays */
    RC_OPEN_APPEND, /**< as KEEP, and what is written goes to its end */
    RC_OPEN_NEW,    /**< for writing; it must not be there (errno is EEXIST when it is) */
    RC_OPEN_LOG,    /**< as NEW, for reading too, and what is written goes to its end */
    RC_OPEN_FRESH   /**< for reading and writing; what has the name is removed first, a link
                         itself */
} rc_open_use_t;

/** Open a file that rowcast made, or makes.
 *  \param[in]  mode  permissions of a new one, less the umask
 *  \param[out] fd    close with close(); -1 on errors, with errno of the failure
 *  \return RC_OK; RC_ENOENT of RC_OPEN_GIVEN; RC_EIO with one line: a link, not a regular file, a
 *          file with several names where it would be written into, or whatever the system says */
rc_status_t rc_open_file(const char *path, rc_open_use_t use, mode_t mode, int *fd, rc_err_t *err);

/** The same as a stream: reading for RC_OPEN_READ, else writing.  NULL on errors.  Free with
 *  fclose(). */
FILE *rc_open_stream(const char *path, rc_open_use_t use, rc_err_t *err);

/** RC_OPEN_GIVEN with an error that does not name the file. */
rc_status_t rc_open_unnamed(const char *path, int *fd, rc_err_t *err);

/** A file that the user named, for reading: RC_OPEN_GIVEN.
 *  \param[out] out  free with fclose(); NULL on errors
 *  \return RC_OK, RC_ENOENT, RC_EIO, RC_ENOMEM */
rc_status_t rc_open_given(const char *path, FILE **out, rc_err_t *err);

/** What is written straight into instead of replaced: a terminal or another device of characters, a
 *  pipe without a name (standard output).  A FIFO that somebody made is no such thing: nobody may
 *  ever read it.
 *  \return RC_OK, RC_EIO */
rc_status_t rc_open_sink(const char *path, int *fd, rc_err_t *err);

/** Of what kind a file is that is not regular: "a FIFO". */
const char *rc_open_kind(mode_t mode);

/** Make a folder of ours; one that is there is taken, a link to one is not.
 *  \return RC_OK, RC_EIO */
rc_status_t rc_open_folder(const char *path, rc_err_t *err);

/** Read a stretch of a file.  \return RC_OK; RC_EIO, also where the file ends before */
rc_status_t rc_read_at(
    int fd, const char *path, void *to, int64_t bytes, int64_t at, rc_err_t *err);

/** Write a stretch of a file.  \return RC_OK, RC_EIO */
rc_status_t rc_write_at(
    int fd, const char *path, const void *from, size_t bytes, int64_t at, rc_err_t *err);

/** Sync what was written to a file.  \return RC_OK, RC_EIO */
rc_status_t rc_sync_file(const char *path, rc_err_t *err);

/** Sync the folder that a file or folder was made in, so that a power cut leaves its name.
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_sync_folder_of(const char *path, rc_err_t *err);

/** Let this process have `files` more files open, as far as the hard limit allows: the soft one is
 *  often 1024.  What is not allowed fails when it is opened. */
void rc_open_more(int64_t files);

#endif
