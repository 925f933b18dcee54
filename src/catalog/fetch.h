/** \file catalog/fetch.h  Downloading matrices of the SuiteSparse collection, one by one, from its
 *  site or from a mirror, as README.md says.  Local: one process at a time per folder, see
 *  cmd/cmd_fetch.c for the lock. */
#ifndef RC_CATALOG_FETCH_H
#define RC_CATALOG_FETCH_H

#include "base/log.h"
#include "catalog/catalog.h"

/** Where the collection is. */
#define RC_FETCH_MIRROR "https://sparse.tamu.edu"

/** How far a run is. */
typedef struct rc_fetch_progress {
    int64_t matrices; /**< selected */
    int64_t there;    /**< were there, and are what the catalogue says */
    int64_t fetched;  /**< came now */
    int64_t failed;
    int64_t bytes_done;     /**< of the archives that were not there at the start */
    int64_t bytes_expected; /**< of the same; estimated where no server has told the size yet */
    double bytes_per_s;     /**< of this run */
    double left_s;          /**< estimated; NaN: no idea yet */
} rc_fetch_progress_t;

typedef struct rc_fetch_config {
    const char *to;     /**< folder of the collection */
    const char *mirror; /**< address ("https://...") or folder; NULL: RC_FETCH_MIRROR */
    int retries;        /**< tries after a failed one, per archive; the count starts again when a
                              try brought 1 MiB */
    double rate;        /**< requests a second; 0: no limit */
    int64_t max_rate;   /**< bytes a second; 0: no limit */
    double backoff_s;   /**< the wait before the first retry; it doubles, see rc_backoff_ns */
    double stall_s;     /**< a transfer without a byte for this long is tried again */
    double timeout_s;   /**< longest transfer, but for a second more for each 16 KiB that it
                              brought (less with a max_rate); one that drips is tried again */
    const char *certificates; /**< file of those that HTTPS trusts (PEM); NULL: the system's */
    uint64_t seed;            /**< of the waiting times */
    int verify;          /**< 1: read again what is there, and compare it with the manifest too */
    const rc_log_t *log; /**< a line for each failure (error), retry (info) and archive (debug) */
    int (*stop)(void);   /**< not 0: stop and keep what has come; may be NULL */
    /** Told now and then; may be NULL. */
    void (*progress)(void *arg, const rc_fetch_progress_t *p);
    void *arg;
} rc_fetch_config_t;

typedef struct rc_fetch rc_fetch_t;

/** \param[in] config  borrowed until rc_fetch_close
 *  \return RC_OK, RC_ENOTSUP (built without libcurl), RC_ENOENT (no such mirror folder), RC_ENOMEM.
 *  Free with rc_fetch_close. */
rc_status_t rc_fetch_open(const rc_fetch_config_t *config, rc_fetch_t **out, rc_err_t *err);
void rc_fetch_close(rc_fetch_t *f);

/** Read the index.
 *  \param[in] index  a file or an address; NULL: the mirror's.  One that is downloaded becomes
 *                    to/ssstats.csv, and is not sent again while the server's is the same; when the
 *                    server cannot be reached and the file is there, it is taken with a warning
 *  \param[in] keep   0: to/ssstats.csv is not written
 *  \return as rc_catalog_read; RC_EIO (server), RC_EINTR (stopped) */
rc_status_t rc_fetch_index(
    rc_fetch_t *f, const char *index, int keep, rc_catalog_t *out, rc_err_t *err);

/** What a run would do with an entry. */
typedef enum rc_fetch_need {
    RC_FETCH_THERE = 0,     /**< nothing: it is there and was checked */
    RC_FETCH_UNCHECKED = 1, /**< read it: it is there, but nobody knows what it is */
    RC_FETCH_PART = 2,      /**< continue */
    RC_FETCH_ABSENT = 3     /**< download */
} rc_fetch_need_t;

typedef struct rc_fetch_item {
    rc_fetch_need_t need;
    int64_t have;  /**< bytes of the archive that are there */
    int64_t bytes; /**< of the whole archive; estimated when `estimated` */
    int estimated;
    char *url;
} rc_fetch_item_t;

/** See what a run would do; changes nothing, asks no server.
 *  \param[in]  c    from rc_catalog_scan(to, index); entries of the index only
 *  \param[out] out  [c->count], free with rc_fetch_items_free */
rc_status_t rc_fetch_plan(
    rc_fetch_t *f, const rc_catalog_t *c, rc_fetch_item_t **out, rc_err_t *err);
void rc_fetch_items_free(rc_fetch_item_t *items, int64_t count);

typedef struct rc_fetch_result {
    int64_t there;
    int64_t fetched;
    int64_t failed;
    int64_t left;     /**< not done: asked to stop, or the server said to come back much later */
    int64_t received; /**< bytes of bodies */
    double wall_s;
    int stopped; /**< 1: by config.stop, or by the server */
} rc_fetch_result_t;

/** Download what is not there.  A matrix that fails has a line in the log, and the rest goes on.
 *  \return RC_OK (see the result), RC_EIO (the folder or the manifest cannot be used), RC_ENOMEM */
rc_status_t rc_fetch_run(
    rc_fetch_t *f, const rc_catalog_t *c, rc_fetch_result_t *out, rc_err_t *err);

#endif
