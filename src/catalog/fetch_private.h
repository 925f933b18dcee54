/** \file catalog/fetch_private.h  What the parts of a download share: fetch.c (mirror, index, plan,
 *  tries), fetch_http.c (transfers), fetch_run.c (the run).  Private to src/catalog. */
#ifndef RC_CATALOG_FETCH_PRIVATE_H
#define RC_CATALOG_FETCH_PRIVATE_H

#include "catalog/fetch.h"
#include "catalog/fetch_part.h"
#include "catalog/manifest.h"

struct rc_fetch {
    const rc_fetch_config_t *config;
    void *easy;            /**< of libcurl; keeps its connection from one transfer to the next */
    char *archives;        /**< address of the folder of groups, ends in '/' */
    char *index;           /**< address of ssstats.csv */
    int64_t next_start_ns; /**< no request before: the rate, or what a server asked for */
    int64_t received;      /**< bytes of bodies */
};

/* ------------------------------------------------------------------ fetch_http.c
 * Transfers, one after the other: HTTP, HTTPS, and files through the same calls.  The only part
 * that knows libcurl; not thread-safe. */

typedef struct rc_fetch_request {
    rc_fetch_part_t
        *part;          /**< what comes goes there: behind its bytes when the server still has the
                                version of its mark, else from the start */
    const char *same;   /**< of a part without bytes: no body when the server has this mark; NULL
                                or "": none */
    int64_t most_bytes; /**< longest body that is taken */
    /** Called about once a second and with whatever comes; not 0 ends the transfer. */
    int (*tick)(void *arg);
    void *arg;
} rc_fetch_request_t;

/** What a reply means. */
typedef enum rc_fetch_answer {
    RC_ANSWER_HAVE,  /**< the body came to its end */
    RC_ANSWER_SAME,  /**< 304 */
    RC_ANSWER_RANGE, /**< 416 */
    RC_ANSWER_RETRY, /**< worth another try: the connection failed or stalled, the server is busy */
    RC_ANSWER_FAIL   /**< it will fail again, or cannot be kept */
} rc_fetch_answer_t;

typedef struct rc_fetch_reply {
    rc_fetch_answer_t answer;
    int status;           /**< 200, 206, 304, 404, ...; 0: none came */
    int64_t total;        /**< bytes of the whole file; -1 when not known */
    int64_t from;         /**< with 206: first byte of the body in the file; -1 when not said */
    double retry_after_s; /**< what the server asks for, at least 0; negative: nothing */
    char mark[RC_FETCH_MARK_MAX]; /**< strong entity tag, else the date of the last change; "" */
    int unreachable; /**< RETRY without a word from the server: name or connection failed */
    rc_err_t err;    /**< why, of RETRY and FAIL; RC_EFORMAT: it sends more than can be meant */
} rc_fetch_reply_t;

/** Make f->easy.
 *  \return RC_OK; RC_ENOTSUP when the program was built without libcurl; RC_ENOMEM */
rc_status_t rc_http_open(rc_fetch_t *f, rc_err_t *err);
void rc_http_close(rc_fetch_t *f);

/** Make a request and take what comes.  Broken is a transfer without a byte for config.stall_s, or
 *  one that lasts longer than config.timeout_s and a second more for each 16 KiB of body (or for
 *  what half of config.max_rate brings, when that is less).
 *  \param[out] out  how it ended, whatever the server said
 *  \return RC_OK; RC_EINTR (tick said so: what came is in the part); RC_ENOMEM */
rc_status_t rc_http_get(
    rc_fetch_t *f, const rc_fetch_request_t *q, rc_fetch_reply_t *out, rc_err_t *err);

/** Seconds from `now` (since 1970) that a Retry-After field asks for, at least 0; a number of
 *  seconds or a date (RFC 9110, section 10.2.3); negative when it is neither. */
double rc_http_retry_after(const char *text, int64_t now_s);

/* ----------------------------------------------------------------------- fetch.c */

/** A file that is to come, and how its tries go. */
typedef struct rc_download {
    rc_fetch_t *f;
    const char *what; /**< in the log */
    rc_fetch_request_t request;
    int tries;       /**< failed ones; from 0 again after one that brought 1 MiB */
    int exhausted;   /**< 1: there were as many as may be */
    int busy;        /**< 1: the server asks to be left alone for more than an hour */
    int reached;     /**< 1: a server had a word */
    int unreachable; /**< 1: at the last try none had */
} rc_download_t;

/** Request until all has come.
 *  \param[out] is_same  1: the server has the mark `same`, nothing came
 *  \return RC_OK; RC_EINTR: stopped, or `busy` with what is to be said; else why it failed */
rc_status_t rc_fetch_download(rc_download_t *d, int *is_same, rc_err_t *err);

/** What has come of an entry's archive, and in part->url where it comes from; free with
 *  rc_fetch_part_free. */
rc_status_t rc_fetch_look(
    const rc_fetch_t *f, const rc_entry_t *e, rc_fetch_part_t *part, rc_err_t *err);

/** Whether the file of an entry is known to be right: the manifest has it as it is. */
int rc_fetch_is_known(const rc_fetch_t *f, const rc_manifest_t *m, const rc_entry_t *e);

/** The file of an entry below the folder: "HB/1138_bus.tar.gz". */
const char *rc_fetch_file(const rc_fetch_t *f, const rc_entry_t *e);

/** Whether the caller wants an end. */
int rc_fetch_stopping(const rc_fetch_t *f);

/* ------------------------------------------------------------------- fetch_run.c */

/** Whether a file holds the matrix of an entry: a question and its answer. */
typedef struct rc_check {
    const rc_entry_t *entry; /**< rows, cols and entries that are expected */
    const char *path;        /**< of the file; borrowed */
    int is_archive;          /**< 1: it must be an archive of the collection, whatever its name */
    rc_status_t status;      /**< RC_OK; RC_EFORMAT: damaged, hostile, or another matrix; RC_EINTR;
                                  RC_ENOENT, RC_EIO, RC_ENOMEM */
    rc_err_t err;
    rc_manifest_line_t line; /**< what was found; without names */
} rc_check_t;

/** Answer a question: reads the whole file.
 *  The entries of the file, with symmetric kinds expanded, must be as many as the catalogue's
 *  pattern entries (the collection's files hold explicit zeros), or its nnz (a copy without them).
 *  \param[in] stop  asked now and then; may be NULL */
void rc_check_file(rc_check_t *c, int threads, int (*stop)(void *), void *arg);

#endif
