/** \file format/vector/ell.h  A matrix in ELLPACK: the same number of places for every row, column
 *  after column of places, entries at the left.
 *  Source: Bell and Garland 2009, doi:10.1145/1654059.1654078. */
#ifndef RC_FORMAT_VECTOR_ELL_H
#define RC_FORMAT_VECTOR_ELL_H

#include "format/format.h"

/** The parameter `limit`, also of kernels; see rc_ell_limit. */
#define RC_ELL_LIMIT_PARAM                                                                         \
    {                                                                                              \
        .name = "limit",                                                                           \
        .help = "cusp: not where a matrix takes over 10^6 places and three times its entries",     \
        .value = RC_ELL_LIMIT_NONE, .type = RC_PARAM_CHOICE, .choices = rc_ell_limits              \
    }
extern const char *const rc_ell_limits[];

enum { RC_ELL_LIMIT_NONE = 0, RC_ELL_LIMIT_CUSP = 1 };

enum { RC_ELL_PITCH = 32, RC_ELL_PAD = -1 };

/** Place (r, k) is element k * pitch + r; a place without an entry, and those of rows that do not
 *  exist, have column RC_ELL_PAD. */
typedef struct rc_ell {
    int64_t rows;
    int64_t width;
    int64_t pitch; /**< rows rounded up to RC_ELL_PITCH */
    int32_t *col;  /**< [width * pitch] */
    void *entry;   /**< [width * pitch] places of values; NULL of structure alone */
} rc_ell_t;

int64_t rc_ell_pitch(const rc_csr_view_t *e);

/** Arrays of that width, computed in 64 bits.  \param[in] col, val  their names */
void rc_ell_add(
    rc_format_size_t *s, const rc_csr_view_t *e, int64_t width, const char *col, const char *val);

/** \param[in] size  of rc_ell_add  \return RC_OK, or RC_ENOTSUP with the figures */
rc_status_t rc_ell_limit(const rc_format_size_t *size, int64_t nnz, int64_t limit, rc_err_t *err);

/** \param[in] width  of what a row has more is left out
 *  \param[out] out  free with rc_ell_free
 *  \return RC_OK, RC_ENOMEM.  Cost O(width * pitch). */
rc_status_t rc_ell_build(
    const rc_csr_view_t *e, int64_t width, int threads, rc_ell_t *out, rc_err_t *err);
void rc_ell_free(rc_ell_t *l);

/** `width`, `pitch` and `col`. */
rc_status_t rc_ell_put(const rc_format_sink_t *sink, const rc_ell_t *l, rc_err_t *err);

#endif
