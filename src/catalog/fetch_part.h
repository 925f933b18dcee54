/** \file catalog/fetch_part.h  A file on its way: DIR/.NAME.part holds what has come, and
 *  DIR/.NAME.part.from where it came from and the server's mark of that version, without which
 *  nothing may be appended.  Private to src/catalog.
 *
 *  A kill at any moment leaves a pair that is right: the mark is taken away before the bytes of
 *  another version come, and is put down before the first byte. */
#ifndef RC_CATALOG_FETCH_PART_H
#define RC_CATALOG_FETCH_PART_H

#include "rowcast.h"

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

#endif
