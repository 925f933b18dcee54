/** \file store/attributes.h  Owner, group and permissions of a file, for the one that replaces it.
 *  Private to src/store. */
#ifndef RC_STORE_ATTRIBUTES_H
#define RC_STORE_ATTRIBUTES_H

#include <sys/stat.h>

/** 1: another file system is mounted there, on the file alone; 0: none, or it is not known. */
int rc_attributes_is_mount(const char *path);

/** Give an open file owner, group, permissions and access list of another one.  What is right
 *  already is left alone: some file systems refuse to set even that.
 *  \param[in] there  of `path`
 *  \return NULL, or a static text with what it cannot be given */
const char *rc_attributes_take(int fd, const char *path, const struct stat *there);

#endif
