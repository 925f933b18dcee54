/** \file store/bytes.h  All bytes of a stretch of a file, or an error.  Private to src/store. */
#ifndef RC_STORE_BYTES_H
#define RC_STORE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "rowcast.h"

/** \return RC_OK; RC_EIO, also where the file ends before */
rc_status_t rc_read_at(
    int fd, const char *path, void *to, int64_t bytes, int64_t at, rc_err_t *err);

/** \return RC_OK, RC_EIO */
rc_status_t rc_write_at(
    int fd, const char *path, const void *from, size_t bytes, int64_t at, rc_err_t *err);

#endif
