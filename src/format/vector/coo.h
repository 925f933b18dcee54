/** \file format/vector/coo.h  A matrix as coordinates, sorted by row and then by column; also what
 *  is left of one whose rows are cut short (format/vector/hyb.h).
 *  Source: Bell and Garland 2009, doi:10.1145/1654059.1654078. */
#ifndef RC_FORMAT_VECTOR_COO_H
#define RC_FORMAT_VECTOR_COO_H

#include "format/format.h"

typedef struct rc_coo {
    int64_t entries;
    int32_t *row; /**< [entries] */
    int32_t *col; /**< [entries] */
    void *entry;  /**< [entries] places of values; NULL of structure alone */
} rc_coo_t;

/** Entries that rows have beyond their first `skip`.  Cost O(rows). */
int64_t rc_coo_count(const rc_csr_view_t *e, int64_t skip);

/** Arrays of so many entries.  \param[in] row, col, val  their names */
void rc_coo_add(rc_format_size_t *s, const rc_csr_view_t *e, int64_t entries, const char *row,
    const char *col, const char *val);

/** \param[in] skip  the first entries of a row that are left out
 *  \param[out] out  free with rc_coo_free
 *  \return RC_OK, RC_ENOMEM.  Cost O(rows + nnz). */
rc_status_t rc_coo_build(
    const rc_csr_view_t *e, int64_t skip, int threads, rc_coo_t *out, rc_err_t *err);
void rc_coo_free(rc_coo_t *c);

#endif
