/** \file sparse/mtx.h  Matrix Market files: header, writer.  The reader rc_mtx_read is in
 *  rowcast.h.  Format: https://math.nist.gov/MatrixMarket/formats.html */
#ifndef RC_SPARSE_MTX_H
#define RC_SPARSE_MTX_H

#include "rowcast.h"

/** What is said of a complex matrix, wherever one is read. */
#define RC_COMPLEX_NOTICE "complex: only the pattern is used, the values are seeded ones"

/** Read the banner and the size line only (of any supported container).
 *  \param[out] rows, cols, entries  what the size line says; entries before expansion
 *  \return as rc_mtx_read */
rc_status_t rc_mtx_peek(const char *path, int64_t *rows, int64_t *cols, int64_t *entries,
    rc_mtx_info_t *info, rc_err_t *err);

/** Write coordinate real general, the shortest decimal text that reads back as the same double.
 *  \param[in] comment  lines to put after the banner, each without '%' and newline; may be NULL
 *  The file appears under its name only when complete (written beside it, then renamed).
 *  \return RC_OK, RC_EIO with the cause, RC_ENOMEM */
rc_status_t rc_mtx_write(const char *path, const rc_csr_t *a, const char *comment, rc_err_t *err);

#endif
