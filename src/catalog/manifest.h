/** \file catalog/manifest.h  What was downloaded: DIR/manifest.jsonl, one JSON object a line, the
 *  last line of a matrix counts.  Private to src/catalog. */
#ifndef RC_CATALOG_MANIFEST_H
#define RC_CATALOG_MANIFEST_H

#include "base/digest.h"
#include "base/log.h"
#include "rowcast.h"

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

#endif
