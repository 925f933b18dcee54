/** \file io/mtx_read.h  The reader with its block size exposed, for tests, and what its memory is
 *  checked by; inner header. */
#ifndef RC_IO_MTX_READ_H
#define RC_IO_MTX_READ_H

#include "io/mtx.h"

/** As rc_mtx_read, decoding compressed text `block` bytes at a time and cutting text into slices
 *  of about `slice` bytes, both at least 1. */
rc_status_t rc_mtx_read_blocks(const char *path, int threads, size_t block, size_t slice,
    rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err);

/** A matrix that is to be read. */
typedef struct rc_mtx_need {
    const char *path;
    int64_t shape[2];
    int64_t entries; /**< that it may have */
    int64_t read;    /**< as they come out of the file */
    int64_t beside;  /**< bytes that its reader takes besides */
    int64_t held;    /**< of all these bytes, those in use already: they are not available */
} rc_mtx_need_t;

/** \param[in] b  may be NULL
 *  \return RC_OK; RC_ENOMEM with the figures, above the bound or what is available */
rc_status_t rc_mtx_check_memory(const rc_mtx_need_t *n, const rc_mtx_bound_t *b, rc_err_t *err);

#endif
