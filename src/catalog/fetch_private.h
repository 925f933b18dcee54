/** \file catalog/fetch_private.h  What fetch.c (mirror, index, plan) and fetch_run.c (the run)
 *  share.  Private to src/catalog. */
#ifndef RC_CATALOG_FETCH_PRIVATE_H
#define RC_CATALOG_FETCH_PRIVATE_H

#include "catalog/fetch.h"
#include "catalog/fetch_http.h"
#include "catalog/fetch_part.h"
#include "catalog/manifest.h"

struct rc_fetch {
    const rc_fetch_config_t *config;
    rc_http_t *http;
    char *archives;        /**< address of the folder of groups, ends in '/' */
    char *index;           /**< address of ssstats.csv */
    int64_t next_start_ns; /**< no request before: the rate, or what a server asked for */
};

/** What has come of an entry's archive, and in part->url where it comes from; free with
 *  rc_fetch_part_free. */
rc_status_t rc_fetch_look(
    const rc_fetch_t *f, const rc_entry_t *e, rc_fetch_part_t *part, rc_err_t *err);

/** Bytes of an entry's archive, before any of it was seen: a guess. */
int64_t rc_fetch_estimate(const rc_entry_t *e);

/** Whether the file of an entry is known to be right: the manifest has it as it is. */
int rc_fetch_is_known(const rc_fetch_t *f, const rc_manifest_t *m, const rc_entry_t *e);

/** The file of an entry below the folder: "HB/1138_bus.tar.gz". */
const char *rc_fetch_file(const rc_fetch_t *f, const rc_entry_t *e);

/** Whether the caller wants an end. */
int rc_fetch_stopping(const rc_fetch_t *f);

/** The reply to one request, when its time has come.
 *  \return RC_OK, RC_EINTR, RC_ENOMEM */
rc_status_t rc_fetch_ask(
    rc_fetch_t *f, const rc_http_request_t *q, rc_http_reply_t *r, rc_err_t *err);

/** What a reply means. */
typedef enum rc_fetch_answer {
    RC_ANSWER_HAVE,  /**< the body came to its end */
    RC_ANSWER_SAME,  /**< 304 */
    RC_ANSWER_RANGE, /**< 416 */
    RC_ANSWER_RETRY,
    RC_ANSWER_FAIL
} rc_fetch_answer_t;

/** Judge a reply; err has one line when it is RETRY or FAIL. */
rc_fetch_answer_t rc_fetch_judge(const rc_http_reply_t *r, rc_err_t *err);

/** Whether the time that a server asks for after a failed request is one to wait for: an hour at
 *  most.  A server that wants to be left alone for longer gets its wish, the run ends.
 *  \return RC_OK; RC_EINTR with what is to be said */
rc_status_t rc_fetch_may_return(
    const char *what, const rc_err_t *why, double retry_after_s, rc_err_t *err);

/** Put off the next request after a failed one: by a time that doubles, and at least by what the
 *  server asks for.
 *  \param[in] what           was asked for, in the log
 *  \param[in] tries          failed ones before
 *  \param[in] retry_after_s  as rc_fetch_may_return took it; negative: nothing was asked for */
void rc_fetch_back_off(
    rc_fetch_t *f, const char *what, const rc_err_t *why, int tries, double retry_after_s);

#endif
