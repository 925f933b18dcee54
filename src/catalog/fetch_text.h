/** \file catalog/fetch_text.h  The pure part of a download: addresses, header fields, waiting
 *  times, and what size an archive can have.  Private to src/catalog. */
#ifndef RC_CATALOG_FETCH_TEXT_H
#define RC_CATALOG_FETCH_TEXT_H

#include "base/str.h"
#include "catalog/catalog.h"

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

#endif
