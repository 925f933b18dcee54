/** \file catalog/fetch_private.h  What fetch.c (mirror, index, plan) and fetch_run.c (the run)
 * share. Private to src/catalog. */
#ifndef RC_CATALOG_FETCH_PRIVATE_H
#define RC_CATALOG_FETCH_PRIVATE_H

#include "base/str.h"
#include "catalog/fetch.h"
#include "catalog/fetch_http.h"
#include "catalog/manifest.h"

/** Bytes of an archive for each entry of its matrix, before any was seen: a guess. */
#define RC_FETCH_BYTES_PER_ENTRY 5.0

struct rc_fetch {
    const rc_fetch_config_t *config;
    rc_http_t *http;
    char *archives;        /**< address of the folder of groups, ends in '/' */
    char *index;           /**< address of ssstats.csv */
    int64_t next_start_ns; /**< no request before (the rate) */
    int64_t pause_ns;      /**< no request before (the server asked for it) */
};

/** Address of an entry's archive; free with free(). */
char *rc_fetch_url(const rc_fetch_t *f, const rc_entry_t *e, rc_err_t *err);

/** Whether the file of an entry is known to be right: the manifest has it as it is. */
int rc_fetch_is_known(const rc_fetch_t *f, const rc_manifest_t *m, const rc_entry_t *e);

/** The file of an entry below the folder: "HB/1138_bus.tar.gz". */
const char *rc_fetch_file(const rc_fetch_t *f, const rc_entry_t *e);

/** DIR/<Group> and <Name>.tar.gz of an entry, in two strings. */
rc_status_t rc_fetch_names(
    const rc_fetch_t *f, const rc_entry_t *e, rc_str_t *dir, rc_str_t *name, rc_err_t *err);

/** Whether the caller wants an end. */
int rc_fetch_stopping(const rc_fetch_t *f);

/** ns until the next request may be made, 0 for now. */
int64_t rc_fetch_delay(const rc_fetch_t *f, int64_t now);

/** A request was made. */
void rc_fetch_requested(rc_fetch_t *f, int64_t now);

/** What a reply means. */
typedef enum rc_verdict {
    RC_VERDICT_HAVE,  /**< the body came to its end */
    RC_VERDICT_SAME,  /**< 304 */
    RC_VERDICT_RANGE, /**< 416 */
    RC_VERDICT_RETRY,
    RC_VERDICT_FAIL
} rc_verdict_t;

/** Judge a reply; err has one line when it is RETRY or FAIL. */
rc_verdict_t rc_fetch_judge(const rc_http_reply_t *r, rc_err_t *err);

#endif
