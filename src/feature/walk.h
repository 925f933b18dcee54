/** \file feature/walk.h  One walk over a matrix as the warps of the C-stationary kernel make it,
 *  counting what the features are made of.  Row i belongs to warp i mod N_w; a warp walks a row N_t
 *  entries at a time, and in one such iteration requests each distinct line of B once.
 *  Source: Mehrabi et al. 2021, section II and Table II; exact meanings: definitions of rowcast. */
#ifndef RC_FEATURE_WALK_H
#define RC_FEATURE_WALK_H

#include "rowcast.h"

/** Smallest, largest and sum of a number of counts; all 0 for none of them. */
typedef struct rc_extent {
    int64_t count;
    int64_t min;
    int64_t max;
    int64_t sum;
} rc_extent_t;

typedef struct rc_walk {
    rc_extent_t entries;   /**< over rows: entries of the row */
    rc_extent_t blocks;    /**< over rows: blocks of N_w consecutive columns that have an entry */
    rc_extent_t distance;  /**< over adjacent row pairs: lines that exactly one of them touches */
    rc_extent_t load;      /**< over warps: sum of ceil(entries / N_t) over its rows */
    rc_extent_t requested; /**< over lines: transactions that request the line */
    rc_extent_t distinct;  /**< over warps: distinct lines over its rows */
    rc_extent_t total;     /**< over warps: transactions of the warp */
} rc_walk_t;

static inline void rc_extent_add(rc_extent_t *e, int64_t value)
{
    if (e->count == 0 || value < e->min)
        e->min = value;
    if (e->count == 0 || value > e->max)
        e->max = value;
    e->sum += value;
    e->count++;
}

/** Add what another one has seen. */
void rc_extent_merge(rc_extent_t *to, const rc_extent_t *from);

/** Walk a matrix once.  All counts are exact and do not depend on `threads`.
 *  \param[in]  geometry  each member >= 1
 *  \param[in]  threads   >= 1; fewer are used when starting them or their tables would outweigh
 *                        the matrix
 *  \return RC_OK, RC_ENOMEM, RC_ERANGE (a table's size does not fit).  Local.
 *  Cost O(nnz + rows + N_w lines / 64), memory O(threads (lines (48 + N_w / 8) + 16 N_w)) bytes. */
rc_status_t rc_walk_matrix(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, rc_walk_t *out, rc_err_t *err);

/** As rc_walk_matrix, with this many parts (at least 1, at most the rows when there are any), each
 *  walked by a thread. */
rc_status_t rc_walk_in_parts(
    const rc_csr_t *a, const rc_geometry_t *geometry, int parts, rc_walk_t *out, rc_err_t *err);

/** Sum over count, 0 for none. */
double rc_extent_mean(const rc_extent_t *e);

#endif
