/** \file order/mask.h  The lines of B that each row needs, and the rows that need the same ones.
 *
 *  The mask b(R) of a row has bit i set when the row has an entry in columns
 *  [i * line, (i + 1) * line) (Mehrabi et al. 2021, section III-B).  It is kept as the sorted list
 *  of its set bits.  The distance of two rows is popcount(b(R) xor b(S)). */
#ifndef RC_ORDER_MASK_H
#define RC_ORDER_MASK_H

#include "base/alloc.h"
#include "rowcast.h"

typedef struct rc_masks {
    rc_pool_t pool; /**< of the arrays */
    int64_t rows;
    int64_t lines;    /**< lines of a column of B, ceil(n_col / line) */
    int64_t *ptr;     /**< [rows + 1] into line_of */
    int32_t *line_of; /**< [ptr[rows]] the lines of each row, increasing */
    int64_t groups;   /**< distinct masks */
    int32_t *group;   /**< [rows] number of the row's mask, in order of first row */
} rc_masks_t;

/** Compute the masks of a matrix and group equal ones.
 *  \param[in]  order  [a->rows] mask i is that of row order[i]; NULL: of row i
 *  \param[out] out  free with rc_masks_free; the same for every `threads`
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + rows), memory 12 bytes a row and 4 a set bit. */
rc_status_t rc_masks_build(const rc_csr_t *a, const int32_t *order, int32_t line, int threads,
    rc_masks_t *out, rc_err_t *err);

/** NULL and a zeroed object are allowed. */
void rc_masks_free(rc_masks_t *m);

/** Set bits of a row's mask. */
static inline int64_t rc_mask_size(const rc_masks_t *m, int64_t row)
{
    return m->ptr[row + 1] - m->ptr[row];
}

/** d(R, S) by merging the two lists.  Cost O(sizes). */
int64_t rc_mask_distance(const rc_masks_t *m, int64_t r, int64_t s);

#endif
