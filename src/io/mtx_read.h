/** \file io/mtx_read.h  The reader with its block size exposed, for tests; inner header. */
#ifndef RC_IO_MTX_READ_H
#define RC_IO_MTX_READ_H

#include "rowcast_io.h"

/** As rc_mtx_read, decoding compressed text `block` bytes at a time and cutting text into slices
 *  of about `slice` bytes, both at least 1. */
rc_status_t rc_mtx_read_blocks(const char *path, int threads, size_t block, size_t slice,
    rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err);

#endif
