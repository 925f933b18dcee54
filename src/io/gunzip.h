/** \file io/gunzip.h  Streaming gzip decoder that verifies length and check sum (libarchive's
 *  does not); inner header of the room. */
#ifndef RC_IO_GUNZIP_H
#define RC_IO_GUNZIP_H

#include "rowcast.h"

typedef struct rc_gunzip rc_gunzip_t;

/** \return NULL when there is no memory */
rc_gunzip_t *rc_gunzip_new(void);
void rc_gunzip_free(rc_gunzip_t *g);

/** Whether the decoder has used up its input and rc_gunzip_feed is due. */
int rc_gunzip_is_hungry(const rc_gunzip_t *g);

/** Whether the file ended in something that is no gzip, behind a whole member: it is not read. */
int rc_gunzip_ignored(const rc_gunzip_t *g);

/** Give the next compressed bytes, borrowed until they are used up; 0 bytes: the file ends. */
void rc_gunzip_feed(rc_gunzip_t *g, const void *data, size_t bytes);

/** Decode into buf until it is full, the input is used up or the file ends.
 *  \param[out] got  bytes decoded
 *  \return NULL, or what is wrong with the file (static storage) */
const char *rc_gunzip_read(rc_gunzip_t *g, void *buf, size_t size, size_t *got);

#endif
