/** \file catalog/fetch_private.h  What the parts of a download share.  Private to src/catalog. */
#ifndef RC_CATALOG_FETCH_PRIVATE_H
#define RC_CATALOG_FETCH_PRIVATE_H

#include "base/digest.h"
#include "base/str.h"
#include "catalog/fetch.h"

/* -------------------------------------------------------------------- fetch_text.c
 * The pure part: addresses, header fields, waiting times, and what size an archive can have. */

/** Append a part of a path to an address; every byte but letters, digits and -._~ becomes %XX
 *  (RFC 3986, section 2).  '/' is kept with `keep_slashes`. */
void rc_url_add(rc_str_t *url, const char *part, int keep_slashes);

/** Whether a mirror or an index is an address: "http://..." or "https://...". */
int rc_url_is_remote(const char *text);

/** Parse the value of Content-Range: "bytes 5-9/10"; an unknown range or total
 *  is an asterisk.
 *  \param[out] from   first byte, -1 when the range could not be had
 *  \param[out] total  of the whole, -1 when not known
 *  \return RC_OK, RC_EFORMAT */
rc_status_t rc_content_range(const char *text, int64_t *from, int64_t *total);

/** Whether a validator may stand in If-Range: not empty, and no weak entity tag (RFC 9110,
 *  section 13.1.5). */
int rc_validator_is_strong(const char *validator);

/** How long to wait before the next try: base * 2^tries seconds, at most 60 s, times a factor in
 *  [0.5, 1) that depends on the seed and on what is tried, so that those that failed together do
 *  not come back together.
 *  \param[in] tries  failed ones before, from 0
 *  \return ns */
int64_t rc_backoff_ns(double base_s, int tries, uint64_t seed, const char *what);

/** Most bytes that the expanded archive of an entry can have, judged by the catalogue: 160 an
 *  entry; 1 KiB a row and a column for the vectors, coordinates and names beside the matrix; 64 MiB
 *  for anything else.  Wide on purpose: it is there to stop an archive that expands without end. */
int64_t rc_archive_most_bytes(const rc_entry_t *e);

/** Bytes of an archive before any of it was seen: a guess by what the catalogue says. */
int64_t rc_archive_estimate(const rc_entry_t *e);

/* -------------------------------------------------------------------- fetch_part.c
 * A file on its way: DIR/.NAME.part holds what has come, and DIR/.NAME.part.from where it came
 * from and the server's mark of that version, without which nothing may be appended.
 * A kill at any moment leaves a pair that is right: the mark is taken away before the bytes of
 * another version come, and is put down before the first byte. */

enum { RC_FETCH_MARK_MAX = 256 };

typedef struct rc_fetch_part {
    char *path;                   /**< DIR/.NAME.part */
    char *from;                   /**< DIR/.NAME.part.from */
    char *final;                  /**< DIR/NAME */
    char *url;                    /**< where it is to come from */
    int fd;                       /**< -1: not open */
    int is_there;                 /**< at rc_fetch_part_look: 1 when something had come */
    int begun;                    /**< 1: something has come since then, which is still there */
    int pieces;                   /**< 1: what has come is of more than one transfer */
    int64_t bytes;                /**< that have come and may be continued */
    int64_t total;                /**< of the whole; -1 when not known */
    char mark[RC_FETCH_MARK_MAX]; /**< entity tag or date, as the server gave it; "" when none */
} rc_fetch_part_t;

/** See what is there of DIR/NAME; opens and changes nothing.
 *  \param[in]  url  bytes of another address are not continued
 *  \param[out] out  free with rc_fetch_part_free
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_fetch_part_look(
    const char *dir, const char *name, const char *url, rc_fetch_part_t *out, rc_err_t *err);

/** Open for what comes, after `keep` bytes (0, or p->bytes); makes DIR when it is not there.
 *  \param[in] mark, total  of the version that comes: mark "" when the server has none */
rc_status_t rc_fetch_part_begin(
    rc_fetch_part_t *p, int64_t keep, const char *mark, int64_t total, rc_err_t *err);

/** Append.  \return RC_OK, RC_EIO (disk full: what fits is kept) */
rc_status_t rc_fetch_part_write(rc_fetch_part_t *p, const void *data, size_t n, rc_err_t *err);

/** Close; what has come stays for another time. */
void rc_fetch_part_pause(rc_fetch_part_t *p);

/** Remove what has come. */
void rc_fetch_part_discard(rc_fetch_part_t *p);

/** Sync, rename to DIR/NAME, remove the rest.
 *  \param[in] keep_mark  1: the mark stays; as long as nothing else comes it is that of DIR/NAME */
rc_status_t rc_fetch_part_finish(rc_fetch_part_t *p, int keep_mark, rc_err_t *err);

/** Pause, and free the names. */
void rc_fetch_part_free(rc_fetch_part_t *p);

/* ---------------------------------------------------------------------- manifest.c
 * What was downloaded: DIR/manifest.jsonl, one JSON object a line, the last line of a matrix
 * counts. */

/** A line.  Members of the JSON object have these names; the digest is "xxh3" (XXH3, 128 bits, of
 *  the file), the time is "time" (UTC). */
typedef struct rc_manifest_line {
    const char *name; /**< "HB/1138_bus" */
    const char *file; /**< below DIR: "HB/1138_bus.tar.gz" */
    const char *url;  /**< where it came from; "" when it was there before */
    int64_t bytes;    /**< of the file */
    int64_t mtime_ns; /**< of the file */
    rc_digest_t digest;
    int64_t rows; /**< as counted in the file; likewise: */
    int64_t cols;
    int64_t entries; /**< after expansion of symmetric kinds */
} rc_manifest_line_t;

typedef struct rc_manifest rc_manifest_t;

/** Read a manifest; that there is none is no error, and lines that cannot be read (one that a kill
 *  cut off) are left out with a warning.
 *  \param[in] dir  of the collection
 *  \return RC_OK, RC_EIO, RC_ENOMEM.  Free with rc_manifest_free. */
rc_status_t rc_manifest_read(
    const char *dir, const rc_log_t *log, rc_manifest_t **out, rc_err_t *err);

/** The line of a matrix, NULL when there is none.  Borrowed until the next rc_manifest_add. */
const rc_manifest_line_t *rc_manifest_find(const rc_manifest_t *m, const char *name);

/** Append a line to the file, in one write, and sync it.  A full disk leaves the file as it was.
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_manifest_add(rc_manifest_t *m, const rc_manifest_line_t *line, rc_err_t *err);

void rc_manifest_free(rc_manifest_t *m);

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
