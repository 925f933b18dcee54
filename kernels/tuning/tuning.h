/** \file kernels/tuning/tuning.h Tuning files of kernels, JSON: where they are and how they are
 *  read, for every kernel with a parameter `tune`. Local; nothing is kept between calls. */
#ifndef RC_KERNELS_TUNING_TUNING_H
#define RC_KERNELS_TUNING_TUNING_H

#include "base/str.h"

#include <jansson.h>

/** The file of a word: that name in the directory $ROWCAST_TUNING, or, where that is not set, among
 *  the installed ones; else, and where it has '/' or ".json", itself.
 *  \param[out] path  rc_str_free, after an error too
 *  \return 1: there is a file of that name; 0: none, or no memory (then path->failed) */
int rc_tuning_find(const char *word, rc_str_t *path);

/** The file KIND-*.json, beside those that words without '/' name, that was measured on a device
 *  class; of several the one with the shortest name, then the first by the alphabet.
 *  \param[out] word  its name, for rc_tuning_find; rc_str_free, after a failure too
 *  \return 1: there is one; 0: none, or no memory (then word->failed). Cost: reads the files of
 *      that kind. */
int rc_tuning_of_device(const char *kind, const char *device, rc_str_t *word);

/** Read the file of a word.
 *  \param[in] known what the word may be beside a file, for the message: "neither volta nor
 *      ampere"; NULL: nothing
 *  \param[in]  parse  fills `user` from the object of the file
 *  \return RC_OK; RC_ENOENT, RC_EIO; RC_EFORMAT for what is no JSON; what `parse` returned; with
 *      the name of the file */
rc_status_t rc_tuning_read(const char *word, const char *known,
    rc_status_t (*parse)(const json_t *root, void *user, rc_err_t *err), void *user, rc_err_t *err);

/** The member `device`, a text.  \param[out] to  [size]  \return RC_OK, RC_EFORMAT */
rc_status_t rc_tuning_device(const json_t *root, char *to, size_t size, rc_err_t *err);

/** A finite number of a member, at least `least`. \param[in] path of `o` in the file, for messages
 *  \return RC_OK; RC_EFORMAT with the member, what was expected and what was found */
rc_status_t rc_tuning_number(
    const json_t *o, const char *path, const char *key, double least, double *out, rc_err_t *err);

#endif
