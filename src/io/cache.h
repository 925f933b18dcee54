/** \file io/cache.h  Matrices that were read once, in binary files that load at the speed of
 *  memory (io/csr_file.h): DIR/<Group>/<Name>-<digest>.csr, the digest being that of the
 *  matrix's and its file's name; README.md says when one is taken.  Ranks and nodes may share a
 *  cache.  Thread-safe for distinct matrices. */
#ifndef RC_IO_CACHE_H
#define RC_IO_CACHE_H

#include "base/log.h"
#include "io/mtx.h"

typedef struct rc_cache rc_cache_t;

/** \param[in] dir  made when something is to be written
 *  \param[in] log  gets a warning when the cache cannot be written, then it is only read; borrowed
 *                  until rc_cache_close; may be NULL
 *  \return RC_OK, RC_EIO (dir is something else), RC_ENOMEM */
rc_status_t rc_cache_open(const char *dir, const rc_log_t *log, rc_cache_t **out, rc_err_t *err);

/** As rc_mtx_read_within, by way of the cache.
 *  \param[in] group, name  of the matrix: where it is in the cache
 *  \param[in] path         its file */
rc_status_t rc_cache_read(rc_cache_t *c, const char *group, const char *name, const char *path,
    int threads, const rc_mtx_bound_t *bound, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err);

/** Files taken, and files written, since it was opened. */
void rc_cache_counts(const rc_cache_t *c, int64_t *taken, int64_t *written);

void rc_cache_close(rc_cache_t *c);

#endif
