/** \file catalog/cache.h  Matrices that were read once, in binary files that load at the speed of
 *  memory (sparse/csr_file.h): DIR/<Group>/<Name>-<digest>.csr, the digest being that of the
 *  matrix's and its file's name.  Each file tells what it was made from; it is taken while that has
 *  not changed, by size and times, or else by its contents.  Anything else is read as text, and
 *  written anew.
 *
 *  Ranks and nodes may share a cache: a file is replaced by a rename, and a reader of the old one
 *  keeps it.  Thread-safe for distinct entries.  A cache that cannot be written is a warning. */
#ifndef RC_CATALOG_CACHE_H
#define RC_CATALOG_CACHE_H

#include "base/log.h"
#include "catalog/catalog.h"

typedef struct rc_cache rc_cache_t;

/** \param[in] dir    made when something is to be written
 *  \param[in] log    gets a warning when the cache cannot be written, then it is only read;
 *                    borrowed until rc_cache_close; may be NULL
 *  \param[in] clean  1: remove what writers that were killed more than an hour ago left behind
 *  \return RC_OK, RC_EIO (dir is something else), RC_ENOMEM */
rc_status_t rc_cache_open(
    const char *dir, const rc_log_t *log, int clean, rc_cache_t **out, rc_err_t *err);

/** As rc_entry_load, by way of the cache (NULL: none).  Generated matrices are not cached. */
rc_status_t rc_cache_load(rc_cache_t *c, const rc_entry_t *e, int threads, rc_csr_t *out,
    rc_mtx_info_t *info, rc_err_t *err);

/** Files taken, and files written, since it was opened. */
void rc_cache_counts(const rc_cache_t *c, int64_t *taken, int64_t *written);

void rc_cache_close(rc_cache_t *c);

#endif
