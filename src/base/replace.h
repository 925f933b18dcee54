/** \file base/replace.h  Files that are there whole or not at all: written beside the target,
 * synced and renamed over it. */
#ifndef RC_BASE_REPLACE_H
#define RC_BASE_REPLACE_H

#include "rowcast.h"

#include <stdio.h>

/** A file in the making; zero-initialise. */
typedef struct rc_replace {
    FILE *file;   /**< write here */
    char *target; /**< what it becomes */
    char *fresh;  /**< its name until then, "TARGET.part-HOST-N"; NULL: the target is standard
                       output or another device, and is written directly */
    int unsynced; /**< 1, set after begin: a power failure may leave anything */
    int lock;     /**< a descriptor, 0 for none; held as long as the name is in use: who finds it
                       free takes the name over */
} rc_replace_t;

/** 1: the word of a user for the standard output, "-"; 0 also for NULL. */
int rc_replace_is_stdout(const char *path);

/** Open a file that will replace `path`, or the standard output where that is "-".  A link to a
 *  file is followed when it is the user's own (or root's), and refused when it is another's;
 *  permissions of a file that is there are kept.
 *  \return RC_OK, RC_EIO (a FIFO, socket or folder too), RC_ENOMEM */
rc_status_t rc_replace_begin(const char *path, rc_replace_t *r, rc_err_t *err);

/** The same for a name that the program made, in a folder that the user named: a link under it is
 *  replaced, never followed. */
rc_status_t rc_replace_begin_ours(const char *path, rc_replace_t *r, rc_err_t *err);

/** Whether rc_replace_begin can: for what is written after long work.  Nothing is left there.
 *  \return as that */
rc_status_t rc_replace_check(const char *path, rc_err_t *err);

/** Bring what was written to the disk: after it hardly anything can fail in rc_replace_end.
 *  \return RC_OK, RC_EIO */
rc_status_t rc_replace_sync(rc_replace_t *r, rc_err_t *err);

/** Close it, and with `keep` put it in place of the target, else remove it.  A zeroed one and one
 *  that was ended are allowed.  \return RC_OK; RC_EIO when it could not be written whole: then the
 *  target is as before */
rc_status_t rc_replace_end(rc_replace_t *r, int keep, rc_err_t *err);

#endif
